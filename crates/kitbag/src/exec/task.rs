//! Work on another thread, and waiting for its result.

use super::compute::ComputePool;
use super::thread::{block_until, catch_panic, spawn_thread};
use crate::error::Error;
use kitbag_core::Cancel;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;

/// Work on another thread. Dropping the task cancels the work and does not wait for it.
pub(crate) struct Task<T> {
    receiver: oneshot::Receiver<Result<T, Error>>,
    cancel: Cancel,
}

impl<T: Send + 'static> Task<T> {
    /// Runs `work` on a thread of its own.
    pub fn spawn(
        cancel: &Cancel,
        work: impl FnOnce(&Cancel) -> Result<T, Error> + Send + 'static,
    ) -> Result<Self, Error> {
        let (job, task) = Self::new(cancel, work);
        spawn_thread("kitbag-request", job)?;
        Ok(task)
    }

    /// Runs `work` in `pool`, which is released once the work has ended.
    pub fn spawn_in(
        pool: Arc<ComputePool>,
        cancel: &Cancel,
        work: impl FnOnce(&Cancel) -> Result<T, Error> + Send + 'static,
    ) -> Self {
        let (job, task) = Self::new(cancel, work);
        let held = Arc::clone(&pool);
        pool.spawn(move || {
            job();
            drop(held);
        });
        task
    }

    fn new(
        cancel: &Cancel,
        work: impl FnOnce(&Cancel) -> Result<T, Error> + Send + 'static,
    ) -> (impl FnOnce() + Send + 'static, Self) {
        let (sender, receiver) = oneshot::channel();
        let task = Self { receiver, cancel: cancel.child() };
        let cancel = task.cancel.clone();
        let job = move || {
            let result = catch_panic(|| work(&cancel)).unwrap_or(Err(Error::Internal));
            // The receiver is gone when the caller stopped waiting.
            let _ = sender.send(result);
        };
        (job, task)
    }

    /// Returns the result, without blocking the thread.
    pub async fn result(mut self) -> Result<T, Error> {
        (&mut self.receiver).await.unwrap_or(Err(Error::Internal))
    }

    /// Blocks until the result is there, or until `deadline`: then returns `None` and cancels the work.
    pub fn wait_until(mut self, deadline: Option<Instant>) -> Result<Option<T>, Error> {
        match block_until(&mut self.receiver, deadline) {
            Some(received) => received.unwrap_or(Err(Error::Internal)).map(Some),
            None => Ok(None),
        }
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_result_is_returned_and_a_panic_is_an_error() {
        let never = Cancel::default();
        let task = Task::spawn(&never, |_| Ok(7)).expect("a thread");
        assert_eq!(task.wait_until(None).expect("no error"), Some(7));
        let task = Task::<()>::spawn(&never, |_| panic!("on purpose")).expect("a thread");
        assert!(matches!(task.wait_until(None), Err(Error::Internal)));
    }

    #[test]
    fn work_that_misses_its_deadline_is_cancelled() {
        let (sender, seen) = std::sync::mpsc::channel();
        let task = Task::spawn(&Cancel::default(), move |cancel| {
            while !cancel.is_cancelled() {
                std::thread::yield_now();
            }
            sender.send(()).expect("the test waits");
            Ok(())
        });
        let soon = Some(Instant::now() + Duration::from_millis(5));
        assert_eq!(task.expect("a thread").wait_until(soon).expect("no error"), None);
        seen.recv().expect("the work has seen the cancellation");
    }
}
