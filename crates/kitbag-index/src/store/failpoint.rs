//! Injected write failures for tests: from the n-th step on, on the calling thread.

use std::io;

/// A step of writing an index that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteStep {
    CreateFolder,
    Lock,
    CreateFile,
    WriteFile,
    SyncFile,
    RenameFile,
    AfterRename,
    RemoveFile,
    RemoveManifest,
}

/// Marks a step of writing, which fails if a test asked for it.
#[cfg(not(test))]
pub(super) fn step(_step: WriteStep) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
pub(super) use injected::{failing_from, step};

#[cfg(test)]
mod injected {
    use super::{WriteStep, io};
    use std::cell::RefCell;

    thread_local! {
        static PLAN: RefCell<FailPlan> = RefCell::default();
    }

    #[derive(Default)]
    struct FailPlan {
        fail_from: Option<usize>,
        steps: Vec<WriteStep>,
    }

    pub fn step(step: WriteStep) -> io::Result<()> {
        PLAN.with_borrow_mut(|plan| {
            plan.steps.push(step);
            let fails = plan.fail_from.is_some_and(|from| from < plan.steps.len());
            if fails { Err(io::Error::other(format!("failpoint {step:?}"))) } else { Ok(()) }
        })
    }

    /// Makes every step from the given one on fail during `run`, and returns the attempted steps.
    pub fn failing_from<T>(
        fail_from: Option<usize>,
        run: impl FnOnce() -> T,
    ) -> (T, Vec<WriteStep>) {
        PLAN.set(FailPlan { fail_from, steps: Vec::new() });
        let result = run();
        (result, PLAN.take().steps)
    }
}
