//! The index on disk: one folder for each repository and choice of analysis settings.
//!
//! A *snapshot* consists of segments with the records of contents, a table with the metadata and the
//! content key of each file, and the changes since the table was written. Segments and tables are
//! immutable files named by a hash of their bytes. The manifest lists them and is replaced by a
//! rename, so a reader sees either the old index or the new one. Files refer to contents by key, so a
//! lost segment costs no more than its contents.
//!
//! No pack depends on the index on disk: on any failure the pack is made in memory.

mod analyze;
mod cache;
mod failpoint;
mod folder;
mod load;
mod manifest;
mod publish;
mod refresh;
mod refresh_input;
mod shared;
mod snapshot;
mod table;
#[cfg(test)]
mod tests;

pub use cache::{StoreStatus, prune};
pub use folder::StoreError;
pub use load::LoadedIndex;
pub use publish::PublishOutcome;
pub use refresh::{RefreshStats, RefreshedIndex};
pub use refresh_input::{MAX_FILE_BYTES, Refresh};
pub use snapshot::Snapshot;

use folder::IndexFolder;
use std::path::Path;

/// Default maximum size of an index on disk, in bytes.
pub const DEFAULT_MAX_INDEX_BYTES: u64 = 2 << 30;

/// The index of one repository with one choice of analysis settings, in a folder.
#[derive(Debug)]
pub struct Store {
    folder: IndexFolder,
    fingerprint: String,
    max_bytes: u64,
    keeps_unused: bool,
}

impl Store {
    /// Opens the index in `folder`, which need not exist. An index with another fingerprint counts as
    /// empty. Refuses a folder that is not private to the user.
    pub fn open(folder: &Path, fingerprint: &str) -> Result<Self, StoreError> {
        Ok(Self {
            folder: IndexFolder::open(folder)?,
            fingerprint: fingerprint.to_owned(),
            max_bytes: DEFAULT_MAX_INDEX_BYTES,
            keeps_unused: false,
        })
    }

    /// Keeps contents that no file of the work tree has, for trees of many commits.
    pub fn keep_unused(mut self) -> Self {
        self.keeps_unused = true;
        self
    }

    /// Whether it keeps contents that no file of the work tree has.
    pub fn keeps_unused(&self) -> bool {
        self.keeps_unused
    }

    /// Calls `run` with the path of the folder while holding its lock, for example to write other
    /// files there. Returns `None` if another process holds the lock.
    pub fn with_lock<T>(&self, run: impl FnOnce(&Path) -> T) -> Result<Option<T>, StoreError> {
        let lock = self.folder.lock()?;
        Ok(lock.map(|_held| run(self.folder.path())))
    }
}
