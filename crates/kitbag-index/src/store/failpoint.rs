//! Places where a write can be made to fail, for tests: on the thread that asked, the n-th step.

use std::io;

/// A step of writing. It fails where a test has asked for it.
#[cfg(not(any(test, feature = "failpoints")))]
pub(super) fn step(_name: &'static str) -> io::Result<()> {
    Ok(())
}

#[cfg(any(test, feature = "failpoints"))]
pub(super) use on::step;

#[cfg(any(test, feature = "failpoints"))]
mod on {
    use super::io;
    use std::cell::RefCell;

    thread_local! {
        static PLAN: RefCell<Plan> = RefCell::default();
    }

    #[derive(Default)]
    struct Plan {
        fail_at: Option<usize>,
        steps: Vec<&'static str>,
    }

    pub(in super::super) fn step(name: &'static str) -> io::Result<()> {
        PLAN.with_borrow_mut(|plan| {
            plan.steps.push(name);
            let fails = plan.fail_at.is_some_and(|at| at < plan.steps.len());
            if fails { Err(io::Error::other(format!("failpoint `{name}`"))) } else { Ok(()) }
        })
    }

    /// Makes every step from the given one on fail while `run` runs, and tells which steps were
    /// tried.
    #[cfg(test)]
    pub(in super::super) fn failing_from<T>(
        at: Option<usize>,
        run: impl FnOnce() -> T,
    ) -> (T, Vec<&'static str>) {
        PLAN.set(Plan { fail_at: at, steps: Vec::new() });
        let result = run();
        (result, PLAN.take().steps)
    }
}

#[cfg(test)]
pub(super) use on::failing_from;
