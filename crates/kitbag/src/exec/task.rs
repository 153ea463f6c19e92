//! Work on another thread, and waiting for its result.

use super::compute::ComputePool;
use crate::error::Error;
use kitbag_core::Cancel;
use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Scope, Thread};
use std::time::Instant;
use tokio::sync::oneshot;

/// Starts a thread that runs `work`.
pub(crate) fn spawn_thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let thread = thread::Builder::new().name(name.to_owned());
    thread.spawn(work).map(drop).map_err(Error::Thread)
}

/// Starts a thread that ends with `scope`. The returned function waits for the result, and resumes a
/// panic of the thread.
pub(crate) fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> impl FnOnce() -> T {
    let thread = scope.spawn(work);
    move || thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Runs `work` and returns the message of its panic, if it panics. A panic must not end the caller's
/// program, and nothing half-done is seen afterwards: caches only hold whole values.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panic_message(&*panic))
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.map_or_else(|| "panicked".to_owned(), |text| format!("panicked: {text}"))
}

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

/// Polls `future` on this thread until it is ready or `deadline` has passed.
pub(super) fn block_until<F: Future>(future: F, deadline: Option<Instant>) -> Option<F::Output> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
            None => thread::park(),
            Some(left) if left.is_zero() => return None,
            Some(left) => thread::park_timeout(left),
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
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
        assert_eq!(
            catch_panic(|| panic!("on purpose")),
            Err::<(), _>("panicked: on purpose".into())
        );
    }

    #[test]
    fn work_that_misses_its_deadline_is_cancelled() {
        let (sender, seen) = std::sync::mpsc::channel();
        let task = Task::spawn(&Cancel::default(), move |cancel| {
            while !cancel.is_cancelled() {
                thread::yield_now();
            }
            sender.send(()).expect("the test waits");
            Ok(())
        });
        let soon = Some(Instant::now() + Duration::from_millis(5));
        assert_eq!(task.expect("a thread").wait_until(soon).expect("no error"), None);
        seen.recv().expect("the work has seen the cancellation");
    }
}
