//! What is kept of one repository, analysed in one way.

use super::{HISTORY_COMMITS, Scene, lock};
use kitbag_index::{
    Analysis, DEFAULT_MOST_BYTES, History, Loaded, Past, Published, RefreshStats, Snapshot, Store,
    View, prune,
};
use kitbag_repo::{GitError, ObjectId, Recency, head_id, is_stopped};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

/// How often a lock is tried that somebody else has.
const LOOK: Duration = Duration::from_millis(2);

/// The name of the file that holds the history.
pub(super) const HISTORY: &str = "history";

/// What is kept of one repository.
pub(super) struct Kept {
    disk: Option<Disk>,
    /// Replaced whole: whoever needs it takes a copy, which is cheap. Each has a number.
    snapshot: Mutex<(u64, Snapshot)>,
    history: Mutex<History>,
    /// What the history says of a commit that was checked out.
    past: Mutex<Option<(ObjectId, Arc<Past>)>>,
    /// What was seen last, and the watcher's number before that.
    scene: Mutex<Option<(u64, Seen)>>,
    /// Why it is not kept between runs, where it should be.
    pub unkept: Option<String>,
    /// What was wrong when it was opened; said once.
    pub trouble: Mutex<Vec<String>>,
}

/// What was seen of a work tree, with a view where all its files were looked at.
#[derive(Clone)]
pub(super) struct Seen {
    pub scene: Arc<Scene>,
    pub view: Option<Arc<View>>,
    pub stats: RefreshStats,
}

/// Where it is kept between runs.
struct Disk {
    store: Store,
    folder: PathBuf,
}

impl Disk {
    fn history(&self) -> PathBuf {
        self.folder.join(HISTORY)
    }
}

impl Kept {
    pub fn open(folder: Option<&PathBuf>, analysis: &Analysis<'_>) -> Self {
        let (mut trouble, mut unkept) = (Vec::new(), None);
        let (mut snapshot, mut history) = (Snapshot::default(), History::new());
        let store = folder.map(|folder| Store::open(folder, &analysis.fingerprint()));
        let disk = match store.zip(folder.cloned()) {
            Some((Ok(store), folder)) => Some(Disk { store, folder }),
            Some((Err(error), _)) => {
                unkept = Some(format!("the index is not kept: {error}"));
                trouble.extend(unkept.clone());
                None
            }
            None => None,
        };
        if let Some(disk) = &disk {
            let Loaded { snapshot: loaded, trouble: wrong } = disk.store.load();
            snapshot = loaded;
            trouble.extend(wrong.map(|wrong| format!("the index is rebuilt: {wrong}")));
            let (opened, wrong) = History::open(&disk.history());
            history = opened;
            trouble.extend(wrong);
        }
        Self {
            disk,
            snapshot: Mutex::new((0, snapshot)),
            history: Mutex::new(history),
            past: Mutex::default(),
            scene: Mutex::default(),
            unkept,
            trouble: Mutex::new(trouble),
        }
    }

    /// The index as it is now, and its number.
    pub fn snapshot(&self) -> (u64, Snapshot) {
        lock(&self.snapshot).clone()
    }

    /// What was seen last, if nothing has changed since.
    pub fn scene(&self, generation: u64) -> Option<Seen> {
        let last = lock(&self.scene);
        last.as_ref().filter(|last| last.0 == generation).map(|last| last.1.clone())
    }

    /// Keeps what was seen, unless another request has seen more of late.
    pub fn keep_scene(&self, generation: u64, seen: Seen) {
        let mut last = lock(&self.scene);
        let is_more = |last: &(u64, Seen)| {
            last.0 < generation || (last.0 == generation && last.1.view.is_none())
        };
        if last.as_ref().is_none_or(is_more) {
            *last = Some((generation, seen));
        }
    }

    /// When files last changed, from the history up to `HEAD`, which is brought up to date.
    pub fn recency(&self, root: &Path, past: &mut Arc<Past>) -> Result<Recency, GitError> {
        let Some(head) = head_id(root)? else { return Ok(Recency::default()) };
        let Some(mut history) = patiently(&self.history) else {
            return Err(GitError::Stopped { command: "log".to_owned() });
        };
        let before = history.len();
        let warning = history.update(root, &head, HISTORY_COMMITS)?;
        *past = self.past(&history, head, before);
        let time = history.time(&head).unwrap_or(0);
        if let Some(disk) = &self.disk
            && history.len() != before
        {
            // What cannot be kept is read again the next time.
            let _ = disk.store.locked(|_| history.append_to(&disk.history()));
        }
        Ok(Recency::known(time, past.changes()).with_warning(warning))
    }

    /// What the history says of a commit; made once as long as nothing is new in it.
    fn past(&self, history: &History, head: ObjectId, before: usize) -> Arc<Past> {
        let mut last = lock(&self.past);
        match &*last {
            Some((id, past)) if *id == head && history.len() == before => Arc::clone(past),
            _ => {
                let past = Arc::new(history.past(&head, HISTORY_COMMITS));
                *last = Some((head, Arc::clone(&past)));
                past
            }
        }
    }

    /// Keeps a snapshot, made from the one of that number, for the next request, and on disk for the
    /// next run; comes with why that could not be done.
    pub fn publish(&self, mut snapshot: Snapshot, origin: u64) -> Option<String> {
        let published = self.disk.as_ref().map(|disk| (disk, disk.store.publish(&mut snapshot)));
        let mut trouble = None;
        match published {
            Some((disk, Ok(Published::Done { .. }))) => {
                if let Some(cache) = disk.folder.parent() {
                    prune(cache, DEFAULT_MOST_BYTES, &disk.folder);
                }
            }
            Some((disk, Ok(Published::Superseded))) => {
                // What somebody else has made is gone on from: otherwise nothing that is found
                // here would ever be kept again.
                let loaded = disk.store.load();
                if loaded.trouble.is_none() {
                    let own = std::mem::replace(&mut snapshot, loaded.snapshot);
                    snapshot.take_in(&own);
                    // Whoever is faster again has published about the same.
                    let _ = disk.store.publish(&mut snapshot);
                }
            }
            Some((_, Err(error))) => trouble = Some(format!("the index is not kept: {error}")),
            Some((_, Ok(Published::Unchanged | Published::Busy))) | None => {}
        }
        let mut last = lock(&self.snapshot);
        if last.0 != origin {
            // What another request has found meanwhile is not lost.
            snapshot.take_in(&last.1);
        }
        *last = (last.0 + 1, snapshot);
        trouble
    }
}

/// Takes a lock unless the work is stopped first: whoever has it may wait for git.
fn patiently<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if is_stopped() => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
        }
    }
}
