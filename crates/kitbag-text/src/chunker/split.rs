//! Splitting of units that are too large for one chunk, and of texts without structure.

use super::context::ChunkContext;
use crate::syntax::{Rows, SplitPoints};

/// Cost of a split per level of nesting, in percent of the target size.
const NESTING_COST: u64 = 60;
/// Cost of a split that does not follow a blank row.
const NO_BLANK_COST: u64 = 25;
/// Levels of nesting charged for a split where no node begins.
const NO_SPLIT_POINT_DEPTH: u64 = 5;

/// Splits `rows` at their split points into parts of similar size that fit in a chunk. A row that does
/// not fit is a part of its own. Parts have no blank rows at their ends.
pub(super) fn split(
    context: &ChunkContext<'_>,
    split_points: &SplitPoints,
    rows: Rows,
) -> Vec<Rows> {
    let mut parts = Vec::new();
    let mut start = rows.start;
    for row in rows.clone() {
        if context.cancel.is_cancelled() {
            return parts;
        }
        if context.is_long(row) {
            split_run(context, split_points, start..row, &mut parts);
            parts.push(row..row + 1);
            start = row + 1;
        }
    }
    split_run(context, split_points, start..rows.end, &mut parts);
    parts
}

/// Splits `rows` into parts of `lines` rows that fit in a chunk. Parts below the minimum size are merged
/// with their neighbors if the result fits.
pub(super) fn by_lines(context: &ChunkContext<'_>, rows: Rows, lines: u32) -> Vec<Rows> {
    let mut rest = split_lines(context, rows, lines);
    rest.reverse();
    let mut parts: Vec<Rows> = Vec::with_capacity(rest.len());
    while let Some(part) = rest.pop() {
        if context.cancel.is_cancelled() {
            break;
        }
        // A small part is merged with the next one, or with the previous one if it is the last.
        let is_last =
            rest.last().is_none_or(|next| context.tokens(next.clone()) > context.max_tokens);
        let is_small = |rows: &Rows| context.tokens(rows.clone()) < context.min_tokens;
        let merges =
            parts.last().is_some_and(|last| is_small(last) || (is_last && is_small(&part)));
        match parts.pop() {
            Some(last) if merges => parts.extend(merge_or_balance(context, last, part)),
            last => parts.extend(last.into_iter().chain([part])),
        }
    }
    parts
}

/// Merges two neighbors, one of which is small, if the result fits. Otherwise moves the split so that the
/// smaller of the two grows, if possible.
fn merge_or_balance(context: &ChunkContext<'_>, first: Rows, second: Rows) -> Vec<Rows> {
    let size = |rows: &Rows| context.tokens(rows.clone());
    let all = first.start..second.end;
    let (total, pair) = (size(&all), [first, second]);
    let smaller = |pair: &[Rows; 2]| size(&pair[0]).min(size(&pair[1]));
    let fits = |pair: &[Rows; 2]| pair.iter().all(|rows| size(rows) <= context.max_tokens);
    if !fits(&pair) {
        return pair.into();
    }
    if total <= context.max_tokens {
        return vec![all];
    }
    let (mut start, mut end) = (all.start + 1, all.end - 1);
    while start < end {
        let row = start + (end - start) / 2;
        if size(&(all.start..row)) < total / 2 { start = row + 1 } else { end = row }
    }
    let halves = context.trimmed(all.start..start).zip(context.trimmed(start..all.end));
    halves
        .map(<[Rows; 2]>::from)
        .filter(|halves| fits(halves) && smaller(halves) > smaller(&pair))
        .unwrap_or(pair)
        .into()
}

fn split_lines(context: &ChunkContext<'_>, rows: Rows, lines: u32) -> Vec<Rows> {
    let mut parts = Vec::new();
    let mut start = rows.start;
    while let Some(rest) = context.trimmed(start..rows.end) {
        let end = rest.start.saturating_add(lines.max(1)).min(rest.end);
        let end = context.longest_fit(rest.start..end);
        start = (rest.start + 1..end).find(|&row| context.is_long(row)).unwrap_or(end);
        if let Some(part) = context.trimmed(rest.start..start) {
            push_fitting(context, part, &mut parts);
        }
        if context.cancel.is_cancelled() {
            break;
        }
    }
    parts
}

fn split_run(
    context: &ChunkContext<'_>,
    split_points: &SplitPoints,
    rows: Rows,
    parts: &mut Vec<Rows>,
) {
    let mut start = rows.start;
    while let Some(rest) = context.trimmed(start..rows.end) {
        start = part_end(context, split_points, rest.clone());
        let part = context.trimmed(rest.start..start).unwrap_or(rest.start..start);
        push_fitting(context, part, parts);
        if context.cancel.is_cancelled() {
            return;
        }
    }
}

/// Halves a part until it fits: with some vocabularies, rows have more tokens without their trailing
/// blank rows than with them.
fn push_fitting(context: &ChunkContext<'_>, part: Rows, parts: &mut Vec<Rows>) {
    if part.len() > 1 && context.tokens(part.clone()) > context.max_tokens {
        let middle = part.start + part.len() as u32 / 2;
        for half in [part.start..middle, middle..part.end] {
            if let Some(half) = context.trimmed(half) {
                push_fitting(context, half, parts);
            }
        }
    } else {
        parts.push(part);
    }
}

/// Returns the last row up to `latest` at which a split leaves a rest of at least the minimum size, or
/// `latest` if there is none in the second half.
fn last_before_small_rest(context: &ChunkContext<'_>, rows: Rows, latest: u32) -> u32 {
    let leaves_enough = |row: u32| context.tokens(row..rows.end) >= context.min_tokens;
    let (mut good, mut bad) = (rows.start + (latest - rows.start).div_ceil(2), latest + 1);
    if !leaves_enough(good) {
        return latest;
    }
    while bad - good > 1 {
        let row = good + (bad - good) / 2;
        if leaves_enough(row) { good = row } else { bad = row }
    }
    good
}

/// Returns the best end of the first part of `rows`.
fn part_end(context: &ChunkContext<'_>, split_points: &SplitPoints, rows: Rows) -> u32 {
    let latest = context.longest_fit(rows.clone());
    if latest >= rows.end {
        return rows.end;
    }
    let latest = last_before_small_rest(context, rows.clone(), latest);
    let parts = context.tokens(rows.clone()).div_ceil(context.max_tokens).max(2);
    let start = context.row_start(rows.start);
    let target = ((context.row_start(rows.end) - start) / parts as usize).max(1);
    let size = |row: u32| context.row_start(row) - start;
    let earliest = (rows.start + 1..latest).find(|&row| size(row) * 2 >= target);
    let candidates = earliest.unwrap_or(latest)..=latest;
    let min_depth = u64::from(split_points.min_depth(candidates.clone()));
    let cost = |row: u32| {
        let follows_blank = context.is_blank(row - 1);
        let depth = match split_points.depth(row) {
            Some(depth) => (u64::from(depth) - min_depth).min(NO_SPLIT_POINT_DEPTH),
            None if follows_blank => NO_SPLIT_POINT_DEPTH / 2,
            None => NO_SPLIT_POINT_DEPTH,
        };
        let distance = size(row).abs_diff(target) as u64 * 100 / target as u64;
        depth * NESTING_COST + if follows_blank { 0 } else { NO_BLANK_COST } + distance
    };
    candidates.filter(|&row| !context.is_blank(row)).min_by_key(|&row| cost(row)).unwrap_or(latest)
}
