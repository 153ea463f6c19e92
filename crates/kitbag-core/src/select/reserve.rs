//! Room that is kept for the least number of chunks.

use crate::budget::Allocations;
use crate::rank::Scored;

/// Keeps room for the cheapest chunks, so that a large one does not take it.
pub struct Reserve {
    /// What each candidate costs in a unit of its own, the cheapest first, and its place.
    costs: Vec<(usize, usize)>,
    /// How many chunks go in at the least.
    least: usize,
}

impl Reserve {
    /// For `least` chunks, or as many of the cheapest as the budget has room for. `costs` has what
    /// each candidate costs in a unit of its own, and its place.
    pub fn new(
        least: usize,
        mut costs: Vec<(usize, usize)>,
        scored: &[Scored],
        budget: &Allocations,
    ) -> Self {
        costs.sort_unstable();
        let mut reserve = Self { costs, least };
        reserve.least = reserve.room(scored, |_| false, budget, least);
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
