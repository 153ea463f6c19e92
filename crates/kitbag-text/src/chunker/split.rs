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

/// Cuts `rows` into runs of `lines` rows that fit a chunk. Runs that cost less than a chunk should
/// are joined with their neighbours, as far as a chunk goes.
pub(super) fn by_lines(ruler: &Ruler<'_>, rows: Rows, lines: u32) -> Vec<Rows> {
    let mut parts = cut_lines(ruler, rows, lines);
    parts.reverse();
    let mut runs: Vec<Rows> = Vec::with_capacity(parts.len());
    while let Some(part) = parts.pop() {
        if ruler.cancel.is_cancelled() {
            break;
        }
        // What is small waits for what comes next; the last has only what came before.
        let is_last = parts.last().is_none_or(|next| ruler.tokens(next.clone()) > ruler.max);
        let is_small = |rows: &Rows| ruler.tokens(rows.clone()) < ruler.min;
        let joins = runs.last().is_some_and(|last| is_small(last) || (is_last && is_small(&part)));
        match runs.pop() {
            Some(last) if joins => runs.extend(together(ruler, last, part)),
            last => runs.extend(last.into_iter().chain([part])),
        }
    }
    runs
}

/// Two neighbours of which one is small: in one where that fits, else in two that are more alike,
/// else as they are.
fn together(ruler: &Ruler<'_>, first: Rows, second: Rows) -> Vec<Rows> {
    let size = |rows: &Rows| ruler.tokens(rows.clone());
    let all = first.start..second.end;
    let (whole, pair) = (size(&all), [first, second]);
    let least = |pair: &[Rows; 2]| size(&pair[0]).min(size(&pair[1]));
    if pair.iter().any(|rows| size(rows) > ruler.max) {
        return pair.into();
    }
    if whole <= ruler.max {
        return vec![all];
    }
    let (mut start, mut end) = (all.start + 1, all.end - 1);
    while start < end {
        let row = start + (end - start) / 2;
        if size(&(all.start..row)) < whole / 2 { start = row + 1 } else { end = row }
    }
    let halves = ruler.trimmed(all.start..start).zip(ruler.trimmed(start..all.end));
    let halves = halves.map(|(one, other)| [one, other]);
    let fits = |halves: &[Rows; 2]| halves.iter().all(|half| size(half) <= ruler.max);
    halves.filter(|halves| fits(halves) && least(halves) > least(&pair)).unwrap_or(pair).into()
}

fn cut_lines(ruler: &Ruler<'_>, rows: Rows, lines: u32) -> Vec<Rows> {
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

/// The last row up to `furthest` at which a cut leaves no rest that is smaller than a chunk should
/// be; `furthest` where there is none in the second half.
fn before_rest(ruler: &Ruler<'_>, rows: Rows, furthest: u32) -> u32 {
    let leaves_enough = |row: u32| ruler.tokens(row..rows.end) >= ruler.min;
    let (mut good, mut bad) = (rows.start + (furthest - rows.start).div_ceil(2), furthest + 1);
    if !leaves_enough(good) {
        return furthest;
    }
    while bad - good > 1 {
        let row = good + (bad - good) / 2;
        if leaves_enough(row) { good = row } else { bad = row }
    }
    good
}

/// Where the first part of `rows` best ends.
fn part_end(ruler: &Ruler<'_>, seams: &Seams, rows: Rows) -> u32 {
    let furthest = ruler.furthest(rows.clone());
    if furthest >= rows.end {
        return rows.end;
    }
    let furthest = before_rest(ruler, rows.clone(), furthest);
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
