//! Overlapping chunks that become one.

use super::Ranked;
use super::overlap::Kept;
use kitbag_text::{Chunk, Span};
use std::collections::BTreeMap;

/// Which candidates were merged into which, and what those are now.
pub struct Merges<'a> {
    ranked: Ranked<'a>,
    /// What a chunk costs at most.
    most: u32,
    /// For each candidate that is gone, the one that took it in, which may be gone too.
    into: BTreeMap<usize, usize>,
    /// The candidates that took in others, as they are now.
    grown: BTreeMap<usize, Chunk>,
}

impl<'a> Merges<'a> {
    pub fn new(ranked: Ranked<'a>, most: u32) -> Self {
        Self { ranked, most, into: BTreeMap::new(), grown: BTreeMap::new() }
    }

    /// Merges the candidate at `place` with `winner`, which it overlaps and which stays in `file`,
    /// and the two with whatever they overlap together. `false`, and nothing is merged, where the
    /// two would be larger than a chunk may be.
    pub fn merge(&mut self, place: usize, winner: usize, file: &mut Kept, threshold: f64) -> bool {
        let winner = self.winner(winner);
        let Some(mut chunk) = self.union(winner, &self.ranked.scored[place].candidate.chunk) else {
            return false;
        };
        let mut best = winner;
        self.into.insert(place, winner);
        file.forget(self.chunk(winner).span);
        while let Some(other) = file.overlapping(chunk.span, threshold) {
            let Some(both) = self.union(other, &chunk) else { break };
            file.forget(self.chunk(other).span);
            let (stays, goes) = (best.min(other), best.max(other));
            self.into.insert(goes, stays);
            self.grown.remove(&goes);
            (best, chunk) = (stays, both);
        }
        file.keep(chunk.span, best);
        self.grown.insert(best, chunk);
        true
    }

    /// The candidate that stays for the one at `place`.
    pub fn winner(&self, place: usize) -> usize {
        let mut place = place;
        while let Some(&into) = self.into.get(&place) {
            place = into;
        }
        place
    }

    /// Every candidate that is gone, and the one that stays for it.
    pub fn merged(&self) -> impl Iterator<Item = (usize, usize)> {
        let all: Vec<_> = self.into.keys().map(|&place| (place, self.winner(place))).collect();
        all.into_iter()
    }

    /// The candidates that took in others, as they are now.
    pub fn grown(self) -> Vec<(usize, Chunk)> {
        self.grown.into_iter().collect()
    }

    fn chunk(&self, place: usize) -> &Chunk {
        self.grown.get(&place).unwrap_or(&self.ranked.scored[place].candidate.chunk)
    }

    /// The candidate at `place` with the lines of `other`; `None` where that is too large.
    fn union(&self, place: usize, other: &Chunk) -> Option<Chunk> {
        let chunk = self.chunk(place);
        if other.span.contains(chunk.span) {
            return Some(other.clone());
        }
        if chunk.span.contains(other.span) {
            return Some(chunk.clone());
        }
        let sheet = &self.ranked.sheets[self.ranked.scored[place].candidate.sheet];
        let counting = self.ranked.counting;
        let (start, end) =
            (chunk.span.start.min(other.span.start), chunk.span.end.max(other.span.end));
        let span = Span::new(start, end);
        let tokens = counting.counter().tokens(sheet.measure(counting, sheet.rows(span)));
        let tokens = u32::try_from(tokens).ok().filter(|&tokens| tokens <= self.most)?;
        let mut defines = chunk.defines.clone();
        defines.extend(other.defines.iter().filter(|name| !chunk.defines.contains(name)).cloned());
        let outline = joined(&chunk.outline, &other.outline);
        Some(Chunk { span, defines, outline, part: None, tokens, ..chunk.clone() })
    }
}

/// The lines of two outlines, in order and apart from each other.
fn joined(one: &[Span], other: &[Span]) -> Vec<Span> {
    let mut spans: Vec<Span> = one.iter().chain(other).copied().collect();
    spans.sort_unstable();
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start <= last.end + 1 => last.end = last.end.max(span.end),
            _ => joined.push(span),
        }
    }
    joined
}
