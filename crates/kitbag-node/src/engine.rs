//! Engines and calls as JavaScript sees them.

use kitbag_cli::{
    HostAnswer, HostCall, HostEngine, HostError, HostOperation, HostProgress, LatestProgress,
};
use napi::bindgen_prelude::Object;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Error, Result, Status};
use napi_derive::napi;
use std::path::PathBuf;
use std::sync::Arc;

/// A callback that does not keep the process alive. It is called when there is progress to take.
type Wake = ThreadsafeFunction<(), (), (), Status, false, true>;

type HostResult<T> = std::result::Result<T, HostError>;

/// Makes the value of a promise on the thread of JavaScript.
type Resolve = Box<dyn FnOnce(Env) -> Result<CallOutcome> + Send>;

/// An engine with the user's configuration and caches.
#[napi]
pub struct NativeEngine {
    /// The engine, or why it cannot be opened.
    host: HostResult<HostEngine>,
}

/// A call that can be cancelled.
#[napi]
#[derive(Default)]
pub struct NativeCall {
    call: HostCall,
    progress: Arc<LatestProgress>,
}

/// Progress of an index that is brought up to date.
#[napi(object)]
pub struct CallProgress {
    /// Number of files read.
    pub done: u32,
    /// Number of files to read.
    pub total: u32,
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

impl From<HostError> for CallError {
    fn from(error: HostError) -> Self {
        let HostError { code, message, hint, is_usage } = error;
        Self { code: code.to_owned(), message, hint, is_usage }
    }
}

impl From<HostError> for CallOutcome {
    fn from(error: HostError) -> Self {
        Self { json: None, duration_ms: 0.0, error: Some(error.into()) }
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

    /// Returns the progress, unless it has been taken since it changed. After it was woken, the caller takes it until
    /// there is none.
    #[napi]
    pub fn take_progress(&self) -> Option<CallProgress> {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (done, total) = self.progress.take()?;
        Some(CallProgress { done: number(done), total: number(total) })
    }

    /// Returns what the engine calls with the progress.
    fn report_to(&self, wake: Wake) -> HostProgress {
        let progress = Arc::clone(&self.progress);
        Box::new(move |done, total| {
            if progress.set(done, total) {
                wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
            }
        })
    }
}

#[napi]
impl NativeEngine {
    /// Opens an engine whose parsers are processes of `launcher`.
    #[napi(constructor)]
    pub fn new(launcher: String) -> Self {
        let arguments = vec!["--parse-worker".into()];
        let program = PathBuf::from(launcher);
        kitbag::parse_in_workers(kitbag::WorkerCommand { program, arguments });
        Self { host: HostEngine::open("node") }
    }

    /// Returns why the engine could not be opened. If it could not, every call fails for the same reason.
    #[napi(getter)]
    pub fn opening_error(&self) -> Option<CallError> {
        self.host.as_ref().err().cloned().map(CallError::from)
    }

    /// Watches a repository, so that calls about it need not look for changes.
    #[napi(ts_return_type = "Promise<CallOutcome>")]
    pub fn watch<'env>(&self, env: &'env Env, repo: String) -> Result<Object<'env>> {
        let (deferred, promise) = env.create_deferred::<CallOutcome, Resolve>()?;
        let done = move |result: HostResult<()>| {
            let outcome = match result {
                Ok(()) => CallOutcome { json: None, duration_ms: 0.0, error: None },
                Err(error) => error.into(),
            };
            deferred.resolve(Box::new(move |_| Ok(outcome)));
        };
        match &self.host {
            Ok(host) => host.start_watching(PathBuf::from(repo), done),
            Err(error) => done(Err(error.clone())),
        }
        Ok(promise)
    }

    /// Answers a request. `wake` is called when the call has progress to take.
    #[napi(ts_return_type = "Promise<CallOutcome>")]
    pub fn start<'env>(
        &self,
        env: &'env Env,
        call: &NativeCall,
        operation: String,
        request: String,
        wake: Option<Wake>,
    ) -> Result<Object<'env>> {
        let unknown = || Error::from_reason(format!("unknown operation `{operation}`"));
        let operation = HostOperation::named(&operation).ok_or_else(unknown)?;
        let (deferred, promise) = env.create_deferred::<CallOutcome, Resolve>()?;
        let done = move |result: HostResult<HostAnswer>| {
            let outcome = match result {
                Ok(answer) => CallOutcome {
                    duration_ms: answer.duration.as_secs_f64() * 1_000.0,
                    json: Some(answer.json()),
                    error: None,
                },
                Err(error) => error.into(),
            };
            deferred.resolve(Box::new(move |_| Ok(outcome)));
        };
        let progress = wake.map(|wake| call.report_to(wake));
        match &self.host {
            Ok(host) => host.start(operation, &request, &call.call, progress, done),
            Err(error) => done(Err(error.clone())),
        }
        Ok(promise)
    }
}
