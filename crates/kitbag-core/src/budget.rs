//! The token budget of a pack, and the allocations made from it.

use kitbag_text::Kind;

/// The limit on the tokens of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// A fixed number of tokens; the reserves do not apply.
    Fixed(usize),
    /// A model's context window less the reserves.
    Window {
        /// Tokens of the context window.
        total: usize,
        /// Tokens reserved for the response.
        response_reserve: usize,
        /// Tokens reserved for the system prompt.
        system_reserve: usize,
    },
}

/// The reserves use up the whole context window.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the reserved {reserves} tokens do not fit in the window of {total} tokens")]
pub struct BudgetError {
    /// Tokens of the context window.
    pub total: usize,
    /// Sum of the reserves, in tokens.
    pub reserves: usize,
}

impl Budget {
    /// A window of 100,000 tokens with reserves of 8,000 and 2,000.
    pub const DEFAULT: Budget = Budget::window(100_000);

    /// Returns a window of `total` tokens with the default reserves.
    pub const fn window(total: usize) -> Self {
        Self::Window { total, response_reserve: 8_000, system_reserve: 2_000 }
    }

    /// Returns the maximum number of tokens of the pack.
    pub fn available(self) -> Result<usize, BudgetError> {
        match self {
            Self::Fixed(tokens) => Ok(tokens),
            Self::Window { total, response_reserve, system_reserve } => {
                let reserves = response_reserve.saturating_add(system_reserve);
                let available = total.checked_sub(reserves).filter(|&available| available > 0);
                available.ok_or(BudgetError { total, reserves })
            }
        }
    }
}

/// The maximum share of one kind of source in a budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Share {
    /// A number of tokens.
    Tokens(usize),
    /// A fraction of the budget, from 0 to 1.
    Fraction(f64),
}

impl Share {
    /// Returns the share in tokens, at most `total`.
    pub fn of(self, total: usize) -> usize {
        match self {
            Self::Tokens(tokens) => tokens.min(total),
            Self::Fraction(fraction) => ((total as f64 * fraction) as usize).min(total),
        }
    }
}

/// Tokens allocated from a budget, in total and by kind of source. Neither the total nor the limit
/// of a kind is ever exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocations {
    total: usize,
    used: usize,
    limits: [Option<usize>; Kind::ALL.len()],
    used_by: [usize; Kind::ALL.len()],
}

impl Allocations {
    /// Creates allocations from an unused budget of `total` tokens. `categories` are the limits by
    /// kind, in the order of [`Kind::ALL`].
    pub fn new(total: usize, categories: &[Option<Share>; Kind::ALL.len()]) -> Self {
        let limits = categories.map(|share| share.map(|share| share.of(total)));
        Self { total, used: 0, limits, used_by: [0; Kind::ALL.len()] }
    }

    /// Allocates tokens for the text around the chunks, which belongs to no kind.
    pub fn allocate_frame(&mut self, tokens: usize) {
        self.used = self.used.saturating_add(tokens);
    }

    /// Returns the tokens that remain in total.
    pub fn remaining(&self) -> usize {
        self.total.saturating_sub(self.used)
    }

    /// Returns the limit of a kind in tokens, if it has one.
    pub fn limit_of(&self, kind: Kind) -> Option<usize> {
        self.limits[kind.index()]
    }

    /// Returns the tokens that remain for a kind.
    pub fn remaining_for(&self, kind: Kind) -> usize {
        let limit = self.limit_of(kind).unwrap_or(usize::MAX);
        self.remaining().min(limit.saturating_sub(self.used_by[kind.index()]))
    }

    /// Returns the allocations after freeing `freed` tokens of a kind and allocating `added` to it;
    /// `None` if that exceeds a limit. A chunk can make the whole text cheaper, so `added` may be less
    /// than `freed`.
    pub fn exchange(&self, kind: Kind, freed: usize, added: usize) -> Option<Self> {
        let after = |used: usize| used.saturating_add(added).saturating_sub(freed);
        let mut next = Self { used: after(self.used), ..*self };
        let used_by = &mut next.used_by[kind.index()];
        *used_by = after(*used_by);
        let is_over_limit = self.limit_of(kind).is_some_and(|limit| *used_by > limit);
        let is_refused = next.used > self.total || (added > freed && is_over_limit);
        (!is_refused).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Shows: AC-056, AC-057, AC-064, FR-016-76, FR-016-78 to FR-016-80
    #[test]
    fn reserves_are_subtracted_from_the_window() {
        assert_eq!(Budget::DEFAULT.available(), Ok(90_000));
        let budget =
            Budget::Window { total: 100_000, response_reserve: 15_000, system_reserve: 8_000 };
        assert_eq!(budget.available(), Ok(77_000));
    }

    #[test]
    fn a_fixed_budget_ignores_the_reserves() {
        assert_eq!(Budget::Fixed(0).available(), Ok(0));
        assert_eq!(Budget::Fixed(500).available(), Ok(500));
    }

    // Shows: FR-016-77
    #[test]
    fn reserves_larger_than_the_window_are_an_error() {
        assert_eq!(
            Budget::window(8_192).available(),
            Err(BudgetError { total: 8_192, reserves: 10_000 })
        );
    }

    fn allocations(total: usize, categories: &[(Kind, Share)]) -> Allocations {
        let mut all = [None; Kind::ALL.len()];
        for &(kind, share) in categories {
            all[kind.index()] = Some(share);
        }
        Allocations::new(total, &all)
    }

    // Shows: FR-016-81 to FR-016-85, FR-016-89
    #[test]
    fn allocations_never_exceed_the_total() {
        let budget = allocations(100, &[]).exchange(Kind::OpenFile, 0, 60).expect("it fits");
        assert_eq!(budget.remaining(), 40);
        assert_eq!(budget.exchange(Kind::Other, 0, 41), None);
        let budget = budget.exchange(Kind::Other, 0, 40).expect("it fits");
        assert_eq!(budget.exchange(Kind::Other, 0, 1), None);
        assert_eq!(budget.remaining(), 0);
    }

    // Shows: FR-016-86, FR-016-87
    #[test]
    fn a_kind_is_limited_to_its_share_and_other_kinds_get_the_rest() {
        let shares =
            [(Kind::OpenFile, Share::Fraction(0.3)), (Kind::ToolResult, Share::Tokens(500))];
        let budget = allocations(100, &shares);
        assert_eq!(budget.limit_of(Kind::OpenFile), Some(30));
        assert_eq!(budget.limit_of(Kind::ToolResult), Some(100), "capped at the total");
        assert_eq!(budget.exchange(Kind::OpenFile, 0, 31), None);
        let budget = budget.exchange(Kind::OpenFile, 0, 30).expect("it fits");
        assert_eq!(budget.remaining_for(Kind::OpenFile), 0);
        let budget = budget.exchange(Kind::Reference, 0, 70).expect("it fits");
        assert_eq!(budget.remaining_for(Kind::ToolResult), 0);
    }

    // Shows: FR-016-88
    #[test]
    fn an_allocation_that_is_not_kept_changes_nothing() {
        let budget = allocations(100, &[(Kind::OpenFile, Share::Tokens(50))]);
        let budget = budget.exchange(Kind::OpenFile, 0, 20).expect("it fits");
        let next = budget.exchange(Kind::OpenFile, 0, 30).expect("it fits");
        assert_eq!(next.remaining_for(Kind::OpenFile), 0);
        assert_eq!(budget.remaining_for(Kind::OpenFile), 30);
    }

    #[test]
    fn a_cheaper_text_frees_tokens() {
        let budget = allocations(100, &[(Kind::OpenFile, Share::Tokens(50))]);
        let budget = budget.exchange(Kind::Other, 0, 100).expect("it fits");
        let budget = budget.exchange(Kind::OpenFile, 8, 5).expect("it fits");
        assert_eq!((budget.remaining(), budget.remaining_for(Kind::OpenFile)), (3, 3));
        assert_eq!(budget.exchange(Kind::OpenFile, 0, 4), None);
    }
}
