//! Truncation of the first chunk that does not fit.

use super::proportional;
use crate::rank::Candidate;
use crate::settings::Overflow;
use crate::source_file::SourceFile;
use std::ops::Range;

/// A chunk is truncated only if more than this many tokens remain; fewer would show too little.
pub const MIN_REMAINING_TOKENS: usize = 100;

/// Returns how many rows to show of a candidate that does not fit in `remaining` tokens; `None` if
/// not even its first row fits. `fits` decides whether a number of rows fits.
pub fn rows_to_show(
    candidate: &Candidate,
    file: &SourceFile,
    overflow: Overflow,
    remaining: usize,
    mut fits: impl FnMut(usize) -> bool,
) -> Option<usize> {
    let rows = file.rows(candidate.chunk.span);
    if overflow == Overflow::Proportional {
        let ratio = remaining as f64 / f64::from(candidate.chunk.tokens.max(1));
        let ends = proportional::section_ends(file, rows.clone(), ratio);
        let fitting = ends.into_iter().rev().find(|&count| fits(count));
        if fitting.is_some() {
            return fitting;
        }
    }
    last_fitting(&line_ends(file, rows), fits)
}

/// Returns the row counts at which a chunk may be truncated: after each row that is not blank, except
/// the last.
fn line_ends(file: &SourceFile, rows: Range<usize>) -> Vec<usize> {
    let start = rows.start;
    let mut ends: Vec<usize> =
        rows.filter(|&row| !file.is_blank(row)).map(|row| row + 1 - start).collect();
    ends.pop();
    ends
}

/// Returns an end that fits while the next does not, by binary search. All ends before it fit too,
/// unless a longer excerpt is cheaper because it meets lines that are already shown. In that case the
/// result depends on the order of the probes, which is why this is not `partition_point`.
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
    fitting.checked_sub(1).map(|last| ends[last])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_end_that_fits_is_found() {
        let ends = [1, 2, 4, 7, 8];
        for limit in 0..10 {
            let expected = ends.iter().copied().rfind(|&end| end <= limit);
            assert_eq!(last_fitting(&ends, |end| end <= limit), expected, "{limit}");
        }
        assert_eq!(last_fitting(&[], |_| true), None);
    }
}
