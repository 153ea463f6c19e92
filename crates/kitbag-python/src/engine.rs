//! Engines and calls as Python sees them.

use crate::call::{Outcome, RunningCall, raised};
use crate::callbacks::call_back;
use crate::shape::NativeAnswer;
use crate::worker_command;
use kitbag_cli::{HostCall, HostEngine, HostOperation};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Time between two looks at signals, such as Ctrl-C, during a call.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(20);

/// An engine with the user's configuration and caches.
#[pyclass(frozen, module = "kitbag._kitbag")]
pub struct NativeEngine {
    host: HostEngine,
    /// Callback for the progress of indexing.
    progress: Option<Py<PyAny>>,
}

/// A call that runs while Python does something else.
#[pyclass(frozen, module = "kitbag._kitbag")]
pub struct NativeCall(HostCall);

#[pymethods]
impl NativeEngine {
    #[new]
    fn new(py: Python<'_>, worker: Vec<OsString>, progress: Option<Py<PyAny>>) -> PyResult<Self> {
        kitbag::parse_in_workers(worker_command(worker));
        let host = py.detach(|| HostEngine::open("python"));
        Ok(Self { host: host.map_err(raised)?, progress })
    }

    /// Watches a repository, so that calls about it need not look for changes.
    fn watch(&self, py: Python<'_>, repo: PathBuf) -> PyResult<()> {
        py.detach(|| self.host.watch(&repo)).map_err(raised)
    }

    /// Answers a request and waits for the answer. Ctrl-C cancels the call.
    fn call(&self, py: Python<'_>, operation: &str, request: &str) -> PyResult<NativeAnswer> {
        let (sender, receiver) = channel();
        // The receiver is gone if the call was interrupted.
        let done = move |outcome: Outcome| drop(sender.send(outcome));
        let call = RunningCall::new(self.progress(py));
        self.host.start(named(operation)?, request, &call.host, call.progress(), done);
        // Only one thread receives at a time; the lock proves it to the compiler.
        let receiver = Mutex::new(receiver);
        let outcome = loop {
            let received = py.detach(|| {
                let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
                receiver.recv_timeout(SIGNAL_INTERVAL)
            });
            match received {
                Ok(outcome) => break outcome,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the call ended without a result"));
                }
            }
            py.check_signals().inspect_err(|_| call.host.cancel())?;
        };
        call.finish(py, outcome)
    }

    /// Starts to answer a request, and calls `done` on another thread with the answer and `None`, or with
    /// `None` and an exception.
    fn start(
        &self,
        py: Python<'_>,
        operation: &str,
        request: &str,
        done: Py<PyAny>,
    ) -> PyResult<NativeCall> {
        let call = RunningCall::new(self.progress(py));
        let host_call = call.host.clone();
        let progress = call.progress();
        let finish = move |outcome: Outcome| {
            // Once Python ends, the answer has no use.
            call_back(|py| {
                let arguments = match call.finish(py, outcome) {
                    Ok(answer) => (Some(answer), None),
                    Err(error) => (None, Some(error.into_value(py))),
                };
                if let Err(error) = done.call1(py, arguments) {
                    error.write_unraisable(py, Some(done.bind(py)));
                }
            });
        };
        self.host.start(named(operation)?, request, &host_call, progress, finish);
        Ok(NativeCall(host_call))
    }
}

impl NativeEngine {
    fn progress(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.progress.as_ref().map(|callback| callback.clone_ref(py))
    }
}

#[pymethods]
impl NativeCall {
    /// Cancels the call, which then ends with an exception unless it has already ended.
    fn cancel(&self) {
        self.0.cancel();
    }
}

fn named(operation: &str) -> PyResult<HostOperation> {
    let unknown = || PyValueError::new_err(format!("unknown operation `{operation}`"));
    HostOperation::named(operation).ok_or_else(unknown)
}
