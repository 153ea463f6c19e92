//! What retrieval reads: the ancestors of one commit, and the files that they touched.

use super::records::Records;
use kitbag_repo::ObjectId;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::sync::Arc;

/// The newest ancestors of one commit, and the files that they touched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    commits: Vec<PastCommit>,
    paths: Vec<Arc<str>>,
    ids: FxHashMap<Arc<str>, u32>,
    /// The commits that touch each path, one path after the other, and where each path's end.
    touching: Vec<u32>,
    ends: Vec<u32>,
}

/// A commit, as a text about files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastCommit {
    /// Its name.
    pub id: ObjectId,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// The ids of its message's words, each once, in the order in which they first occur, without
    /// common words, trailers and the names of commits. None where there are no paths.
    pub words: Vec<u32>,
    /// How many of the words, which come first, are in the message's first line.
    pub title_words: usize,
    /// The ids of the files that it touches.
    pub paths: Vec<u32>,
}

impl Past {
    /// What the records at `places` say. The same commits give the same past, whatever else is
    /// known and in which order it came.
    pub(super) fn of(records: &Records, places: &[u32]) -> Self {
        let mut places = places.to_vec();
        places.sort_unstable_by_key(|&place| {
            let entry = records.entry(place);
            Reverse((entry.time, entry.id))
        });
        let mut past = Self::default();
        let mut ids = vec![u32::MAX; records.path_names.list.len()];
        for place in places {
            let mut paths = Vec::with_capacity(records.paths(place).len());
            for &name in records.paths(place) {
                let id = &mut ids[name as usize];
                if *id == u32::MAX {
                    *id = past.paths.len() as u32;
                    past.paths.push(Arc::clone(&records.path_names.list[name as usize]));
                }
                paths.push(*id);
            }
            let entry = records.entry(place);
            past.commits.push(PastCommit {
                id: entry.id,
                time: entry.time,
                words: records.words(place).to_vec(),
                title_words: entry.title_words as usize,
                paths,
            });
        }
        past.index();
        past
    }

    /// The files that commits touch, and when each was last.
    pub fn changes(&self) -> impl Iterator<Item = (&str, i64)> {
        let last = |id: usize| self.touching(id as u32).first();
        let paths = self.paths.iter().enumerate();
        paths.filter_map(move |(id, path)| {
            Some((path.as_ref(), self.commits[*last(id)? as usize].time))
        })
    }

    /// The commits, newest first.
    pub fn commits(&self) -> &[PastCommit] {
        &self.commits
    }

    /// How many paths there are; their ids are the numbers below.
    pub fn path_count(&self) -> usize {
        self.paths.len()
    }

    /// The id of a path, if a commit touches it.
    pub fn path_id(&self, path: &str) -> Option<u32> {
        self.ids.get(path).copied()
    }

    /// The path with this id, which must come from this past.
    pub fn path(&self, id: u32) -> &str {
        &self.paths[id as usize]
    }

    /// The commits that touch a path, by their place among all commits, newest first.
    pub fn touching(&self, path: u32) -> &[u32] {
        let start = path.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.touching[start as usize..self.ends[path as usize] as usize]
    }

    /// When a path was last touched, in seconds since 1970.
    pub fn last_change(&self, path: &str) -> Option<i64> {
        let commit = self.touching(self.path_id(path)?).first()?;
        Some(self.commits[*commit as usize].time)
    }

    /// Fills the ways from paths to ids and to commits.
    fn index(&mut self) {
        self.ids = self.paths.iter().cloned().zip(0..).collect();
        let mut counts = vec![0u32; self.paths.len()];
        for &path in self.commits.iter().flat_map(|commit| &commit.paths) {
            counts[path as usize] += 1;
        }
        let mut end = 0;
        let starts: Vec<u32> = counts.iter().map(|count| (end, end += count).0).collect();
        self.touching = vec![0; end as usize];
        self.ends = starts;
        for (at, commit) in self.commits.iter().enumerate() {
            for &path in &commit.paths {
                let place = &mut self.ends[path as usize];
                self.touching[*place as usize] = at as u32;
                *place += 1;
            }
        }
    }
}
