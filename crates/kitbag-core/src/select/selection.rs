//! The selection of candidates for a pack.

use super::ledger::{Ledger, PackDraft};
use super::reserve::{ChunkCost, Reserve};
use super::truncate::{MIN_REMAINING_TOKENS, rows_to_show};
use super::{ChunkView, SelectInput};
use crate::budget::Allocations;
use crate::settings::{Overflow, Settings};
use kitbag_text::Cancelled;
use kitbag_tokens::Measure;
use rustc_hash::FxHashSet;

/// Minimum number of tokens of an outline. A shorter one is not worth its header.
pub const MIN_OUTLINE_TOKENS: usize = 10;

/// Share of the relevance of the best chunk with which a smaller one replaces it, if it does not fit.
const MIN_REPLACEMENT_RELEVANCE: f64 = 0.5;

/// The candidates in the pack so far, their cost, and the budget used by each kind.
pub struct PackSelection<'a> {
    input: SelectInput<'a>,
    overflow: Overflow,
    /// The contents of the pack.
    pub ledger: Ledger<'a>,
    /// Tokens of the text by kind of source.
    pub allocations: Allocations,
    /// The view of each candidate; `None` if it is not in the pack.
    pub views: Vec<Option<ChunkView>>,
    /// Number of chunks.
    pub count: usize,
    /// Whether a chunk was truncated; at most one is.
    has_truncated: bool,
    /// Candidates that were tried and did not fit.
    pub refused: FxHashSet<usize>,
}

impl<'a> PackSelection<'a> {
    pub fn new(input: SelectInput<'a>, settings: &Settings) -> Self {
        let ledger = Ledger::new(input.scored, input.context);
        let mut allocations = Allocations::new(input.context.budget, &settings.budget.categories);
        allocations.allocate_frame(ledger.tokens());
        Self {
            input,
            overflow: settings.selection.overflow,
            ledger,
            allocations,
            views: vec![None; input.scored.len()],
            count: 0,
            has_truncated: false,
            refused: FxHashSet::default(),
        }
    }

    /// Reserves tokens for `min_chunks` chunks.
    pub fn reserve(&mut self, min_chunks: usize) -> Result<Reserve, Cancelled> {
        // A single chunk needs no reserve: the first one that fits is enough.
        if min_chunks < 2 {
            return Ok(Reserve::default());
        }
        let SelectInput { scored, order, context } = self.input;
        let mut chunks = Vec::with_capacity(order.len());
        for &index in order {
            context.cancel.check()?;
            let tokens = self.ledger.cost_alone(index);
            chunks.push(ChunkCost { tokens, index, kind: scored[index].candidate.kind });
        }
        Ok(Reserve::new(min_chunks, chunks, &self.allocations))
    }

    /// Whether the maximum number of chunks is reached.
    pub fn is_full(&self) -> bool {
        self.input.context.formatting.max_chunks.is_some_and(|max| self.count >= max)
    }

    /// Whether any candidate is not in the pack.
    pub fn has_left_out(&self) -> bool {
        self.input.order.iter().any(|&index| self.views[index].is_none())
    }

    /// Fills the budget, with the pinned candidates first.
    pub fn fill(&mut self, reserve: &Reserve) -> Result<(), Cancelled> {
        let SelectInput { scored, order, .. } = self.input;
        let is_pinned = |&index: &usize| scored[index].candidate.is_pinned;
        let pinned = order.partition_point(is_pinned);
        if pinned > 0 {
            self.fill_from(&order[..pinned], reserve)?;
        }
        self.fill_from(order, reserve)
    }

    /// Fills the budget with candidates of `order`, until a whole round adds nothing.
    fn fill_from(&mut self, order: &[usize], reserve: &Reserve) -> Result<(), Cancelled> {
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for &index in order {
                self.input.context.cancel.check()?;
                if self.views[index] != Some(ChunkView::Full) {
                    has_changed |= self.try_view(index, ChunkView::Full, reserve)
                        || (self.may_truncate(index) && self.try_truncated(index, reserve));
                }
            }
            if self.overflow == Overflow::Outline {
                for &index in order {
                    self.input.context.cancel.check()?;
                    has_changed |= self.views[index].is_none()
                        && self.has_useful_outline(index)
                        && self.try_view(index, ChunkView::Outline, &Reserve::default());
                }
            }
        }
        Ok(())
    }

    /// Whether the outline of a candidate says enough to be worth its header.
    fn has_useful_outline(&self, index: usize) -> bool {
        let SelectInput { scored, context, .. } = self.input;
        let candidate = &scored[index].candidate;
        let file = &context.files[candidate.file];
        let rows = ChunkView::Outline.rows(&candidate.chunk, file).into_iter();
        let measure = rows.map(|rows| file.measure(context.counting, rows));
        let measure = measure.fold(Measure::default(), |sum, one| sum + one);
        context.counting.counter().tokens(measure) >= MIN_OUTLINE_TOKENS
    }

    /// Whether a candidate that does not fit is truncated: the first one, or with outlines only the best
    /// one of all, of which the outline would be a line or two.
    fn may_truncate(&self, index: usize) -> bool {
        let is_allowed = match self.overflow {
            Overflow::Skip => false,
            Overflow::Outline => self.is_irreplaceable(index),
            Overflow::Truncate | Overflow::Proportional => true,
        };
        is_allowed && !self.has_truncated && self.remaining_for(index) > MIN_REMAINING_TOKENS
    }

    /// Whether a candidate is the best one, nothing is in the pack, and what would fit as a whole matters
    /// much less.
    fn is_irreplaceable(&self, index: usize) -> bool {
        let SelectInput { scored, order, .. } = self.input;
        if self.count > 0 || order.first() != Some(&index) {
            return false;
        }
        let (remaining, relevance) = (self.remaining_for(index), scored[index].factors.relevance);
        !order[1..].iter().map(|&other| &scored[other]).any(|other| {
            let fits = other.candidate.chunk.tokens as usize <= remaining;
            fits && other.factors.relevance >= relevance * MIN_REPLACEMENT_RELEVANCE
        })
    }

    /// Adds the cheapest candidates, until there are `min_chunks`.
    pub fn add_cheapest(&mut self, reserve: &Reserve, min_chunks: usize) -> Result<(), Cancelled> {
        for index in reserve.cheapest() {
            self.input.context.cancel.check()?;
            if self.count == min_chunks {
                break;
            }
            self.try_view(index, ChunkView::Full, &Reserve::default());
        }
        Ok(())
    }

    /// Truncates the best candidate of which any lines fit, however few tokens remain.
    pub fn truncate_best(&mut self) -> Result<(), Cancelled> {
        for &index in self.input.order {
            self.input.context.cancel.check()?;
            if self.try_truncated(index, &Reserve::default()) {
                break;
            }
        }
        Ok(())
    }

    fn remaining_for(&self, index: usize) -> usize {
        self.allocations.remaining_for(self.input.scored[index].candidate.kind)
    }

    /// Truncates a candidate to the remaining budget; `false` if not even its first line fits.
    fn try_truncated(&mut self, index: usize, reserve: &Reserve) -> bool {
        let SelectInput { scored, context, .. } = self.input;
        let candidate = &scored[index].candidate;
        let (file, remaining) = (&context.files[candidate.file], self.remaining_for(index));
        let rows = rows_to_show(candidate, file, self.overflow, remaining, |count| {
            self.try_allocate(index, ChunkView::First(count), reserve).is_some()
        });
        let is_truncated =
            rows.is_some_and(|count| self.try_view(index, ChunkView::First(count), reserve));
        self.has_truncated |= is_truncated;
        is_truncated
    }

    /// Shows a candidate in `view`, in place of its current view, if the text then fits.
    fn try_view(&mut self, index: usize, view: ChunkView, reserve: &Reserve) -> bool {
        let Some((draft, allocations)) = self.try_allocate(index, view, reserve) else {
            return false;
        };
        self.ledger.commit(draft);
        self.allocations = allocations;
        self.count += usize::from(self.views[index].is_none());
        self.views[index] = Some(view);
        true
    }

    /// Drafts a change and allocates its cost; `None` if it does not fit or may not be tried.
    fn try_allocate(
        &mut self,
        index: usize,
        view: ChunkView,
        reserve: &Reserve,
    ) -> Option<(PackDraft, Allocations)> {
        if self.is_full() && self.views[index].is_none() {
            return None;
        }
        let is_too_large = self.ledger.is_too_large(index, view, self.remaining_for(index));
        if !is_too_large && !self.ledger.can_continue() {
            return None;
        }
        let allocated = if is_too_large { None } else { self.allocate(index, view, reserve) };
        if allocated.is_none() {
            self.refused.insert(index);
        }
        allocated
    }

    fn allocate(
        &mut self,
        index: usize,
        view: ChunkView,
        reserve: &Reserve,
    ) -> Option<(PackDraft, Allocations)> {
        let before = self.ledger.tokens();
        let draft = self.ledger.draft(index, view)?;
        let kind = self.input.scored[index].candidate.kind;
        let allocations = self.allocations.exchange(kind, before, draft.tokens)?;
        let count = self.count + usize::from(self.views[index].is_none());
        let is_taken = |other: usize| other == index || self.views[other].is_some();
        reserve.is_kept(count, is_taken, &allocations).then_some((draft, allocations))
    }
}
