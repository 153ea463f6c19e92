//! Containment of panics in libraries that read users' files.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static IS_CONTAINING: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread is contained by [`contain_panic`], so that a panic hook need not
/// report it.
pub fn contains_panics() -> bool {
    IS_CONTAINING.get()
}

/// Runs `work`; `None` if it panics. The values that `work` changes must be valid after a panic.
pub fn contain_panic<T>(work: impl FnOnce() -> T) -> Option<T> {
    let outer = IS_CONTAINING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    IS_CONTAINING.set(outer);
    result.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_contained() {
        assert_eq!(contain_panic(|| 5), Some(5));
        let nested = contain_panic(|| (contain_panic(|| panic!("test")), contains_panics()));
        assert_eq!(nested, Some((None::<()>, true)));
        assert!(!contains_panics());
    }
}
