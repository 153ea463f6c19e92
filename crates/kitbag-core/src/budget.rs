//! How many tokens a pack may have, and how they are given out.

use kitbag_text::Kind;

/// Where the limit comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// Given: it caps the finished text, whatever the reserves.
    Given(usize),
    /// What a model's window leaves after the reserves.
    Window {
        /// The tokens of the window.
        total: usize,
        /// Kept free for the answer.
        response_reserve: usize,
        /// Kept free for the system prompt.
        system_reserve: usize,
    },
}

/// The reserves leave nothing of the window.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the reserves of {reserves} tokens leave nothing of the window of {total}")]
pub struct BudgetError {
    /// The tokens of the window.
    pub total: usize,
    /// The reserves together.
    pub reserves: usize,
}

impl Budget {
    /// The packer design's default: a window of 100,000 less 8,000 and 2,000.
    pub const DEFAULT: Budget = Budget::window(100_000);

    /// A window of `total` tokens with the default reserves.
    pub const fn window(total: usize) -> Self {
        Self::Window { total, response_reserve: 8_000, system_reserve: 2_000 }
    }

    /// The tokens that the pack may have.
    pub fn available(self) -> Result<usize, BudgetError> {
        match self {
            Self::Given(tokens) => Ok(tokens),
            Self::Window { total, response_reserve, system_reserve } => {
                let reserves = response_reserve.saturating_add(system_reserve);
                let left = total.checked_sub(reserves).filter(|&left| left > 0);
                left.ok_or(BudgetError { total, reserves })
            }
        }
    }
}

/// What one kind of source may have of a budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Share {
    /// That many tokens.
    Tokens(usize),
    /// That part of the whole, from 0 to 1.
    Part(f64),
}

impl Share {
    /// The tokens that it is of a budget.
    pub fn of(self, total: usize) -> usize {
        match self {
            Self::Tokens(tokens) => tokens.min(total),
            Self::Part(part) => ((total as f64 * part) as usize).min(total),
        }
    }
}

/// Gives out a budget, token by token, and never more than there is: in all, and for each kind of
/// source that has a limit of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocations {
    total: usize,
    used: usize,
    limits: [Option<usize>; Kind::ALL.len()],
    used_by: [usize; Kind::ALL.len()],
}

/// What was given out, to be handed back if it was not needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Allocation {
    kind: Kind,
    used: usize,
    used_by: usize,
}

/// There is not enough left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AllocationError {
    /// Of the whole.
    #[error("{wanted} tokens do not fit the {left} that are left")]
    Total {
        /// The tokens that were asked for.
        wanted: usize,
        /// The tokens that are left.
        left: usize,
    },
    /// Of what the kind may have.
    #[error("{wanted} tokens do not fit the {left} that are left for `{kind}`")]
    Category {
        /// The kind.
        kind: Kind,
        /// The tokens that were asked for.
        wanted: usize,
        /// The tokens that are left for it.
        left: usize,
    },
}

impl Allocations {
    /// A budget of `total` tokens of which nothing is given out yet. `categories` are the limits of
    /// the kinds, in the order of [`Kind::ALL`].
    pub fn new(total: usize, categories: &[Option<Share>; Kind::ALL.len()]) -> Self {
        let limits = categories.map(|share| share.map(|share| share.of(total)));
        Self { total, used: 0, limits, used_by: [0; Kind::ALL.len()] }
    }

    /// Gives out `tokens` to no kind, for what stands around the chunks.
    pub fn allocate_frame(&mut self, tokens: usize) {
        self.used = self.used.saturating_add(tokens);
    }

    /// The tokens that are given out.
    pub fn used(&self) -> usize {
        self.used
    }

    /// The tokens that are given out to a kind.
    pub fn used_by(&self, kind: Kind) -> usize {
        self.used_by[kind.index()]
    }

    /// The tokens that are left in all.
    pub fn remaining(&self) -> usize {
        self.total.saturating_sub(self.used)
    }

    /// The most that a kind may have, where it has a limit of its own.
    pub fn limit_of(&self, kind: Kind) -> Option<usize> {
        self.limits[kind.index()]
    }

    /// The tokens that a kind can still have.
    pub fn remaining_for(&self, kind: Kind) -> usize {
        let limit = self.limits[kind.index()].unwrap_or(usize::MAX);
        self.remaining().min(limit.saturating_sub(self.used_by(kind)))
    }

    /// Gives out `tokens` to a kind, or nothing at all.
    pub fn allocate(&mut self, kind: Kind, tokens: usize) -> Result<Allocation, AllocationError> {
        self.change(kind, 0, tokens)
    }

    /// Takes back `less` tokens and gives out `more` to a kind, or does nothing at all: what comes
    /// in may make the whole cheaper.
    pub fn change(
        &mut self,
        kind: Kind,
        less: usize,
        more: usize,
    ) -> Result<Allocation, AllocationError> {
        let before = Allocation { kind, used: self.used, used_by: self.used_by(kind) };
        let change = |used: usize| used.saturating_add(more).saturating_sub(less);
        let (used, used_by) = (change(before.used), change(before.used_by));
        let wanted = more.saturating_sub(less);
        if used > self.total {
            return Err(AllocationError::Total { wanted, left: self.remaining() });
        }
        if more > less && self.limits[kind.index()].is_some_and(|limit| used_by > limit) {
            let left = self.remaining_for(kind);
            return Err(AllocationError::Category { kind, wanted, left });
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
    fn the_window_less_the_reserves() {
        assert_eq!(Budget::DEFAULT.available(), Ok(90_000));
        let budget =
            Budget::Window { total: 100_000, response_reserve: 15_000, system_reserve: 8_000 };
        assert_eq!(budget.available(), Ok(77_000));
    }

    #[test]
    fn a_given_budget_ignores_the_reserves() {
        assert_eq!(Budget::Given(0).available(), Ok(0));
        assert_eq!(Budget::Given(500).available(), Ok(500));
    }

    // Shows: FR-016-77
    #[test]
    fn reserves_larger_than_the_window_are_an_error() {
        assert_eq!(
            Budget::window(8_192).available(),
            Err(BudgetError { total: 8_192, reserves: 10_000 })
        );
    }

    fn divided(total: usize, categories: &[(Kind, Share)]) -> Allocations {
        let mut all = [None; Kind::ALL.len()];
        for &(kind, share) in categories {
            all[kind.index()] = Some(share);
        }
        Allocations::new(total, &all)
    }

    // Shows: FR-016-81 to FR-016-85, FR-016-89
    #[test]
    fn what_is_given_out_is_never_more_than_there_is() {
        let mut budget = divided(100, &[]);
        assert!(budget.allocate(Kind::OpenFile, 60).is_ok());
        assert_eq!((budget.used(), budget.remaining()), (60, 40));
        let refused = budget.allocate(Kind::Other, 41);
        assert_eq!(refused, Err(AllocationError::Total { wanted: 41, left: 40 }));
        assert_eq!(budget.used(), 60, "what is refused changes nothing");
        assert!(budget.allocate(Kind::Other, 40).is_ok());
        assert!(budget.allocate(Kind::Other, 1).is_err());
        assert_eq!(budget.remaining(), 0);
    }

    // Shows: FR-016-86, FR-016-87
    #[test]
    fn a_kind_has_no_more_than_its_share_and_others_what_is_there() {
        let shares = [(Kind::OpenFile, Share::Part(0.3)), (Kind::ToolResult, Share::Tokens(500))];
        let mut budget = divided(100, &shares);
        assert_eq!(budget.limit_of(Kind::OpenFile), Some(30));
        assert_eq!(budget.limit_of(Kind::ToolResult), Some(100), "no more than the whole");
        let refused = budget.allocate(Kind::OpenFile, 31);
        let expected = AllocationError::Category { kind: Kind::OpenFile, wanted: 31, left: 30 };
        assert_eq!(refused, Err(expected));
        assert!(budget.allocate(Kind::OpenFile, 30).is_ok());
        assert_eq!(budget.remaining_for(Kind::OpenFile), 0);
        assert!(budget.allocate(Kind::Reference, 70).is_ok());
        assert_eq!(budget.remaining_for(Kind::ToolResult), 0);
    }

    // Shows: FR-016-88
    #[test]
    fn an_allocation_can_be_rolled_back() {
        let mut budget = divided(100, &[(Kind::OpenFile, Share::Tokens(50))]);
        assert!(budget.allocate(Kind::OpenFile, 20).is_ok());
        let before = budget.clone();
        let allocation = budget.allocate(Kind::OpenFile, 30).expect("it fits");
        assert_eq!(budget.remaining_for(Kind::OpenFile), 0);
        budget.roll_back(allocation);
        assert_eq!(budget, before);
    }

    #[test]
    fn what_makes_the_whole_cheaper_gives_tokens_back() {
        let mut budget = divided(100, &[(Kind::OpenFile, Share::Tokens(50))]);
        assert!(budget.allocate(Kind::Other, 100).is_ok());
        assert!(budget.change(Kind::OpenFile, 8, 5).is_ok());
        assert_eq!((budget.used(), budget.used_by(Kind::OpenFile)), (97, 0));
        assert!(budget.change(Kind::OpenFile, 0, 4).is_err());
    }
}
