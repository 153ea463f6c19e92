//! One call, the callback for the progress of its indexing, and the exception that ends it.

use crate::callbacks::call_back;
use crate::shape::NativeAnswer;
use kitbag_cli::{HostAnswer, HostCall, HostError, HostProgress, LatestProgress};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::sync::{Arc, OnceLock};

pub type Outcome = Result<HostAnswer, HostError>;

/// A call that has not ended yet.
pub struct RunningCall {
    pub host: HostCall,
    progress: Option<Arc<ProgressCallback>>,
}

/// Calls a function of Python with the progress of one call. No lock is held while Python runs: a thread that holds
/// the GIL could wait for it forever.
struct ProgressCallback {
    callback: Py<PyAny>,
    latest: LatestProgress,
    /// Its exception, which the call raises.
    failure: OnceLock<PyErr>,
}

impl RunningCall {
    /// Creates a call that reports the progress of its indexing to `progress`.
    pub fn new(progress: Option<Py<PyAny>>) -> Self {
        let callback = |callback| {
            let (latest, failure) = (LatestProgress::default(), OnceLock::new());
            Arc::new(ProgressCallback { callback, latest, failure })
        };
        Self { host: HostCall::default(), progress: progress.map(callback) }
    }

    /// Returns what the engine calls with the progress.
    pub fn progress(&self) -> Option<HostProgress> {
        let (callback, call) = (Arc::clone(self.progress.as_ref()?), self.host.clone());
        Some(Box::new(move |done, total| {
            if callback.latest.set(done, total) {
                callback.report(&call);
            }
        }))
    }

    /// Returns the answer, or the exception of the callback or of the call.
    pub fn finish(&self, py: Python<'_>, outcome: Outcome) -> PyResult<NativeAnswer> {
        match self.progress.as_ref().and_then(|progress| progress.failure.get()) {
            Some(failure) => Err(failure.clone_ref(py)),
            None => outcome.map(NativeAnswer).map_err(raised),
        }
    }
}

impl ProgressCallback {
    /// Reports the latest progress until there is nothing new. An exception cancels the call.
    fn report(&self, call: &HostCall) {
        while let Some((done, total)) = self.latest.take() {
            // Numbers that follow the first exception are taken and dropped.
            if self.failure.get().is_none() {
                call_back(|py| {
                    if let Err(error) = self.callback.call1(py, (done, total)) {
                        // There is no other: only one thread reports at a time.
                        let _ = self.failure.set(error);
                        call.cancel();
                    }
                });
            }
        }
    }
}

/// Makes the exception of an error: `kitbag.RequestError` or `kitbag.KitbagError`.
pub fn raised(error: HostError) -> PyErr {
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
