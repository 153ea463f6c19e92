//! Cutting the first chunk that does not fit to what remains.

use super::proportional;
use crate::rank::Candidate;
use crate::settings::Overflow;
use crate::sheet::Sheet;
use kitbag_text::Span;

/// What must remain, and more, for a chunk to be cut at all: less than that says too little.
pub const LEAST_REMAINING: usize = 100;

/// The last line to show of a candidate that does not fit whole in `remaining` tokens, for a policy
/// that cuts; `None` where not even its first line fits. `fits` tells whether its lines up to a
/// given one fit.
pub fn last_line(
    candidate: &Candidate,
    sheet: &Sheet,
    overflow: Overflow,
    remaining: usize,
    mut fits: impl FnMut(u32) -> bool,
) -> Option<u32> {
    let span = candidate.chunk.span;
    if overflow == Overflow::Proportional {
        let ratio = remaining as f64 / f64::from(candidate.chunk.tokens.max(1));
        let kept = proportional::ends(sheet, span, ratio).into_iter().rev().find(|&end| fits(end));
        if kept.is_some() {
            return kept;
        }
    }
    last_fitting(&ends(sheet, span), fits)
}

/// The lines of `span`, without its last, that may be the last of a cut: those that are not blank.
fn ends(sheet: &Sheet, span: Span) -> Vec<u32> {
    let rows = sheet.rows(span);
    let filled = |row: &usize| !sheet.slice(*row..*row + 1).trim().is_empty();
    let mut ends: Vec<u32> = rows.filter(filled).map(|row| sheet.line(row)).collect();
    ends.pop();
    ends
}

/// An end that fits while the next does not. All before it fit as well, unless a longer cut costs
/// less because it meets lines that are in already.
fn last_fitting(ends: &[u32], mut fits: impl FnMut(u32) -> bool) -> Option<u32> {
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
