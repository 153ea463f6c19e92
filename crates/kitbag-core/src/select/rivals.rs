//! Candidates that overlap each other: none goes in beside one that it repeats.

use super::{Candidates, View};
use crate::dedup::Kept;
use rustc_hash::{FxHashMap, FxHashSet};

/// What spare candidates may have in their way.
pub struct Rivals<'a> {
    candidates: Candidates<'a>,
    spare: FxHashSet<usize>,
    /// The candidates of each file that has spare ones: all that are not, and the spare ones that
    /// are in.
    kept: FxHashMap<usize, Kept>,
}

impl<'a> Rivals<'a> {
    /// Nothing is in.
    pub fn new(candidates: Candidates<'a>) -> Self {
        let spare: FxHashSet<usize> = candidates.spare.iter().copied().collect();
        let sheet = |place: &usize| candidates.scored[*place].candidate.sheet;
        let kept = spare.iter().map(|place| (sheet(place), Kept::default())).collect();
        let mut rivals = Self { candidates, spare, kept };
        for &place in candidates.places {
            rivals.keep(place);
        }
        rivals
    }

    /// Remembers a candidate that comes in.
    pub fn comes_in(&mut self, place: usize) {
        if self.spare.contains(&place) {
            self.keep(place);
        }
    }

    /// The place of what keeps a candidate out in this view. A spare one waits until all that won
    /// over it, or stayed beside it, were tried; `may_come` says of those whether they are in or
    /// could still be. What went in for another keeps that out, but not its outline.
    pub fn in_the_way(
        &self,
        place: usize,
        view: View,
        may_come: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let Candidates { scored, overlaps, .. } = self.candidates;
        let candidate = &scored[place].candidate;
        let file = self.kept.get(&candidate.sheet)?;
        let is_spare = self.spare.contains(&place);
        file.overlapping(candidate.chunk.span, overlaps, |other| {
            let decides = if is_spare { may_come(other) } else { self.spare.contains(&other) };
            other != place && decides && (view != View::Outline || other < place)
        })
    }

    fn keep(&mut self, place: usize) {
        let candidate = &self.candidates.scored[place].candidate;
        if let Some(file) = self.kept.get_mut(&candidate.sheet) {
            file.keep(candidate.chunk.span, place);
        }
    }
}
