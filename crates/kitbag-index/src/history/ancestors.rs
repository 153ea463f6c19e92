//! The history that ranking reads: the ancestors of one commit and the files that they touched.

use super::table::{CommitRecord, CommitTable};
use kitbag_repo::ObjectId;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::sync::Arc;

/// The newest ancestors of one commit, and the files that they touched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitHistory {
    commits: Vec<HistoryCommit>,
    paths: Vec<Arc<str>>,
    ids: FxHashMap<Arc<str>, u32>,
    /// Indexes of the commits that touch each path, newest first.
    touching: Vec<Vec<u32>>,
    /// The number of commits that git did not read because of its limits.
    unread: usize,
}

/// A commit, as a text about files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryCommit {
    /// Id of the commit.
    pub id: ObjectId,
    /// Commit time in seconds since 1970.
    pub time: i64,
    /// Ids of the distinct words of the message in the order of their first occurrence, without
    /// common words, trailers and commit ids. Empty if no file was touched.
    pub words: Vec<u32>,
    /// Ids of the touched paths.
    pub paths: Vec<u32>,
}

impl CommitHistory {
    /// Builds the history of the records at `places`. It depends on these commits alone, not on
    /// other records or on their order.
    pub(super) fn of(table: &CommitTable, places: &[usize]) -> Self {
        let mut records: Vec<&CommitRecord> =
            places.iter().map(|&place| &table.records[place]).collect();
        records.sort_unstable_by_key(|record| Reverse((record.time, record.id)));
        let unread = records.iter().filter(|record| record.is_unread).count();
        let mut history = Self { unread, ..Self::default() };
        for (record, commit) in records.into_iter().zip(0..) {
            let paths = record.paths.iter().map(|path| history.add_path(path, commit)).collect();
            let CommitRecord { id, time, ref words, .. } = *record;
            history.commits.push(HistoryCommit { id, time, words: words.clone(), paths });
        }
        history
    }

    /// Returns the id of a path that a commit touches, which is added if it is new.
    fn add_path(&mut self, path: &Arc<str>, commit: u32) -> u32 {
        let id = *self.ids.entry(Arc::clone(path)).or_insert(self.paths.len() as u32);
        if id as usize == self.paths.len() {
            self.paths.push(Arc::clone(path));
            self.touching.push(Vec::new());
        }
        self.touching[id as usize].push(commit);
        id
    }

    /// Returns each touched path with the time of its last commit.
    pub fn last_changes(&self) -> impl Iterator<Item = (&str, i64)> {
        self.paths.iter().zip(0..).filter_map(|(path, id)| {
            let newest = *self.touching(id).first()? as usize;
            Some((path.as_ref(), self.commits[newest].time))
        })
    }

    /// Returns the commits, newest first.
    pub fn commits(&self) -> &[HistoryCommit] {
        &self.commits
    }

    /// Returns the number of commits whose paths are unknown because git exceeded a limit.
    pub fn unread(&self) -> usize {
        self.unread
    }

    /// Returns the number of paths; path ids are the numbers below it.
    pub fn path_count(&self) -> usize {
        self.paths.len()
    }

    /// Returns the id of a path that a commit touches.
    pub fn path_id(&self, path: &str) -> Option<u32> {
        self.ids.get(path).copied()
    }

    /// Returns the path with an id of this history.
    pub fn path(&self, id: u32) -> &str {
        &self.paths[id as usize]
    }

    /// Returns the indexes of the commits that touch a path, newest first.
    pub fn touching(&self, path: u32) -> &[u32] {
        &self.touching[path as usize]
    }
}
