//! The engine that a library user holds.

use crate::assemble::{Want, assemble};
use crate::error::Error;
use crate::finding::{SearchReport, SearchRequest, find};
use crate::indexes::{Cleared, IndexRefresh, IndexStatus, Indexes};
use crate::report::{Report, ReportStats};
use crate::request::Request;
use crate::search::finer;
use kitbag_core::Cancel;
use kitbag_index::Analysis;
use kitbag_repo::{Globs, Root};
use kitbag_text::ChunkLimits;
use kitbag_tokens::{Choice, Counting, Countings, TokenizerSettings};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;

/// How tokens are counted where no model says otherwise.
pub(crate) const DEFAULT_COUNTER: &str = "o200k_base";

/// Packs contexts. One engine serves any number of requests at a time: they share its counts and
/// its threads, and never block those of the async runtime.
pub struct Engine {
    pool: Arc<rayon::ThreadPool>,
    countings: Arc<Countings>,
    tokenizer: TokenizerSettings,
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
            countings: Arc::default(),
            tokenizer: TokenizerSettings::default(),
            indexes: Arc::new(Indexes::default()),
        })
    }

    /// The same engine, with a folder in which it keeps indexes. Without one they live as long as
    /// the engine.
    pub fn with_cache(self, folder: impl Into<PathBuf>) -> Self {
        let progress = self.indexes.progress.clone();
        Self { indexes: Arc::new(Indexes::new(Some(folder.into()), progress)), ..self }
    }

    /// The same engine, which tells how many files it has read, of how many that have to be, while
    /// it brings an index up to date.
    pub fn with_progress(self, told: impl Fn(usize, usize) + Send + Sync + 'static) -> Self {
        let cache = self.indexes.cache.clone();
        Self { indexes: Arc::new(Indexes::new(cache, Some(Arc::new(told)))), ..self }
    }

    /// The same engine, which counts tokens as these settings say.
    pub fn with_tokenizer(self, settings: TokenizerSettings) -> Self {
        Self { tokenizer: settings, ..self }
    }

    /// The pack: the decision, and its text.
    pub async fn pack(&self, request: Request, cancel: &Cancel) -> Result<Report, Error> {
        self.decide(request, Want::Text, cancel).await
    }

    /// The same decision, without the text.
    pub async fn preview(&self, request: Request, cancel: &Cancel) -> Result<Report, Error> {
        self.decide(request, Want::Decision, cancel).await
    }

    /// What the stages count for a request.
    pub async fn stats(&self, request: Request, cancel: &Cancel) -> Result<ReportStats, Error> {
        self.preview(request, cancel).await.map(|report| report.stats)
    }

    /// What the index finds for a task, ranked, and why.
    pub async fn search(
        &self,
        request: SearchRequest,
        cancel: &Cancel,
    ) -> Result<SearchReport, Error> {
        let (indexes, counting) = (Arc::clone(&self.indexes), self.counting(DEFAULT_COUNTER));
        self.run(cancel, move |cancel| find(&request, &counting, (&indexes, cancel))).await
    }

    /// How the indexes of a repository stand on disk.
    pub async fn index_status(&self, repo: &Path, cancel: &Cancel) -> Result<IndexStatus, Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        self.run(cancel, move |_| indexes.status(&root, &ChunkLimits::default())).await
    }

    /// Brings the index of a repository up to date.
    pub async fn refresh_index(&self, repo: &Path, cancel: &Cancel) -> Result<IndexRefresh, Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        let counting = self.counting(DEFAULT_COUNTER);
        self.run(cancel, move |cancel| {
            let began = Instant::now();
            let limits = finer(&ChunkLimits::default());
            let analysis = Analysis { limits, counting: &counting };
            let prepared = indexes.prepare(&root, &Globs::default(), None, &analysis, cancel)?;
            Ok(IndexRefresh::new(&root, prepared, began.elapsed().as_secs_f64() * 1_000.0))
        })
        .await
    }

    /// Removes the indexes of a repository, from memory and from disk.
    pub async fn clear_index(&self, repo: &Path, cancel: &Cancel) -> Result<Cleared, Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        self.run(cancel, move |_| indexes.clear(&root, &ChunkLimits::default())).await
    }

    /// Removes the indexes of all repositories, from memory and from disk.
    pub async fn clear_all_indexes(&self, cancel: &Cancel) -> Result<Cleared, Error> {
        let indexes = Arc::clone(&self.indexes);
        self.run(cancel, move |_| indexes.clear_all()).await
    }

    /// Watches a repository from now on: as long as nothing changes in it, requests use what was
    /// seen of it before, and neither walk it nor ask git. Requests with globs walk all the same.
    /// Where a repository cannot be watched, every request walks, as without this.
    pub fn watch(&self, repo: &Path) -> Result<(), Error> {
        self.indexes.watch(&Root::open(repo)?)
    }

    /// Waits until something in a repository has changed since it was last looked at, and has come
    /// to rest. The repository is watched from then on.
    pub async fn changed(&self, repo: &Path, cancel: &Cancel) -> Result<(), Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        let (work, waiting) = answering(cancel, move |cancel| indexes.changed(&root, cancel));
        // It waits most of the time: the threads that work are not for that.
        std::thread::spawn(work);
        waiting.answer().await
    }

    /// The built-in counter of that name, with the cache that all requests without a tenant share.
    pub(crate) fn counting(&self, name: &'static str) -> Arc<Counting> {
        let choice = Choice::Named(name);
        let counting = self.countings.get(&choice, &self.tokenizer, "");
        let counting = counting.expect("only files can fail to be read");
        // A vocabulary takes a while to unpack, and the walk comes first.
        let early = Arc::clone(&counting);
        if early.stats().entries == 0 {
            std::thread::spawn(move || early.counter().count(" "));
        }
        counting
    }

    /// Runs `work` on the engine's threads.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    async fn decide(&self, request: Request, want: Want, cancel: &Cancel) -> Result<Report, Error> {
        let (choice, budget) = request.limits()?;
        if let Choice::Named(name) = choice {
            self.counting(name);
        }
        let (indexes, countings) = (Arc::clone(&self.indexes), Arc::clone(&self.countings));
        let tokenizer = self.tokenizer;
        let work = move |cancel: &Cancel| {
            let counting = countings.get(&choice, &tokenizer, &request.tenant)?;
            assemble(&request, want, &counting, budget, (&indexes, cancel))
        };
        self.run(cancel, work).await
    }

    /// Runs `work` on the engine's threads, and waits for it without blocking.
    async fn run<T: Send + 'static>(
        &self,
        cancel: &Cancel,
        work: impl FnOnce(&Cancel) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (work, waiting) = answering(cancel, work);
        self.pool.spawn(work);
        waiting.answer().await
    }
}

/// Work that can be done on any thread, and what waits for its answer.
fn answering<T: Send + 'static>(
    cancel: &Cancel,
    work: impl FnOnce(&Cancel) -> Result<T, Error> + Send + 'static,
) -> (impl FnOnce() + Send + 'static, Waiting<T>) {
    let (answer, receiver) = oneshot::channel();
    let cancel = cancel.child();
    let waiting = Waiting { receiver, _guard: CancelOnDrop(cancel.clone()) };
    let work = move || {
        // A panic must not end the caller's program: the pool would abort it. The answer then is
        // that there is none, and nothing half-done is seen again: caches hold whole counts.
        if let Ok(result) = catch_unwind(AssertUnwindSafe(|| work(&cancel))) {
            // The receiver is gone when the caller gave up waiting: nobody misses the answer.
            let _ = answer.send(result);
        }
    };
    (work, waiting)
}

/// Waits for an answer.
struct Waiting<T> {
    receiver: oneshot::Receiver<Result<T, Error>>,
    _guard: CancelOnDrop,
}

impl<T> Waiting<T> {
    async fn answer(self) -> Result<T, Error> {
        let Self { receiver, _guard } = self;
        receiver.await.map_err(|_| Error::Lost)?
    }
}

/// Stops the work when the caller drops the future that waits for it.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
