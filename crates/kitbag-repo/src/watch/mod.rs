//! Notices changes in a work tree, so that one that nobody touched need not be walked again.
//!
//! Only the folders that a walk looks into are watched, and of git's own files those that say which
//! commit is checked out and what is staged: a build that fills an ignored folder is no change. On
//! Linux the system is asked on the spot, so a change is seen by whoever asks after it. Elsewhere
//! the system tells in its own time, which may take moments.
//!
//! What is written through a memory map that stays open, or by another machine to a network file
//! system, is not noticed.

mod places;

#[cfg(target_os = "linux")]
mod inotify;
#[cfg(any(test, not(target_os = "linux")))]
mod notified;
#[cfg(all(test, unix))]
mod tests;

use crate::{Globs, Root, WorkTree};
use places::Places;
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

#[cfg(target_os = "linux")]
use inotify::Inotify as Backend;
#[cfg(not(target_os = "linux"))]
use notified::Notified as Backend;

/// Why a folder cannot be watched.
#[derive(Debug, Error)]
pub enum WatchError {
    /// The system watches no more folders for this user.
    #[error("the system watches no more folders than it does already")]
    TooMany,
    /// The system says no.
    #[error("`{}` cannot be watched: {source}", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Notices changes in a work tree.
pub struct Watcher {
    root: Root,
    backend: Backend,
}

impl Watcher {
    /// Walks a folder and watches what the walk looked into.
    pub fn new(root: &Root) -> Result<Self, WatchError> {
        let watcher = Self { root: root.clone(), backend: Backend::new(root.path())? };
        watcher.follow(&WorkTree::walk(root, &Globs::default()))?;
        Ok(watcher)
    }

    /// A number that has grown if anything may have changed since it was last asked for. A walk that
    /// began after this was asked shows the tree as it is for as long as the number stays.
    pub fn generation(&self) -> u64 {
        self.backend.generation()
    }

    /// Watches all folders that a walk has seen. Where some of them are new the number grows, since
    /// they may have changed between the walk and now.
    pub fn follow(&self, tree: &WorkTree) -> Result<(), WatchError> {
        self.backend.follow(&Places::of(&self.root, tree))
    }

    /// Waits until something may have changed, or for so long.
    pub fn wait(&self, longest: Duration) {
        self.backend.wait(longest);
    }
}
