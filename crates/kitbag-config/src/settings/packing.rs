//! Settings of the packing pipeline.

use super::{MAX_CHUNKS, MIN_CHUNKS, category_keys};
use crate::resolved::ResolvedConfig;
use crate::table;
use kitbag_core::{
    BudgetSettings, DeduplicationSettings, Format, Formatting, Overflow, RankOrder,
    SelectionSettings, Settings, Share, Weights,
};
use kitbag_text::{ChunkLimits, ChunkStrategy, Kind, languages};
use std::collections::BTreeMap;

/// Parser steps that take about a millisecond. Steps are limited instead of time, so that a file is
/// always cut in the same way.
const STEPS_PER_MILLISECOND: u64 = 50;

pub(super) fn settings(config: &ResolvedConfig) -> Settings {
    let weight =
        |name: &str| config.number(&format!("context.ranking.{name}_weight")).unwrap_or_default();
    Settings {
        chunking: chunking(config),
        weights: Weights {
            relevance: weight("relevance"),
            recency: weight("recency"),
            source: weight("source"),
        },
        priorities: Kind::ALL.map(|(_, name, priority)| {
            let key = format!("context.source_priority.{}", table::plural(name));
            config.integer(&key).map_or(priority, |number| number as u32)
        }),
        order: match config.text("context.ranking.order") {
            Some("priority") => RankOrder::Priority,
            _ => RankOrder::Score,
        },
        min_score: config.number("context.ranking.min_score"),
        deduplication: deduplication(config),
        selection: selection(config),
        budget: BudgetSettings {
            categories: category_keys().map(|key| config.number(&key).map(Share::Fraction)),
        },
        formatting: formatting(config),
    }
}

fn formatting(config: &ResolvedConfig) -> Formatting {
    let bool = |name: &str| config.bool(&format!("context.formatting.{name}"));
    let text = |name: &str| config.text(&format!("context.formatting.{name}")).map(str::to_owned);
    Formatting {
        format: text("format").and_then(|name| name.parse().ok()).unwrap_or(Format::Markdown),
        template: None,
        header: text("header"),
        footer: text("footer"),
        group_by_file: bool("group_by_file"),
        line_numbers: bool("line_numbers"),
        scores: bool("scores"),
        max_chunks: config.integer(MAX_CHUNKS).map(|number| number as usize),
        separator: text("separator"),
        detailed: bool("detailed"),
        sections: bool("sections"),
        ..Formatting::default()
    }
}

fn chunking(config: &ResolvedConfig) -> ChunkLimits {
    let integer = |name: &str| {
        let number = config.integer(&format!("context.chunking.{name}")).unwrap_or_default();
        u32::try_from(number).unwrap_or(u32::MAX)
    };
    let steps = u64::from(integer("max_parse_time_ms")) * STEPS_PER_MILLISECOND;
    let is_structural = config.bool("context.chunking.prefer_structural");
    ChunkLimits {
        max_chunk_tokens: integer("max_chunk_tokens"),
        max_class_tokens: integer("max_chunk_tokens"),
        min_chunk_tokens: integer("min_chunk_tokens"),
        lines_per_chunk: integer("lines_per_chunk"),
        max_file_bytes: integer("max_file_size_bytes") as usize,
        max_parse_steps: u32::try_from(steps).unwrap_or(u32::MAX),
        max_nesting_depth: integer("max_nesting_depth"),
        strategy: if is_structural { ChunkStrategy::Structure } else { ChunkStrategy::Lines },
        languages: language_cuts(config),
        fallback_on_error: config.bool("context.chunking.fallback_on_error"),
    }
}

fn language_cuts(config: &ResolvedConfig) -> BTreeMap<String, ChunkStrategy> {
    let cut = |name: &str| match config.text(&format!("context.chunking.languages.{name}"))? {
        "structure" => Some(ChunkStrategy::Structure),
        "tokens" => Some(ChunkStrategy::Tokens),
        _ => Some(ChunkStrategy::Lines),
    };
    let names = languages().iter().map(|language| language.name());
    names.filter_map(|name| Some((name.to_owned(), cut(name)?))).collect()
}

fn deduplication(config: &ResolvedConfig) -> DeduplicationSettings {
    let bool = |name: &str| config.bool(&format!("context.deduplication.{name}"));
    let number = |name: &str| config.number(&format!("context.deduplication.{name}"));
    let cache_max_size = config.integer("context.deduplication.cache_max_size");
    DeduplicationSettings {
        enabled: bool("enabled"),
        content_hash_enabled: bool("content_hash_enabled"),
        overlap_detection_enabled: bool("overlap_detection_enabled"),
        overlap_threshold: number("overlap_threshold").unwrap_or_default(),
        near_enabled: bool("near_enabled"),
        near_threshold: number("near_threshold").unwrap_or(1.0),
        normalize_whitespace: bool("normalize_whitespace"),
        ignore_comments: bool("ignore_comments"),
        case_sensitive: bool("case_sensitive"),
        merge_overlaps: bool("merge_overlaps"),
        cache_max_size: cache_max_size.unwrap_or_default() as usize,
    }
}

fn selection(config: &ResolvedConfig) -> SelectionSettings {
    SelectionSettings {
        min_chunks: config.integer(MIN_CHUNKS).unwrap_or_default() as usize,
        balance: config.bool("context.selection.balance"),
        overflow: match config.text("context.selection.overflow") {
            Some("skip") => Overflow::Skip,
            Some("truncate") => Overflow::Truncate,
            Some("proportional") => Overflow::Proportional,
            _ => Overflow::Outline,
        },
    }
}
