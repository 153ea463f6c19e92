//! Kills workers that exceed the limits of their call, or whose call was cancelled.

use crate::limits::{CallLimits, UNMEASURED_FACTOR};
use crate::usage::{is_measured, usage};
use kitbag_text::Cancel;
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Interval between checks. Most calls end before the first.
const INTERVAL: Duration = Duration::from_millis(10);

/// Reason for killing a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KillReason {
    Cancelled,
    TimeLimit,
    MemoryLimit,
}

/// A call that a worker has not yet answered.
struct Call {
    id: u64,
    worker: Arc<Mutex<Child>>,
    limits: CallLimits,
    cancel: Cancel,
    started: Instant,
    /// CPU time of the worker at the beginning of the call, known after the first check.
    cpu_before: Option<Duration>,
    /// CPU time of the call at the last check.
    cpu: Duration,
    /// Memory of the worker at the last check.
    memory: u64,
    reason: Option<KillReason>,
}

/// What is known of a call that has ended.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EndedCall {
    /// Why its worker was killed, if it was.
    pub reason: Option<KillReason>,
    /// CPU time, to within the interval between checks.
    pub cpu: Duration,
    /// Memory of the worker shortly before the end; 0 after a short call.
    pub memory: u64,
}

#[derive(Default)]
struct Calls {
    next_id: u64,
    pending: Vec<Call>,
}

/// Watches the calls of all workers in one thread.
#[derive(Default)]
pub(crate) struct Watchdog {
    calls: Mutex<Calls>,
    has_calls: Condvar,
}

/// A watched call.
pub(crate) struct WatchedCall {
    id: u64,
}

impl Watchdog {
    /// Returns the watchdog of this process, whose thread is started on first use.
    pub fn global() -> &'static Self {
        static WATCHDOG: OnceLock<Watchdog> = OnceLock::new();
        WATCHDOG.get_or_init(|| {
            let watch = || Watchdog::global().run();
            if let Err(error) = thread::Builder::new().name("kitbag-watchdog".into()).spawn(watch) {
                tracing::error!(%error, "parser limits are not enforced");
            }
            Self::default()
        })
    }

    /// Watches a call until [`Watchdog::end`].
    pub fn begin(
        &self,
        worker: &Arc<Mutex<Child>>,
        limits: CallLimits,
        cancel: &Cancel,
    ) -> WatchedCall {
        let mut calls = self.lock();
        calls.next_id += 1;
        let id = calls.next_id;
        calls.pending.push(Call {
            id,
            worker: Arc::clone(worker),
            limits,
            cancel: cancel.clone(),
            started: Instant::now(),
            cpu_before: None,
            cpu: Duration::ZERO,
            memory: 0,
            reason: None,
        });
        if calls.pending.len() == 1 {
            self.has_calls.notify_one();
        }
        WatchedCall { id }
    }

    /// Ends a call.
    pub fn end(&self, call: WatchedCall) -> EndedCall {
        let mut calls = self.lock();
        let Some(at) = calls.pending.iter().position(|pending| pending.id == call.id) else {
            return EndedCall::default();
        };
        let Call { reason, cpu, memory, started, .. } = calls.pending.swap_remove(at);
        let elapsed = started.elapsed();
        // Where CPU time cannot be measured, a busy machine is assumed.
        let is_estimated = elapsed > INTERVAL && !is_measured();
        let cpu = if is_estimated { elapsed / UNMEASURED_FACTOR } else { cpu };
        EndedCall { reason, cpu, memory }
    }

    fn run(&self) {
        loop {
            let mut calls = self.lock();
            while calls.pending.is_empty() {
                calls = self.has_calls.wait(calls).unwrap_or_else(PoisonError::into_inner);
            }
            for call in &mut calls.pending {
                call.check();
            }
            drop(calls);
            thread::sleep(INTERVAL);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Call {
    fn check(&mut self) {
        if self.reason.is_some() {
            return;
        }
        self.reason = self.reason_to_kill();
        if self.reason.is_some() {
            let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
            // Fails only if it has ended by itself.
            _ = worker.kill();
        }
    }

    fn reason_to_kill(&mut self) -> Option<KillReason> {
        if self.cancel.is_cancelled() {
            return Some(KillReason::Cancelled);
        }
        let elapsed = self.started.elapsed();
        if elapsed > self.limits.elapsed {
            return Some(KillReason::TimeLimit);
        }
        let pid = self.worker.lock().unwrap_or_else(PoisonError::into_inner).id();
        let usage = usage(pid)?;
        // A worker has one thread, so it has used at most the time that has passed.
        let before = *self.cpu_before.get_or_insert(usage.cpu.saturating_sub(elapsed));
        (self.cpu, self.memory) = (usage.cpu.saturating_sub(before), usage.memory);
        if self.memory > self.limits.memory {
            return Some(KillReason::MemoryLimit);
        }
        (self.cpu > self.limits.cpu).then_some(KillReason::TimeLimit)
    }
}
