//! The records of all contents: a list of segments, each on disk or not yet.

use crate::content_key::ContentKey;
use crate::envelope::FileDigest;
use crate::record::ContentRecord;
use crate::segment::{Doc, Segment, merge};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of segments in memory above which the smallest are merged, since each costs every word
/// lookup.
const MAX_SEGMENTS: usize = 24;

/// Number of segments on disk above which the smallest are merged.
pub(crate) const MAX_SEGMENTS_ON_DISK: usize = 8;

/// Maximum size of a merged segment: offsets in a segment are 32-bit numbers.
const MAX_SEGMENT_BYTES: usize = 1 << 30;

/// Location of a content in an index. Addresses are small, and valid until contents are added or
/// dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocAddress {
    /// Index of the segment.
    pub segment: u32,
    /// Index of the content in the segment.
    pub doc: u32,
}

/// The records of contents. Clones are cheap and share their segments.
#[derive(Debug, Clone, Default)]
pub struct ContentIndex {
    pub(crate) segments: Vec<SegmentHandle>,
}

/// A segment, and its file if it has one.
#[derive(Debug, Clone)]
pub(crate) struct SegmentHandle {
    pub segment: Arc<Segment>,
    pub file: Option<FileDigest>,
}

impl ContentIndex {
    /// Returns the segments, in the order in which a [`DocAddress`] counts them.
    pub fn segments(&self) -> impl Iterator<Item = &Segment> + Clone {
        self.segments.iter().map(|handle| &*handle.segment)
    }

    /// Adds records, `None` for contents that are not text. Keys that are already present are
    /// skipped, since the same key means the same record.
    pub fn add(&mut self, mut records: BTreeMap<ContentKey, Option<ContentRecord>>) {
        records.retain(|key, _| self.find(key).is_none());
        if !records.is_empty() {
            self.push(Arc::new(Segment::build(records)));
        }
        if self.segments.len() > MAX_SEGMENTS {
            self.compact(|_| true);
        }
    }

    pub(crate) fn push(&mut self, segment: Arc<Segment>) {
        self.segments.push(SegmentHandle { segment, file: None });
    }

    /// Looks up a content.
    pub fn find(&self, key: &ContentKey) -> Option<DocAddress> {
        self.segments()
            .zip(0..)
            .find_map(|(it, segment)| it.find(key).map(|doc| DocAddress { segment, doc }))
    }

    /// Returns the metadata of a content.
    pub fn doc(&self, address: DocAddress) -> &Doc {
        self.segment(address).doc(address.doc)
    }

    pub(crate) fn segment(&self, address: DocAddress) -> &Segment {
        &self.segments[address.segment as usize].segment
    }

    /// Merges the smallest segments and drops contents that are not live. A content is copied only
    /// into segments about twice as large, so each content is copied a few times at most.
    pub(crate) fn compact(&mut self, is_live: impl Fn(&ContentKey) -> bool) {
        let sizes: Vec<usize> = self.segments().map(Segment::size).collect();
        let mut by_size: Vec<usize> = (0..sizes.len()).collect();
        by_size.sort_by_key(|&at| sizes[at]);
        let mut chosen: Vec<usize> = Vec::new();
        let mut total = 0;
        for at in by_size {
            let are_few_left = sizes.len() - chosen.len() < MAX_SEGMENTS_ON_DISK / 2;
            if total + sizes[at] > MAX_SEGMENT_BYTES || (are_few_left && sizes[at] > 2 * total) {
                break;
            }
            total += sizes[at];
            chosen.push(at);
        }
        if chosen.len() > 1 {
            self.merge_segments(&chosen, is_live);
        }
    }

    /// Rewrites segments with more dead bytes than live ones.
    pub(crate) fn drop_dead(&mut self, is_live: impl Fn(&ContentKey) -> bool) {
        for at in (0..self.segments.len()).rev() {
            if is_mostly_dead(&self.segments[at].segment, &is_live) {
                self.merge_segments(&[at], &is_live);
            }
        }
    }

    /// Replaces segments by one segment of their live contents.
    fn merge_segments(&mut self, chosen: &[usize], is_live: impl Fn(&ContentKey) -> bool) {
        let segments: Vec<&Segment> =
            chosen.iter().map(|&at| &*self.segments[at].segment).collect();
        let merged = merge(&segments, is_live);
        let mut at = 0..;
        self.segments.retain(|_| at.next().is_some_and(|at| !chosen.contains(&at)));
        if !merged.keys().is_empty() {
            self.push(Arc::new(merged));
        }
    }
}

fn is_mostly_dead(segment: &Segment, is_live: impl Fn(&ContentKey) -> bool) -> bool {
    let (mut all, mut dead) = (0, 0);
    for (key, doc) in segment.keys().iter().zip(0..) {
        // The postings of a content take about as much as its stored chunks.
        let size = segment.stored_bytes(doc).len() + 1;
        all += size;
        dead += if is_live(key) { 0 } else { size };
    }
    2 * dead > all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;
    use crate::terms::word_id;
    use kitbag_text::ChunkLimits;
    use kitbag_tokens::CachedCounter;

    #[test]
    fn contents_are_added_once_and_dropped_when_dead() {
        let counting = CachedCounter::named("o200k_base").expect("built in");
        let record = |text| Some(record("a.py", text, ChunkLimits::default(), &counting));
        let key = |number: u8| ContentKey([number; 32]);
        let mut index = ContentIndex::default();
        index.add([(key(1), record("alpha = beta\n")), (key(2), None)].into());
        index.add([(key(3), record("alpha = gamma\n")), (key(1), record("ignored\n"))].into());
        let find = |index: &ContentIndex, number: u8| index.find(&key(number));
        assert_eq!(find(&index, 1), Some(DocAddress { segment: 0, doc: 0 }));
        assert_eq!(find(&index, 3), Some(DocAddress { segment: 1, doc: 0 }));
        assert_eq!(find(&index, 4), None);
        assert!(find(&index, 2).is_some_and(|address| !index.doc(address).is_text));
        let postings = |word| index.segments().map(|it| it.postings(word_id(word)).count()).sum();
        assert_eq!((postings("alpha"), postings("ignored")), (2usize, 0usize));
        index.drop_dead(|it| *it == key(3));
        assert_eq!((find(&index, 1), find(&index, 2)), (None, None));
        assert_eq!(find(&index, 3), Some(DocAddress { segment: 0, doc: 0 }));
        index.drop_dead(|_| false);
        assert!(index.segments.is_empty());
    }
}
