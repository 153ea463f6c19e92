//! Provider calls that are still running after the request stopped waiting for them.

use kitbag_core::Cancel;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Maximum number of abandoned calls of one provider.
pub(super) const MAX_ABANDONED: usize = 8;

/// The abandoned calls of a provider that may still be running.
#[derive(Debug, Default)]
pub(crate) struct Abandoned(Mutex<Vec<Weak<()>>>);

impl Abandoned {
    /// Whether the provider should not be called again until a call ends.
    pub fn is_full(&self) -> bool {
        self.count() >= MAX_ABANDONED
    }

    fn count(&self) -> usize {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|call| call.strong_count() > 0);
        calls.len()
    }
}

/// The caller's end of a call. Dropping it cancels the call, and abandons it unless it has ended.
pub(super) struct CallGuard {
    call: Weak<()>,
    abandoned: Arc<Abandoned>,
    cancel: Cancel,
}

/// The thread's end of a call, which is running as long as this exists.
pub(super) type RunningCall = Arc<()>;

/// Returns both ends of a new call.
pub(super) fn start_call(abandoned: Arc<Abandoned>, cancel: Cancel) -> (CallGuard, RunningCall) {
    let running = RunningCall::default();
    (CallGuard { call: Arc::downgrade(&running), abandoned, cancel }, running)
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.cancel.cancel();
        let mut calls = self.abandoned.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(std::mem::take(&mut self.call));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abandoned_call_counts_until_it_ends() {
        let (abandoned, cancel) = (Arc::new(Abandoned::default()), Cancel::default());
        let (guard, running) = start_call(Arc::clone(&abandoned), cancel.clone());
        assert_eq!(abandoned.count(), 0);
        drop(guard);
        assert!(cancel.check().is_err() && abandoned.count() == 1);
        drop(running);
        assert_eq!(abandoned.count(), 0);
    }

    #[test]
    fn an_answered_call_never_counts() {
        let abandoned = Arc::new(Abandoned::default());
        let (guard, running) = start_call(Arc::clone(&abandoned), Cancel::default());
        drop(running);
        drop(guard);
        assert_eq!(abandoned.count(), 0);
    }
}
