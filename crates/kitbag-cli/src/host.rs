//! Engines for a host program in another language, such as Python or Node. Requests are JSON, which the engine's
//! own types read, and reports become JSON, or what else the host makes of them, when it asks for them.

use crate::{engine, process};
use kitbag::{Cancel, Engine, Report, Request, SearchReport, SymbolReport, parse_json};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

/// Threads that wait for engines, which have their own threads for the work.
const WAITING_THREADS: usize = 2;

/// An engine with the user's configuration and caches, as the program has it. Clones share everything.
#[derive(Clone)]
pub struct HostEngine {
    engine: Engine,
    /// Language of the host, for usage reports.
    via: &'static str,
    runtime: &'static Runtime,
}

/// A question that an engine answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostOperation {
    /// Makes a pack.
    Pack,
    /// Makes the decision of a pack, without its text.
    Preview,
    /// Makes an overview of a repository.
    Overview,
    /// Searches the index.
    Search,
    /// Finds a name.
    FindSymbol,
}

/// An answer, which becomes JSON only if the host asks for it.
#[derive(Debug)]
pub struct HostAnswer {
    report: HostReport,
    /// Time that the engine took. The rest of a call is the cost of the host's language.
    pub duration: Duration,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum HostReport {
    Pack(Box<Report>),
    Search(Box<SearchReport>),
    Symbol(Box<SymbolReport>),
}

/// An error, as hosts raise it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostError {
    /// Code for programs.
    pub code: &'static str,
    /// Description of the problem.
    pub message: String,
    /// Suggests how to fix it.
    pub hint: Option<String>,
    /// Whether the request itself is invalid.
    pub is_usage: bool,
}

/// Callback that receives the number of files read and the number of files to read.
pub type HostProgress = Box<dyn Fn(usize, usize) + Send + Sync>;

/// The latest progress of a call, which several threads report to one callback. Only one report runs at a time and no
/// lock is held meanwhile, so a slow callback misses numbers and delays no thread but the one that runs it.
#[derive(Default)]
pub struct LatestProgress {
    state: Mutex<ProgressState>,
}

#[derive(Default)]
struct ProgressState {
    done: usize,
    total: usize,
    /// Whether it has changed since it was taken.
    is_new: bool,
    is_reporting: bool,
}

impl LatestProgress {
    /// Sets the progress. Returns whether the caller must report what [`take`](Self::take) returns until it returns
    /// `None`, because no other thread does.
    pub fn set(&self, done: usize, total: usize) -> bool {
        let mut state = self.lock();
        // Threads that count one after the other may get here in another order.
        if total == state.total && done <= state.done {
            return false;
        }
        (state.done, state.total, state.is_new) = (done, total, true);
        !std::mem::replace(&mut state.is_reporting, true)
    }

    /// Returns the progress, unless it has been taken since it was set. The report then ends.
    pub fn take(&self) -> Option<(usize, usize)> {
        let mut state = self.lock();
        state.is_reporting = std::mem::take(&mut state.is_new);
        state.is_reporting.then_some((state.done, state.total))
    }

    fn lock(&self) -> MutexGuard<'_, ProgressState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call, which can be cancelled before and after it is started.
#[derive(Clone, Default)]
pub struct HostCall {
    cancel: Cancel,
}

impl HostCall {
    /// Cancels the call, which then ends with the error `cancelled` unless it has already ended.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}

impl HostOperation {
    /// Returns an operation by the name of its function.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "pack" => Self::Pack,
            "preview" => Self::Preview,
            "overview" => Self::Overview,
            "search" => Self::Search,
            "find_symbol" => Self::FindSymbol,
            _ => return None,
        })
    }
}

impl HostAnswer {
    /// Returns the text of a pack.
    pub fn content(&self) -> Option<&str> {
        match &self.report {
            HostReport::Pack(report) => report.content.as_deref(),
            HostReport::Search(_) | HostReport::Symbol(_) => None,
        }
    }

    /// Returns the report, for a host that does not read JSON.
    pub fn report(&self) -> &impl Serialize {
        &self.report
    }

    /// Returns the report as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(&self.report).expect("reports have only string keys")
    }
}

impl HostError {
    fn forked() -> Self {
        Self {
            code: "forked",
            message: "this process was forked from one that already uses Kitbag".to_owned(),
            hint: Some(
                "start processes with `spawn`, or call Kitbag only after the fork".to_owned(),
            ),
            is_usage: false,
        }
    }
}

impl From<kitbag::Error> for HostError {
    fn from(error: kitbag::Error) -> Self {
        Self {
            code: error.code(),
            message: error.to_string(),
            hint: error.request_hint(),
            is_usage: error.is_usage(),
        }
    }
}

impl HostEngine {
    /// Opens an engine for a host in the language `via`.
    pub fn open(via: &'static str) -> Result<Self, HostError> {
        check_process()?;
        process::hide_contained_panics();
        Ok(Self { engine: engine::open_configured(&[])?, via, runtime: runtime()? })
    }

    /// Watches a repository, so that calls about it need not look for changes. Blocks while it walks the repository.
    pub fn watch(&self, repo: &Path) -> Result<(), HostError> {
        check_process()?;
        Ok(self.engine.watch(repo)?)
    }

    /// Starts to watch a repository, and calls `done` on another thread.
    pub fn start_watching(
        &self,
        repo: PathBuf,
        done: impl FnOnce(Result<(), HostError>) + Send + 'static,
    ) {
        if let Err(error) = check_process() {
            return done(Err(error));
        }
        let host = self.clone();
        let work = self.runtime.spawn_blocking(move || host.watch(&repo));
        self.runtime.spawn(async move {
            done(work.await.unwrap_or_else(|_| Err(kitbag::Error::Internal.into())));
        });
    }

    /// Starts to answer `request`, a JSON object, and calls `done` on another thread with the answer. `progress` is
    /// called while an index is brought up to date for this call, by several threads.
    pub fn start(
        &self,
        operation: HostOperation,
        request: &str,
        call: &HostCall,
        progress: Option<HostProgress>,
        done: impl FnOnce(Result<HostAnswer, HostError>) + Send + 'static,
    ) {
        if let Err(error) = check_process() {
            // The threads that would call it are those of the parent.
            return done(Err(error));
        }
        let (mut host, cancel) = (self.clone(), call.cancel.clone());
        if let Some(progress) = progress {
            host.engine = host.engine.with_progress(progress);
        }
        let request = parse(request);
        let work = self.runtime.spawn(async move {
            let request = request?;
            let started = Instant::now();
            let report = host.answer(operation, &request, &cancel).await?;
            Ok(HostAnswer { report, duration: started.elapsed() })
        });
        self.runtime.spawn(async move {
            // Only a panic ends the work without a result.
            done(work.await.unwrap_or_else(|_| Err(kitbag::Error::Internal.into())));
        });
    }

    async fn answer(
        &self,
        operation: HostOperation,
        request: &Value,
        cancel: &Cancel,
    ) -> Result<HostReport, kitbag::Error> {
        let engine = &self.engine;
        Ok(match operation {
            HostOperation::Search => {
                HostReport::Search(Box::new(engine.search(parse_json(request)?, cancel).await?))
            }
            HostOperation::FindSymbol => HostReport::Symbol(Box::new(
                engine.find_symbol(parse_json(request)?, cancel).await?,
            )),
            HostOperation::Preview => {
                let request = self.pack_request(request, "preview")?;
                HostReport::Pack(Box::new(engine.preview(request, cancel).await?))
            }
            HostOperation::Pack => {
                let request = self.pack_request(request, "pack")?;
                HostReport::Pack(Box::new(engine.pack(request, cancel).await?))
            }
            HostOperation::Overview => {
                let mut request = self.pack_request(request, "overview")?;
                request.profile.get_or_insert_with(|| "overview".to_owned());
                HostReport::Pack(Box::new(engine.pack(request, cancel).await?))
            }
        })
    }

    /// Reads a request, which comes from the user's own program rather than from a client.
    fn pack_request(&self, request: &Value, tool: &'static str) -> Result<Request, kitbag::Error> {
        let request = Request::from_json(request)?;
        Ok(Request { is_remote: false, via: self.via, tool, ..request })
    }
}

fn parse(request: &str) -> Result<Value, HostError> {
    serde_json::from_str(request).map_err(|error| HostError {
        code: "request",
        message: format!("invalid JSON: {error}"),
        hint: None,
        is_usage: true,
    })
}

fn runtime() -> Result<&'static Runtime, HostError> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let mut builder = Builder::new_multi_thread();
    let builder = builder.worker_threads(WAITING_THREADS).thread_name("kitbag-host");
    let runtime = builder.build().map_err(kitbag::Error::Thread)?;
    Ok(RUNTIME.get_or_init(|| runtime))
}

/// Fails in a fork of a process that has used an engine: its threads and the pipes to its parsers are those
/// of the parent.
fn check_process() -> Result<(), HostError> {
    static OWNER: AtomicU32 = AtomicU32::new(0);
    let this = std::process::id();
    match OWNER.compare_exchange(0, this, Ordering::SeqCst, Ordering::SeqCst) {
        Err(owner) if owner != this => Err(HostError::forked()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_reported_by_one_thread_at_a_time() {
        let progress = LatestProgress::default();
        assert!(progress.set(1, 9));
        assert!(!progress.set(2, 9), "the first reports");
        assert_eq!(progress.take(), Some((2, 9)));
        assert!(!progress.set(3, 9), "the first still reports");
        assert_eq!(progress.take(), Some((3, 9)));
        assert_eq!(progress.take(), None);
        assert!(!progress.set(2, 9), "it never goes back");
        assert_eq!(progress.take(), None);
        assert!(progress.set(4, 9));
        assert_eq!(progress.take(), Some((4, 9)));
    }
}
