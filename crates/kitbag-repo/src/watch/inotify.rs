//! Linux: inotify queues events, which are read when a caller asks. Everything that happened before is
//! in the queue, so no thread is needed and nothing is late.

use super::WatchError;
use super::watch_set::{EventFilter, WatchSet};
use rustc_hash::{FxHashMap, FxHashSet};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::fs::inotify::{add_watch, init, remove_watch};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The events of a watch. Reading is not a change.
const EVENTS: WatchFlags = WatchFlags::ATTRIB
    .union(WatchFlags::CREATE)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW);

/// Events after which a path may lead to another folder than the watched one, or to none.
const NEEDS_RESCAN: ReadFlags = ReadFlags::DELETE_SELF
    .union(ReadFlags::MOVE_SELF)
    .union(ReadFlags::IGNORED)
    .union(ReadFlags::UNMOUNT)
    .union(ReadFlags::QUEUE_OVERFLOW);

pub(super) struct InotifyBackend {
    queue: OwnedFd,
    state: Mutex<InotifyState>,
}

#[derive(Default)]
struct InotifyState {
    generation: u64,
    /// By watch descriptor.
    filters: FxHashMap<i32, EventFilter>,
    watched: FxHashSet<PathBuf>,
    /// Whether every folder must be watched again.
    needs_rescan: bool,
}

impl InotifyBackend {
    pub fn new(root: &Path) -> Result<Self, WatchError> {
        let queue = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)
            .map_err(|error| watch_error(root, error))?;
        Ok(Self { queue, state: Mutex::default() })
    }

    pub fn generation(&self) -> u64 {
        let mut state = self.state();
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = Reader::new(&self.queue, &mut buffer);
        let mut is_changed = false;
        loop {
            match reader.next() {
                Ok(event) => {
                    let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                    is_changed |= state.handle(event.wd(), event.events(), name);
                }
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) => break,
                Err(_) => {
                    (is_changed, state.needs_rescan) = (true, true);
                    break;
                }
            }
        }
        state.generation += u64::from(is_changed);
        state.generation
    }

    pub fn follow(&self, set: &WatchSet) -> Result<(), WatchError> {
        let mut state = self.state();
        let state = &mut *state;
        let mut former = FxHashMap::default();
        if std::mem::take(&mut state.needs_rescan) {
            state.watched.clear();
            former = std::mem::take(&mut state.filters);
        }
        let mut is_new = false;
        for (folder, &filter) in &set.folders {
            if state.watched.contains(folder) {
                continue;
            }
            match add_watch(&self.queue, folder, EVENTS) {
                Ok(watch) => {
                    let known = state.filters.insert(watch, filter).or(former.remove(&watch));
                    is_new |= known.is_none();
                    state.watched.insert(folder.clone());
                }
                // It was removed or replaced, or a walk cannot enter it either.
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => {}
                Err(error) => return Err(watch_error(folder, error)),
            }
        }
        for watch in former.into_keys() {
            // Fails if the folder no longer exists.
            let _ = remove_watch(&self.queue, watch);
        }
        state.generation += u64::from(is_new);
        Ok(())
    }

    pub fn wait(&self, timeout: Duration) {
        let timeout = Timespec::try_from(timeout).ok();
        let mut queue = [PollFd::new(&self.queue, PollFlags::IN)];
        // On an error, the caller checks the generation and may wait again.
        let _ = poll(&mut queue, timeout.as_ref());
    }

    /// A panic while the lock was held leaves a state that lacks at most one change.
    fn state(&self) -> MutexGuard<'_, InotifyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InotifyState {
    /// Returns whether an event is a change.
    fn handle(&mut self, watch: i32, events: ReadFlags, name: Option<&OsStr>) -> bool {
        self.needs_rescan |= events.intersects(NEEDS_RESCAN);
        if events.contains(ReadFlags::QUEUE_OVERFLOW) {
            return true;
        }
        // The queue may still have events of a removed watch.
        self.filters.get(&watch).is_some_and(|filter| filter.accepts(name))
    }
}

fn watch_error(path: &Path, error: Errno) -> WatchError {
    match error {
        Errno::NOSPC | Errno::MFILE | Errno::NOMEM => WatchError::TooMany,
        error => WatchError::Io { path: path.to_owned(), source: error.into() },
    }
}
