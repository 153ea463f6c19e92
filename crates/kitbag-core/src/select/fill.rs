//! A pack that is being filled.

use super::ledger::{Draft, Ledger};
use super::reserve::Reserve;
use super::truncate::{LEAST_REMAINING, rows_to_show};
use super::{Candidates, Selection, View};
use crate::budget::{Allocation, Allocations};
use crate::settings::{BudgetSettings, Overflow};
use kitbag_text::{Cancel, Cancelled};
use rustc_hash::FxHashSet;

/// What is in so far, what it costs, and who has had how much of the budget.
pub struct Fill<'a> {
    candidates: Candidates<'a>,
    ledger: Ledger<'a>,
    allocations: Allocations,
    views: Vec<Option<View>>,
    count: usize,
    /// Whether a chunk was cut already: only one is.
    cut: bool,
    /// Candidates that did not fit when they were tried.
    refused: FxHashSet<usize>,
}

impl<'a> Fill<'a> {
    /// Nothing but the frame is in.
    pub fn new(candidates: Candidates<'a>, budget: &BudgetSettings) -> Self {
        let ledger = Ledger::new(candidates.scored, candidates.press);
        let mut allocations = Allocations::new(candidates.press.budget, &budget.categories);
        allocations.allocate_frame(ledger.tokens());
        let views = vec![None; candidates.scored.len()];
        let refused = FxHashSet::default();
        Self { candidates, ledger, allocations, views, count: 0, cut: false, refused }
    }

    /// Room for `least` chunks.
    pub fn reserve(&mut self, least: usize, cancel: &Cancel) -> Result<Reserve, Cancelled> {
        // The first that fits is one chunk already.
        if least < 2 {
            return Ok(Reserve::none());
        }
        let mut costs = Vec::with_capacity(self.candidates.places.len());
        for &place in self.candidates.places {
            cancel.check()?;
            costs.push((self.ledger.alone(place), place));
        }
        Ok(Reserve::new(least, costs, self.candidates.scored, &self.allocations))
    }

    /// How many chunks are in.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether as many chunks are in as may be.
    fn is_full(&self) -> bool {
        self.candidates.press.formatting.max_chunks.is_some_and(|most| self.count >= most)
    }

    /// Whether any of `places` is not in.
    pub fn left_out(&self, places: &[usize]) -> bool {
        places.iter().any(|&place| self.views[place].is_none())
    }

    /// The finished selection.
    pub fn finish(self) -> Selection<'a> {
        let is_full = self.is_full();
        let Self { ledger, allocations, views, refused, .. } = self;
        Selection { views, allocations, tokens: ledger.tokens(), refused, is_full, ledger }
    }

    /// Fills the budget in the given order, until a whole round brings nothing more.
    pub fn in_order(
        &mut self,
        order: &[usize],
        overflow: Overflow,
        reserve: &Reserve,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let cuts = matches!(overflow, Overflow::Truncate | Overflow::Proportional);
        let mut changed = true;
        while changed {
            changed = false;
            for &place in order {
                cancel.check()?;
                if self.views[place] == Some(View::Full) {
                    continue;
                }
                if self.try_view(place, View::Full, reserve) {
                    changed = true;
                } else if cuts && !self.cut && self.remaining_for(place) > LEAST_REMAINING {
                    changed |= self.try_cut(place, overflow, reserve);
                }
            }
            if overflow == Overflow::Outline {
                for &place in order {
                    cancel.check()?;
                    let wanted = self.views[place].is_none();
                    changed |= wanted && self.try_view(place, View::Outline, &Reserve::none());
                }
            }
        }
        Ok(())
    }

    /// Takes the cheapest candidates, until there are `least`.
    pub fn seed(
        &mut self,
        reserve: &Reserve,
        least: usize,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        for place in reserve.cheapest() {
            cancel.check()?;
            if self.count == least {
                break;
            }
            self.try_view(place, View::Full, &Reserve::none());
        }
        Ok(())
    }

    /// Cuts the best candidate of which anything fits, however little remains.
    pub fn cut_best(
        &mut self,
        order: &[usize],
        overflow: Overflow,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        for &place in order {
            cancel.check()?;
            if self.try_cut(place, overflow, &Reserve::none()) {
                break;
            }
        }
        Ok(())
    }

    fn remaining_for(&self, place: usize) -> usize {
        self.allocations.remaining_for(self.candidates.scored[place].candidate.kind)
    }

    /// Cuts a candidate to what remains; `false` where not even its first line fits.
    fn try_cut(&mut self, place: usize, overflow: Overflow, reserve: &Reserve) -> bool {
        let Candidates { scored, press, .. } = self.candidates;
        let candidate = &scored[place].candidate;
        let (sheet, remaining) = (&press.sheets[candidate.sheet], self.remaining_for(place));
        let shown = rows_to_show(candidate, sheet, overflow, remaining, |count| {
            self.fitting(place, View::First(count), reserve).is_some_and(|(_, allocation)| {
                self.allocations.roll_back(allocation);
                true
            })
        });
        let cut = shown.is_some_and(|count| self.try_view(place, View::First(count), reserve));
        self.cut |= cut;
        cut
    }

    /// Takes a candidate in, in place of what is in of it already, if the whole then still fits.
    fn try_view(&mut self, place: usize, view: View, reserve: &Reserve) -> bool {
        let Some((draft, _)) = self.fitting(place, view, reserve) else { return false };
        self.ledger.commit(draft);
        self.count += usize::from(self.views[place].is_none());
        self.views[place] = Some(view);
        true
    }

    /// Allocates what a candidate adds, and works out the text with it; `None`, and nothing is
    /// allocated, where it does not fit or may not be tried.
    fn fitting(
        &mut self,
        place: usize,
        view: View,
        reserve: &Reserve,
    ) -> Option<(Draft, Allocation)> {
        if self.is_full() && self.views[place].is_none() {
            return None;
        }
        let hopeless = self.ledger.is_hopeless(place, view, self.remaining_for(place));
        if !hopeless && !self.ledger.may_go_on() {
            return None;
        }
        let fitting = if hopeless { None } else { self.allocate(place, view, reserve) };
        if fitting.is_none() {
            self.refused.insert(place);
        }
        fitting
    }

    fn allocate(
        &mut self,
        place: usize,
        view: View,
        reserve: &Reserve,
    ) -> Option<(Draft, Allocation)> {
        let kind = self.candidates.scored[place].candidate.kind;
        let before = self.ledger.tokens();
        let draft = self.ledger.draft(place, view)?;
        let allocation = self.allocations.change(kind, before, draft.tokens).ok()?;
        let count = self.count + usize::from(self.views[place].is_none());
        let taken = |other: usize| other == place || self.views[other].is_some();
        if reserve.holds(self.candidates.scored, count, taken, &self.allocations) {
            return Some((draft, allocation));
        }
        self.allocations.roll_back(allocation);
        None
    }
}
