//! The chunks of one file that stay, kept so that an overlap is found quickly.

use kitbag_text::Span;
use std::collections::BTreeMap;

/// The spans that stay, by their first line. None lies within another, so they are in the order of
/// their last lines too, and those that meet a given span are neighbours.
#[derive(Debug, Default)]
pub struct Kept {
    by_start: BTreeMap<u32, (u32, usize)>,
}

impl Kept {
    /// The place of a span that stays and overlaps `span`: by at least `threshold` of the longer
    /// one's lines, or because one lies within the other.
    pub fn overlapping(&self, span: Span, threshold: f64) -> Option<usize> {
        self.by_start
            .range(..=span.end)
            .rev()
            .map(|(&start, &(end, place))| (Span::new(start, end), place))
            .take_while(|(kept, _)| kept.end >= span.start)
            .find(|(kept, _)| is_overlap(*kept, span, threshold))
            .map(|(_, place)| place)
    }

    /// Forgets a span that stayed.
    pub fn forget(&mut self, span: Span) {
        self.by_start.remove(&span.start);
    }

    /// Remembers a span that stays.
    pub fn keep(&mut self, span: Span, place: usize) {
        self.by_start.insert(span.start, (span.end, place));
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
        let mut file = Kept::default();
        for (place, &(start, end)) in kept.iter().enumerate() {
            file.keep(Span::new(start, end), place);
        }
        file.overlapping(Span::new(span.0, span.1), 0.3)
    }

    // Shows: AC-101, AC-102, NFR-016-32
    #[test]
    fn the_share_of_the_longer_decides() {
        assert_eq!(check(&[(100, 150)], (120, 180)), Some(0), "31 of 61 lines");
        assert_eq!(check(&[(1, 100)], (90, 190)), None, "11 of 101 lines");
        assert_eq!(check(&[(1, 10)], (11, 20)), None);
        assert_eq!(check(&[(1, 10)], (8, 17)), Some(0), "3 of 10 lines");
        assert_eq!(check(&[(1, 10)], (9, 18)), None, "2 of 10 lines");
    }

    // Shows: NFR-016-32
    #[test]
    fn a_chunk_inside_another_is_always_an_overlap() {
        assert_eq!(check(&[(1, 1000)], (500, 501)), Some(0));
        assert_eq!(check(&[(500, 501)], (1, 1000)), Some(0));
    }

    #[test]
    fn neighbours_on_both_sides_are_seen() {
        assert_eq!(check(&[(1, 20), (18, 60), (58, 90)], (50, 70)), Some(2));
    }
}
