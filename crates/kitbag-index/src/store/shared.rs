//! Contents that a snapshot takes from other machines, and gives to them.

use super::refresh::compare;
use super::refresh_input::{FileState, MAX_FILE_BYTES, Refresh};
use super::snapshot::Snapshot;
use crate::content_key::ContentKey;
use crate::segment::{Segment, merge};
use kitbag_repo::{FileId, Tree};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Size of the stored docs of a segment from which another one is begun, in bytes. Smaller segments would
/// take more requests, larger ones more time until the first one can be used.
const SHARED_SEGMENT_BYTES: usize = 8 << 20;

impl Refresh<'_> {
    /// Returns the keys of contents that the tree has and the index lacks, unless there are fewer than
    /// `min` files with such contents. Files are read to compute their keys. Later files are missing
    /// after cancellation.
    pub fn missing(&self, tree: &dyn Tree, previous: &Snapshot, min: usize) -> Vec<ContentKey> {
        let states = compare(tree, previous);
        let unknown = tree.files().iter().zip(states);
        let unknown: Vec<_> =
            unknown.filter(|(_, state)| *state == FileState::Unknown).map(|(it, _)| it).collect();
        if unknown.len() < min {
            return Vec::new();
        }
        let key = |entry: &&kitbag_repo::FileEntry| match entry.id {
            FileId::Blob(_) => ContentKey::of_blob(entry),
            FileId::Stat { .. } if self.cancel.is_cancelled() => None,
            FileId::Stat { .. } => {
                let content = tree.read(entry, MAX_FILE_BYTES).ok()?;
                Some(ContentKey::of_content(&entry.path, &content))
            }
        };
        let mut keys: Vec<ContentKey> = unknown.par_iter().filter_map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.retain(|key| previous.index.find(key).is_none());
        keys
    }
}

impl Snapshot {
    /// Adds those of the wanted contents that foreign segments have. Contents that cannot be decoded, and
    /// those that depend on the machine that analyzed them, are left out. Returns how many were added.
    pub fn add_segments(&mut self, segments: &[Segment], wanted: &[ContentKey]) -> usize {
        let mut usable: FxHashSet<ContentKey> = FxHashSet::default();
        for segment in segments {
            for (key, doc) in segment.keys().iter().zip(0..) {
                let is_wanted = wanted.binary_search(key).is_ok() && self.index.find(key).is_none();
                if is_wanted && is_shareable(segment, doc) && is_readable(segment, doc) {
                    usable.insert(*key);
                }
            }
        }
        if !usable.is_empty() {
            let segments: Vec<&Segment> = segments.iter().collect();
            self.index.push(Arc::new(merge(&segments, |key| usable.contains(key))));
            self.is_modified = true;
        }
        usable.len()
    }

    /// Returns the keys of the contents of the last tree that other machines can use, sorted.
    pub fn shareable(&self) -> Vec<ContentKey> {
        let is_shareable = |key: &&ContentKey| {
            let address = self.index.find(key);
            address.is_some_and(|at| is_shareable(self.index.segment(at), at.doc))
        };
        let mut keys: Vec<ContentKey> = self.recent.iter().filter(is_shareable).copied().collect();
        keys.sort_unstable();
        keys
    }

    /// Returns segments of the contents with these keys, which are sorted.
    pub fn extract(&self, keys: &[ContentKey]) -> Vec<Segment> {
        let segments: Vec<&Segment> = self.index.segments().collect();
        let mut extracted = Vec::new();
        let (mut start, mut bytes) = (0, 0);
        for (key, at) in keys.iter().zip(1..) {
            let address = self.index.find(key);
            bytes += address.map_or(0, |it| self.index.segment(it).stored_bytes(it.doc).len());
            if bytes >= SHARED_SEGMENT_BYTES || at == keys.len() {
                let part = &keys[start..at];
                extracted.push(merge(&segments, |key| part.binary_search(key).is_ok()));
                (start, bytes) = (at, 0);
            }
        }
        extracted
    }
}

fn is_shareable(segment: &Segment, doc: u32) -> bool {
    segment.doc(doc).parser_failure.is_none_or(|failure| !failure.depends_on_machine())
}

fn is_readable(segment: &Segment, doc: u32) -> bool {
    !segment.doc(doc).is_text || segment.stored_doc(doc).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content_index::ContentIndex;
    use crate::segment::tests::{key, segment};

    fn snapshot(texts: &[usize]) -> Snapshot {
        let mut snapshot = Snapshot::default();
        snapshot.index.push(Arc::new(segment(texts)));
        snapshot.recent = Arc::new(texts.iter().map(|&text| key(text)).collect());
        snapshot
    }

    fn sorted(texts: &[usize]) -> Vec<ContentKey> {
        let mut keys: Vec<ContentKey> = texts.iter().map(|&text| key(text)).collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn contents_that_travel_are_those_that_were_analyzed() {
        let all = snapshot(&[0, 1, 2, 3, 4]);
        assert_eq!(all.shareable(), sorted(&[0, 1, 2, 3, 4]));
        let sent: Vec<Segment> = all
            .extract(&sorted(&[0, 2, 3]))
            .iter()
            .map(|segment| Segment::from_bytes(segment.to_bytes()).expect("whole"))
            .collect();
        let mut other = snapshot(&[1, 2]);
        assert_eq!(other.add_segments(&sent, &sorted(&[0, 1, 2, 3])), 2);
        assert_eq!(other.add_segments(&sent, &sorted(&[0, 1, 2, 3])), 0);
        assert!(other.is_modified);
        let whole = |index: &ContentIndex| {
            let segments: Vec<&Segment> = index.segments().collect();
            merge(&segments, |it| *it != key(4)).to_bytes()
        };
        assert_eq!(whole(&other.index), whole(&all.index));
    }

    #[test]
    fn nothing_but_what_is_wanted_is_added() {
        let sent = snapshot(&[0, 1, 2]).extract(&sorted(&[0, 1, 2]));
        let mut other = Snapshot::default();
        assert_eq!(other.add_segments(&sent, &sorted(&[1])), 1);
        assert!(other.index.find(&key(0)).is_none() && other.index.find(&key(1)).is_some());
    }
}
