//! Room that is kept for the least number of chunks.

use crate::budget::Allocations;
use crate::format::{self, Run};
use crate::rank::Scored;
use crate::sheet::Sheet;
use kitbag_tokens::Counting;

/// Keeps room for the cheapest chunks, so that a large one does not take it.
pub struct Reserve {
    /// What each candidate costs in a file of its own, the cheapest first, and its place.
    costs: Vec<(usize, usize)>,
    /// How many chunks go in at the least.
    least: usize,
}

impl Reserve {
    /// For `least` chunks, or as many of the cheapest as the budget has room for.
    pub fn new(
        least: usize,
        (scored, places): (&[Scored], &[usize]),
        sheets: &[Sheet],
        counting: &Counting,
        budget: &Allocations,
    ) -> Self {
        let mut reserve = Self { costs: Vec::new(), least };
        // The first that fits is one chunk already.
        if least > 1 {
            let cost = |&place: &usize| (alone(&scored[place], sheets, counting), place);
            reserve.costs = places.iter().map(cost).collect();
            reserve.costs.sort_unstable();
            reserve.least = least.min(reserve.room(scored, |_| false, budget, least));
        }
        reserve
    }

    /// No room for anything.
    pub fn none() -> Self {
        Self { costs: Vec::new(), least: 0 }
    }

    /// The places of the candidates, the cheapest first.
    pub fn cheapest(&self) -> impl Iterator<Item = usize> + '_ {
        self.costs.iter().map(|&(_, place)| place)
    }

    /// Whether the least number can still be reached with `count` chunks in, `budget` left, and
    /// without those that are `taken`.
    pub fn holds(
        &self,
        scored: &[Scored],
        count: usize,
        taken: impl Fn(usize) -> bool,
        budget: &Allocations,
    ) -> bool {
        let wanted = self.least.saturating_sub(count);
        wanted == 0 || self.costs.is_empty() || self.room(scored, taken, budget, wanted) >= wanted
    }

    /// How many more chunks, `most` at the most, there is room for.
    fn room(
        &self,
        scored: &[Scored],
        taken: impl Fn(usize) -> bool,
        budget: &Allocations,
        most: usize,
    ) -> usize {
        let mut trial = budget.clone();
        let mut count = 0;
        for &(cost, place) in self.costs.iter().filter(|(_, place)| !taken(*place)) {
            if count == most || cost > trial.remaining() {
                break;
            }
            count += usize::from(trial.allocate(scored[place].candidate.kind, cost).is_ok());
        }
        count
    }
}

/// What a chunk costs in a file of its own, with the blank line after it.
fn alone(scored: &Scored, sheets: &[Sheet], counting: &Counting) -> usize {
    let sheet = &sheets[scored.candidate.sheet];
    let chunk = &scored.candidate.chunk;
    let parts = chunk.part.into_iter().collect();
    let run = Run { rows: sheet.rows(chunk.span), outline: false, parts, cut: 0 };
    let pieces = format::block(sheet, &[run]);
    let whole = format::measure(sheet, &pieces, counting);
    counting.counter().tokens(whole + format::measure_separator(&pieces, counting))
}
