//! Settings of the packing pipeline.

use super::{MAX_CHUNKS, category_keys};
use crate::resolved::ResolvedConfig;
use crate::table;
use kitbag_core::{BudgetSettings, Formatting, Settings, Share, Weights};
use kitbag_text::{ChunkLimits, ChunkStrategy, Kind};
use std::collections::BTreeMap;

/// Parser steps that take about a millisecond. Steps are limited instead of time, so that a file is
/// always split in the same way.
const STEPS_PER_MILLISECOND: u32 = 50;

pub(super) fn settings(config: &ResolvedConfig) -> Settings {
    let weight = |name: &str| config.get(&format!("context.ranking.{name}_weight"));
    let priority = |name| config.get(&format!("context.source_priority.{}", table::plural(name)));
    let share = |key: String| config.get::<Option<f64>>(&key).map(Share::Fraction);
    Settings {
        chunking: chunking(config),
        weights: Weights {
            relevance: weight("relevance"),
            recency: weight("recency"),
            source: weight("source"),
        },
        priorities: Kind::ALL.map(|kind| priority(kind.name())),
        order: config.get("context.ranking.order"),
        min_score: config.get("context.ranking.min_score"),
        deduplication: config.section("context.deduplication"),
        selection: config.section("context.selection"),
        budget: BudgetSettings { categories: category_keys().map(share) },
        formatting: formatting(config),
    }
}

fn formatting(config: &ResolvedConfig) -> Formatting {
    Formatting {
        format: config.get("context.formatting.format"),
        template: None,
        header: config.get("context.formatting.header"),
        footer: config.get("context.formatting.footer"),
        group_by_file: config.get("context.formatting.group_by_file"),
        line_numbers: config.get("context.formatting.line_numbers"),
        scores: config.get("context.formatting.scores"),
        max_chunks: config.get(MAX_CHUNKS),
        separator: config.get("context.formatting.separator"),
        detailed: config.get("context.formatting.detailed"),
        number_lines: config.get("context.formatting.number_lines"),
        with_task: config.get("context.formatting.with_task"),
        sections: config.get("context.formatting.sections"),
        ..Formatting::default()
    }
}

fn chunking(config: &ResolvedConfig) -> ChunkLimits {
    let integer = |name: &str| config.get::<u32>(&format!("context.chunking.{name}"));
    let is_structural = config.get("context.chunking.prefer_structural");
    let languages: BTreeMap<String, Option<ChunkStrategy>> =
        config.section("context.chunking.languages");
    ChunkLimits {
        max_chunk_tokens: integer("max_chunk_tokens"),
        max_class_tokens: integer("max_chunk_tokens"),
        min_chunk_tokens: integer("min_chunk_tokens"),
        lines_per_chunk: integer("lines_per_chunk"),
        max_file_bytes: integer("max_file_size_bytes") as usize,
        max_parse_steps: integer("max_parse_time_ms") * STEPS_PER_MILLISECOND,
        max_nesting_depth: integer("max_nesting_depth"),
        strategy: if is_structural { ChunkStrategy::Structure } else { ChunkStrategy::Lines },
        languages: languages.into_iter().filter_map(|(name, it)| Some((name, it?))).collect(),
        fallback_on_error: config.get("context.chunking.fallback_on_error"),
    }
}
