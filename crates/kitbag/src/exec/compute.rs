//! The rayon pools of an engine.
//!
//! Work takes a pool only while it computes, never while it waits, so a few pools serve any number of
//! requests. A request that parses ten megabytes does not delay one with a deadline: that one takes
//! another pool. Cancelled work keeps its pool until it has noticed.

use super::pool::{ElasticPool, PoolGuard};
use crate::error::Error;
use kitbag_core::Cancel;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

/// Number of pools while all of them are released soon.
const BASE_POOLS: usize = 4;

/// Maximum number of pools.
const MAX_POOLS: usize = 16;

/// Maximum number of threads in a pool, except the first.
const MAX_THREADS: usize = 16;

/// Hands out the rayon pools of an engine.
pub(crate) struct ComputePools {
    threads: usize,
    pools: Arc<ElasticPool<rayon::ThreadPool>>,
}

/// A rayon pool in exclusive use until the last clone of its `Arc` is dropped.
pub(crate) struct ComputePool {
    guard: PoolGuard<rayon::ThreadPool>,
}

impl ComputePools {
    /// Creates the first pool, with `threads` threads; 0 means one per processor. Further pools have
    /// at most [`MAX_THREADS`].
    pub fn new(threads: usize) -> Result<Arc<Self>, Error> {
        let first = build_pool(threads)?;
        let threads = first.current_num_threads().min(MAX_THREADS);
        Ok(Arc::new(Self { threads, pools: ElasticPool::new(vec![first], BASE_POOLS, MAX_POOLS) }))
    }

    /// Waits for a free pool. The caller must not hold one already.
    pub fn take(&self, cancel: &Cancel) -> Result<Arc<ComputePool>, Error> {
        self.take_until(None, cancel)?.ok_or(Error::Internal)
    }

    /// Waits for a free pool until `deadline`.
    pub fn take_until(
        &self,
        deadline: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<Option<Arc<ComputePool>>, Error> {
        let Some(mut guard) = self.pools.take_blocking(deadline, cancel)? else { return Ok(None) };
        guard.get_or_create(|| build_pool(self.threads))?;
        Ok(Some(Arc::new(ComputePool { guard })))
    }
}

impl Deref for ComputePool {
    type Target = rayon::ThreadPool;

    fn deref(&self) -> &rayon::ThreadPool {
        self.guard.resource().expect("created in `take_until`")
    }
}

fn build_pool(threads: usize) -> Result<rayon::ThreadPool, Error> {
    let name = |number: usize| format!("kitbag-{number}");
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_busy_pool_delays_no_one_and_is_held_until_its_work_ends() {
        let (pools, never) = (ComputePools::new(1).expect("threads"), Cancel::default());
        let take = || pools.take(&never).expect("threads");
        let (first, second) = (take(), take());
        let (release, blocked) = channel::<()>();
        let held = Arc::clone(&first);
        first.spawn(move || {
            let _ = blocked.recv();
            drop(held);
        });
        drop(first);
        assert_eq!(second.install(|| 7), 7);
        drop(second);
        assert_eq!(take().install(|| 8), 8);
        drop(release);
    }
}
