//! Tokens reserved for the minimum number of chunks.

use crate::budget::Allocations;
use kitbag_text::Kind;

/// Reserves tokens for the cheapest chunks, so that a large one cannot use them.
#[derive(Default)]
pub struct Reserve {
    /// The candidates, cheapest first.
    chunks: Vec<ChunkCost>,
    min_chunks: usize,
}

/// The cost of a candidate in its own block.
pub struct ChunkCost {
    pub tokens: usize,
    /// Index of the candidate.
    pub index: usize,
    pub kind: Kind,
}

impl Reserve {
    /// Reserves tokens for `min_chunks` chunks, or as many of the cheapest as fit in the budget.
    pub fn new(min_chunks: usize, mut chunks: Vec<ChunkCost>, budget: &Allocations) -> Self {
        chunks.sort_unstable_by_key(|chunk| (chunk.tokens, chunk.index));
        let mut reserve = Self { chunks, min_chunks };
        reserve.min_chunks = reserve.count_fitting(|_| false, budget, min_chunks);
        reserve
    }

    /// Returns the indices of the candidates, cheapest first.
    pub fn cheapest(&self) -> impl Iterator<Item = usize> + '_ {
        self.chunks.iter().map(|chunk| chunk.index)
    }

    /// Whether the minimum can still be reached with `count` chunks in the pack, from candidates for
    /// which `is_taken` is `false`.
    pub fn is_kept(
        &self,
        count: usize,
        is_taken: impl Fn(usize) -> bool,
        budget: &Allocations,
    ) -> bool {
        let missing = self.min_chunks.saturating_sub(count);
        missing == 0
            || self.chunks.is_empty()
            || self.count_fitting(is_taken, budget, missing) >= missing
    }

    /// Returns how many more chunks fit, at most `max`.
    fn count_fitting(
        &self,
        is_taken: impl Fn(usize) -> bool,
        budget: &Allocations,
        max: usize,
    ) -> usize {
        let mut trial = *budget;
        let mut count = 0;
        for chunk in self.chunks.iter().filter(|chunk| !is_taken(chunk.index)) {
            if count == max || chunk.tokens > trial.remaining() {
                break;
            }
            if let Some(next) = trial.exchange(chunk.kind, 0, chunk.tokens) {
                (trial, count) = (next, count + 1);
            }
        }
        count
    }
}
