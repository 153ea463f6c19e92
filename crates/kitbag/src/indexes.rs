//! The indexes of the repositories that an engine packs: kept in memory between requests, and in
//! the user's cache folder between runs where there is one.

use crate::error::Error;
use kitbag_core::{Cancel, Cancelled, PackError};
use kitbag_index::{
    Analysis, History, Loaded, Past, Refresh, RefreshError, Snapshot, Store, View, folder_for,
};
use kitbag_repo::{
    GitError, Globs, Recency, Root, Survey, Timestamps, WorkTree, head_id, survey_knowing,
};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many commits of history are read.
pub(crate) const HISTORY_COMMITS: usize = 5_000;

/// The indexes of an engine.
#[derive(Default)]
pub(crate) struct Indexes {
    cache: Option<PathBuf>,
    kept: Mutex<FxHashMap<PathBuf, Arc<Kept>>>,
}

/// A work tree, ready to be searched.
pub(crate) struct Prepared {
    pub tree: WorkTree,
    pub view: View,
    pub past: Past,
    pub timestamps: Timestamps,
    pub warnings: Vec<String>,
}

/// What is kept of one repository.
struct Kept {
    store: Option<Store>,
    history_file: Option<PathBuf>,
    /// Replaced whole: whoever needs it takes a copy, which is cheap.
    snapshot: Mutex<Snapshot>,
    history: Mutex<History>,
    /// What was wrong when it was opened; said once.
    trouble: Mutex<Vec<String>>,
}

impl Indexes {
    /// Indexes that are kept in a folder.
    pub fn kept_in(cache: PathBuf) -> Self {
        Self { cache: Some(cache), ..Self::default() }
    }

    /// Brings the index of a work tree up to date, and keeps it for the next time.
    pub fn prepare(
        &self,
        root: &Root,
        globs: &Globs,
        now: Option<i64>,
        analysis: &Analysis<'_>,
        cancel: &Cancel,
    ) -> Result<Prepared, Error> {
        let kept = self.open(root, analysis);
        let mut warnings = std::mem::take(&mut *lock(&kept.trouble));
        let mut past = Past::default();
        let survey = survey_knowing(root, globs, now, || kept.recency(root.path(), &mut past));
        let Survey { tree, timestamps, warnings: told } = survey;
        warnings.extend(told);
        let stop = || cancel.check().is_err();
        let refresh =
            Refresh { stop: &stop, is_partial: !globs.take_all(), ..Refresh::new(analysis) };
        let before = lock(&kept.snapshot).clone();
        let refreshed = refresh.run(&tree, &before).map_err(|error| match error {
            RefreshError::Stopped => Error::Pack(PackError::from(Cancelled)),
            RefreshError::Backend(error) => Error::Index { message: error.to_string() },
        })?;
        warnings.extend(kept.publish(refreshed.snapshot));
        Ok(Prepared { tree, view: refreshed.view, past, timestamps, warnings })
    }

    /// What is kept of a repository: in memory, on disk, or nothing yet.
    fn open(&self, root: &Root, analysis: &Analysis<'_>) -> Arc<Kept> {
        let cache = self.cache.as_deref().unwrap_or(Path::new(""));
        let folder = folder_for(cache, root.path(), &analysis.way());
        let mut all = lock(&self.kept);
        let open = || Arc::new(Kept::open(self.cache.is_some().then_some(&folder), analysis));
        Arc::clone(all.entry(folder.clone()).or_insert_with(open))
    }
}

impl Kept {
    fn open(folder: Option<&PathBuf>, analysis: &Analysis<'_>) -> Self {
        let mut trouble = Vec::new();
        let store = folder.and_then(|folder| {
            let opened = Store::open(folder, &analysis.fingerprint());
            opened.map_err(|error| trouble.push(format!("the index is not kept: {error}"))).ok()
        });
        let (mut snapshot, mut history) = (Snapshot::default(), History::new());
        let history_file = folder.filter(|_| store.is_some()).map(|folder| folder.join("history"));
        if let Some(store) = &store {
            let Loaded { snapshot: loaded, trouble: wrong } = store.load();
            snapshot = loaded;
            trouble.extend(wrong);
        }
        if let Some(file) = &history_file {
            let (opened, wrong) = History::open(file);
            history = opened;
            trouble.extend(wrong);
        }
        Self {
            store,
            history_file,
            snapshot: Mutex::new(snapshot),
            history: Mutex::new(history),
            trouble: Mutex::new(trouble),
        }
    }

    /// When files last changed, from the history up to `HEAD`, which is brought up to date.
    fn recency(&self, root: &Path, past: &mut Past) -> Result<Recency, GitError> {
        let Some(head) = head_id(root)? else { return Ok(Recency::default()) };
        let mut history = lock(&self.history);
        let before = history.len();
        let warning = history.update(root, &head, HISTORY_COMMITS)?;
        *past = history.past(&head, HISTORY_COMMITS);
        let time = history.time(&head).unwrap_or(0);
        if let (Some(store), Some(file)) = (&self.store, &self.history_file)
            && history.len() != before
        {
            // What cannot be kept is read again the next time.
            let _ = store.locked(|_| history.append_to(file));
        }
        Ok(Recency::known(time, past.changes()).with_warning(warning))
    }

    /// Keeps a snapshot for the next request, and on disk for the next run; comes with what a
    /// person should know.
    fn publish(&self, mut snapshot: Snapshot) -> Option<String> {
        let published = self.store.as_ref().map(|store| store.publish(&mut snapshot));
        *lock(&self.snapshot) = snapshot;
        published?.err().map(|error| format!("the index is not kept: {error}"))
    }
}

/// A panic while the lock was held leaves the value whole: it is replaced by one assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
