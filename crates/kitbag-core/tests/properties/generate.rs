//! Random requests: files, sources, settings, budgets and counters.

use super::case::{Case, Limit};
use super::scraps::{DIALECTS, HARD, TASKS};
use super::sources::{How, Plan, PlannedPiece, sources};
use kitbag_core::{
    BudgetSettings, DeduplicationSettings, Overflow, SelectionSettings, Settings, Share, Weights,
};
use kitbag_text::{ChunkLimits, ChunkStrategy, Kind};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The current time of every request.
const NOW: i64 = 1_700_000_000;

/// A path and its content.
pub type File = (String, String);

pub fn case() -> impl Strategy<Value = Case> {
    let job =
        (select(TASKS), prop_oneof![9 => Just(Some(NOW)), 1 => Just(None)], limit(), counter());
    (vec(file(), 1..5), plans(), settings(), job).prop_map(
        |(files, plans, settings, (task, now, limit, counter))| {
            let sources = sources(&files, &plans, &settings, counter);
            Case { sources, task, now, limit, settings, counter }
        },
    )
}

fn counter() -> impl Strategy<Value = usize> {
    prop_oneof![5 => Just(0usize), 2 => Just(1), 2 => Just(2), 2 => Just(3)]
}

fn limit() -> impl Strategy<Value = Limit> {
    prop_oneof![
        1 => (0..2usize).prop_map(Limit::Tokens),
        2 => (2..120usize).prop_map(Limit::Tokens),
        2 => Just(Limit::Total),
        2 => Just(Limit::TotalLessOne),
        12 => (0.2..1.0f64).prop_map(Limit::Fraction),
        1 => Just(Limit::Tokens(1_000_000)),
        1 => Just(Limit::Tokens(usize::MAX)),
    ]
}

fn settings() -> impl Strategy<Value = Settings> {
    let strategy = prop_oneof![8 => Just(ChunkStrategy::Structure), 1 => Just(ChunkStrategy::Lines), 1 => Just(ChunkStrategy::Tokens)];
    let chunking = (
        prop_oneof![2 => 16..80u32, 4 => 60..200u32, 1 => 200..600u32],
        0..50u32,
        1..12u32,
        strategy,
    )
        .prop_map(|(max, min, lines, strategy)| ChunkLimits {
            max_chunk_tokens: max,
            min_chunk_tokens: min,
            lines_per_chunk: lines,
            strategy,
            ..ChunkLimits::default()
        });
    let weights = prop_oneof![
        8 => Just(Weights::default()),
        1 => Just(Weights { relevance: 0.0, recency: 0.0, source: 1.0 }),
        1 => Just(Weights { relevance: 0.500_000_9, recency: 0.3, source: 0.2 }),
    ];
    let min_score = prop_oneof![8 => Just(None), 1 => (0.0..0.5f64).prop_map(Some)];
    let how = (deduplication(), selection(), categories());
    (chunking, weights, min_score, how).prop_map(
        |(chunking, weights, min_score, (deduplication, selection, budget))| {
            let defaults = Settings::default();
            Settings { chunking, weights, min_score, deduplication, selection, budget, ..defaults }
        },
    )
}

fn deduplication() -> impl Strategy<Value = DeduplicationSettings> {
    let threshold = prop_oneof![6 => Just(0.3), 1 => Just(0.0), 1 => Just(0.6), 1 => Just(1.0)];
    let near = prop_oneof![4 => Just(0.85), 1 => Just(0.3), 1 => Just(1.0)];
    let ways = (prop::bool::weighted(0.9), prop::bool::weighted(0.85), prop::bool::weighted(0.2));
    let rules = (prop::bool::weighted(0.8), prop::bool::weighted(0.1), prop::bool::weighted(0.9));
    let memory = prop_oneof![8 => Just(5_000usize), 1 => 0..3usize];
    (ways, threshold, near, rules, prop::bool::weighted(0.2), memory).prop_map(
        |((hash, overlap, near), overlap_threshold, near_threshold, rules, merge, memory)| {
            DeduplicationSettings {
                enabled: hash || overlap,
                content_hash_enabled: hash,
                overlap_detection_enabled: overlap,
                overlap_threshold,
                near_enabled: near,
                near_threshold,
                normalize_whitespace: rules.0,
                ignore_comments: rules.1,
                case_sensitive: rules.2,
                merge_overlaps: merge,
                cache_max_size: memory,
            }
        },
    )
}

fn selection() -> impl Strategy<Value = SelectionSettings> {
    let overflow = prop_oneof![
        1 => Just(Overflow::Skip),
        8 => Just(Overflow::Outline),
        3 => Just(Overflow::Truncate),
        3 => Just(Overflow::Proportional),
    ];
    let min_chunks = prop_oneof![4 => Just(0usize), 1 => Just(1), 2 => 2..8usize];
    let stop_below = prop_oneof![4 => Just(None), 1 => (0.0..0.8f64).prop_map(Some)];
    let switches = (prop::bool::weighted(0.2), prop::bool::weighted(0.5));
    (min_chunks, switches, overflow, stop_below).prop_map(
        |(min_chunks, (balance, pin), overflow, stop_below)| SelectionSettings {
            min_chunks,
            balance,
            overflow,
            stop_below,
            pin,
        },
    )
}

/// Usually no limits, otherwise limits for some kinds.
fn categories() -> impl Strategy<Value = BudgetSettings> {
    let share = prop_oneof![
        (0.0..=1.0f64).prop_map(Share::Fraction),
        (0..300usize).prop_map(Share::Tokens),
    ];
    let limits = vec(prop_oneof![2 => Just(None), 1 => share.prop_map(Some)], Kind::ALL.len());
    prop_oneof![
        3 => Just(BudgetSettings::default()),
        1 => limits.prop_map(|limits| {
            let mut budget = BudgetSettings::default();
            budget.categories.copy_from_slice(&limits);
            budget
        }),
    ]
}

fn file() -> impl Strategy<Value = File> {
    let dialect = prop_oneof![2 => 0..2usize, 1 => 0..DIALECTS.len()];
    (dialect, any::<Index>(), vec(scrap(), 0..14), ending()).prop_map(
        |(dialect, path, scraps, (crlf, ended))| {
            let dialect = &DIALECTS[dialect];
            let path = path.get(dialect.paths).to_string();
            let mut content = String::new();
            for scrap in scraps {
                scrap.push(dialect.items, &mut content);
            }
            if crlf {
                content = content.replace("\r\n", "\n").replace('\n', "\r\n");
            }
            if !ended {
                content.truncate(content.trim_end_matches(['\r', '\n']).len());
            }
            (path, content)
        },
    )
}

fn ending() -> impl Strategy<Value = (bool, bool)> {
    (prop::bool::weighted(0.15), prop::bool::weighted(0.75))
}

/// A fragment of a file.
#[derive(Debug, Clone)]
enum Scrap {
    Item(Index),
    Hard(&'static str),
    Numbered(u32),
    Long(usize),
}

impl Scrap {
    fn push(self, items: &[&str], content: &mut String) {
        match self {
            Self::Item(item) => content.push_str(items[item.index(items.len())]),
            Self::Hard(lines) => content.push_str(lines),
            Self::Numbered(number) => content.push_str(&format!("value_{number} = {number};\n")),
            Self::Long(words) => {
                content.push_str(&"word, ".repeat(words));
                content.push('\n');
            }
        }
    }
}

fn scrap() -> impl Strategy<Value = Scrap> {
    prop_oneof![
        9 => any::<Index>().prop_map(Scrap::Item),
        4 => select(HARD).prop_map(Scrap::Hard),
        2 => (0..1000u32).prop_map(Scrap::Numbered),
        1 => (10..150usize).prop_map(Scrap::Long),
    ]
}

fn plans() -> impl Strategy<Value = Vec<Plan>> {
    prop_oneof![1 => vec(plan(), 0..3), 4 => vec(plan(), 2..9)]
}

fn plan() -> impl Strategy<Value = Plan> {
    let relevance = prop_oneof![
        2 => Just(None),
        4 => (0.0..=1.0f64).prop_map(Some),
        1 => select(vec![0.0, 0.5, 1.0, -1.0, 7.0, f64::NAN]).prop_map(Some),
    ];
    let timestamp = prop_oneof![
        2 => Just(None),
        3 => (-5..60i64).prop_map(|days| Some(NOW - days * 86_400)),
    ];
    // Generated texts are shown without the line numbers by which packs are read back.
    let kinds = Kind::ALL.into_iter().filter(|kind| !kind.is_generated());
    let kind = select(kinds.collect::<Vec<_>>());
    let provider = prop_oneof![3 => Just(None), 2 => select(vec!["one", "two"]).prop_map(Some)];
    let origin = (provider, prop::bool::weighted(0.2));
    (any::<Index>(), how(), kind, relevance, timestamp, origin).prop_map(
        |(file, how, kind, relevance, timestamp, (provider, is_given))| Plan {
            file,
            how,
            kind,
            relevance,
            timestamp,
            provider,
            is_given,
        },
    )
}

fn how() -> impl Strategy<Value = How> {
    prop_oneof![
        6 => Just(How::Whole),
        4 => (0.0..1.0f64, 0.0..=1.0f64, any::<bool>())
            .prop_map(|(from, to, ended)| How::Part { from, to, ended }),
        2 => any::<Index>().prop_map(How::Changed),
        1 => Just(How::Reindented),
        1 => Just(How::Blank),
        5 => any::<u32>().prop_map(How::Cut),
        3 => vec(piece(), 1..6).prop_map(How::Pieces),
    ]
}

fn piece() -> impl Strategy<Value = PlannedPiece> {
    let part = prop_oneof![4 => Just(None), 1 => (1..4u32, 2..4u32).prop_map(Some)];
    (0.0..1.0f64, 0.0..1.2f64, part, prop::bool::weighted(0.7))
        .prop_map(|(from, to, part, outlined)| PlannedPiece { from, to, part, outlined })
}
