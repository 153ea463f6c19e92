//! How many requests are worked on at the same time, how many wait, and how long each may take.

use crate::problem::Problem;
use crate::state::Limits;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// The door to the work.
pub(crate) struct Gate {
    /// Those who are inside, working or waiting.
    tickets: Arc<Semaphore>,
    /// Those who work.
    workers: Arc<Semaphore>,
    limit: Duration,
}

/// A place inside, and until when.
pub(crate) struct Ticket {
    _ticket: OwnedSemaphorePermit,
    until: Instant,
}

impl Gate {
    pub fn new(limits: &Limits) -> Self {
        let inside = limits.concurrency.saturating_add(limits.queue);
        let count = |count: usize| Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)));
        Self { tickets: count(inside), workers: count(limits.concurrency), limit: limits.timeout }
    }

    /// A place inside, or the advice to come back later.
    pub fn ticket(&self) -> Result<Ticket, Problem> {
        let ticket = Arc::clone(&self.tickets).try_acquire_owned();
        let ticket = ticket.map_err(|_| Problem::busy("too many requests are waiting"))?;
        Ok(Ticket { _ticket: ticket, until: Instant::now() + self.limit })
    }

    /// Does `work` when it is its turn, for as long as the ticket holds. What is given up is dropped,
    /// which stops it.
    pub async fn work<T>(
        &self,
        ticket: &Ticket,
        work: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let turn = timeout_at(ticket.until, Arc::clone(&self.workers).acquire_owned()).await;
        let Ok(Ok(_worker)) = turn else {
            return Err(Problem::busy("other requests took all the time that this one has"));
        };
        let late = format!("there was no answer within {} ms", self.limit.as_millis());
        let late = |_| Problem::late(late).hint("`server.limits.timeout_ms` is the limit");
        timeout_at(ticket.until, work).await.map_err(late)?
    }
}

impl Ticket {
    /// Waits for what the client sends, for as long as the ticket holds.
    pub async fn receive<T>(
        &self,
        arriving: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let late = |_| Problem::late("the request did not arrive in time");
        timeout_at(self.until, arriving).await.map_err(late)?
    }
}
