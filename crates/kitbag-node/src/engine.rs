//! Engines and calls as JavaScript sees them.

use kitbag_cli::{HostCall, HostEngine, HostError, HostOperation};
use napi::bindgen_prelude::{FnArgs, Object};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Error, Result, Status};
use napi_derive::napi;
use std::path::{Path, PathBuf};

/// A callback for the progress of indexing, which does not keep the process alive.
type Progress = ThreadsafeFunction<FnArgs<(u32, u32)>, (), FnArgs<(u32, u32)>, Status, false, true>;

/// Makes the value of a promise on the thread of JavaScript.
type Resolve = Box<dyn FnOnce(Env) -> Result<CallOutcome> + Send>;

/// An engine with the user's configuration and caches.
#[napi]
pub struct NativeEngine {
    host: HostEngine,
}

/// A call that can be cancelled.
#[napi]
#[derive(Default)]
pub struct NativeCall {
    call: HostCall,
}

/// The result of a call: an answer as JSON, or an error.
#[napi(object)]
pub struct CallOutcome {
    /// The report.
    pub json: Option<String>,
    /// Time that the engine took, in milliseconds.
    pub duration_ms: f64,
    /// The error, if there is no report.
    pub error: Option<CallError>,
}

/// An error of a call.
#[napi(object)]
pub struct CallError {
    /// Code for programs.
    pub code: String,
    /// Description of the problem.
    pub message: String,
    /// Suggests how to fix it.
    pub hint: Option<String>,
    /// Whether the request itself is invalid.
    pub is_usage: bool,
}

impl From<HostError> for CallOutcome {
    fn from(error: HostError) -> Self {
        let HostError { code, message, hint, is_usage } = error;
        let error = CallError { code: code.to_owned(), message, hint, is_usage };
        Self { json: None, duration_ms: 0.0, error: Some(error) }
    }
}

#[napi]
impl NativeCall {
    /// Creates a call that has not been started.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the call, which then ends with an error unless it has already ended.
    #[napi]
    pub fn cancel(&self) {
        self.call.cancel();
    }
}

#[napi]
impl NativeEngine {
    /// Opens an engine whose parsers are processes of `launcher`.
    #[napi(constructor)]
    pub fn new(launcher: String, progress: Option<Progress>) -> Result<Self> {
        let arguments = vec!["--parse-worker".into()];
        let program = PathBuf::from(launcher);
        kitbag::parse_in_workers(kitbag::WorkerCommand { program, arguments });
        let progress = progress.map(|callback| -> Box<dyn Fn(usize, usize) + Send + Sync> {
            let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            Box::new(move |done, total| {
                let arguments = FnArgs::from((number(done), number(total)));
                callback.call(arguments, ThreadsafeFunctionCallMode::NonBlocking);
            })
        });
        let host = HostEngine::open("node", progress);
        Ok(Self { host: host.map_err(|error| Error::from_reason(error.message))? })
    }

    /// Watches a repository, so that calls about it need not look for changes.
    #[napi]
    pub fn watch(&self, repo: String) -> CallOutcome {
        match self.host.watch(Path::new(&repo)) {
            Ok(()) => CallOutcome { json: None, duration_ms: 0.0, error: None },
            Err(error) => error.into(),
        }
    }

    /// Answers a request.
    #[napi(ts_return_type = "Promise<CallOutcome>")]
    pub fn start<'env>(
        &self,
        env: &'env Env,
        call: &NativeCall,
        operation: String,
        request: String,
    ) -> Result<Object<'env>> {
        let unknown = || Error::from_reason(format!("unknown operation `{operation}`"));
        let operation = HostOperation::named(&operation).ok_or_else(unknown)?;
        let (deferred, promise) = env.create_deferred::<CallOutcome, Resolve>()?;
        self.host.start(operation, &request, &call.call, move |result| {
            let outcome = match result {
                Ok(answer) => CallOutcome {
                    duration_ms: answer.duration.as_secs_f64() * 1_000.0,
                    json: Some(answer.json()),
                    error: None,
                },
                Err(error) => error.into(),
            };
            deferred.resolve(Box::new(move |_| Ok(outcome)));
        });
        Ok(promise)
    }
}
