//! The seam where a shared server could replace the embedded index. A backend stores records by
//! content key and finds postings by word id. Which files have a content, how text becomes words and
//! how matches are scored is decided by the callers, so every backend yields the same packs.

use crate::content_key::ContentKey;
use crate::record::ContentRecord;
use crate::segment::{Doc, Posting, StoredDoc};
use std::ops::ControlFlow;
use thiserror::Error;

/// Location of a content in an index. Addresses are small, and valid until contents are added or
/// deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocAddress {
    /// Index of the segment.
    pub segment: u32,
    /// Index of the content in the segment.
    pub doc: u32,
}

/// Result of looking up a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexedContent {
    /// Text, indexed at this address.
    Text(DocAddress),
    /// Not text, so there is nothing to index.
    NotText,
}

/// Set of contents that a search is restricted to.
#[derive(Debug, Clone, Default)]
pub struct DocFilter {
    segments: Vec<Vec<bool>>,
}

impl DocFilter {
    /// Adds a content.
    pub fn add(&mut self, address: DocAddress) {
        *slot(&mut self.segments, address, false) = true;
    }

    /// Returns a flag for each content of a segment; contents beyond the end are not in the set.
    pub fn of_segment(&self, segment: u32) -> &[bool] {
        self.segments.get(segment as usize).map_or(&[], Vec::as_slice)
    }
}

/// Returns the entry of a content in a table by segment, grown with `default` as needed.
pub(crate) fn slot<T: Clone>(table: &mut Vec<Vec<T>>, address: DocAddress, default: T) -> &mut T {
    let (segment, doc) = (address.segment as usize, address.doc as usize);
    if table.len() <= segment {
        table.resize_with(segment + 1, Vec::new);
    }
    let docs = &mut table[segment];
    if docs.len() <= doc {
        docs.resize(doc + 1, default);
    }
    &mut docs[doc]
}

/// Some postings of one word in one segment.
#[derive(Debug, Clone, Copy)]
pub struct PostingBatch<'a> {
    /// Index of the word in the searched words.
    pub word: usize,
    /// Index of the segment.
    pub segment: u32,
    /// Postings ordered by content and chunk.
    pub postings: &'a [Posting],
}

/// Totals of an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexStatistics {
    /// Number of contents that are text.
    pub contents: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Size in bytes.
    pub bytes: u64,
}

/// Failure of a backend to answer. The embedded index never fails.
#[derive(Debug, Error)]
#[error("the index does not answer: {reason}")]
pub struct BackendError {
    /// Description by the backend.
    pub reason: String,
}

/// Stores the records of contents and finds words in them.
pub trait IndexBackend: Send + Sync {
    /// Adds records, `None` for contents that are not text. Keys that are already present are
    /// skipped, since the same key means the same record.
    fn upsert(
        &mut self,
        records: Vec<(ContentKey, Option<ContentRecord>)>,
    ) -> Result<(), BackendError>;

    /// Removes contents.
    fn delete(&mut self, keys: &[ContentKey]) -> Result<(), BackendError>;

    /// Looks up contents; `None` for those that are not indexed.
    fn find(&self, keys: &[ContentKey]) -> Result<Vec<Option<IndexedContent>>, BackendError>;

    /// Calls `visit` with the postings of words in the contents of `filter`, in batches: word by
    /// word, and for each word by segment, content and chunk, until `visit` breaks.
    fn search(
        &self,
        words: &[u32],
        filter: &DocFilter,
        visit: &mut dyn FnMut(PostingBatch<'_>) -> ControlFlow<()>,
    ) -> Result<(), BackendError>;

    /// Calls `visit` with the metadata of each content and the lengths of its chunks, in order.
    fn for_each_doc(
        &self,
        addresses: &[DocAddress],
        visit: &mut dyn FnMut(&Doc, &[u32]),
    ) -> Result<(), BackendError>;

    /// Returns the stored chunks of contents; `None` where they are damaged.
    fn stored_docs(&self, addresses: &[DocAddress])
    -> Result<Vec<Option<StoredDoc>>, BackendError>;

    /// Returns the totals of the index.
    fn statistics(&self) -> Result<IndexStatistics, BackendError>;
}
