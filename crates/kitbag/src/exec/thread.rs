//! Starting threads, catching panics, and waiting with a deadline.

use crate::error::Error;
use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Scope, Thread};
use std::time::Instant;

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

    #[test]
    fn a_panic_is_returned_as_its_message() {
        assert_eq!(
            catch_panic(|| panic!("on purpose")),
            Err::<(), _>("panicked: on purpose".into())
        );
        assert_eq!(catch_panic(|| 7), Ok(7));
    }
}
