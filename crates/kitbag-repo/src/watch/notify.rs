//! Other systems: a thread receives the events of whole folder trees.

use super::WatchError;
use super::watch_set::WatchSet;
use ::notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use rustc_hash::FxHashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(super) struct NotifyBackend {
    root: PathBuf,
    shared: Arc<NotifyShared>,
    watcher: Mutex<RecommendedWatcher>,
}

/// State shared with the thread that receives events.
#[derive(Default)]
struct NotifyShared {
    state: Mutex<NotifyState>,
    changed: Condvar,
}

#[derive(Default)]
struct NotifyState {
    generation: u64,
    set: WatchSet,
    /// The folders that were passed to the system.
    watched: FxHashSet<PathBuf>,
}

impl NotifyBackend {
    pub fn new(root: &Path) -> Result<Self, WatchError> {
        let shared = Arc::new(NotifyShared::default());
        let receiver = Arc::clone(&shared);
        let watcher = ::notify::recommended_watcher(move |event| receiver.handle(event))
            .map_err(|error| watch_error(root, error))?;
        Ok(Self { root: root.to_owned(), shared, watcher: Mutex::new(watcher) })
    }

    pub fn generation(&self) -> u64 {
        self.shared.state().generation
    }

    pub fn follow(&self, set: &WatchSet) -> Result<(), WatchError> {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new = Vec::new();
        {
            let mut state = self.shared.state();
            let is_known = |folder: &PathBuf| state.set.folders.contains_key(folder);
            let has_new = !set.folders.keys().all(is_known);
            state.generation += u64::from(has_new);
            state.set = set.clone();
            let outside = set.folders.keys().filter(|folder| !folder.starts_with(&self.root));
            let all = outside.chain([&self.root]);
            new.extend(all.filter(|it| it.is_dir() && !state.watched.contains(*it)).cloned());
            state.watched.extend(new.iter().cloned());
        }
        // `watch` waits for the thread, which may need the lock of the state, so it is released here.
        for folder in new {
            let mode = if folder == self.root {
                RecursiveMode::Recursive
            } else {
                RecursiveMode::NonRecursive
            };
            watcher.watch(&folder, mode).map_err(|error| watch_error(&folder, error))?;
        }
        Ok(())
    }

    pub fn wait(&self, timeout: Duration) {
        let state = self.shared.state();
        let before = state.generation;
        let is_unchanged = |state: &mut NotifyState| state.generation == before;
        // The caller checks the generation and may wait again.
        let _ = self.shared.changed.wait_timeout_while(state, timeout, is_unchanged);
    }
}

impl NotifyShared {
    fn state(&self) -> MutexGuard<'_, NotifyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self, event: ::notify::Result<Event>) {
        let mut state = self.state();
        let is_change = match &event {
            Err(_) => true,
            Ok(event) => event.need_rescan() || state.is_change(event),
        };
        if is_change {
            state.generation += 1;
            self.changed.notify_all();
        }
    }
}

impl NotifyState {
    fn is_change(&self, event: &Event) -> bool {
        let is_relevant = |path: &PathBuf| {
            let filter = path.parent().and_then(|folder| self.set.folders.get(folder));
            filter.is_some_and(|filter| filter.accepts(path.file_name()))
        };
        !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(is_relevant)
    }
}

fn watch_error(path: &Path, error: ::notify::Error) -> WatchError {
    match error.kind {
        ::notify::ErrorKind::MaxFilesWatch => WatchError::TooMany,
        ::notify::ErrorKind::Io(source) => WatchError::Io { path: path.to_owned(), source },
        kind => {
            let source = io::Error::other(::notify::Error::new(kind).to_string());
            WatchError::Io { path: path.to_owned(), source }
        }
    }
}
