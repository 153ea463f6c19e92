//! Differences between two packs, with reasons for each added and removed chunk.

use crate::causes::causes;
use crate::shape::{RECORD_VERSION, Record, RecordedChunk, RecordedExclusion};
use kitbag_text::Span;
use serde::Serialize;

/// The differences between two packs.
#[derive(Debug, Clone, Serialize)]
pub struct RecordDifference {
    /// The schema version.
    pub version: u32,
    /// The id of the earlier record.
    pub before: String,
    /// The id of the later record.
    pub after: String,
    /// Descriptions of the differences in the request and the settings.
    pub request: Vec<String>,
    /// Token counts of the earlier and the later pack.
    pub tokens: (usize, usize),
    /// Chunks that are only in the later pack.
    pub added: Vec<Change>,
    /// Chunks that are only in the earlier pack.
    pub removed: Vec<Change>,
    /// Chunks that are in both packs but differ.
    pub changed: Vec<Moved>,
    /// Number of chunks that are in both packs.
    pub kept: usize,
    /// Problems that did not prevent the comparison.
    pub warnings: Vec<String>,
}

/// A chunk that is in only one of the packs.
#[derive(Debug, Clone, Serialize)]
pub struct Change {
    /// The path relative to the repository root.
    pub path: String,
    /// The first line, counted from 1.
    pub start_line: u32,
    /// The last line, inclusive.
    pub end_line: u32,
    /// The path of the enclosing symbol.
    pub symbol: Option<String>,
    /// Number of tokens in the chunk.
    pub tokens: usize,
    /// The score in the pack that contains the chunk.
    pub score: f64,
    /// Human-readable reason why the other pack does not contain the chunk.
    pub why: String,
}

/// A chunk that is in both packs but differs.
#[derive(Debug, Clone, Serialize)]
pub struct Moved {
    /// The path relative to the repository root.
    pub path: String,
    /// The first and last line in the earlier pack.
    pub before: (u32, u32),
    /// The first and last line in the later pack.
    pub after: (u32, u32),
    /// Descriptions of the differences.
    pub what: Vec<String>,
}

/// Computes the differences from `before` to `after`.
pub fn difference(before: &Record, after: &Record, warnings: Vec<String>) -> RecordDifference {
    let pairs = pair(&before.included, &after.included);
    let only = |chunks: &[RecordedChunk], paired: Vec<usize>, other: &Record, when: &str| {
        let chunks = chunks.iter().enumerate().filter(|(at, _)| !paired.contains(at));
        chunks.map(|(_, chunk)| change(chunk, other, when)).collect()
    };
    let changed = pairs.iter().filter_map(|&(a, b)| {
        let (a, b) = (&before.included[a], &after.included[b]);
        let what = differs(a, b);
        let (path, before, after) = (b.path.clone(), a.span().into(), b.span().into());
        (!what.is_empty()).then_some(Moved { path, before, after, what })
    });
    RecordDifference {
        version: RECORD_VERSION,
        before: before.id.clone(),
        after: after.id.clone(),
        request: causes(before, after),
        tokens: (before.total_tokens, after.total_tokens),
        added: only(&after.included, pairs.iter().map(|it| it.1).collect(), before, "before"),
        removed: only(&before.included, pairs.iter().map(|it| it.0).collect(), after, "now"),
        changed: changed.collect(),
        kept: pairs.len(),
        warnings,
    }
}

/// Pairs the chunks of two packs. Chunks match by equal lines, then by symbol, then by content, and
/// finally if at least half of their lines overlap.
fn pair(before: &[RecordedChunk], after: &[RecordedChunk]) -> Vec<(usize, usize)> {
    let rules: [fn(&RecordedChunk, &RecordedChunk) -> bool; 4] = [
        |a, b| a.span() == b.span(),
        |a, b| a.symbol.is_some() && a.symbol == b.symbol && a.part == b.part,
        |a, b| a.form == b.form && a.hashes().eq(b.hashes()),
        |a, b| {
            let longer = a.span().lines().max(b.span().lines());
            a.span().shared_lines(b.span()) * 2 >= longer
        },
    ];
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for matches in rules {
        for (a, one) in before.iter().enumerate() {
            if pairs.iter().any(|(left, _)| *left == a) {
                continue;
            }
            let other = after.iter().enumerate().find(|(b, other)| {
                one.path == other.path
                    && !pairs.iter().any(|(_, right)| right == b)
                    && matches(one, other)
            });
            pairs.extend(other.map(|(b, _)| (a, b)));
        }
    }
    pairs.sort_unstable_by_key(|pair| pair.1);
    pairs
}

/// Describes the differences between two versions of a chunk.
fn differs(a: &RecordedChunk, b: &RecordedChunk) -> Vec<String> {
    let mut what = Vec::new();
    if a.form != b.form {
        what.push(format!("{} -> {}", a.form.as_str(), b.form.as_str()));
    }
    if (a.score - b.score).abs() >= 0.0005 {
        what.push(format!("score {:.3} -> {:.3}", a.score, b.score));
    }
    if a.span() != b.span() {
        what.push(format!("lines {} -> {}", a.span(), b.span()));
    }
    if a.form == b.form && !a.hashes().eq(b.hashes()) {
        what.push("content changed".to_owned());
    }
    what
}

/// Describes a chunk and the reason why `other` does not contain it.
fn change(item: &RecordedChunk, other: &Record, when: &str) -> Change {
    let overlaps = |path: &str, span: Span| path == item.path && span.shared_lines(item.span()) > 0;
    let included = other.included.iter().find(|it| overlaps(&it.path, it.span()));
    let is_excluded = |out: &&RecordedExclusion| {
        out.span().map_or(out.path == item.path, |span| overlaps(&out.path, span))
    };
    let why = match (included, other.excluded.iter().find(is_excluded)) {
        (Some(it), _) if it.span().contains(item.span()) => {
            format!("{when}: part of {}", it.span())
        }
        (Some(it), _) => format!("{when}: some of its lines are in {}", it.span()),
        (None, Some(out)) => {
            let score = out.score.map(|score| format!(", score {score:.3}")).unwrap_or_default();
            format!("{when}: {} ({}{score})", out.reason.as_str(), out.detail)
        }
        (None, None) if other.sources.iter().any(|source| source.path == item.path) => {
            format!("{when}: these lines of the file were not found")
        }
        (None, None) => format!("{when}: the file was not found"),
    };
    Change {
        path: item.path.clone(),
        start_line: item.start_line,
        end_line: item.end_line,
        symbol: item.symbol.clone(),
        tokens: item.tokens,
        score: item.score,
        why,
    }
}
