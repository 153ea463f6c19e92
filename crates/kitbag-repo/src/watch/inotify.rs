//! Linux: the system keeps a queue of what happened, which is read when somebody asks. What happened
//! before the question is in the queue, so no thread is needed and nothing comes late.

use super::WatchError;
use super::places::{Counts, Places};
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

/// What a watch tells of. Reading is no change.
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

/// After these a path may lead to another folder than the one that is watched, or to none.
const SHAKES: ReadFlags = ReadFlags::DELETE_SELF
    .union(ReadFlags::MOVE_SELF)
    .union(ReadFlags::IGNORED)
    .union(ReadFlags::UNMOUNT)
    .union(ReadFlags::QUEUE_OVERFLOW);

/// The system's queue, and what is known of its watches.
pub(super) struct Inotify {
    queue: OwnedFd,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    generation: u64,
    /// What counts, by watch.
    counts: FxHashMap<i32, Counts>,
    watched: FxHashSet<PathBuf>,
    /// Whether every folder has to be looked up again.
    is_shaken: bool,
}

impl Inotify {
    pub fn new(root: &Path) -> Result<Self, WatchError> {
        let queue = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)
            .map_err(|error| refused(root, error))?;
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
                    is_changed |= state.take(event.wd(), event.events(), name);
                }
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) => break,
                Err(_) => {
                    (is_changed, state.is_shaken) = (true, true);
                    break;
                }
            }
        }
        state.generation += u64::from(is_changed);
        state.generation
    }

    pub fn follow(&self, places: &Places) -> Result<(), WatchError> {
        let mut state = self.state();
        let state = &mut *state;
        let mut former = FxHashMap::default();
        if std::mem::take(&mut state.is_shaken) {
            state.watched.clear();
            former = std::mem::take(&mut state.counts);
        }
        let mut is_new = false;
        for (folder, &counts) in &places.folders {
            if state.watched.contains(folder) {
                continue;
            }
            match add_watch(&self.queue, folder, EVENTS) {
                Ok(watch) => {
                    let known = state.counts.insert(watch, counts).or(former.remove(&watch));
                    is_new |= known.is_none();
                    state.watched.insert(folder.clone());
                }
                // It went, was replaced, or cannot be looked into by a walk either.
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => {}
                Err(error) => return Err(refused(folder, error)),
            }
        }
        for watch in former.into_keys() {
            // It may have ended by itself.
            let _ = remove_watch(&self.queue, watch);
        }
        state.generation += u64::from(is_new);
        Ok(())
    }

    pub fn wait(&self, longest: Duration) {
        let longest = Timespec::try_from(longest).ok();
        let mut queue = [PollFd::new(&self.queue, PollFlags::IN)];
        // Whatever comes of it, the caller looks and may wait again.
        let _ = poll(&mut queue, longest.as_ref());
    }

    /// A panic while the lock was held leaves sums that are at worst too old by one change.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes in an event, and says whether it is a change.
    fn take(&mut self, watch: i32, events: ReadFlags, name: Option<&OsStr>) -> bool {
        if events.intersects(SHAKES) {
            self.is_shaken = true;
        }
        if events.contains(ReadFlags::QUEUE_OVERFLOW) {
            return true;
        }
        // Of a watch that was ended something may still be in the queue.
        self.counts.get(&watch).is_some_and(|counts| counts.has(name))
    }
}

fn refused(path: &Path, error: Errno) -> WatchError {
    match error {
        Errno::NOSPC | Errno::MFILE | Errno::NOMEM => WatchError::TooMany,
        error => WatchError::Io { path: path.to_owned(), source: error.into() },
    }
}
