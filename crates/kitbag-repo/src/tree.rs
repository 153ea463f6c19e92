//! A list of files that can be read: the work tree, or a commit.

use crate::{ObjectId, PathError, SkipCode};
use serde::Serialize;
use std::fs::Metadata;
use std::time::SystemTime;

/// A list of files with their contents.
pub trait Tree: Send + Sync {
    /// Returns the files, sorted by the bytes of their paths.
    fn files(&self) -> &[FileEntry];

    /// Reads a file of this tree, unless it is larger than `limit` bytes.
    fn read(&self, entry: &FileEntry, limit: u64) -> Result<Vec<u8>, PathError>;

    /// Returns the files that were left out for a reason worth reporting, sorted by path. Ignored,
    /// hidden and excluded files are not among them.
    fn skipped(&self) -> &[Skipped];
}

/// A file of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileEntry {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Identifies the content.
    pub id: FileId,
}

impl FileEntry {
    /// Returns the modification time in seconds since 1970 if the tree is on disk.
    pub fn modified(&self) -> Option<i64> {
        match self.id {
            FileId::Stat { modified, .. } => Some(modified.div_euclid(1_000_000_000)),
            FileId::Blob(_) => None,
        }
    }

    pub(crate) fn from_metadata(path: String, metadata: &Metadata) -> Self {
        let size = metadata.len();
        let modified = metadata.modified().map_or(0, nanoseconds);
        let changed = status_change(metadata).unwrap_or(modified);
        Self { path, size, id: FileId::Stat { modified, changed, size } }
    }
}

/// Identifies a content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileId {
    /// The id of the content in git.
    Blob(ObjectId),
    /// Metadata that differs after a file on disk has changed.
    Stat {
        /// Modification time in nanoseconds since 1970. Programs can set it to any value.
        modified: i64,
        /// Status change time in nanoseconds since 1970, which only the system sets; the modification
        /// time where the system has no such time.
        changed: i64,
        /// Size in bytes.
        size: u64,
    },
}

/// A file that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The path, with U+FFFD for bytes that are not UTF-8.
    pub path: String,
    /// The reason's code.
    pub code: SkipCode,
    /// The reason as a message.
    pub detail: String,
}

impl From<PathError> for Skipped {
    fn from(error: PathError) -> Self {
        Self { path: error.path().to_owned(), code: error.code(), detail: error.reason() }
    }
}

/// Sorts files and skipped files, so that the order of discovery does not show.
pub(crate) fn sort(files: &mut [FileEntry], skipped: &mut [Skipped]) {
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    skipped.sort_unstable_by(|a, b| (&a.path, a.code).cmp(&(&b.path, b.code)));
}

/// Returns the status change time in nanoseconds since 1970. Unpacking an archive or `touch` can give a
/// new content the modification time of the old one, but not this time.
#[cfg(unix)]
fn status_change(metadata: &Metadata) -> Option<i64> {
    use std::os::unix::fs::MetadataExt;
    metadata.ctime().checked_mul(1_000_000_000)?.checked_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn status_change(_metadata: &Metadata) -> Option<i64> {
    None
}

/// Returns nanoseconds since 1970, negative for earlier times.
fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |time| -time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_1970_round_down() {
        let entry = |modified| FileEntry {
            path: "a".to_owned(),
            size: 0,
            id: FileId::Stat { modified, changed: modified, size: 0 },
        };
        assert_eq!(entry(1_999_999_999).modified(), Some(1));
        assert_eq!(entry(-1).modified(), Some(-1));
    }
}
