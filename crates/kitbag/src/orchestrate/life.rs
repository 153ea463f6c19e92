//! Whether a call of a provider goes on after it was given up.

use kitbag_core::Cancel;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, AtomicU8, Ordering};

/// How many calls of one provider may go on after they were given up.
pub(super) const MOST_ABANDONED: isize = 8;

/// How many calls of a provider were given up and have not ended.
#[derive(Debug, Default)]
pub(crate) struct Abandoned(AtomicIsize);

impl Abandoned {
    /// Whether they are so many that it should not be asked any more.
    pub fn are_too_many(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= MOST_ABANDONED
    }
}

const RUNNING: u8 = 0;
const GIVEN_UP: u8 = 1;
const ENDED: u8 = 2;

/// The life of one call, as its thread and whoever waits for it see it.
#[derive(Debug)]
struct Life {
    state: AtomicU8,
    abandoned: Arc<Abandoned>,
}

/// A call that somebody waits for: given up when it is dropped, unless it has ended.
pub(super) struct Awaited {
    life: Arc<Life>,
    cancel: Cancel,
}

/// A call that is being answered: ended when it is dropped.
pub(super) struct Answering {
    life: Arc<Life>,
}

/// A call, from both sides.
pub(super) fn begin(abandoned: Arc<Abandoned>, cancel: Cancel) -> (Awaited, Answering) {
    let life = Arc::new(Life { state: AtomicU8::new(RUNNING), abandoned });
    (Awaited { life: Arc::clone(&life), cancel }, Answering { life })
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.cancel.cancel();
        let state = &self.life.state;
        let given_up =
            state.compare_exchange(RUNNING, GIVEN_UP, Ordering::SeqCst, Ordering::SeqCst);
        if given_up.is_ok() {
            self.life.abandoned.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        if self.life.state.swap(ENDED, Ordering::SeqCst) == GIVEN_UP {
            self.life.abandoned.0.fetch_sub(1, Ordering::SeqCst);
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
        let (awaited, answering) = begin(Arc::clone(&abandoned), cancel.clone());
        assert_eq!(count(&abandoned), 0);
        drop(awaited);
        assert!(cancel.check().is_err() && count(&abandoned) == 1);
        drop(answering);
        assert_eq!(count(&abandoned), 0);
    }

    #[test]
    fn a_call_that_was_answered_never_counts() {
        let abandoned = Arc::new(Abandoned::default());
        let (awaited, answering) = begin(Arc::clone(&abandoned), Cancel::default());
        drop(answering);
        drop(awaited);
        assert_eq!(count(&abandoned), 0);
    }
}
