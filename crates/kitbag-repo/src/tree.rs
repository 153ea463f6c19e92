//! What a tree is: a list of files that can be read. The work tree is one, a commit another.

use crate::{ObjectId, PathError};
use serde::{Deserialize, Serialize};

/// A list of files with their contents.
pub trait Tree: Send + Sync {
    /// The files, sorted by the bytes of their paths.
    fn files(&self) -> &[FileEntry];

    /// Reads a file of this tree, unless it is larger than `limit` bytes.
    fn read(&self, entry: &FileEntry, limit: u64) -> Result<Vec<u8>, PathError>;

    /// What was seen and left out for a reason worth telling, sorted by path. Ignored, hidden and
    /// unwanted files are not worth it.
    fn skipped(&self) -> &[Skipped];
}

/// A file of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileEntry {
    /// Relative to the root, with `/`.
    pub path: String,
    /// How many bytes it has.
    pub size: u64,
    /// What tells this content from another.
    pub id: FileId,
}

impl FileEntry {
    /// When it was last modified, in seconds since 1970, where the tree is on disk.
    pub fn modified(&self) -> Option<i64> {
        match self.id {
            FileId::Stat { modified, .. } => Some(modified.div_euclid(1_000_000_000)),
            FileId::Blob(_) => None,
        }
    }
}

/// What tells one content of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileId {
    /// The name of the content itself.
    Blob(ObjectId),
    /// The signs by which a change of a file on disk is noticed.
    Stat {
        /// When it was last modified, in nanoseconds since 1970. Programs set that as they like.
        modified: i64,
        /// When it last changed in any way, likewise. Only the system sets that; where it does not
        /// tell, this is the time of modification.
        changed: i64,
        /// How many bytes it had.
        size: u64,
    },
}

/// A file that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Its path; what is not UTF-8 in it is replaced.
    pub path: String,
    /// The reason, as [`PathError::code`] names it.
    pub code: &'static str,
    /// The reason in words.
    pub detail: String,
}

impl From<PathError> for Skipped {
    fn from(error: PathError) -> Self {
        Self { path: error.path().to_owned(), code: error.code(), detail: error.to_string() }
    }
}

/// Whether one of the path's components begins with a dot.
pub(crate) fn is_hidden(path: &str) -> bool {
    path.split('/').any(|name| name.starts_with('.'))
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

    #[test]
    fn a_dot_anywhere_hides() {
        assert!(is_hidden(".github/x.yml") && is_hidden("a/.b") && is_hidden("a/.b/c"));
        assert!(!is_hidden("a.b/c.d"));
    }
}
