//! Engines and calls as Python sees them.

use crate::callbacks::call_back;
use crate::shape::NativeAnswer;
use crate::worker_command;
use kitbag_cli::{HostAnswer, HostCall, HostEngine, HostError, HostOperation};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Time between two looks at signals, such as Ctrl-C, during a call.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(20);

type Outcome = Result<HostAnswer, HostError>;

/// An engine with the user's configuration and caches.
#[pyclass(frozen, module = "kitbag._kitbag")]
pub struct NativeEngine {
    host: HostEngine,
    /// Exception of the callback for progress, which the next call to end raises.
    callback_error: Arc<Mutex<Option<PyErr>>>,
}

/// A call that runs while Python does something else.
#[pyclass(frozen, module = "kitbag._kitbag")]
pub struct NativeCall(HostCall);

#[pymethods]
impl NativeEngine {
    #[new]
    fn new(py: Python<'_>, worker: Vec<OsString>, progress: Option<Py<PyAny>>) -> PyResult<Self> {
        kitbag::parse_in_workers(worker_command(worker));
        let callback_error = Arc::default();
        let progress = progress.map(|callback| report_progress(callback, &callback_error));
        let host = py.detach(|| HostEngine::open("python", progress));
        Ok(Self { host: host.map_err(raised)?, callback_error })
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
        let call = HostCall::default();
        self.host.start(named(operation)?, request, &call, done);
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
            py.check_signals().inspect_err(|_| call.cancel())?;
        };
        self.finish(outcome)
    }

    /// Starts to answer a request, and calls `done` on another thread with the answer and `None`, or with
    /// `None` and an exception.
    fn start(&self, operation: &str, request: &str, done: Py<PyAny>) -> PyResult<NativeCall> {
        let (host, callback_error) = (self.host.clone(), Arc::clone(&self.callback_error));
        let finish = move |outcome: Outcome| {
            // Once Python ends, the answer has no use.
            call_back(|py| {
                let engine = Self { host, callback_error };
                let arguments = match engine.finish(outcome) {
                    Ok(answer) => (Some(answer), None),
                    Err(error) => (None, Some(error.into_value(py))),
                };
                if let Err(error) = done.call1(py, arguments) {
                    error.write_unraisable(py, Some(done.bind(py)));
                }
            });
        };
        let call = HostCall::default();
        self.host.start(named(operation)?, request, &call, finish);
        Ok(NativeCall(call))
    }
}

impl NativeEngine {
    fn finish(&self, outcome: Outcome) -> PyResult<NativeAnswer> {
        match self.callback_error.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => outcome.map(NativeAnswer).map_err(raised),
        }
    }
}

#[pymethods]
impl NativeCall {
    /// Cancels the call, which then ends with an exception unless it has already ended.
    fn cancel(&self) {
        self.0.cancel();
    }
}

/// Calls a function of Python with the progress of an index, until it raises an exception.
fn report_progress(
    callback: Py<PyAny>,
    callback_error: &Arc<Mutex<Option<PyErr>>>,
) -> Box<dyn Fn(usize, usize) + Send + Sync> {
    let callback_error = Arc::clone(callback_error);
    Box::new(move |done, total| {
        call_back(|py| {
            let mut error = callback_error.lock().unwrap_or_else(PoisonError::into_inner);
            if error.is_none() {
                *error = callback.call1(py, (done, total)).err();
            }
        });
    })
}

fn named(operation: &str) -> PyResult<HostOperation> {
    let unknown = || PyValueError::new_err(format!("unknown operation `{operation}`"));
    HostOperation::named(operation).ok_or_else(unknown)
}

/// Makes the exception of an error: `kitbag.RequestError` or `kitbag.KitbagError`.
fn raised(error: HostError) -> PyErr {
    static BASE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static REQUEST: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let HostError { code, message, hint, is_usage } = error;
    Python::attach(|py| {
        let class = match is_usage {
            true => REQUEST.import(py, "kitbag._errors", "RequestError"),
            false => BASE.import(py, "kitbag._errors", "KitbagError"),
        };
        match class.and_then(|class| class.call1((message, code, hint))) {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    })
}
