//! Commit records in memory, in the order of the file.

use super::message::message_words;
use kitbag_repo::{Commit, ObjectId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Everything that is stored about a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommitRecord {
    pub id: ObjectId,
    pub parents: Vec<ObjectId>,
    pub time: i64,
    /// Whether a shallow clone ended here.
    pub is_shallow: bool,
    /// Ids of the words of the message, those of its first line first.
    pub words: Vec<u32>,
    /// Number of words in the first line.
    pub title_words: usize,
    pub paths: Vec<Arc<str>>,
}

impl From<Commit> for CommitRecord {
    fn from(commit: Commit) -> Self {
        // The words only serve to find files.
        let (words, title_words) = if commit.paths.is_empty() {
            Default::default()
        } else {
            message_words(&commit.message)
        };
        Self {
            id: commit.id,
            parents: commit.parents,
            time: commit.time,
            is_shallow: commit.is_shallow,
            words,
            title_words,
            paths: commit.paths.into_iter().map(Arc::from).collect(),
        }
    }
}

/// All records in the order of the file. Of several records of a commit the last one counts.
#[derive(Debug, Default)]
pub(super) struct CommitTable {
    pub records: Vec<CommitRecord>,
    places: FxHashMap<ObjectId, usize>,
}

impl CommitTable {
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns the index of the record of a commit.
    pub fn place(&self, id: &ObjectId) -> Option<usize> {
        self.places.get(id).copied()
    }

    pub fn push(&mut self, record: CommitRecord) {
        self.places.insert(record.id, self.records.len());
        self.records.push(record);
    }
}
