//! The flag that stops work which nobody waits for any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that any thread may raise, and that every stage looks at.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    raised: Arc<AtomicBool>,
    /// The flags of those that this one descends from.
    ancestors: Vec<Arc<AtomicBool>>,
}

/// The caller has cancelled the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl Cancel {
    /// Asks everything that holds this flag to stop.
    pub fn cancel(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    /// A flag of its own that is also up when this one is.
    pub fn child(&self) -> Self {
        let mut ancestors = self.ancestors.clone();
        ancestors.push(Arc::clone(&self.raised));
        Self { raised: Arc::default(), ancestors }
    }

    /// Whether the flag is up.
    pub fn is_cancelled(&self) -> bool {
        let up = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        up(&self.raised) || self.ancestors.iter().any(up)
    }

    /// An error once the flag is up.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_up_when_any_ancestor_is() {
        let first = Cancel::default();
        let second = first.child();
        let third = second.child();
        assert_eq!(third.check(), Ok(()));
        first.cancel();
        assert_eq!(third.check(), Err(Cancelled));
    }

    #[test]
    fn a_child_does_not_stop_its_parent() {
        let parent = Cancel::default();
        parent.child().cancel();
        assert_eq!(parent.check(), Ok(()));
    }
}
