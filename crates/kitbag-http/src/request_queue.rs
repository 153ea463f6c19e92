//! Admission of requests: how many run, how many wait, and for how long.

use crate::options::HttpLimits;
use crate::problem::Problem;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Bounds the number of running and waiting requests.
pub(crate) struct RequestQueue {
    /// One permit per request that runs or waits.
    slots: Arc<Semaphore>,
    /// One permit per request that runs.
    workers: Semaphore,
    timeout: Duration,
}

/// A place in the queue, with the deadline of its request.
pub(crate) struct QueueSlot {
    _permit: OwnedSemaphorePermit,
    deadline: Instant,
}

impl RequestQueue {
    pub fn new(limits: &HttpLimits) -> Self {
        let permits = |count: usize| Semaphore::new(count.min(Semaphore::MAX_PERMITS));
        Self {
            slots: Arc::new(permits(limits.concurrency.saturating_add(limits.queue))),
            workers: permits(limits.concurrency),
            timeout: limits.timeout,
        }
    }

    /// Fails with 503 when the queue is full, before the body of a request is read.
    pub fn check(&self) -> Result<(), Problem> {
        if self.slots.available_permits() > 0 { Ok(()) } else { Err(queue_is_full()) }
    }

    /// Reserves a slot; fails with 503 when the queue is full.
    pub fn enter(&self) -> Result<QueueSlot, Problem> {
        let permit = Arc::clone(&self.slots).try_acquire_owned();
        let permit = permit.map_err(|_| queue_is_full())?;
        Ok(QueueSlot { _permit: permit, deadline: Instant::now() + self.timeout })
    }

    /// Reserves a slot and runs `work` in it.
    pub async fn run<T>(
        &self,
        work: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        self.run_in(&self.enter()?, work).await
    }

    /// Runs `work` when a worker is free. On timeout `work` is dropped, which cancels it.
    pub async fn run_in<T>(
        &self,
        slot: &QueueSlot,
        work: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let Ok(Ok(_worker)) = timeout_at(slot.deadline, self.workers.acquire()).await else {
            return Err(Problem::busy("no worker became free before the timeout"));
        };
        timeout_at(slot.deadline, work).await.map_err(|_| {
            Problem::timeout(format!("no answer within {} ms", self.timeout.as_millis()))
                .with_hint("the limit is `server.limits.timeout_ms`")
        })?
    }
}

fn queue_is_full() -> Problem {
    Problem::busy("the request queue is full")
}
