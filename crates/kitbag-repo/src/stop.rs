//! Whom the work of a thread is for, and when it may stop.
//!
//! Questions to git are asked deep down, by functions that know nothing of requests. Whoever begins
//! such work says once by which flag it stops; what this thread asks meanwhile, also on threads that
//! it starts for that, is ended when the flag goes up.

use kitbag_text::Cancel;
use std::cell::RefCell;

thread_local! {
    static CURRENT: RefCell<Cancel> = RefCell::default();
}

/// Does `work`. Programs that it starts, and walks, are ended once `cancel` is up; their answers are
/// then an error, or less than there is.
pub fn stopping<T>(cancel: &Cancel, work: impl FnOnce() -> T) -> T {
    let before = CURRENT.replace(cancel.clone());
    let _restore = Restore(before);
    work()
}

/// The flag by which the work of this thread stops.
pub(crate) fn current() -> Cancel {
    CURRENT.with_borrow(Cancel::clone)
}

/// Whether nobody wants the work of this thread any more.
pub fn is_stopped() -> bool {
    CURRENT.with_borrow(Cancel::is_cancelled)
}

/// Puts back what was there, also after a panic.
struct Restore(Cancel);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(std::mem::take(&mut self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Git;
    use crate::{GitError, Globs, Root, Tree, WorkTree};

    #[test]
    fn what_was_begun_outside_is_not_stopped_by_what_is_inside() {
        let (outer, inner) = (Cancel::default(), Cancel::default());
        inner.cancel();
        stopping(&outer, || {
            assert!(stopping(&inner, is_stopped));
            assert!(!is_stopped());
        });
    }

    #[test]
    fn git_is_not_started_and_nothing_walked_once_the_flag_is_up() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.rs"), "").unwrap();
        let root = Root::open(folder.path()).unwrap();
        let walk = || WorkTree::walk(&root, &Globs::default()).files().len();
        let cancel = Cancel::default();
        assert_eq!(stopping(&cancel, walk), 1);
        cancel.cancel();
        assert_eq!(stopping(&cancel, walk), 0);
        let asked = stopping(&cancel, || Git::at(folder.path()).output(&["--version"]));
        assert!(matches!(asked, Err(GitError::Stopped { .. })), "{asked:?}");
    }
}
