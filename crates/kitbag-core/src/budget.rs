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
#[error("the reserves of {reserves} tokens leave nothing of the window of {total}")]
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocations {
    total: usize,
    used: usize,
    limits: [Option<usize>; Kind::ALL.len()],
    used_by: [usize; Kind::ALL.len()],
}

/// The state before an allocation, for [`Allocations::roll_back`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Allocation {
    kind: Kind,
    used: usize,
    used_by: usize,
}

/// An allocation that exceeds a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AllocationError {
    /// The total budget is exceeded.
    #[error("{requested} tokens requested, but only {remaining} remain")]
    Total {
        /// Tokens requested.
        requested: usize,
        /// Tokens that remain.
        remaining: usize,
    },
    /// The limit of the kind is exceeded.
    #[error("{requested} tokens requested, but only {remaining} remain for `{kind}`")]
    Category {
        /// Kind of source.
        kind: Kind,
        /// Tokens requested.
        requested: usize,
        /// Tokens that remain for the kind.
        remaining: usize,
    },
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

    /// Returns the tokens allocated in total.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Returns the tokens allocated to a kind.
    pub fn used_by(&self, kind: Kind) -> usize {
        self.used_by[kind.index()]
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
        self.remaining().min(limit.saturating_sub(self.used_by(kind)))
    }

    /// Allocates `tokens` to a kind, or fails without allocating anything.
    pub fn allocate(&mut self, kind: Kind, tokens: usize) -> Result<Allocation, AllocationError> {
        self.exchange(kind, 0, tokens)
    }

    /// Frees `freed` tokens of a kind and allocates `added` to it, or fails without changing
    /// anything. A chunk can make the whole text cheaper, so `added` may be less than `freed`.
    pub fn exchange(
        &mut self,
        kind: Kind,
        freed: usize,
        added: usize,
    ) -> Result<Allocation, AllocationError> {
        let before = Allocation { kind, used: self.used, used_by: self.used_by(kind) };
        let after = |used: usize| used.saturating_add(added).saturating_sub(freed);
        let (used, used_by) = (after(before.used), after(before.used_by));
        let requested = added.saturating_sub(freed);
        if used > self.total {
            return Err(AllocationError::Total { requested, remaining: self.remaining() });
        }
        if added > freed && self.limit_of(kind).is_some_and(|limit| used_by > limit) {
            let remaining = self.remaining_for(kind);
            return Err(AllocationError::Category { kind, requested, remaining });
        }
        self.used = used;
        self.used_by[kind.index()] = used_by;
        Ok(before)
    }

    /// Undoes the latest allocation.
    pub fn roll_back(&mut self, allocation: Allocation) {
        self.used = allocation.used;
        self.used_by[allocation.kind.index()] = allocation.used_by;
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
        let mut budget = allocations(100, &[]);
        assert!(budget.allocate(Kind::OpenFile, 60).is_ok());
        assert_eq!((budget.used(), budget.remaining()), (60, 40));
        let refused = budget.allocate(Kind::Other, 41);
        assert_eq!(refused, Err(AllocationError::Total { requested: 41, remaining: 40 }));
        assert_eq!(budget.used(), 60, "a refused allocation changes nothing");
        assert!(budget.allocate(Kind::Other, 40).is_ok());
        assert!(budget.allocate(Kind::Other, 1).is_err());
        assert_eq!(budget.remaining(), 0);
    }

    // Shows: FR-016-86, FR-016-87
    #[test]
    fn a_kind_is_limited_to_its_share_and_other_kinds_get_the_rest() {
        let shares =
            [(Kind::OpenFile, Share::Fraction(0.3)), (Kind::ToolResult, Share::Tokens(500))];
        let mut budget = allocations(100, &shares);
        assert_eq!(budget.limit_of(Kind::OpenFile), Some(30));
        assert_eq!(budget.limit_of(Kind::ToolResult), Some(100), "capped at the total");
        let refused = budget.allocate(Kind::OpenFile, 31);
        let expected =
            AllocationError::Category { kind: Kind::OpenFile, requested: 31, remaining: 30 };
        assert_eq!(refused, Err(expected));
        assert!(budget.allocate(Kind::OpenFile, 30).is_ok());
        assert_eq!(budget.remaining_for(Kind::OpenFile), 0);
        assert!(budget.allocate(Kind::Reference, 70).is_ok());
        assert_eq!(budget.remaining_for(Kind::ToolResult), 0);
    }

    // Shows: FR-016-88
    #[test]
    fn an_allocation_can_be_rolled_back() {
        let mut budget = allocations(100, &[(Kind::OpenFile, Share::Tokens(50))]);
        assert!(budget.allocate(Kind::OpenFile, 20).is_ok());
        let before = budget.clone();
        let allocation = budget.allocate(Kind::OpenFile, 30).expect("it fits");
        assert_eq!(budget.remaining_for(Kind::OpenFile), 0);
        budget.roll_back(allocation);
        assert_eq!(budget, before);
    }

    #[test]
    fn a_cheaper_text_frees_tokens() {
        let mut budget = allocations(100, &[(Kind::OpenFile, Share::Tokens(50))]);
        assert!(budget.allocate(Kind::Other, 100).is_ok());
        assert!(budget.exchange(Kind::OpenFile, 8, 5).is_ok());
        assert_eq!((budget.used(), budget.used_by(Kind::OpenFile)), (97, 0));
        assert!(budget.exchange(Kind::OpenFile, 0, 4).is_err());
    }
}
