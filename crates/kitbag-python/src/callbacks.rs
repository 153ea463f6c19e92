//! Calls of Python from threads of the engine. None may run while the interpreter ends: it would end the thread
//! instead of giving it the lock, and that aborts the process.

use pyo3::prelude::*;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long the interpreter waits for callbacks that run when it begins to end. One that blocks for longer may abort
/// the process.
const EXIT_WAIT: Duration = Duration::from_secs(5);

static CALLBACKS: Callbacks =
    Callbacks { state: Mutex::new(State { running: 0, is_closed: false }), ended: Condvar::new() };

struct Callbacks {
    state: Mutex<State>,
    ended: Condvar,
}

struct State {
    running: usize,
    is_closed: bool,
}

/// A callback that runs. It ends when this is dropped, also by a panic.
struct Running;

/// Calls Python, unless it has begun to end.
pub fn call_back(work: impl FnOnce(Python<'_>)) {
    if let Some(_running) = CALLBACKS.enter() {
        Python::try_attach(work);
    }
}

/// Refuses further callbacks, and waits for those that run. Python calls it when it begins to end.
#[pyfunction]
pub fn end_callbacks(py: Python<'_>) {
    py.detach(|| {
        let mut state = CALLBACKS.state();
        state.is_closed = true;
        let is_running = |state: &mut State| state.running > 0;
        let _ = CALLBACKS.ended.wait_timeout_while(state, EXIT_WAIT, is_running);
    });
}

impl Callbacks {
    fn enter(&self) -> Option<Running> {
        let mut state = self.state();
        if state.is_closed {
            return None;
        }
        state.running += 1;
        Some(Running)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        CALLBACKS.state().running -= 1;
        CALLBACKS.ended.notify_all();
    }
}
