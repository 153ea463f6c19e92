//! Differences between two packs, with reasons for each added and removed chunk.

use crate::causes::causes;
use crate::shape::{RECORD_VERSION, Record, RecordedChunk, RecordedOut};
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
    pub came: Vec<Change>,
    /// Chunks that are only in the earlier pack.
    pub went: Vec<Change>,
    /// Chunks that are in both packs but differ.
    pub changed: Vec<Moved>,
    /// Number of chunks that are in both packs.
    pub stayed: usize,
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
    let is_left = |place: usize| pairs.iter().any(|(a, _)| *a == place);
    let is_right = |place: usize| pairs.iter().any(|(_, b)| *b == place);
    let went = before.included.iter().enumerate().filter(|(place, _)| !is_left(*place));
    let came = after.included.iter().enumerate().filter(|(place, _)| !is_right(*place));
    let changed = pairs.iter().filter_map(|&(a, b)| {
        let (a, b) = (&before.included[a], &after.included[b]);
        let what = differs(a, b);
        let lines = |it: &RecordedChunk| (it.start_line, it.end_line);
        let moved = || Moved {
            path: b.path.clone(),
            before: lines(a),
            after: lines(b),
            what: what.clone(),
        };
        (!what.is_empty()).then(moved)
    });
    RecordDifference {
        version: RECORD_VERSION,
        before: before.id.clone(),
        after: after.id.clone(),
        request: causes(before, after),
        tokens: (before.total_tokens, after.total_tokens),
        came: came.map(|(_, item)| change(item, before, "before")).collect(),
        went: went.map(|(_, item)| change(item, after, "now")).collect(),
        changed: changed.collect(),
        stayed: pairs.len(),
        warnings,
    }
}

/// Pairs the chunks of two packs. Chunks match by equal lines, then by symbol, then by content, and
/// finally if at least half of their lines overlap.
fn pair(before: &[RecordedChunk], after: &[RecordedChunk]) -> Vec<(usize, usize)> {
    let same_lines = |a: &RecordedChunk, b: &RecordedChunk| {
        (a.start_line, a.end_line) == (b.start_line, b.end_line)
    };
    let same_symbol = |a: &RecordedChunk, b: &RecordedChunk| {
        a.symbol.is_some() && a.symbol == b.symbol && a.part == b.part
    };
    let same_content = |a: &RecordedChunk, b: &RecordedChunk| {
        let hashes = |it: &RecordedChunk| -> Vec<String> {
            it.runs.iter().map(|run| run.sha256.clone()).collect()
        };
        a.form == b.form && hashes(a) == hashes(b)
    };
    let overlaps = |a: &RecordedChunk, b: &RecordedChunk| {
        let shared =
            (a.end_line.min(b.end_line) + 1).saturating_sub(a.start_line.max(b.start_line));
        let longer = (a.end_line - a.start_line).max(b.end_line - b.start_line) + 1;
        shared * 2 >= longer
    };
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    type Same<'a> = &'a dyn Fn(&RecordedChunk, &RecordedChunk) -> bool;
    let ways: [Same<'_>; 4] = [&same_lines, &same_symbol, &same_content, &overlaps];
    for way in ways {
        for (a, one) in before.iter().enumerate() {
            if pairs.iter().any(|(left, _)| *left == a) {
                continue;
            }
            let other = after.iter().enumerate().find(|(b, other)| {
                one.path == other.path
                    && !pairs.iter().any(|(_, right)| right == b)
                    && way(one, other)
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
        what.push(format!("{} -> {}", a.form, b.form));
    }
    if (a.score - b.score).abs() >= 0.0005 {
        what.push(format!("score {:.3} -> {:.3}", a.score, b.score));
    }
    if (a.start_line, a.end_line) != (b.start_line, b.end_line) {
        what.push(format!(
            "lines {}-{} -> {}-{}",
            a.start_line, a.end_line, b.start_line, b.end_line
        ));
    }
    let hashes = |it: &RecordedChunk| -> Vec<String> {
        it.runs.iter().map(|run| run.sha256.clone()).collect()
    };
    if a.form == b.form && hashes(a) != hashes(b) {
        what.push("content changed".to_owned());
    }
    what
}

/// Describes a chunk and the reason why `other` does not contain it.
fn change(item: &RecordedChunk, other: &Record, when: &str) -> Change {
    let shares = |out: &&RecordedOut| {
        out.path == item.path
            && out
                .lines()
                .is_none_or(|(start, end)| start <= item.end_line && item.start_line <= end)
    };
    let meets = |it: &&RecordedChunk| {
        it.path == item.path && it.start_line <= item.end_line && item.start_line <= it.end_line
    };
    let why = match (other.included.iter().find(meets), other.excluded.iter().find(shares)) {
        (Some(it), _) => {
            let (start, end) = (it.start_line, it.end_line);
            let is_inside = start <= item.start_line && item.end_line <= end;
            let how = if is_inside { "part of" } else { "with lines of" };
            format!("{when}: in as {how} {start}-{end}")
        }
        (None, Some(out)) => {
            let score = out.score.map(|score| format!(", score {score:.3}")).unwrap_or_default();
            format!("{when}: {} ({}{score})", out.reason, out.detail)
        }
        (None, None) if other.sources.iter().any(|source| source.path == item.path) => {
            format!("{when}: the file was a source, and these lines were not found")
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
