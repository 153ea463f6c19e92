//! Walks over known commits, from a commit to its ancestors.

use super::table::CommitTable;
use kitbag_repo::ObjectId;
use std::collections::BinaryHeap;

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
    /// Finds the newest `max` ancestors of `head`, including itself.
    pub fn walk(&self, head: &ObjectId, max: usize) -> AncestorWalk {
        let mut walk = AncestorWalk::default();
        let mut seen = vec![false; self.len()];
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

    /// Returns the commits without known children, in the order of their records.
    pub fn tips(&self) -> Vec<ObjectId> {
        let mut is_tip = vec![true; self.len()];
        for (place, record) in self.records.iter().enumerate() {
            // A record that was replaced by a later one does not count.
            is_tip[place] &= self.place(&record.id) == Some(place);
            for parent in record.parents.iter().filter_map(|parent| self.place(parent)) {
                is_tip[parent] = false;
            }
        }
        let tips = self.records.iter().zip(is_tip).filter(|(_, is_tip)| *is_tip);
        tips.map(|(record, _)| record.id).collect()
    }
}
