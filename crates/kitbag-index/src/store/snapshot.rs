//! A snapshot: an index as it was at one moment, in memory.

use super::embedded::{Embedded, Part};
use super::manifest::FileName;
use super::table::{Change, Row, Table, join};
use std::sync::Arc;

/// An index as it was at one moment. Copies are cheap and share their contents.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The contents.
    pub(super) index: Embedded,
    /// What the files of the work tree looked like.
    pub(super) table: Arc<Table>,
    /// The table's file, where it has one.
    pub(super) table_name: Option<FileName>,
    /// What differs from the table, in the order of paths.
    pub(super) changes: Vec<Change>,
    /// The manifest that it was loaded from or became; `None` where there was none.
    pub(super) origin: Option<FileName>,
    /// Whether it differs from what is on disk.
    pub(super) is_new: bool,
}

impl Snapshot {
    /// The contents.
    pub fn index(&self) -> &Embedded {
        &self.index
    }

    /// How many files its table has, those that are not text among them.
    pub fn files(&self) -> usize {
        self.rows().count()
    }

    /// Takes in what another knows of the same files and their contents. Where both know a file, this
    /// one is believed; should it be wrong, the next look at the file tells.
    pub fn take_in(&mut self, other: &Snapshot) {
        for part in &other.index.parts {
            let is_same = |own: &Part| Arc::ptr_eq(&own.segment, &part.segment);
            let mut keys = part.segment.all_keys();
            if !self.index.parts.iter().any(is_same) && keys.any(|key| !self.index.knows(key)) {
                self.index.parts.push(Part::new(Arc::clone(&part.segment)));
                self.is_new = true;
            }
        }
        let both = join(self.rows(), other.rows());
        let rows = both.filter_map(|(path, own, others)| Some((path, own.or(others)?)));
        let changes = self.table.changes_to(rows);
        self.is_new |= changes != self.changes;
        self.changes = changes;
    }

    /// Forgets which files hold it: somebody has removed them.
    pub(super) fn forget_files(&mut self) {
        self.index.parts.iter_mut().for_each(|part| part.name = None);
        self.table_name = None;
        self.origin = None;
    }

    /// The files in the order of their paths.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&[u8], Row)> + Clone {
        self.table.rows_after(&self.changes)
    }
}
