//! Runs asynchronous work on the calling thread, within a time limit.

use crate::error::StoreError;
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

/// Interval at which cancellation is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// When operations end without a result.
#[derive(Clone, Default)]
pub(crate) struct Limit {
    pub deadline: Option<Instant>,
    pub is_cancelled: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Limit {
    /// Returns an error if operations have to end now.
    pub fn check(&self, url: &str) -> Result<(), StoreError> {
        if self.is_cancelled.as_ref().is_some_and(|is_cancelled| is_cancelled()) {
            return Err(StoreError::Cancelled { url: url.to_owned() });
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => {
                Err(StoreError::TimedOut { url: url.to_owned() })
            }
            _ => Ok(()),
        }
    }
}

/// A runtime whose unfinished requests are abandoned when it is dropped.
pub(crate) struct Executor(Option<Runtime>);

impl Executor {
    pub fn new() -> std::io::Result<Self> {
        Ok(Self(Some(Builder::new_current_thread().enable_time().build()?)))
    }

    /// Runs `work` until it is done or the limit is reached. The calling thread must not belong to
    /// another runtime.
    pub fn run<T>(
        &self,
        url: &str,
        limit: &Limit,
        work: impl Future<Output = T>,
    ) -> Result<T, StoreError> {
        limit.check(url)?;
        let closed = || StoreError::Cancelled { url: url.to_owned() };
        let runtime = self.0.as_ref().ok_or_else(closed)?;
        runtime.block_on(async {
            let mut work = pin!(work);
            loop {
                if let Ok(result) = tokio::time::timeout(POLL_INTERVAL, &mut work).await {
                    return Ok(result);
                }
                limit.check(url)?;
            }
        })
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Executor")
    }
}

impl fmt::Debug for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Limit").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}
