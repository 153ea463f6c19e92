//! The engine that a library user holds.

use crate::assemble::{Want, assemble};
use crate::error::Error;
use crate::indexes::Indexes;
use crate::report::{Report, ReportStats};
use crate::request::Request;
use kitbag_core::Cancel;
use kitbag_tokens::Counting;
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// Packs contexts. One engine serves any number of requests at a time: they share its counts and
/// its threads, and never block those of the async runtime.
pub struct Engine {
    pool: Arc<rayon::ThreadPool>,
    countings: Mutex<FxHashMap<&'static str, Arc<Counting>>>,
    indexes: Arc<Indexes>,
}

impl Engine {
    /// An engine with a thread for each processor.
    pub fn new() -> Result<Self, Error> {
        Self::with_threads(0)
    }

    /// An engine with so many threads; 0 means one for each processor.
    pub fn with_threads(threads: usize) -> Result<Self, Error> {
        let name = |number: usize| format!("kitbag-{number}");
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build()?;
        Ok(Self {
            pool: Arc::new(pool),
            countings: Mutex::default(),
            indexes: Arc::new(Indexes::default()),
        })
    }

    /// The same engine, with a folder in which it keeps indexes. Without one they live as long as
    /// the engine.
    pub fn with_cache(self, folder: impl Into<PathBuf>) -> Self {
        Self { indexes: Arc::new(Indexes::kept_in(folder.into())), ..self }
    }

    /// The pack: the decision, and its text.
    pub async fn pack(&self, request: Request, cancel: &Cancel) -> Result<Report, Error> {
        self.run(request, Want::Text, cancel).await
    }

    /// The same decision, without the text.
    pub async fn preview(&self, request: Request, cancel: &Cancel) -> Result<Report, Error> {
        self.run(request, Want::Decision, cancel).await
    }

    /// What the stages count for a request.
    pub async fn stats(&self, request: Request, cancel: &Cancel) -> Result<ReportStats, Error> {
        self.preview(request, cancel).await.map(|report| report.stats)
    }

    /// The counter of that name, with the cache that all requests share.
    pub(crate) fn counting(&self, name: &'static str) -> Arc<Counting> {
        let mut countings = self.countings.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || Arc::new(Counting::named(name).expect("models name built-in counters only"));
        Arc::clone(countings.entry(name).or_insert_with(make))
    }

    /// Runs `work` on the engine's threads.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    async fn run(&self, request: Request, want: Want, cancel: &Cancel) -> Result<Report, Error> {
        let (counter, budget) = request.limits()?;
        let counting = self.counting(counter);
        let (answer, waiting) = oneshot::channel();
        let cancel = cancel.child();
        let indexes = Arc::clone(&self.indexes);
        let _guard = CancelOnDrop(cancel.clone());
        self.pool.spawn(move || {
            // A panic must not end the caller's program: the pool would abort it. The answer then
            // is that there is none, and nothing half-done is seen again: caches hold whole counts.
            let work = || assemble(&request, want, &counting, budget, (&indexes, &cancel));
            if let Ok(report) = catch_unwind(AssertUnwindSafe(work)) {
                // The receiver is gone when the caller gave up waiting: nobody misses the answer.
                let _ = answer.send(report);
            }
        });
        waiting.await.map_err(|_| Error::Lost)?
    }
}

/// Stops the work when the caller drops the future that waits for it.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
