//! Detects changes in a work tree, so that an unchanged one need not be walked again.
//!
//! Only the folders that a walk enters are watched, and of git's own files those that record which commit
//! is checked out and which changes are staged: a build that fills an ignored folder is not a change. On
//! Linux, events are read when a caller asks, so a change is visible immediately. Elsewhere the system
//! delivers events with a short delay.
//!
//! Writes through a memory map that stays open, or by another machine to a network file system, are not
//! detected.

mod watch_set;

#[cfg(target_os = "linux")]
mod inotify;
#[cfg(any(test, not(target_os = "linux")))]
mod notify;
#[cfg(all(test, unix))]
mod tests;

use crate::{Globs, Root, WorkTree};
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;
use watch_set::WatchSet;

#[cfg(not(target_os = "linux"))]
use self::notify::NotifyBackend as Backend;
#[cfg(target_os = "linux")]
use inotify::InotifyBackend as Backend;

/// A folder that cannot be watched.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The system's limit for this user is reached.
    #[error("the system's limit of watched folders is reached")]
    TooMany,
    /// The system refuses to watch the folder.
    #[error("cannot watch `{}`: {source}", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Watches a work tree for changes.
pub struct Watcher {
    root: Root,
    backend: Backend,
}

impl Watcher {
    /// Walks a folder and watches the folders that the walk enters.
    pub fn new(root: &Root) -> Result<Self, WatchError> {
        let watcher = Self { root: root.clone(), backend: Backend::new(root.path())? };
        watcher.follow(&WorkTree::walk(root, &Globs::default()))?;
        Ok(watcher)
    }

    /// Returns a number that grows with every possible change. A walk that began after this call is
    /// current while the number stays the same.
    pub fn generation(&self) -> u64 {
        self.backend.generation()
    }

    /// Watches all folders that a walk has entered. The generation grows if some of them are new, since
    /// they may have changed since the walk.
    pub fn follow(&self, tree: &WorkTree) -> Result<(), WatchError> {
        self.backend.follow(&WatchSet::new(&self.root, tree))
    }

    /// Blocks until something may have changed, or until `timeout` has passed.
    pub fn wait(&self, timeout: Duration) {
        self.backend.wait(timeout);
    }
}
