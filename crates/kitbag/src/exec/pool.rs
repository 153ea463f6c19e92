//! A pool of resources, handed out first come, first served, that grows while its users are slow.
//!
//! The pool keeps `base_size` resources. When callers wait and none has been released for [`GROW_AFTER`],
//! it adds one, up to `max`; when releases are frequent again, it shrinks back. One thread serves all
//! waiting callers, and runs only while there are any.

use super::thread::{block_until, spawn_thread};
use crate::error::Error;
use kitbag_core::{Cancel, PackError};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The pool grows when a caller waits and nothing was released for this long.
const GROW_AFTER: Duration = Duration::from_millis(40);

/// The pool shrinks when it was large enough for this long.
const SHRINK_AFTER: Duration = Duration::from_secs(1);

/// How often waiting callers are checked for deadlines and cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A bounded number of resources, created on demand.
pub(crate) struct ElasticPool<R: Send + 'static> {
    base_size: usize,
    max: usize,
    state: Mutex<PoolState<R>>,
}

struct PoolState<R: Send + 'static> {
    idle: Vec<R>,
    /// Number of resources, idle and in use.
    size: usize,
    /// Waiting callers, in order of arrival.
    waiters: VecDeque<Waiter<R>>,
    /// When a resource was last taken or released.
    last_use: Instant,
    /// When `size` last changed because of waiting callers.
    resized: Instant,
    has_monitor: bool,
}

struct Waiter<R: Send + 'static> {
    sender: oneshot::Sender<PoolGuard<R>>,
    deadline: Option<Instant>,
    cancel: Cancel,
}

/// Exclusive use of a resource, released on drop. The resource may still have to be created.
pub(crate) struct PoolGuard<R: Send + 'static> {
    resource: Option<R>,
    pool: Option<Arc<ElasticPool<R>>>,
}

impl<R: Send + 'static> ElasticPool<R> {
    pub fn new(resources: Vec<R>, base_size: usize, max: usize) -> Arc<Self> {
        let now = Instant::now();
        let state = PoolState {
            size: resources.len(),
            idle: resources,
            waiters: VecDeque::new(),
            last_use: now,
            resized: now,
            has_monitor: false,
        };
        Arc::new(Self { base_size, max, state: Mutex::new(state) })
    }

    /// Waits for a resource; returns `None` if there is none by `deadline`.
    pub async fn take(
        self: &Arc<Self>,
        deadline: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<Option<PoolGuard<R>>, Error> {
        let guard = match self.request(deadline, cancel) {
            Ok(guard) => Some(guard),
            Err(queued) => queued.await.ok(),
        };
        cancel.check().map_err(PackError::from)?;
        Ok(guard)
    }

    /// Blocking form of [`ElasticPool::take`].
    pub fn take_blocking(
        self: &Arc<Self>,
        deadline: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<Option<PoolGuard<R>>, Error> {
        block_until(self.take(deadline, cancel), None).unwrap_or(Ok(None))
    }

    /// Returns a resource, or else a place in the queue.
    fn request(
        self: &Arc<Self>,
        deadline: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<PoolGuard<R>, oneshot::Receiver<PoolGuard<R>>> {
        let mut state = self.state();
        let idle = state.idle.pop();
        if idle.is_some() || state.size < self.base_size {
            state.size += usize::from(idle.is_none());
            state.last_use = Instant::now();
            return Ok(PoolGuard { resource: idle, pool: Some(Arc::clone(self)) });
        }
        let (sender, receiver) = oneshot::channel();
        state.waiters.push_back(Waiter { sender, deadline, cancel: cancel.clone() });
        if !state.has_monitor {
            let pool = Arc::clone(self);
            // Without a monitor, waiters still get what is released.
            state.has_monitor = spawn_thread("kitbag-pool", move || pool.monitor()).is_ok();
        }
        Err(receiver)
    }

    /// Grows the pool and drops expired waiters, until no one waits.
    fn monitor(self: &Arc<Self>) {
        loop {
            std::thread::sleep(POLL_INTERVAL);
            let mut state = self.state();
            let now = Instant::now();
            state.waiters.retain(|waiter| waiter.is_waiting(now));
            if state.waiters.is_empty() {
                state.has_monitor = false;
                return;
            }
            if now.duration_since(state.last_use) >= GROW_AFTER && state.size < self.max {
                state.size += 1;
                state.resized = now;
                drop(state);
                self.release(None);
            }
        }
    }

    /// Gives a resource to the next waiter, or keeps it.
    fn release(self: &Arc<Self>, mut resource: Option<R>) {
        loop {
            let waiter = match self.state().next_waiter(&mut resource, self.base_size) {
                Some(waiter) => waiter,
                // A surplus resource is dropped here, outside the lock.
                None => return,
            };
            match waiter.sender.send(PoolGuard { resource, pool: Some(Arc::clone(self)) }) {
                Ok(()) => return,
                // The waiter is gone: try the next one.
                Err(mut unsent) => {
                    unsent.pool = None;
                    resource = unsent.resource.take();
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, PoolState<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: Send + 'static> PoolState<R> {
    /// Returns the waiter for a released resource. Without one, the resource becomes idle, or stays
    /// with the caller if the pool shrinks.
    fn next_waiter(&mut self, resource: &mut Option<R>, base_size: usize) -> Option<Waiter<R>> {
        let now = Instant::now();
        self.last_use = now;
        if self.size > base_size && now.duration_since(self.resized) >= SHRINK_AFTER {
            self.size -= 1;
            self.resized = now - SHRINK_AFTER + GROW_AFTER;
            return None;
        }
        if let Some(waiter) = self.waiters.pop_front() {
            return Some(waiter);
        }
        match resource.take() {
            Some(resource) if self.idle.len() < base_size => self.idle.push(resource),
            surplus => {
                *resource = surplus;
                self.size -= 1;
            }
        }
        None
    }
}

impl<R: Send + 'static> Waiter<R> {
    fn is_waiting(&self, now: Instant) -> bool {
        let is_late = self.deadline.is_some_and(|deadline| now >= deadline);
        !is_late && !self.cancel.is_cancelled() && !self.sender.is_closed()
    }
}

impl<R: Send + 'static> PoolGuard<R> {
    /// Returns the resource, creating it if the pool had none.
    pub fn get_or_create(
        &mut self,
        create: impl FnOnce() -> Result<R, Error>,
    ) -> Result<&R, Error> {
        match &mut self.resource {
            Some(resource) => Ok(resource),
            none => Ok(none.insert(create()?)),
        }
    }

    /// Returns the resource, if it was created.
    pub fn resource(&self) -> Option<&R> {
        self.resource.as_ref()
    }
}

impl<R: Send + 'static> Drop for PoolGuard<R> {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.take() {
            pool.release(self.resource.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    const BASE_SIZE: usize = 2;
    const MAX: usize = 6;

    /// A pool of numbers, all of them taken.
    fn exhausted_pool() -> (Arc<ElasticPool<usize>>, Vec<PoolGuard<usize>>) {
        let pool = ElasticPool::new(vec![0], BASE_SIZE, MAX);
        let guards = (0..MAX).map(|number| take(&pool, number)).collect();
        (pool, guards)
    }

    fn take(pool: &Arc<ElasticPool<usize>>, number: usize) -> PoolGuard<usize> {
        let guard = pool.take_blocking(None, &Cancel::default());
        let mut guard = guard.expect("not cancelled").expect("no deadline");
        guard.get_or_create(|| Ok(number)).expect("a number");
        guard
    }

    fn size_and_idle(pool: &ElasticPool<usize>) -> (usize, usize) {
        let state = pool.state();
        (state.size, state.idle.len())
    }

    fn in_use(pool: &ElasticPool<usize>) -> usize {
        let (size, idle) = size_and_idle(pool);
        size - idle
    }

    #[test]
    fn released_resources_are_reused() {
        let pool = ElasticPool::new(Vec::new(), BASE_SIZE, MAX);
        for number in 0..MAX {
            let guard = take(&pool, number);
            assert_eq!(guard.resource(), Some(&0));
        }
        assert_eq!(size_and_idle(&pool), (1, 1));
    }

    #[test]
    fn grows_while_nothing_is_released_and_never_beyond_its_maximum() {
        let (pool, mut guards) = exhausted_pool();
        assert_eq!(size_and_idle(&pool), (MAX, 0));
        let soon = Some(Instant::now() + GROW_AFTER * 3);
        assert!(pool.take_blocking(soon, &Cancel::default()).expect("not cancelled").is_none());
        assert_eq!(size_and_idle(&pool), (MAX, 0));
        guards.clear();
        assert_eq!(size_and_idle(&pool), (BASE_SIZE, BASE_SIZE));
    }

    #[test]
    fn a_cancelled_waiter_leaves_the_queue() {
        let (pool, mut guards) = exhausted_pool();
        let cancel = Cancel::default();
        let waiter = thread::spawn({
            let (pool, cancel) = (Arc::clone(&pool), cancel.clone());
            move || pool.take_blocking(None, &cancel).is_err_and(|error| error.is_cancelled())
        });
        while pool.state().waiters.is_empty() {
            thread::yield_now();
        }
        cancel.cancel();
        assert!(waiter.join().expect("no panic"));
        guards.pop();
        assert_eq!(in_use(&pool), MAX - 1);
    }

    #[test]
    fn a_resource_that_cannot_be_created_does_not_count() {
        let pool = ElasticPool::<usize>::new(Vec::new(), BASE_SIZE, MAX);
        let guard = pool.take_blocking(None, &Cancel::default());
        let mut guard = guard.expect("not cancelled").expect("no deadline");
        assert!(guard.get_or_create(|| Err(Error::Internal)).is_err());
        drop(guard);
        assert_eq!(size_and_idle(&pool), (0, 0));
    }

    #[tokio::test]
    async fn waiters_are_served_in_order_and_dropped_ones_are_skipped() {
        let pool = ElasticPool::new(Vec::new(), BASE_SIZE, MAX);
        let never = Cancel::default();
        let mut guards = Vec::new();
        for number in 0..MAX {
            let guard = pool.take(None, &never).await.expect("not cancelled");
            let mut guard = guard.expect("no deadline");
            guard.get_or_create(|| Ok(number)).expect("a number");
            guards.push(guard);
        }
        let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(pool.take(None, &never))).collect();
        for (number, waits) in waiting.iter_mut().enumerate() {
            tokio::select! {
                biased;
                _ = waits => panic!("the pool is exhausted"),
                () = tokio::task::yield_now() => {}
            }
            assert_eq!(pool.state().waiters.len(), number + 1);
        }
        drop(waiting.remove(0));
        let (second, third) = (waiting.remove(0), waiting.remove(0));
        guards.pop();
        assert!(second.await.is_ok_and(|guard| guard.is_some()), "its guard is dropped at once");
        assert!(third.await.is_ok_and(|guard| guard.is_some()));
        assert_eq!(in_use(&pool), MAX - 1);
    }

    #[test]
    fn shrinks_when_releases_are_frequent_again() {
        let (pool, guards) = exhausted_pool();
        let mut state = pool.state();
        let (sender, _receiver) = oneshot::channel();
        state.waiters.push_back(Waiter { sender, deadline: None, cancel: Cancel::default() });
        state.resized -= SHRINK_AFTER;
        assert!(
            state.next_waiter(&mut Some(9), BASE_SIZE).is_none(),
            "shrinking goes before serving"
        );
        assert_eq!(state.size, MAX - 1);
        state.resized = Instant::now() + SHRINK_AFTER;
        assert!(state.next_waiter(&mut Some(9), BASE_SIZE).is_some());
        assert_eq!(state.size, MAX - 1);
        drop(state);
        drop(guards);
    }
}
