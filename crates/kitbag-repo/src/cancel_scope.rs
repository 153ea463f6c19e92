//! The cancellation flag of the current thread.
//!
//! Git commands and walks run deep down, in functions that know nothing of requests. A caller sets the
//! flag once for a piece of work; every git command and walk started within it stops when the flag is
//! raised.

use kitbag_text::Cancel;
use std::cell::RefCell;

thread_local! {
    static CURRENT: RefCell<Cancel> = RefCell::default();
}

/// Runs `work` with `cancel` as the flag of this thread. Once it is raised, git commands fail with
/// [`GitError::Cancelled`](crate::GitError::Cancelled) and walks end early.
pub fn with_cancel<T>(cancel: &Cancel, work: impl FnOnce() -> T) -> T {
    let _restore = RestoreOnDrop(CURRENT.replace(cancel.clone()));
    work()
}

/// Returns whether the flag of this thread is raised.
pub fn is_cancelled() -> bool {
    CURRENT.with_borrow(Cancel::is_cancelled)
}

pub(crate) fn current() -> Cancel {
    CURRENT.with_borrow(Cancel::clone)
}

/// Restores the previous flag, also when unwinding.
struct RestoreOnDrop(Cancel);

impl Drop for RestoreOnDrop {
    fn drop(&mut self) {
        CURRENT.set(std::mem::take(&mut self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_scope_does_not_cancel_the_outer_one() {
        let (outer, inner) = (Cancel::default(), Cancel::default());
        inner.cancel();
        with_cancel(&outer, || {
            assert!(with_cancel(&inner, is_cancelled));
            assert!(!is_cancelled());
        });
    }
}
