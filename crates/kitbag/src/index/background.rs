//! Indexing that goes on after its request was answered, until the deadline of the request.

use super::lock;
use crate::error::Error;
use crate::exec::spawn_thread;
use kitbag_core::Cancel;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long after its deadline indexing is waited for, while it saves its results.
const SAVE_TIME: Duration = Duration::from_millis(250);

/// Interval at which the caller's cancellation is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The indexing threads of an engine.
#[derive(Default)]
pub(crate) struct BackgroundIndexing {
    running: Mutex<Running>,
    ended: Condvar,
}

#[derive(Default)]
struct Running {
    threads: usize,
    /// The latest deadline of a request that started one.
    until: Option<Instant>,
}

/// An indexing thread, which ends when this is dropped.
pub(crate) struct IndexingGuard(Arc<BackgroundIndexing>);

impl BackgroundIndexing {
    /// Counts an indexing thread of a request.
    pub fn start(self: &Arc<Self>, deadline: Option<Instant>) -> IndexingGuard {
        let mut running = lock(&self.running);
        running.threads += 1;
        running.until = running.until.max(deadline);
        IndexingGuard(Arc::clone(self))
    }

    /// Waits until every thread of a request with a deadline has ended, or should have.
    pub fn wait(&self, cancel: &Cancel) {
        let mut running = lock(&self.running);
        while running.threads > 0
            && running.until.is_some_and(|until| Instant::now() < until + SAVE_TIME)
            && !cancel.is_cancelled()
        {
            let waited = self.ended.wait_timeout(running, POLL_INTERVAL);
            running = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for IndexingGuard {
    fn drop(&mut self) {
        lock(&self.0.running).threads -= 1;
        self.0.ended.notify_all();
    }
}

/// Runs `work` with a token that is cancelled at `deadline`.
pub(crate) fn run_until_deadline<T>(
    deadline: Instant,
    work: impl FnOnce(&Cancel) -> Result<T, Error>,
) -> Result<T, Error> {
    let (cancel, (done, ended)) = (Cancel::default(), channel::<()>());
    let timer = cancel.clone();
    spawn_thread("kitbag-deadline", move || {
        let left = deadline.saturating_duration_since(Instant::now());
        if ended.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
            timer.cancel();
        }
    })?;
    let result = work(&cancel);
    drop(done);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends_with_the_thread_or_with_the_cancellation() {
        let indexing = Arc::new(BackgroundIndexing::default());
        indexing.wait(&Cancel::default());
        let far = Instant::now() + Duration::from_secs(3_600);
        let guard = indexing.start(Some(far));
        let cancelled = Cancel::default();
        cancelled.cancel();
        indexing.wait(&cancelled);
        let waiting = Arc::clone(&indexing);
        let waiter = std::thread::spawn(move || waiting.wait(&Cancel::default()));
        drop(guard);
        waiter.join().expect("the wait ends");
    }

    #[test]
    fn work_is_cancelled_at_its_deadline() {
        let seen = run_until_deadline(Instant::now(), |cancel| {
            while !cancel.is_cancelled() {
                std::thread::yield_now();
            }
            Ok(())
        });
        assert!(seen.is_ok());
    }
}
