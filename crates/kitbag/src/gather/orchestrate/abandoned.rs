//! Provider calls that are still running after the request stopped waiting for them.

use kitbag_core::Cancel;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, AtomicU8, Ordering};

/// Maximum number of abandoned calls of one provider.
pub(super) const MAX_ABANDONED: isize = 8;

/// Number of abandoned calls of a provider that are still running.
#[derive(Debug, Default)]
pub(crate) struct Abandoned(AtomicIsize);

impl Abandoned {
    /// Whether the provider should not be called again until a call ends.
    pub fn is_full(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= MAX_ABANDONED
    }
}

const RUNNING: u8 = 0;
const GIVEN_UP: u8 = 1;
const ENDED: u8 = 2;

/// State of a call, shared by its thread and its caller.
#[derive(Debug)]
struct CallState {
    state: AtomicU8,
    abandoned: Arc<Abandoned>,
}

/// The caller's end of a call. Dropping it abandons the call, unless it has ended.
pub(super) struct CallGuard {
    call: Arc<CallState>,
    cancel: Cancel,
}

/// The thread's end of a call. Dropping it ends the call.
pub(super) struct RunningCall {
    call: Arc<CallState>,
}

/// Returns both ends of a new call.
pub(super) fn start_call(abandoned: Arc<Abandoned>, cancel: Cancel) -> (CallGuard, RunningCall) {
    let call = Arc::new(CallState { state: AtomicU8::new(RUNNING), abandoned });
    (CallGuard { call: Arc::clone(&call), cancel }, RunningCall { call })
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.cancel.cancel();
        let state = &self.call.state;
        let given_up =
            state.compare_exchange(RUNNING, GIVEN_UP, Ordering::SeqCst, Ordering::SeqCst);
        if given_up.is_ok() {
            self.call.abandoned.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        if self.call.state.swap(ENDED, Ordering::SeqCst) == GIVEN_UP {
            self.call.abandoned.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(abandoned: &Arc<Abandoned>) -> isize {
        abandoned.0.load(Ordering::SeqCst)
    }

    #[test]
    fn a_call_counts_from_when_it_is_given_up_until_it_ends() {
        let (abandoned, cancel) = (Arc::new(Abandoned::default()), Cancel::default());
        let (guard, running) = start_call(Arc::clone(&abandoned), cancel.clone());
        assert_eq!(count(&abandoned), 0);
        drop(guard);
        assert!(cancel.check().is_err() && count(&abandoned) == 1);
        drop(running);
        assert_eq!(count(&abandoned), 0);
    }

    #[test]
    fn a_call_that_was_answered_never_counts() {
        let abandoned = Arc::new(Abandoned::default());
        let (guard, running) = start_call(Arc::clone(&abandoned), Cancel::default());
        drop(running);
        drop(guard);
        assert_eq!(count(&abandoned), 0);
    }
}
