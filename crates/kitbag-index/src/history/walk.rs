//! Walks over what is known, from a commit to its ancestors.

use super::records::Records;
use kitbag_repo::ObjectId;
use std::collections::BinaryHeap;

/// The newest ancestors of a commit.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// The places of their records, in the order of the walk: always the newest of those whose
    /// children have been seen.
    pub found: Vec<u32>,
    /// Those of their parents that are not known.
    pub gaps: Vec<ObjectId>,
    /// Those of them at which a shallow clone ended.
    pub cut: Vec<ObjectId>,
}

impl Records {
    /// Finds the newest `most` ancestors of `head`, itself included.
    pub fn walk(&self, head: &ObjectId, most: usize) -> Walk {
        let mut walk = Walk::default();
        let mut seen = vec![false; self.len()];
        let mut next = BinaryHeap::new();
        let mut visit = |id: &ObjectId, next: &mut BinaryHeap<(i64, ObjectId, u32)>| {
            let Some(place) = self.place(id) else { return false };
            if !std::mem::replace(&mut seen[place as usize], true) {
                next.push((self.entry(place).time, *id, place));
            }
            true
        };
        visit(head, &mut next);
        while walk.found.len() < most
            && let Some((_, id, place)) = next.pop()
        {
            walk.found.push(place);
            if self.is_cut(place) {
                walk.cut.push(id);
            }
            for parent in self.parents(place) {
                if !visit(parent, &mut next) {
                    walk.gaps.push(*parent);
                }
            }
        }
        walk.gaps.sort_unstable();
        walk.gaps.dedup();
        walk
    }

    /// The commits that are nobody's parent, in the order of their records.
    pub fn tips(&self) -> Vec<ObjectId> {
        let mut is_tip = vec![true; self.len()];
        for place in 0..self.len() as u32 {
            // A record that a later one replaced speaks for nobody.
            is_tip[place as usize] &= self.place(&self.entry(place).id) == Some(place);
            for parent in self.parents(place).iter().filter_map(|parent| self.place(parent)) {
                is_tip[parent as usize] = false;
            }
        }
        let tips = (0..self.len() as u32).filter(|&place| is_tip[place as usize]);
        tips.map(|place| self.entry(place).id).collect()
    }
}
