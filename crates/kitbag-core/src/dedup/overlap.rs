//! The kept chunks of one file, indexed by line to find overlaps.

use kitbag_text::Span;
use std::collections::BTreeMap;

/// Kept spans by first line. No span contains another, so they are also ordered by last line, and
/// those that overlap a given span are neighbors.
#[derive(Debug, Default)]
pub struct KeptSpans {
    by_start: BTreeMap<u32, (u32, usize)>,
}

impl KeptSpans {
    /// Returns the candidate of a kept span that shares at least `threshold` of the longer span's
    /// lines with `span`, or that contains it or is contained in it.
    pub fn overlapping(&self, span: Span, threshold: f64) -> Option<usize> {
        self.by_start
            .range(..=span.end)
            .rev()
            .map(|(&start, &(end, index))| (Span::new(start, end), index))
            .take_while(|(kept, _)| kept.end >= span.start)
            .find(|(kept, _)| is_overlap(*kept, span, threshold))
            .map(|(_, index)| index)
    }

    pub fn remove(&mut self, span: Span) {
        self.by_start.remove(&span.start);
    }

    pub fn insert(&mut self, span: Span, index: usize) {
        self.by_start.insert(span.start, (span.end, index));
    }
}

fn is_overlap(a: Span, b: Span, threshold: f64) -> bool {
    let shared = f64::from(a.shared_lines(b));
    let longer = f64::from(a.lines().max(b.lines()));
    shared > 0.0 && (a.contains(b) || b.contains(a) || shared / longer >= threshold)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kept: &[(u32, u32)], span: (u32, u32)) -> Option<usize> {
        let mut spans = KeptSpans::default();
        for (index, &(start, end)) in kept.iter().enumerate() {
            spans.insert(Span::new(start, end), index);
        }
        spans.overlapping(Span::new(span.0, span.1), 0.3)
    }

    // Shows: AC-101, AC-102, NFR-016-32
    #[test]
    fn the_fraction_of_the_longer_span_decides() {
        assert_eq!(check(&[(100, 150)], (120, 180)), Some(0), "31 of 61 lines");
        assert_eq!(check(&[(1, 100)], (90, 190)), None, "11 of 101 lines");
        assert_eq!(check(&[(1, 10)], (11, 20)), None);
        assert_eq!(check(&[(1, 10)], (8, 17)), Some(0), "3 of 10 lines");
        assert_eq!(check(&[(1, 10)], (9, 18)), None, "2 of 10 lines");
    }

    // Shows: NFR-016-32
    #[test]
    fn containment_is_always_an_overlap() {
        assert_eq!(check(&[(1, 1000)], (500, 501)), Some(0));
        assert_eq!(check(&[(500, 501)], (1, 1000)), Some(0));
    }

    #[test]
    fn neighbors_on_both_sides_are_checked() {
        assert_eq!(check(&[(1, 20), (18, 60), (58, 90)], (50, 70)), Some(2));
    }
}
