//! Cancellation of work in progress.

use crate::parse_budget::ParseBudget;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A cancellation token: any thread may cancel it, and long-running work checks it.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    is_cancelled: Arc<AtomicBool>,
    ancestors: Vec<Arc<AtomicBool>>,
    parse_budget: Arc<ParseBudget>,
}

/// Error of work that was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl Cancel {
    /// Cancels this token and all its children.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Creates a token that is cancelled with this one, but not vice versa.
    pub fn child(&self) -> Self {
        let mut ancestors = self.ancestors.clone();
        ancestors.push(Arc::clone(&self.is_cancelled));
        let parse_budget = Arc::clone(&self.parse_budget);
        Self { is_cancelled: Arc::default(), ancestors, parse_budget }
    }

    /// Creates a [child](Self::child) whose expensive texts are not charged to this token's work.
    pub fn child_with_own_budget(&self) -> Self {
        Self { parse_budget: Arc::default(), ..self.child() }
    }

    /// Returns the budget that the expensive texts of this work are charged to.
    #[doc(hidden)]
    pub fn parse_budget(&self) -> &ParseBudget {
        &self.parse_budget
    }

    /// Whether this token or one of its ancestors has been cancelled.
    pub fn is_cancelled(&self) -> bool {
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        is_set(&self.is_cancelled) || self.ancestors.iter().any(is_set)
    }

    /// Returns an error if the token is cancelled.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_cancelled_with_any_ancestor() {
        let first = Cancel::default();
        let second = first.child();
        let third = second.child();
        assert_eq!(third.check(), Ok(()));
        first.cancel();
        assert_eq!(third.check(), Err(Cancelled));
    }

    #[test]
    fn child_does_not_cancel_its_parent() {
        let parent = Cancel::default();
        parent.child().cancel();
        assert_eq!(parent.check(), Ok(()));
    }
}
