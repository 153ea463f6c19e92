//! The index of one repository for one set of analysis settings, in memory and optionally on disk.

use super::{HISTORY_COMMITS, Prepared, lock};
use kitbag_index::{
    AnalysisSettings, CommitHistory, CommitLog, DEFAULT_MAX_INDEX_BYTES, LoadedIndex,
    PublishOutcome, Snapshot, Store, prune,
};
use kitbag_repo::{
    GitError, ObjectId, Recency, Root, head_id, is_cancelled, open_regular, read_regular,
    restore_git_stall, save_git_stall,
};
use kitbag_text::plural;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

/// Interval between attempts to take a lock.
const RETRY_INTERVAL: Duration = Duration::from_millis(2);

/// Number of commits whose scans are kept.
const MAX_COMMIT_SCANS: usize = 4;

/// Name of the history file in the folder of an index.
pub(super) const HISTORY: &str = "history";

/// Name of the file that says that git stalled, and its maximum size in bytes.
const GIT_STALL: &str = "git-stall";
const MAX_GIT_STALL_BYTES: u64 = 4_096;

pub(super) struct RepoIndex {
    disk: Option<Disk>,
    /// The current snapshot and its generation. Replaced as a whole; clones are cheap.
    snapshot: Mutex<(u64, Snapshot)>,
    history: Mutex<CommitLog>,
    /// The history as seen from the last known `HEAD`.
    past: Mutex<Option<(ObjectId, Arc<CommitHistory>)>>,
    /// The last scan, with a view if all files were indexed, and the watcher's generation before it.
    scan: Mutex<Option<(u64, Prepared)>>,
    /// The scans of the commits that were used last, the latest at the end.
    commit_scans: Mutex<Vec<(ObjectId, Prepared)>>,
    /// Reason why the index cannot be saved.
    pub unsaved_warning: Option<String>,
    /// Problems found when the index was opened, reported once.
    pub warnings: Mutex<Vec<String>>,
}

/// The saved form of an index.
struct Disk {
    store: Store,
    folder: PathBuf,
}

impl Disk {
    fn history(&self) -> PathBuf {
        self.folder.join(HISTORY)
    }
}

impl RepoIndex {
    pub fn open(folder: Option<&PathBuf>, analysis: &AnalysisSettings<'_>) -> Self {
        let (mut warnings, mut unsaved_warning) = (Vec::new(), None);
        let (mut snapshot, mut history) = (Snapshot::default(), CommitLog::new());
        let store = folder.map(|folder| Store::open(folder, &analysis.fingerprint()));
        let disk = match store.zip(folder.cloned()) {
            Some((Ok(store), folder)) => Some(Disk { store, folder }),
            Some((Err(error), _)) => {
                unsaved_warning = Some(format!("the index cannot be saved: {error}"));
                None
            }
            None => None,
        };
        if let Some(disk) = &disk {
            let LoadedIndex { snapshot: loaded, problem } = disk.store.load();
            snapshot = loaded;
            warnings.extend(problem.map(|problem| format!("the index is rebuilt: {problem}")));
            let (opened, problem) = CommitLog::open(&disk.history());
            history = opened;
            warnings.extend(problem);
        }
        Self {
            disk,
            snapshot: Mutex::new((0, snapshot)),
            history: Mutex::new(history),
            past: Mutex::default(),
            scan: Mutex::default(),
            commit_scans: Mutex::default(),
            unsaved_warning,
            warnings: Mutex::new(warnings),
        }
    }

    /// Turns this into the index of a repository's commits, which keeps contents that the last commit
    /// lacks, and takes over the contents of the work tree's index.
    pub fn for_commits(mut self, work_tree: &Path, analysis: &AnalysisSettings<'_>) -> Self {
        self.disk = self.disk.map(|disk| Disk { store: disk.store.keep_unused(), ..disk });
        if let Ok(store) = Store::open(work_tree, &analysis.fingerprint()) {
            let known = store.load_unmarked().snapshot;
            lock(&self.snapshot).1.add_contents(&known);
        }
        self
    }

    /// Whether it serves commits and is on disk, so that nothing is lost if it is closed.
    pub fn is_of_saved_commits(&self) -> bool {
        self.disk.as_ref().is_some_and(|disk| disk.store.keeps_unused())
    }

    /// Returns the scan of a commit, if it is one of the latest.
    pub fn commit_scan(&self, commit: ObjectId) -> Option<Prepared> {
        let mut scans = lock(&self.commit_scans);
        let at = scans.iter().position(|(id, _)| *id == commit)?;
        let found = scans.remove(at);
        let prepared = found.1.clone();
        scans.push(found);
        Some(prepared)
    }

    /// Keeps the scan of a commit.
    pub fn keep_commit_scan(&self, commit: ObjectId, scan: Prepared) {
        let mut scans = lock(&self.commit_scans);
        scans.retain(|(id, _)| *id != commit);
        if scans.len() >= MAX_COMMIT_SCANS {
            scans.remove(0);
        }
        scans.push((commit, scan));
    }

    /// Returns the current snapshot and its generation.
    pub fn snapshot(&self) -> (u64, Snapshot) {
        lock(&self.snapshot).clone()
    }

    /// Returns the last scan, if nothing has changed since.
    pub fn scan(&self, generation: u64) -> Option<Prepared> {
        let last = lock(&self.scan);
        last.as_ref().filter(|last| last.0 == generation).map(|last| last.1.clone())
    }

    /// Keeps a scan, unless another request has a newer or more complete one.
    pub fn keep_scan(&self, generation: u64, scan: Prepared) {
        let mut last = lock(&self.scan);
        let is_better = |last: &(u64, Prepared)| {
            last.0 < generation || (last.0 == generation && last.1.view.is_none())
        };
        if last.as_ref().is_none_or(is_better) {
            *last = Some((generation, scan));
        }
    }

    /// Has git not started again where it stalled in an earlier process.
    pub fn restore_git_stall(&self, root: &Root) {
        let file = self.disk.as_ref().map(|disk| disk.folder.join(GIT_STALL));
        let saved = file.and_then(|file| read_regular(&file, MAX_GIT_STALL_BYTES).ok());
        if let Some(saved) = saved.and_then(|saved| String::from_utf8(saved).ok()) {
            restore_git_stall(root, &saved);
        }
    }

    /// Saves that git stalled, or that it no longer does.
    pub fn save_git_stall(&self, root: &Root) {
        let Some(disk) = &self.disk else { return };
        let file = disk.folder.join(GIT_STALL);
        // What cannot be saved costs the next process another stall.
        let _ = match save_git_stall(root) {
            Some(stall) => {
                open_regular(OpenOptions::new().write(true).create(true).truncate(true), &file)
                    .and_then(|mut file| file.write_all(stall.as_bytes()))
            }
            None => fs::remove_file(file),
        };
    }

    /// Brings the history up to `HEAD` and returns the times at which files last changed.
    pub fn recency(&self, root: &Root, past: &mut Arc<CommitHistory>) -> Result<Recency, GitError> {
        let head = match head_id(root) {
            Err(error @ GitError::Cancelled { .. }) => {
                return Ok(Recency::unknown(Some(format!("history is incomplete: {error}"))));
            }
            head => head?,
        };
        let Some(head) = head else { return Ok(Recency::default()) };
        let Some(mut history) = lock_unless_stopped(&self.history) else {
            return Err(GitError::Cancelled { command: "log".to_owned() });
        };
        let before = history.len();
        let warning = match history.update(root, &head, HISTORY_COMMITS) {
            // Git had no time to read a single commit; earlier calls may have.
            Err(error @ GitError::Cancelled { .. }) => {
                Some(format!("history is incomplete: {error}"))
            }
            result => result?,
        };
        *past = self.past(&history, head, before);
        let Some(time) = history.time(&head) else {
            return Ok(Recency::unknown(warning));
        };
        if let Some(disk) = &self.disk
            && history.len() != before
        {
            // Commits that cannot be saved are read again the next time.
            let _ = disk.store.with_lock(|_| history.save(&disk.history()));
        }
        // Unlike other problems, this one is known from the file: git does not repeat it.
        let warning = warning.or_else(|| unread_warning(past.unread()));
        Ok(Recency::new(time, past.last_changes(), warning))
    }

    /// Returns the history as seen from `head`, cached until it grows.
    fn past(&self, history: &CommitLog, head: ObjectId, before: usize) -> Arc<CommitHistory> {
        let mut last = lock(&self.past);
        match &*last {
            Some((id, past)) if *id == head && history.len() == before => Arc::clone(past),
            _ => {
                let past = Arc::new(history.ancestors(&head, HISTORY_COMMITS));
                *last = Some((head, Arc::clone(&past)));
                past
            }
        }
    }

    /// Makes a snapshot, based on generation `base`, the current one, and saves it. Returns a
    /// warning if it cannot be saved.
    pub fn publish(&self, mut snapshot: Snapshot, base: u64) -> Option<String> {
        let published = self.disk.as_ref().map(|disk| (disk, disk.store.publish(&mut snapshot)));
        let mut warning = None;
        match published {
            Some((disk, Ok(PublishOutcome::Done { .. }))) => {
                if let Some(cache) = disk.folder.parent() {
                    prune(cache, DEFAULT_MAX_INDEX_BYTES, &disk.folder);
                }
            }
            Some((disk, Ok(PublishOutcome::Superseded))) => {
                // Another process has published. Continue from its snapshot; otherwise, no later
                // result could be saved.
                let loaded = disk.store.load();
                if loaded.problem.is_none() {
                    let own = std::mem::replace(&mut snapshot, loaded.snapshot);
                    snapshot.merge(&own);
                    // If a third process is faster, it has published about the same.
                    let _ = disk.store.publish(&mut snapshot);
                }
            }
            Some((_, Err(error))) => {
                warning = Some(format!("the index cannot be saved: {error}"));
            }
            Some((_, Ok(PublishOutcome::Unchanged | PublishOutcome::Busy))) | None => {}
        }
        let mut last = lock(&self.snapshot);
        if last.0 != base {
            // Another request has published in the meantime.
            snapshot.merge(&last.1);
        }
        *last = (last.0 + 1, snapshot);
        warning
    }
}

fn unread_warning(count: usize) -> Option<String> {
    let commits = plural(count, "commit");
    let why = "reading them would take git more memory or time than it may use";
    (count > 0).then(|| format!("the changes of {commits} are unknown: {why}"))
}

/// Takes a lock, unless the work is cancelled first. The holder may be waiting for git.
fn lock_unless_stopped<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if is_cancelled() => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(RETRY_INTERVAL),
        }
    }
}
