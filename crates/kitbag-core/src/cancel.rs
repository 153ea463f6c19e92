//! The flag that stops a pack.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that any thread may raise, and that every stage looks at.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    raised: Arc<AtomicBool>,
    parent: Option<Arc<AtomicBool>>,
}

/// The caller has cancelled the pack.
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
        Self { raised: Arc::default(), parent: Some(Arc::clone(&self.raised)) }
    }

    /// An error once the flag is up.
    pub fn check(&self) -> Result<(), Cancelled> {
        let up = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        if up(&self.raised) || self.parent.as_ref().is_some_and(up) {
            return Err(Cancelled);
        }
        Ok(())
    }
}
