//! The indexes of the repositories that an engine packs: kept in memory between requests, and in
//! the user's cache folder between runs where there is one.
//!
//! While a repository is watched, what was seen of it is used again until something changes.

mod care;
mod kept;

pub use care::{Cleared, INDEX_VERSION, IndexRefresh, IndexState, IndexStatus};

use crate::error::Error;
use kept::Kept;
use kitbag_core::{Cancel, Cancelled, PackError};
use kitbag_index::{Analysis, Past, Refresh, RefreshError, RefreshStats, View, folder_for};
use kitbag_repo::{Globs, Root, Survey, Timestamps, Watcher, WorkTree, survey_knowing};
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

/// A work tree as it was at one moment, and all that a search needs to know of it.
pub(crate) struct Scene {
    pub tree: WorkTree,
    pub view: View,
    pub past: Arc<Past>,
    pub timestamps: Timestamps,
    /// The files that git sees as changed or deleted or does not know, where git has an answer.
    pub changed: Option<Vec<String>>,
    warnings: Vec<String>,
    stats: RefreshStats,
}

/// A work tree, ready to be searched.
pub(crate) struct Prepared {
    pub scene: Arc<Scene>,
    /// The time from which ages are counted.
    pub now: i64,
    pub warnings: Vec<String>,
    /// What it took.
    stats: RefreshStats,
}

impl Indexes {
    /// Indexes that are kept in a folder, and tell how far they are.
    pub fn new(cache: Option<PathBuf>, progress: Option<Arc<Progress>>) -> Self {
        Self { cache, progress, ..Self::default() }
    }

    /// Brings the index of a work tree up to date, and keeps it for the next time: on disk too, if
    /// `keeps`.
    pub fn prepare(
        &self,
        root: &Root,
        globs: &Globs,
        now: Option<i64>,
        analysis: &Analysis<'_>,
        keeps: bool,
        cancel: &Cancel,
    ) -> Result<Prepared, Error> {
        let kept = self.open(root, analysis, keeps);
        let mut warnings = std::mem::take(&mut *lock(&kept.trouble));
        let watched = self.watched(root).filter(|_| globs.take_all());
        let generation = watched.as_ref().map(|it| it.watcher.generation());
        let seen = generation.and_then(|generation| kept.scene(generation));
        // What another request was allowed to see may be denied to this one.
        let allowed = |scene: &Arc<Scene>| scene.tree.root().denylist() == root.denylist();
        if let Some(scene) = seen.filter(allowed) {
            let stats = scene.stats_of_nothing_new();
            return Ok(Prepared::new(scene, now, warnings, stats));
        }
        let (scene, told) = self.look(&kept, root, globs, analysis, cancel)?;
        warnings.extend(told);
        let (stats, scene) = (scene.stats, Arc::new(scene));
        if let (Some(watched), Some(generation)) = (watched, generation) {
            kept.keep_scene(generation, &scene);
            watched.walked.fetch_max(generation, Ordering::Relaxed);
            if let Err(error) = watched.watcher.follow(&scene.tree) {
                lock(&self.watched).remove(root.path());
                warnings.push(format!("changes are looked for at every request: {error}"));
            }
        }
        Ok(Prepared::new(scene, now, warnings, stats))
    }

    /// Walks a work tree and brings its index up to date; comes with what a person should know once.
    fn look(
        &self,
        kept: &Kept,
        root: &Root,
        globs: &Globs,
        analysis: &Analysis<'_>,
        cancel: &Cancel,
    ) -> Result<(Scene, Option<String>), Error> {
        let mut past = Arc::default();
        let survey = survey_knowing(root, globs, None, || kept.recency(root.path(), &mut past));
        let Survey { tree, timestamps, changed, warnings } = survey;
        let stop = || cancel.check().is_err();
        let progress = |done: usize, of: usize| {
            if let Some(progress) = &self.progress {
                progress(done, of);
            }
        };
        let is_partial = !globs.take_all();
        let refresh =
            Refresh { stop: &stop, progress: &progress, is_partial, ..Refresh::new(analysis) };
        let refreshed = refresh.run(&tree, &kept.snapshot()).map_err(|error| match error {
            RefreshError::Stopped => Error::Pack(PackError::from(Cancelled)),
            RefreshError::Backend(error) => Error::Index { message: error.to_string() },
        })?;
        let told = kept.publish(refreshed.snapshot);
        let (view, stats) = (refreshed.view, refreshed.stats);
        Ok((Scene { tree, view, past, timestamps, changed, warnings, stats }, told))
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

impl Scene {
    /// What it took to find that nothing had changed.
    fn stats_of_nothing_new(&self) -> RefreshStats {
        let RefreshStats { files, too_large, unreadable, .. } = self.stats;
        let unread = files - too_large - unreadable;
        RefreshStats { unread, known: 0, analysed: 0, ..self.stats }
    }
}

impl Prepared {
    fn new(
        scene: Arc<Scene>,
        now: Option<i64>,
        mut warnings: Vec<String>,
        stats: RefreshStats,
    ) -> Self {
        warnings.extend(scene.warnings.iter().cloned());
        Self { now: now.unwrap_or(scene.timestamps.now), scene, warnings, stats }
    }
}

/// A panic while the lock was held leaves the value whole: it is replaced by one assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
