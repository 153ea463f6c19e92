//! Splitting what is too large for one chunk, and cutting texts that have no structure.

use super::ruler::{Rows, Ruler};
use super::seams::Seams;

/// What a level of nesting costs when a place to cut is chosen, in hundredths of a part's size.
const COST_OF_DEPTH: u64 = 60;
/// What a cut costs that no blank line announces.
const COST_OF_NO_BLANK: u64 = 25;
/// The levels that a cut in the middle of something costs.
const DEPTH_OF_NO_SEAM: u64 = 5;

/// Splits `rows` at their seams into parts of about the same size that each fit a chunk. A row
/// that alone does not fit is a part of its own. Parts have no blank rows at their ends.
pub(super) fn split(ruler: &Ruler<'_>, seams: &Seams, rows: Rows) -> Vec<Rows> {
    let mut parts = Vec::new();
    let mut start = rows.start;
    for row in rows.clone() {
        if ruler.cancel.is_cancelled() {
            return parts;
        }
        if ruler.is_long(row) {
            split_run(ruler, seams, start..row, &mut parts);
            parts.push(row..row + 1);
            start = row + 1;
        }
    }
    split_run(ruler, seams, start..rows.end, &mut parts);
    parts
}

/// Cuts `rows` into runs of at most `lines` rows that fit a chunk.
pub(super) fn by_lines(ruler: &Ruler<'_>, rows: Rows, lines: u32) -> Vec<Rows> {
    let mut parts = Vec::new();
    let mut start = rows.start;
    while let Some(rest) = ruler.trimmed(start..rows.end) {
        let end = rest.start.saturating_add(lines.max(1)).min(rest.end);
        start = ruler.furthest(rest.start..end);
        start = before_long(ruler, rest.start..start);
        if let Some(part) = ruler.trimmed(rest.start..start) {
            fit(ruler, part, &mut parts);
        }
        if ruler.cancel.is_cancelled() {
            break;
        }
    }
    parts
}

/// The end of `rows`, or the first long row after their first.
fn before_long(ruler: &Ruler<'_>, rows: Rows) -> u32 {
    (rows.start + 1..rows.end).find(|&row| ruler.is_long(row)).unwrap_or(rows.end)
}

fn split_run(ruler: &Ruler<'_>, seams: &Seams, rows: Rows, parts: &mut Vec<Rows>) {
    let mut start = rows.start;
    while let Some(rest) = ruler.trimmed(start..rows.end) {
        start = part_end(ruler, seams, rest.clone());
        let part = ruler.trimmed(rest.start..start).unwrap_or(rest.start..start);
        fit(ruler, part, parts);
        if ruler.cancel.is_cancelled() {
            return;
        }
    }
}

/// Halves a part that costs more without its blank rows than with them, which a vocabulary may
/// do, until it fits.
fn fit(ruler: &Ruler<'_>, part: Rows, parts: &mut Vec<Rows>) {
    if part.len() > 1 && ruler.tokens(part.clone()) > ruler.max {
        let middle = part.start + part.len() as u32 / 2;
        for half in [part.start..middle, middle..part.end] {
            if let Some(half) = ruler.trimmed(half) {
                fit(ruler, half, parts);
            }
        }
    } else {
        parts.push(part);
    }
}

/// Where the first part of `rows` best ends.
fn part_end(ruler: &Ruler<'_>, seams: &Seams, rows: Rows) -> u32 {
    let furthest = ruler.furthest(rows.clone());
    if furthest >= rows.end {
        return rows.end;
    }
    let parts = ruler.tokens(rows.clone()).div_ceil(ruler.max).max(2);
    let start = ruler.byte(rows.start);
    let target = ((ruler.byte(rows.end) - start) / parts as usize).max(1);
    let size = |row: u32| ruler.byte(row) - start;
    let earliest = (rows.start + 1..furthest).find(|&row| size(row) * 2 >= target);
    let candidates = earliest.unwrap_or(furthest)..=furthest;
    let shallowest = u64::from(seams.shallowest(candidates.clone()));
    let cost = |row: u32| {
        let blank = ruler.is_blank(row - 1);
        let depth = match seams.depth(row) {
            Some(depth) => (u64::from(depth) - shallowest).min(DEPTH_OF_NO_SEAM),
            None if blank => DEPTH_OF_NO_SEAM / 2,
            None => DEPTH_OF_NO_SEAM,
        };
        let distance = size(row).abs_diff(target) as u64 * 100 / target as u64;
        depth * COST_OF_DEPTH + if blank { 0 } else { COST_OF_NO_BLANK } + distance
    };
    candidates.filter(|&row| !ruler.is_blank(row)).min_by_key(|&row| cost(row)).unwrap_or(furthest)
}
