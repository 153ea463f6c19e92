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
    /// Commits that touch each path, one path after the other.
    touching: Vec<u32>,
    /// End of each path's commits in `touching`.
    ends: Vec<u32>,
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
    /// Number of leading `words` that are in the first line of the message.
    pub title_words: usize,
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
        let mut history = Self::default();
        for record in records {
            let paths = record.paths.iter().map(|path| history.add_path(path)).collect();
            history.commits.push(HistoryCommit {
                id: record.id,
                time: record.time,
                words: record.words.clone(),
                title_words: record.title_words,
                paths,
            });
        }
        history.index_commits();
        history
    }

    /// Returns the id of a path, which is added if it is new.
    fn add_path(&mut self, path: &Arc<str>) -> u32 {
        *self.ids.entry(Arc::clone(path)).or_insert_with(|| {
            self.paths.push(Arc::clone(path));
            self.paths.len() as u32 - 1
        })
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
        let start = path.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.touching[start as usize..self.ends[path as usize] as usize]
    }

    /// Fills the lists of commits by path.
    fn index_commits(&mut self) {
        let mut counts = vec![0u32; self.paths.len()];
        for &path in self.commits.iter().flat_map(|commit| &commit.paths) {
            counts[path as usize] += 1;
        }
        // Each end begins as the start of its path, and advances with every commit added.
        let mut total = 0;
        self.ends = counts.iter().map(|count| (total, total += count).0).collect();
        self.touching = vec![0; total as usize];
        for (at, commit) in self.commits.iter().enumerate() {
            for &path in &commit.paths {
                let end = &mut self.ends[path as usize];
                self.touching[*end as usize] = at as u32;
                *end += 1;
            }
        }
    }
}
