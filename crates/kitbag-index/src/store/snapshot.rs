//! Snapshots: the state of an index at one moment, in memory.

use super::table::{FileRow, TableChange, TableRow, changes_to, join, rows_with};
use crate::content_index::ContentIndex;
use crate::content_key::ContentKey;
use crate::envelope::FileDigest;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The state of an index at one moment. Clones are cheap and share their data.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub(super) index: ContentIndex,
    pub(super) table: Arc<Vec<TableRow>>,
    /// File of the table; `None` if it has to be written.
    pub(super) table_file: Option<FileDigest>,
    /// Changes since the table was written, sorted by path.
    pub(super) changes: Vec<TableChange>,
    /// Manifest that the snapshot was loaded from or written to.
    pub(super) origin: Option<FileDigest>,
    /// Contents of the tree that it was last brought up to date with.
    pub(super) recent: Arc<FxHashSet<ContentKey>>,
    /// Whether it differs from the index on disk.
    pub(super) is_modified: bool,
}

impl Snapshot {
    /// Returns the index of contents.
    pub fn index(&self) -> &ContentIndex {
        &self.index
    }

    /// Returns the number of files in the table, including those that are not text.
    pub fn files(&self) -> usize {
        self.rows().count()
    }

    /// Adds the files and contents of another snapshot of the same repository. Where both have a
    /// file, this snapshot's row wins; if it is outdated, the next refresh notices.
    pub fn merge(&mut self, other: &Snapshot) {
        self.add_contents(other);
        let both = join(self.rows(), other.rows());
        let rows = both.filter_map(|(path, own, other)| Some((path, own.or(other)?)));
        let changes = changes_to(&self.table, rows);
        self.is_modified |= changes != self.changes;
        self.changes = changes;
    }

    /// Adds the contents of another snapshot with the same analysis settings.
    pub fn add_contents(&mut self, other: &Snapshot) {
        for handle in &other.index.segments {
            if handle.segment.keys().iter().any(|key| self.index.find(key).is_none()) {
                self.index.push(Arc::clone(&handle.segment));
                self.is_modified = true;
            }
        }
    }

    /// Forgets the files on disk after another process has removed them.
    pub(super) fn forget_files(&mut self) {
        self.index.segments.iter_mut().for_each(|handle| handle.file = None);
        self.table_file = None;
        self.origin = None;
    }

    /// Returns the rows of all files, sorted by path.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&str, FileRow)> + Clone {
        rows_with(&self.table, &self.changes)
    }
}
