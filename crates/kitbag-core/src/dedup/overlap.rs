//! The chunks of one file that stay, kept so that an overlap is found quickly.

use crate::settings::DeduplicationSettings;
use kitbag_text::Span;
use std::collections::BTreeMap;

/// When two chunks of a file overlap.
#[derive(Debug, Clone, Copy)]
pub struct OverlapRule {
    /// The least share of the longer one's lines.
    threshold: f64,
}

impl OverlapRule {
    /// The rule of some settings.
    pub fn of(settings: &DeduplicationSettings) -> Self {
        Self { threshold: settings.overlap_threshold }
    }

    /// Whether two chunks share so many lines, or one lies within the other.
    fn is_overlap(self, a: Span, b: Span) -> bool {
        let shared = f64::from(a.shared_lines(b));
        let longer = f64::from(a.lines().max(b.lines()));
        shared > 0.0 && (a.contains(b) || b.contains(a) || shared / longer >= self.threshold)
    }
}

/// The spans of one file that stay, in layers. In a layer none lies within another, so they are in
/// the order of their last lines as well as of their first, and those that meet a given span are
/// neighbours. There is more than one layer only where what goes in lies within what did not fit.
#[derive(Debug, Default)]
pub struct Kept {
    layers: Vec<Layer>,
}

/// The last line and the place of each span, by its first line.
type Layer = BTreeMap<u32, (u32, usize)>;

impl Kept {
    /// The place of a span that stays, that `wanted` holds for, and that `span` overlaps.
    pub fn overlapping(
        &self,
        span: Span,
        rule: OverlapRule,
        wanted: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let meeting = self.layers.iter().flat_map(|layer| meeting(layer, span));
        let mut overlapping =
            meeting.filter(|&(kept, place)| wanted(place) && rule.is_overlap(kept, span));
        overlapping.next().map(|(_, place)| place)
    }

    /// Forgets a span that stayed.
    pub fn forget(&mut self, span: Span) {
        for layer in &mut self.layers {
            if layer.get(&span.start).is_some_and(|&(end, _)| end == span.end) {
                layer.remove(&span.start);
                return;
            }
        }
    }

    /// Remembers a span that stays.
    pub fn keep(&mut self, span: Span, place: usize) {
        let apart = |kept: Span| !kept.contains(span) && !span.contains(kept);
        let fits = |layer: &Layer| meeting(layer, span).all(|(kept, _)| apart(kept));
        let at = self.layers.iter().position(fits).unwrap_or(self.layers.len());
        if at == self.layers.len() {
            self.layers.push(Layer::new());
        }
        self.layers[at].insert(span.start, (span.end, place));
    }
}

/// The spans of a layer that share lines with `span`, and their places, the last first.
fn meeting(layer: &Layer, span: Span) -> impl Iterator<Item = (Span, usize)> + '_ {
    let before = layer.range(..=span.end).rev();
    let spans = before.map(|(&start, &(end, place))| (Span::new(start, end), place));
    spans.take_while(move |(kept, _)| kept.end >= span.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What overlaps a span that is worse than all that is kept.
    fn check(kept: &[(u32, u32)], span: (u32, u32)) -> Option<usize> {
        let mut file = Kept::default();
        for (place, &(start, end)) in kept.iter().enumerate() {
            file.keep(Span::new(start, end), place);
        }
        let rule = OverlapRule::of(&DeduplicationSettings::default());
        file.overlapping(Span::new(span.0, span.1), rule, |_| true)
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
        assert_eq!(check(&[(1, 10), (5, 1000)], (500, 501)), Some(1));
    }

    #[test]
    fn spans_within_others_are_still_seen() {
        let kept = [(90, 100), (1, 100), (300, 310), (1, 1000)];
        assert_eq!(check(&kept[..2], (91, 110)), Some(0), "10 of 20 lines");
        assert_eq!(check(&kept, (305, 1050)), Some(3), "696 of 1000 lines");
        assert_eq!(check(&kept[..3], (301, 320)), Some(2));
    }

    #[test]
    fn neighbours_on_both_sides_are_seen() {
        assert_eq!(check(&[(1, 20), (18, 60), (58, 90)], (50, 70)), Some(2));
    }
}
