//! Cutting the first chunk that does not fit to what remains.

use super::proportional;
use crate::rank::Candidate;
use crate::settings::Overflow;
use crate::sheet::Sheet;
use std::ops::Range;

/// What must remain, and more, for a chunk to be cut at all: less than that says too little.
pub const LEAST_REMAINING: usize = 100;

/// How many rows to show of a candidate that does not fit whole in `remaining` tokens, for a policy
/// that cuts; `None` where not even its first row fits. `fits` tells whether so many rows fit.
pub fn rows_to_show(
    candidate: &Candidate,
    sheet: &Sheet,
    overflow: Overflow,
    remaining: usize,
    mut fits: impl FnMut(usize) -> bool,
) -> Option<usize> {
    let rows = sheet.rows(candidate.chunk.span);
    if overflow == Overflow::Proportional {
        let ratio = remaining as f64 / f64::from(candidate.chunk.tokens.max(1));
        let shares = proportional::ends(sheet, rows.clone(), ratio);
        let kept = shares.into_iter().rev().find(|&count| fits(count));
        if kept.is_some() {
            return kept;
        }
    }
    last_fitting(&ends(sheet, rows), fits)
}

/// How many of `rows` a cut may keep: up to any row that is not blank, without the last of those.
fn ends(sheet: &Sheet, rows: Range<usize>) -> Vec<usize> {
    let filled = |row: &usize| !sheet.slice(*row..*row + 1).trim().is_empty();
    let start = rows.start;
    let mut ends: Vec<usize> = rows.filter(filled).map(|row| row + 1 - start).collect();
    ends.pop();
    ends
}

/// An end that fits while the next does not. All before it fit as well, unless a longer cut costs
/// less because it meets lines that are in already.
fn last_fitting(ends: &[usize], mut fits: impl FnMut(usize) -> bool) -> Option<usize> {
    let (mut fitting, mut failing) = (0, ends.len() + 1);
    while failing - fitting > 1 {
        let middle = fitting + (failing - fitting) / 2;
        if fits(ends[middle - 1]) {
            fitting = middle;
        } else {
            failing = middle;
        }
    }
    fitting.checked_sub(1).map(|at| ends[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_that_fits_is_found() {
        let ends = [1, 2, 4, 7, 8];
        for limit in 0..10 {
            let expected = ends.iter().copied().rfind(|&end| end <= limit);
            assert_eq!(last_fitting(&ends, |end| end <= limit), expected, "{limit}");
        }
        assert_eq!(last_fitting(&[], |_| true), None);
    }
}
