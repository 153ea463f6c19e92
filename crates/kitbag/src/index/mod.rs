//! The indexes of an engine, kept in memory between requests and in the user's cache folder between
//! runs.
//!
//! While a repository is watched, its last scan is reused until something changes.

mod background;
mod maintain;
mod prepare;
mod repo_index;
mod shared;

pub use maintain::{Cleared, INDEX_VERSION, IndexRefresh, IndexState, IndexStatus};

pub(crate) use background::{BackgroundIndexing, IndexingGuard, run_until_deadline};
pub use shared::{
    INDEX_STORE_VERSION, IndexGc, IndexPull, IndexPush, SharedIndexStatus, StoreTraffic,
};

pub(crate) use prepare::{Cancels, Preparation, Step, check_project};

pub(crate) use shared::{
    Connections, Exchange, SharedObjects, StoreMode, StoreUse, explained, store_error,
};

use crate::error::Error;
use kitbag_core::{Cancel, PackError};
use kitbag_index::{AnalysisSettings, CommitHistory, IndexView, RefreshStats};
use kitbag_repo::{Root, Timestamps, Watcher, WorkTree, folder_for};
use kitbag_text::ChunkLimits;
use kitbag_tokens::{CachedCounter, Vocabulary};
use repo_index::RepoIndex;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Returns the chunk sizes for search. Classes are split early, so that the right method can be
/// found and a large class does not take the whole budget.
pub fn search_chunk_limits(limits: &ChunkLimits) -> ChunkLimits {
    ChunkLimits { max_class_tokens: limits.max_class_tokens.min(400), ..limits.clone() }
}

/// Vocabulary that measures the chunks of an index, whatever the tokenizer of a request: one index
/// serves all of them.
pub(crate) const INDEX_VOCABULARY: Vocabulary = Vocabulary::O200kBase;

/// Returns the counter of [`INDEX_VOCABULARY`]. Contents are counted once, so it caches nothing.
pub(crate) fn index_counter() -> &'static CachedCounter {
    static COUNTER: LazyLock<CachedCounter> =
        LazyLock::new(|| CachedCounter::new(Arc::new(INDEX_VOCABULARY), 0));
    &COUNTER
}

/// Returns the settings with which contents are indexed.
pub(crate) fn index_analysis(chunking: &ChunkLimits) -> AnalysisSettings<'static> {
    AnalysisSettings { limits: search_chunk_limits(chunking), counting: index_counter() }
}

/// Number of open indexes above which those of commits are closed: twice as many as a request to many
/// repositories searches.
const MAX_OPEN_INDEXES: usize = 20;

/// Maximum number of commits read from the history.
pub const HISTORY_COMMITS: usize = 5_000;

/// Time without changes after which a change is reported.
const SETTLE_TIME: Duration = Duration::from_millis(200);

/// Time after which a change is reported even if more changes follow.
const MAX_SETTLE_TIME: Duration = Duration::from_secs(2);

/// Returns the variant of the index that serves all commits of a repository.
fn commits_variant(variant: &str) -> String {
    format!("{variant}, commits")
}

/// Callback that receives the number of files read and the number of files to read.
pub(crate) type Progress = dyn Fn(usize, usize) + Send + Sync;

/// The open indexes with the number of their last use.
type OpenIndexes = FxHashMap<PathBuf, (u64, Arc<RepoIndex>)>;

/// The indexes of an engine. Clones share everything but the callback for progress.
#[derive(Clone, Default)]
pub(crate) struct Indexes {
    pub cache: Option<PathBuf>,
    pub progress: Option<Arc<Progress>>,
    open: Arc<Mutex<OpenIndexes>>,
    watched: Arc<Mutex<FxHashMap<PathBuf, Arc<Watched>>>>,
    pub background: Arc<BackgroundIndexing>,
    /// Connections to object stores.
    pub stores: Arc<Connections>,
}

struct Watched {
    watcher: Watcher,
    /// Generation of the watcher before the last walk.
    walked: AtomicU64,
}

/// Closes the indexes of commits that were used least recently, while there are too many. They stay on disk.
fn close_unused(open: &mut OpenIndexes) {
    while open.len() > MAX_OPEN_INDEXES {
        let unused = open
            .iter()
            .filter(|(_, (_, index))| index.is_of_saved_commits() && Arc::strong_count(index) == 1);
        let oldest = unused.min_by_key(|(_, (number, _))| *number);
        let Some(folder) = oldest.map(|(folder, _)| folder.clone()) else { return };
        open.remove(&folder);
    }
}

/// A work tree at one moment, and its history.
pub(crate) struct WorktreeSnapshot {
    pub tree: Arc<WorkTree>,
    pub past: Arc<CommitHistory>,
    pub timestamps: Timestamps,
    /// Files that git reports as changed, deleted or untracked, if git answered.
    pub changed: Option<Vec<String>>,
    /// Whether git was stopped before it finished.
    is_cut: bool,
    warnings: Vec<String>,
}

/// A scanned work tree, which is searchable once it has a view.
#[derive(Clone)]
pub(crate) struct Prepared {
    pub worktree: Arc<WorktreeSnapshot>,
    /// The indexed contents of its files.
    pub view: Option<Arc<IndexView>>,
    /// Time from which ages are measured, in seconds since 1970.
    pub now: i64,
    pub warnings: Vec<String>,
    /// Reason why the index could not be saved.
    pub unsaved_warning: Option<String>,
    stats: RefreshStats,
    /// What was exchanged with the object store.
    exchange: Exchange,
}

impl Indexes {
    pub fn new(cache: Option<PathBuf>, progress: Option<Arc<Progress>>) -> Self {
        Self { cache, progress, ..Self::default() }
    }

    /// Returns a clone with another callback for progress.
    pub fn with_progress(&self, progress: Arc<Progress>) -> Self {
        Self { progress: Some(progress), ..self.clone() }
    }

    /// Returns the index of a repository, and opens it if necessary.
    fn open(&self, root: &Root, analysis: &AnalysisSettings<'_>, persist: bool) -> Arc<RepoIndex> {
        let cache = self.cache.as_deref().unwrap_or(Path::new(""));
        let work_tree = folder_for(cache, root.path(), &analysis.variant());
        let folder = match root.commit() {
            Some(_) => folder_for(cache, root.path(), &commits_variant(&analysis.variant())),
            None => work_tree.clone(),
        };
        let on_disk = persist && self.cache.is_some();
        // An index that must stay in memory is separate from the saved one.
        let name = if on_disk { folder.clone() } else { folder.join("memory") };
        let mut all = lock(&self.open);
        let open = || {
            let index = RepoIndex::open(on_disk.then_some(&folder), analysis);
            Arc::new(match root.commit() {
                Some(_) if on_disk => index.for_commits(&work_tree, analysis),
                _ => index,
            })
        };
        let use_number = 1 + all.values().map(|(number, _)| *number).max().unwrap_or_default();
        let entry = all.entry(name).or_insert_with(|| (0, open()));
        entry.0 = use_number;
        let index = Arc::clone(&entry.1);
        close_unused(&mut all);
        index
    }

    /// Starts watching a repository.
    pub fn watch(&self, root: &Root) -> Result<(), Error> {
        if self.watched(root).is_none() {
            let watched = Watched { watcher: Watcher::new(root)?, walked: AtomicU64::new(0) };
            lock(&self.watched).insert(root.path().to_owned(), Arc::new(watched));
        }
        Ok(())
    }

    fn watched(&self, root: &Root) -> Option<Arc<Watched>> {
        // The commits of a repository do not change.
        let is_work_tree = root.commit().is_none();
        lock(&self.watched).get(root.path()).filter(|_| is_work_tree).cloned()
    }

    /// Waits until a repository has changed since its last walk and has settled.
    pub fn changed(&self, root: &Root, cancel: &Cancel) -> Result<(), Error> {
        self.watch(root)?;
        // Another request may end the watch, after which anything may have changed.
        let Some(watched) = self.watched(root) else { return Ok(()) };
        let watcher = &watched.watcher;
        let check = || cancel.check().map_err(PackError::from);
        while watcher.generation() <= watched.walked.load(Ordering::Relaxed) {
            check()?;
            watcher.wait(SETTLE_TIME);
        }
        let began = Instant::now();
        loop {
            let before = watcher.generation();
            std::thread::sleep(SETTLE_TIME);
            check()?;
            if watcher.generation() == before || began.elapsed() > MAX_SETTLE_TIME {
                return Ok(());
            }
        }
    }
}

impl Prepared {
    /// Returns the warnings about the object store.
    pub fn store_warnings(&self) -> &[String] {
        &self.exchange.warnings
    }

    /// Returns the number of files not indexed in time and the total number, if any were not.
    pub fn unsearched(&self) -> Option<(usize, usize)> {
        (self.stats.skipped > 0).then_some((self.stats.skipped, self.stats.files))
    }

    /// Whether a longer time limit would have yielded more.
    pub fn is_cut(&self) -> bool {
        self.stats.skipped > 0 || self.worktree.is_cut
    }
}

/// Locks a mutex and ignores poisoning. Values are replaced by a single assignment, so a panic
/// cannot leave them inconsistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
