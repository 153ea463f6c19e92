//! The index between two packs: a folder for each repository and way of analysing.
//!
//! A *snapshot* is made of segments, which hold the records of contents; of a table, which says
//! what each file looked like and which content it had; and of what changed since the table was
//! written. Segments and tables are files that never change, named by a hash of their bytes. The
//! manifest names them, and is replaced by a rename: a reader sees the old index or the new one.
//! Files refer to contents by key alone, so a part that is lost costs no more than its contents.
//!
//! Nothing here is needed for a pack. Whatever goes wrong is told, and the pack is made in memory.

mod analyse;
mod cache;
mod compact;
mod embedded;
pub(crate) mod envelope;
mod failpoint;
mod folder;
mod identity;
mod load;
mod manifest;
mod publish;
mod refresh;
mod snapshot;
mod table;
#[cfg(test)]
mod tests;

pub use cache::{Status, folder_for, prune};
pub use embedded::Embedded;
pub use envelope::Damaged;
pub use folder::StoreError;
pub use identity::Analysis;
pub(crate) use identity::content_key;
pub use load::Loaded;
pub use publish::Published;
pub use refresh::{MOST_BYTES, Refresh, RefreshError, RefreshStats, Refreshed};
pub use snapshot::Snapshot;

use folder::Folder;
use std::path::Path;

/// How much room an index takes at most unless told otherwise.
pub const DEFAULT_MOST_BYTES: u64 = 2 << 30;

/// The index of one repository, analysed in one way, as it is kept in a folder.
#[derive(Debug)]
pub struct Store {
    folder: Folder,
    fingerprint: String,
    most_bytes: u64,
    keeps_all: bool,
}

impl Store {
    /// The index in `folder`, which need not exist, if it is or will be analysed as `fingerprint`
    /// says. A folder that is not private to the user is refused.
    pub fn open(folder: &Path, fingerprint: &str) -> Result<Self, StoreError> {
        Ok(Self {
            folder: Folder::at(folder)?,
            fingerprint: fingerprint.to_owned(),
            most_bytes: DEFAULT_MOST_BYTES,
            keeps_all: false,
        })
    }

    /// Keeps contents that no file has any more, for trees of many commits.
    pub fn keeping_all(mut self) -> Self {
        self.keeps_all = true;
        self
    }

    /// Takes so much room at most.
    pub fn with_most_bytes(mut self, most_bytes: u64) -> Self {
        self.most_bytes = most_bytes;
        self
    }

    /// Runs what writes beside the index, in a folder that is there and private, while no other
    /// process does; `None` where another does. Nothing can be published meanwhile.
    pub fn locked<T>(&self, run: impl FnOnce(&Path) -> T) -> Result<Option<T>, StoreError> {
        let lock = self.folder.lock()?;
        Ok(lock.map(|_held| run(self.folder.path())))
    }
}
