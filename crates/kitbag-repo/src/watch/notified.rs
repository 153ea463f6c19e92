//! Other systems: they watch whole folders, with all that is in them, and tell a thread.

use super::WatchError;
use super::places::Places;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use rustc_hash::FxHashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A watcher's thread, and what it has heard.
pub(super) struct Notified {
    root: PathBuf,
    heard: Arc<Heard>,
    watcher: Mutex<RecommendedWatcher>,
}

#[derive(Default)]
struct Heard {
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Default)]
struct State {
    generation: u64,
    places: Places,
    /// The folders that are watched with all that is in them.
    roots: FxHashSet<PathBuf>,
}

impl Notified {
    pub fn new(root: &Path) -> Result<Self, WatchError> {
        let heard = Arc::new(Heard::default());
        let hears = Arc::clone(&heard);
        let watcher = notify::recommended_watcher(move |event| hears.take(event))
            .map_err(|error| refused(root, error))?;
        Ok(Self { root: root.to_owned(), heard, watcher: Mutex::new(watcher) })
    }

    pub fn generation(&self) -> u64 {
        self.heard.state().generation
    }

    pub fn follow(&self, places: &Places) -> Result<(), WatchError> {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new = Vec::new();
        {
            let mut state = self.heard.state();
            let known = |folder: &PathBuf| state.places.folders.contains_key(folder);
            let is_new = places.folders.keys().any(|folder| !known(folder));
            state.generation += u64::from(is_new);
            state.places = Places { folders: places.folders.clone() };
            let outside = places.folders.keys().filter(|folder| !folder.starts_with(&self.root));
            let wanted = outside.chain([&self.root]);
            new.extend(wanted.filter(|it| it.is_dir() && !state.roots.contains(*it)).cloned());
            state.roots.extend(new.iter().cloned());
        }
        // The thread may be about to take the state's lock, and is waited for here.
        for folder in new {
            let mode = if folder == self.root {
                RecursiveMode::Recursive
            } else {
                RecursiveMode::NonRecursive
            };
            watcher.watch(&folder, mode).map_err(|error| refused(&folder, error))?;
        }
        Ok(())
    }

    pub fn wait(&self, longest: Duration) {
        let state = self.heard.state();
        let before = state.generation;
        let same = |state: &mut State| state.generation == before;
        // Whatever comes of it, the caller looks and may wait again.
        let _ = self.heard.news.wait_timeout_while(state, longest, same);
    }
}

impl Heard {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, event: notify::Result<Event>) {
        let mut state = self.state();
        let is_change = match &event {
            Err(_) => true,
            Ok(event) => event.need_rescan() || state.is_change(event),
        };
        if is_change {
            state.generation += 1;
            self.news.notify_all();
        }
    }
}

impl State {
    fn is_change(&self, event: &Event) -> bool {
        let counts = |path: &PathBuf| {
            let folder = path.parent().and_then(|folder| self.places.folders.get(folder));
            folder.is_some_and(|counts| counts.has(path.file_name()))
        };
        !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(counts)
    }
}

fn refused(path: &Path, error: notify::Error) -> WatchError {
    match error.kind {
        notify::ErrorKind::MaxFilesWatch => WatchError::TooMany,
        notify::ErrorKind::Io(source) => WatchError::Io { path: path.to_owned(), source },
        kind => {
            let source = io::Error::other(notify::Error::new(kind).to_string());
            WatchError::Io { path: path.to_owned(), source }
        }
    }
}
