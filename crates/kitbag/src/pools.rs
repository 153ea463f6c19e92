//! The threads that compute, in a bounded number of sets.
//!
//! Whoever computes takes a set of threads for as long as it does, never while it waits for anything
//! else, and gives it back. A few sets are enough then; and a request that cuts a file of ten
//! megabytes delays nobody who has half a second, since that one takes another set. Work that was
//! given up keeps its set until it has noticed.

use crate::error::Error;
use crate::line::{Lent, Line};
use kitbag_core::Cancel;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

/// So many sets there are where all of them come back soon, and so many at the most.
const USUAL: usize = 4;
const MOST: usize = 16;

/// A set has so many threads at the most.
const MOST_THREADS: usize = 16;

/// The sets of threads of an engine.
pub(crate) struct Pools {
    threads: usize,
    line: Arc<Line<rayon::ThreadPool>>,
}

/// A set of threads that nobody else has, until the last who has it lets go.
pub(crate) struct Pool {
    lent: Lent<rayon::ThreadPool>,
}

impl Pools {
    /// Sets of so many threads; 0 means one for each processor.
    pub fn new(threads: usize) -> Result<Arc<Self>, Error> {
        let first = built(threads)?;
        let threads = first.current_num_threads().min(MOST_THREADS);
        Ok(Arc::new(Self { threads, line: Line::new(vec![first], USUAL, MOST) }))
    }

    /// A set that nobody has, once there is one. Whoever has one must not ask for another.
    pub fn take(&self, cancel: &Cancel) -> Result<Arc<Pool>, Error> {
        self.take_until(None, cancel)?.ok_or(Error::Lost)
    }

    /// The same; `None` where there is none until a moment.
    pub fn take_until(
        &self,
        until: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<Option<Arc<Pool>>, Error> {
        let Some(mut lent) = self.line.take_here(until, cancel)? else { return Ok(None) };
        lent.get(|| built(self.threads))?;
        Ok(Some(Arc::new(Pool { lent })))
    }
}

impl Deref for Pool {
    type Target = rayon::ThreadPool;

    fn deref(&self) -> &rayon::ThreadPool {
        self.lent.thing().expect("it was made when it was taken")
    }
}

fn built(threads: usize) -> Result<rayon::ThreadPool, Error> {
    let name = |number: usize| format!("kitbag-{number}");
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_set_that_is_busy_delays_nobody_and_is_lent_until_its_work_is_done() {
        let (pools, never) = (Pools::new(1).expect("threads"), Cancel::default());
        let take = || pools.take(&never).expect("threads");
        let (first, second) = (take(), take());
        let (go, wait) = channel::<()>();
        let busy = Arc::clone(&first);
        first.spawn(move || {
            let _ = wait.recv();
            drop(busy);
        });
        drop(first);
        assert_eq!(second.install(|| 7), 7);
        drop(second);
        assert_eq!(take().install(|| 8), 8);
        drop(go);
    }
}
