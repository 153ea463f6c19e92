//! Commit records in memory, and walks from a commit to its ancestors.

use super::message::message_words;
use kitbag_repo::{Commit, ObjectId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Everything that is stored about a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CommitRecord {
    pub id: ObjectId,
    pub parents: Vec<ObjectId>,
    pub time: i64,
    /// Whether a shallow clone ended here.
    pub is_shallow: bool,
    /// Whether git exceeded a limit, so that the paths are unknown.
    pub is_unread: bool,
    /// Ids of the words of the message, if it touches any files.
    pub words: Vec<u32>,
    pub paths: Vec<Arc<str>>,
}

impl From<Commit> for CommitRecord {
    fn from(commit: Commit) -> Self {
        let words = (!commit.paths.is_empty()).then(|| message_words(&commit.message));
        Self {
            id: commit.id,
            parents: commit.parents,
            time: commit.time,
            is_shallow: commit.is_shallow,
            is_unread: commit.is_unread,
            words: words.unwrap_or_default(),
            paths: commit.paths.into_iter().map(Arc::from).collect(),
        }
    }
}

/// One record per commit, in the order in which the commits were first added.
#[derive(Debug, Default)]
pub(super) struct CommitTable {
    pub records: Vec<CommitRecord>,
    places: FxHashMap<ObjectId, usize>,
}

/// The newest ancestors of a commit.
#[derive(Debug, Default)]
pub(super) struct AncestorWalk {
    /// Indexes of their records in the order of the walk: always the newest commit with a visited
    /// child.
    pub found: Vec<usize>,
    /// Parents that are not known.
    pub missing: Vec<ObjectId>,
    /// Ancestors at which a shallow clone ended.
    pub shallow: Vec<ObjectId>,
}

impl CommitTable {
    /// Returns the index of the record of a commit.
    pub fn place(&self, id: &ObjectId) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// Adds a record, or replaces the record of the same commit.
    pub fn insert(&mut self, record: CommitRecord) {
        let place = *self.places.entry(record.id).or_insert(self.records.len());
        match self.records.get_mut(place) {
            Some(known) => *known = record,
            None => self.records.push(record),
        }
    }

    /// Finds the newest `max` ancestors of `head`, including itself.
    pub fn walk(&self, head: &ObjectId, max: usize) -> AncestorWalk {
        let mut walk = AncestorWalk::default();
        let mut seen = vec![false; self.records.len()];
        let mut queue = BinaryHeap::new();
        let mut visit = |id: &ObjectId, queue: &mut BinaryHeap<(i64, ObjectId, usize)>| {
            let Some(place) = self.place(id) else { return false };
            if !std::mem::replace(&mut seen[place], true) {
                queue.push((self.records[place].time, *id, place));
            }
            true
        };
        visit(head, &mut queue);
        while walk.found.len() < max
            && let Some((_, id, place)) = queue.pop()
        {
            walk.found.push(place);
            if self.records[place].is_shallow {
                walk.shallow.push(id);
            }
            for parent in &self.records[place].parents {
                if !visit(parent, &mut queue) {
                    walk.missing.push(*parent);
                }
            }
        }
        walk.missing.sort_unstable();
        walk.missing.dedup();
        walk
    }

    /// Returns the `max` most recently added commits without known children.
    pub fn tips(&self, max: usize) -> Vec<ObjectId> {
        let mut is_tip = vec![true; self.records.len()];
        for parent in self.records.iter().flat_map(|record| &record.parents) {
            if let Some(place) = self.place(parent) {
                is_tip[place] = false;
            }
        }
        let tips = self.records.iter().zip(is_tip).rev().filter(|(_, is_tip)| *is_tip);
        tips.take(max).map(|(record, _)| record.id).collect()
    }
}
