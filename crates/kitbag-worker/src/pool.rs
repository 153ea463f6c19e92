//! A pool of workers for the whole process.

use crate::failures::Failures;
use crate::slots::{MaxTexts, Slots};
use crate::worker::{Worker, WorkerCommand};
use kitbag_text::Fallback;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

/// Parses in worker processes, which are started when needed and kept for the next text.
pub struct WorkerPool {
    command: WorkerCommand,
    idle: Mutex<Vec<Worker>>,
    max_idle: usize,
    pub(crate) slots: Slots,
    pub(crate) failures: Failures,
}

impl WorkerPool {
    /// Creates a pool of workers that `command` starts.
    pub fn new(command: WorkerCommand) -> Self {
        let max_idle = available_parallelism().map_or(1, usize::from);
        let slots = Slots::new(MaxTexts::for_cores(max_idle));
        Self { command, idle: Mutex::default(), max_idle, slots, failures: Failures::default() }
    }

    pub(crate) fn start(&self) -> Result<Worker, Fallback> {
        Worker::start(&self.command).map_err(|error| {
            tracing::warn!(%error, program = %self.command.program.display(), "cannot start a parser process");
            Fallback::ParserUnavailable
        })
    }

    /// Keeps a worker for the next text, unless there are enough.
    pub(crate) fn keep(&self, worker: Worker) {
        let mut idle = self.idle();
        if idle.len() < self.max_idle {
            idle.push(worker);
        }
    }

    pub(crate) fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
