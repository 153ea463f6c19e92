//! How many tokens a pack may have.

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
}
