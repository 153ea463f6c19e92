//! The engine that a library user holds.

use crate::assemble::{Want, assemble};
use crate::config::{ConfigReport, ConfigSources, Configurations, Configured};
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
use kitbag_tokens::Counting;
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot;

/// How tokens are counted where no model says otherwise.
pub(crate) const DEFAULT_COUNTER: &str = "o200k_base";

/// Packs contexts. One engine serves any number of requests at a time: they share its counts and
/// its threads, and never block those of the async runtime.
pub struct Engine {
    pool: Arc<rayon::ThreadPool>,
    countings: Mutex<FxHashMap<&'static str, Arc<Counting>>>,
    indexes: Arc<Indexes>,
    configurations: Arc<Configurations>,
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
            configurations: Arc::default(),
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

    /// The same engine, which takes settings from these places too, beside the repository's own
    /// file: [`ConfigSources::of_user`] is what a program for people wants.
    pub fn with_config(self, sources: ConfigSources) -> Self {
        Self { configurations: Arc::new(Configurations::new(sources)), ..self }
    }

    /// The configuration of a repository: every setting, its value, and where that comes from.
    pub async fn config(
        &self,
        repo: &Path,
        profile: Option<&str>,
        cancel: &Cancel,
    ) -> Result<ConfigReport, Error> {
        let (configurations, root) = (Arc::clone(&self.configurations), Root::open(repo)?);
        let (repo, profile) = (repo.to_owned(), profile.map(str::to_owned));
        let show = move |_: &Cancel| Ok(configurations.show(&root, &repo, profile.as_deref())?);
        self.run(cancel, show).await
    }

    /// The user-wide configuration file of this engine, which need not exist.
    pub fn user_config(&self) -> Option<&Path> {
        self.configurations.user_file()
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
        let repo = request.repo.as_deref().unwrap_or(Path::new("."));
        let configured = self.configured(repo, None, Vec::new(), cancel).await?;
        let counting = self.counting(configured.settled.counter);
        let indexes = Arc::clone(&self.indexes);
        let work =
            move |cancel: &Cancel| find(&request, &configured, &counting, (&indexes, cancel));
        self.run(cancel, work).await
    }

    /// How the indexes of a repository stand on disk.
    pub async fn index_status(&self, repo: &Path, cancel: &Cancel) -> Result<IndexStatus, Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        let limits = self.limits(repo, cancel).await?;
        self.run(cancel, move |_| indexes.status(&root, &limits)).await
    }

    /// Brings the index of a repository up to date.
    pub async fn refresh_index(&self, repo: &Path, cancel: &Cancel) -> Result<IndexRefresh, Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        let Configured { settled, .. } = self.configured(repo, None, Vec::new(), cancel).await?;
        let counting = self.counting(settled.counter);
        self.run(cancel, move |cancel| {
            let began = Instant::now();
            let limits = finer(&settled.settings.chunking);
            let analysis = Analysis { limits, counting: &counting };
            let (globs, keeps) = (Globs::default(), settled.keeps_indexes);
            let prepared = indexes.prepare(&root, &globs, None, &analysis, keeps, cancel)?;
            Ok(IndexRefresh::new(&root, prepared, began.elapsed().as_secs_f64() * 1_000.0))
        })
        .await
    }

    /// Removes the indexes of a repository, from memory and from disk.
    pub async fn clear_index(&self, repo: &Path, cancel: &Cancel) -> Result<Cleared, Error> {
        let (indexes, root) = (Arc::clone(&self.indexes), Root::open(repo)?);
        let limits = self.limits(repo, cancel).await?;
        self.run(cancel, move |_| indexes.clear(&root, &limits)).await
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

    /// The counter of that name, with the cache that all requests share.
    pub(crate) fn counting(&self, name: &'static str) -> Arc<Counting> {
        let mut countings = self.countings.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let new = Counting::named(name).expect("models name built-in counters only");
            let counting = Arc::new(new);
            // A vocabulary takes a while to unpack, and the walk comes first.
            let early = Arc::clone(&counting);
            std::thread::spawn(move || early.counter().count(" "));
            counting
        };
        Arc::clone(countings.entry(name).or_insert_with(make))
    }

    /// Runs `work` on the engine's threads.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    async fn decide(&self, request: Request, want: Want, cancel: &Cancel) -> Result<Report, Error> {
        let repo = request.repo.as_deref().unwrap_or(Path::new("."));
        let (profile, options) = (request.profile.as_deref(), request.options.clone());
        let mut configured = self.configured(repo, profile, options, cancel).await?;
        let (counter, budget) = request.limits(&configured.settled)?;
        if let Some(settings) = &request.settings {
            configured.settled.settings = settings.clone();
        }
        let (indexes, counting) = (Arc::clone(&self.indexes), self.counting(counter));
        let work = move |cancel: &Cancel| {
            assemble(&request, &configured, (want, budget), &counting, (&indexes, cancel))
        };
        self.run(cancel, work).await
    }

    /// What the configuration of a repository comes to.
    async fn configured(
        &self,
        repo: &Path,
        profile: Option<&str>,
        options: Vec<(String, serde_json::Value)>,
        cancel: &Cancel,
    ) -> Result<Configured, Error> {
        let (configurations, root) = (Arc::clone(&self.configurations), Root::open(repo)?);
        let (repo, profile) = (repo.to_owned(), profile.map(str::to_owned));
        let configure = move |_: &Cancel| {
            Ok(configurations.configure(&root, &repo, (profile.as_deref(), &options))?)
        };
        self.run(cancel, configure).await
    }

    /// How the files of a repository are cut.
    async fn limits(&self, repo: &Path, cancel: &Cancel) -> Result<ChunkLimits, Error> {
        let configured = self.configured(repo, None, Vec::new(), cancel).await?;
        Ok(configured.settled.settings.chunking)
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
