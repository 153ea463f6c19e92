//! The indexes of the repositories that an engine packs: kept in memory between requests, and in
//! the user's cache folder between runs where there is one.
//!
//! While a repository is watched, what was seen of it is used again until something changes.

mod care;
mod kept;
mod prepare;

pub use care::{Cleared, INDEX_VERSION, IndexRefresh, IndexState, IndexStatus};

pub(crate) use prepare::{Preparation, Step, Stops};

use crate::error::Error;
use kept::Kept;
use kitbag_core::{Cancel, PackError};
use kitbag_index::{Analysis, Past, RefreshStats, View, folder_for};
use kitbag_repo::{Root, Timestamps, Watcher, WorkTree};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many commits of history are read.
pub(crate) const HISTORY_COMMITS: usize = 5_000;

/// After a change it has to be quiet for so long until the next step is taken, or for so long in
/// all.
const QUIET: Duration = Duration::from_millis(200);
const LONGEST_UNREST: Duration = Duration::from_secs(2);

/// Is called with how many files were read, of how many that have to be.
pub(crate) type Progress = dyn Fn(usize, usize) + Send + Sync;

/// The indexes of an engine.
#[derive(Default)]
pub(crate) struct Indexes {
    pub cache: Option<PathBuf>,
    pub progress: Option<Arc<Progress>>,
    kept: Mutex<FxHashMap<PathBuf, Arc<Kept>>>,
    watched: Mutex<FxHashMap<PathBuf, Arc<Watched>>>,
}

/// A repository that is watched.
struct Watched {
    watcher: Watcher,
    /// The watcher's number before the last walk.
    walked: AtomicU64,
}

/// A work tree as it was at one moment, and what git knows of it.
pub(crate) struct Scene {
    pub tree: Arc<WorkTree>,
    pub past: Arc<Past>,
    pub timestamps: Timestamps,
    /// The files that git sees as changed or deleted or does not know, where git has an answer.
    pub changed: Option<Vec<String>>,
    /// Whether git was stopped before it had said all.
    is_cut: bool,
    warnings: Vec<String>,
}

/// A work tree, ready to be looked at; and to be searched, once it has a view.
#[derive(Clone)]
pub(crate) struct Prepared {
    pub scene: Arc<Scene>,
    /// The files over their contents.
    pub view: Option<Arc<View>>,
    /// The time from which ages are counted.
    pub now: i64,
    pub warnings: Vec<String>,
    /// Why the index is not kept between runs, where it should be.
    unkept: Option<String>,
    /// What it took.
    stats: RefreshStats,
}

impl Indexes {
    /// Indexes that are kept in a folder, and tell how far they are.
    pub fn new(cache: Option<PathBuf>, progress: Option<Arc<Progress>>) -> Self {
        Self { cache, progress, ..Self::default() }
    }

    /// What is kept of a repository: in memory, on disk, or nothing yet.
    fn open(&self, root: &Root, analysis: &Analysis<'_>, keeps: bool) -> Arc<Kept> {
        let cache = self.cache.as_deref().unwrap_or(Path::new(""));
        let folder = folder_for(cache, root.path(), &analysis.way());
        let on_disk = keeps && self.cache.is_some();
        // What may not be kept on disk is another index than what is kept there.
        let name = if on_disk { folder.clone() } else { folder.join("memory") };
        let mut all = lock(&self.kept);
        let open = || Arc::new(Kept::open(on_disk.then_some(&folder), analysis));
        Arc::clone(all.entry(name).or_insert_with(open))
    }

    /// Begins to watch a repository.
    pub fn watch(&self, root: &Root) -> Result<(), Error> {
        if self.watched(root).is_none() {
            let watched = Watched { watcher: Watcher::new(root)?, walked: AtomicU64::new(0) };
            lock(&self.watched).insert(root.path().to_owned(), Arc::new(watched));
        }
        Ok(())
    }

    fn watched(&self, root: &Root) -> Option<Arc<Watched>> {
        lock(&self.watched).get(root.path()).cloned()
    }

    /// Waits until something has changed in a repository since its last walk, and has come to rest.
    pub fn changed(&self, root: &Root, cancel: &Cancel) -> Result<(), Error> {
        self.watch(root)?;
        // Somebody else may end the watch; then every moment may bring a change.
        let Some(watched) = self.watched(root) else { return Ok(()) };
        let watcher = &watched.watcher;
        let check = || cancel.check().map_err(PackError::from);
        while watcher.generation() <= watched.walked.load(Ordering::Relaxed) {
            check()?;
            watcher.wait(QUIET);
        }
        let began = Instant::now();
        loop {
            let before = watcher.generation();
            std::thread::sleep(QUIET);
            check()?;
            if watcher.generation() == before || began.elapsed() > LONGEST_UNREST {
                return Ok(());
            }
        }
    }
}

impl Prepared {
    /// How many of the files, of how many, could not be looked at in time.
    pub fn left(&self) -> Option<(usize, usize)> {
        (self.stats.left > 0).then_some((self.stats.left, self.stats.files))
    }

    /// Whether somebody who had waited longer would know more.
    pub fn is_cut(&self) -> bool {
        self.stats.left > 0 || self.scene.is_cut
    }
}

/// A panic while the lock was held leaves the value whole: it is replaced by one assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
