//! The threads that compute, a set for each request.
//!
//! Requests that shared their threads would wait for each other: whoever cuts a file of ten megabytes
//! would delay whoever has half a second. So a request takes a set of threads of its own and gives it
//! back when it is done, and the system divides the processors among them. Work that was given up
//! keeps its set until it has noticed.

use crate::error::Error;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// So many sets wait for the next request.
const MOST_IDLE: usize = 4;

/// Beside the first, a set has so many threads at the most.
const MOST_THREADS: usize = 16;

/// The sets of threads of an engine.
pub(crate) struct Pools {
    threads: usize,
    idle: Mutex<Vec<rayon::ThreadPool>>,
}

/// A set of threads that nobody else has, until the last who has it lets go.
pub(crate) struct Pool {
    pool: Option<rayon::ThreadPool>,
    pools: Arc<Pools>,
}

impl Pools {
    /// Sets of so many threads; 0 means one for each processor.
    pub fn new(threads: usize) -> Result<Arc<Self>, Error> {
        let first = built(threads)?;
        let threads = first.current_num_threads().min(MOST_THREADS);
        Ok(Arc::new(Self { threads, idle: Mutex::new(vec![first]) }))
    }

    /// A set that nobody has.
    pub fn take(self: &Arc<Self>) -> Result<Arc<Pool>, Error> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let pool = idle.map_or_else(|| built(self.threads), Ok)?;
        Ok(Arc::new(Pool { pool: Some(pool), pools: Arc::clone(self) }))
    }
}

impl Deref for Pool {
    type Target = rayon::ThreadPool;

    fn deref(&self) -> &rayon::ThreadPool {
        self.pool.as_ref().expect("it is there until it is dropped")
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut idle = self.pools.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_IDLE {
            idle.extend(self.pool.take());
        }
    }
}

fn built(threads: usize) -> Result<rayon::ThreadPool, Error> {
    let name = |number: usize| format!("kitbag-{number}");
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_that_is_busy_delays_nobody_and_one_that_is_free_is_used_again() {
        let pools = Pools::new(1).expect("threads");
        let (first, second) = (pools.take().expect("threads"), pools.take().expect("threads"));
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let busy = Arc::clone(&first);
        first.spawn(move || {
            let _ = wait.recv();
            drop(busy);
        });
        assert_eq!(second.install(|| 7), 7);
        drop((first, second));
        assert_eq!(pools.idle.lock().expect("no panic").len(), 1, "one is still busy");
        drop(go);
    }
}
