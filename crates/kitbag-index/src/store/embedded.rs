//! The index in this process: a list of segments, each on disk or not yet.

use super::compact::compact;
use super::manifest::FileDigest;
use crate::backend::{
    BackendError, DocAddress, DocFilter, IndexBackend, IndexStatistics, IndexedContent,
    PostingBatch,
};
use crate::content_key::ContentKey;
use crate::record::ContentRecord;
use crate::segment::{Doc, Posting, Segment, SegmentBuilder, StoredDoc, merge};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Number of segments above which the smallest are merged, since each costs every word lookup.
const MAX_SEGMENTS: usize = 24;

/// Number of postings in a batch.
const BATCH: usize = 256;

/// Segments in memory. Clones are cheap and share them.
#[derive(Debug, Clone, Default)]
pub struct EmbeddedIndex {
    pub(super) segments: Vec<SegmentHandle>,
}

/// A segment, and its file if it has one.
#[derive(Debug, Clone)]
pub(super) struct SegmentHandle {
    pub segment: Arc<Segment>,
    pub file: Option<FileDigest>,
}

impl From<Arc<Segment>> for SegmentHandle {
    fn from(segment: Arc<Segment>) -> Self {
        Self { segment, file: None }
    }
}

impl EmbeddedIndex {
    /// Creates an index of segments that are in memory only.
    pub fn new(segments: impl IntoIterator<Item = Arc<Segment>>) -> Self {
        Self { segments: segments.into_iter().map(SegmentHandle::from).collect() }
    }

    /// Returns the segments.
    pub fn segments(&self) -> impl Iterator<Item = &Segment> + Clone {
        self.segments.iter().map(|handle| &*handle.segment)
    }

    fn segment_of(&self, address: DocAddress) -> Option<&Segment> {
        let segment = &*self.segments.get(address.segment as usize)?.segment;
        ((address.doc as usize) < segment.len()).then_some(segment)
    }

    pub(super) fn has_unsaved(&self) -> bool {
        self.segments.iter().any(|handle| handle.file.is_none())
    }

    pub(super) fn contains(&self, key: &ContentKey) -> bool {
        self.find_one(key).is_some()
    }

    fn find_one(&self, key: &ContentKey) -> Option<IndexedContent> {
        let text = self.segments().zip(0..).find_map(|(it, segment)| {
            it.find(key).map(|doc| IndexedContent::Text(DocAddress { segment, doc }))
        });
        let is_not_text = || self.segments().any(|segment| segment.is_not_text(key));
        text.or_else(|| is_not_text().then_some(IndexedContent::NotText))
    }

    /// Replaces segments by one segment of their live contents.
    pub(super) fn merge_segments(
        &mut self,
        chosen: &[usize],
        is_live: impl Fn(&ContentKey) -> bool,
    ) {
        let segments: Vec<&Segment> =
            chosen.iter().map(|&at| &*self.segments[at].segment).collect();
        let merged = merge(&segments, is_live);
        let mut at = 0..;
        self.segments.retain(|_| at.next().is_some_and(|at| !chosen.contains(&at)));
        if merged.all_keys().next().is_some() {
            self.segments.push(Arc::new(merged).into());
        }
    }
}

impl IndexBackend for EmbeddedIndex {
    fn upsert(
        &mut self,
        records: Vec<(ContentKey, Option<ContentRecord>)>,
    ) -> Result<(), BackendError> {
        let mut builder = SegmentBuilder::default();
        for (key, record) in records {
            match record {
                _ if self.contains(&key) => {}
                Some(record) => builder.add(key, record),
                None => builder.add_not_text(key),
            }
        }
        if !builder.is_empty() {
            self.segments.push(Arc::new(builder.finish()).into());
        }
        if self.segments.len() > MAX_SEGMENTS {
            compact(self, |_| true);
        }
        Ok(())
    }

    fn delete(&mut self, keys: &[ContentKey]) -> Result<(), BackendError> {
        let dead: FxHashSet<&ContentKey> = keys.iter().collect();
        for at in (0..self.segments.len()).rev() {
            let segment = &self.segments[at].segment;
            if keys.iter().any(|key| segment.find(key).is_some() || segment.is_not_text(key)) {
                self.merge_segments(&[at], |key| !dead.contains(key));
            }
        }
        Ok(())
    }

    fn find(&self, keys: &[ContentKey]) -> Result<Vec<Option<IndexedContent>>, BackendError> {
        Ok(keys.iter().map(|key| self.find_one(key)).collect())
    }

    fn search(
        &self,
        words: &[u32],
        filter: &DocFilter,
        visit: &mut dyn FnMut(PostingBatch<'_>) -> ControlFlow<()>,
    ) -> Result<(), BackendError> {
        let mut postings: Vec<Posting> = Vec::with_capacity(BATCH);
        for (word, &id) in words.iter().enumerate() {
            for (in_segment, segment) in self.segments().zip(0..) {
                let docs = filter.of_segment(segment);
                let is_included = |it: &Posting| docs.get(it.doc as usize) == Some(&true);
                let mut included = in_segment.postings(id).filter(is_included);
                loop {
                    postings.clear();
                    postings.extend(included.by_ref().take(BATCH));
                    if postings.is_empty() {
                        break;
                    }
                    if visit(PostingBatch { word, segment, postings: &postings }).is_break() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn for_each_doc(
        &self,
        addresses: &[DocAddress],
        visit: &mut dyn FnMut(&Doc, &[u32]),
    ) -> Result<(), BackendError> {
        for &address in addresses {
            let segment = self
                .segment_of(address)
                .ok_or_else(|| BackendError { reason: format!("no content at {address:?}") })?;
            visit(segment.doc(address.doc), segment.chunk_lengths(address.doc));
        }
        Ok(())
    }

    fn stored_docs(
        &self,
        addresses: &[DocAddress],
    ) -> Result<Vec<Option<StoredDoc>>, BackendError> {
        let stored = |&address: &DocAddress| self.segment_of(address)?.stored_doc(address.doc);
        Ok(addresses.iter().map(stored).collect())
    }

    fn statistics(&self) -> Result<IndexStatistics, BackendError> {
        let mut statistics = IndexStatistics::default();
        for segment in self.segments() {
            statistics.contents += segment.len();
            statistics.chunks += segment.chunk_count();
            statistics.bytes += segment.size() as u64;
        }
        Ok(statistics)
    }
}
