//! Where records are kept and searched: the seam at which a shared server can stand in for the
//! index on disk. It knows contents by their keys and words by their numbers, and gives back what
//! it has of them. Which files have which content, what words are and what a match is worth is
//! decided elsewhere, so every backend gives the same packs.

use crate::record::Record;
use crate::segment::{Doc, Forward, Key, Posting};
use std::ops::ControlFlow;
use thiserror::Error;

/// Where a content lies. What the numbers mean is the backend's affair; they are small, and hold
/// until contents are added or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Its segment's place in the list.
    pub segment: u32,
    /// Its place in the segment.
    pub doc: u32,
}

/// What a backend knows of a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// It is text, and lies there.
    Text(Place),
    /// It is not text.
    NotText,
}

/// The contents that a search is about.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    segments: Vec<Vec<bool>>,
}

impl Contents {
    /// Adds a content.
    pub fn add(&mut self, place: Place) {
        let (segment, doc) = (place.segment as usize, place.doc as usize);
        if self.segments.len() <= segment {
            self.segments.resize_with(segment + 1, Vec::new);
        }
        let docs = &mut self.segments[segment];
        if docs.len() <= doc {
            docs.resize(doc + 1, false);
        }
        docs[doc] = true;
    }

    /// Which contents of a segment it has; those beyond the end it has not.
    pub fn of(&self, segment: u32) -> &[bool] {
        self.segments.get(segment as usize).map_or(&[], Vec::as_slice)
    }
}

/// Some occurrences of a word.
#[derive(Debug, Clone, Copy)]
pub struct Hits<'a> {
    /// The word's place among those that were asked for.
    pub word: usize,
    /// The segment that they are in.
    pub segment: u32,
    /// The occurrences, by content and chunk.
    pub postings: &'a [Posting],
}

/// What there is in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The contents that are text.
    pub contents: usize,
    /// Their chunks.
    pub chunks: usize,
    /// How many bytes they take.
    pub bytes: u64,
}

/// Why a backend cannot answer. The index on disk always can.
#[derive(Debug, Error)]
#[error("the index does not answer: {reason}")]
pub struct BackendError {
    /// What it said.
    pub reason: String,
}

/// Keeps the records of contents, and finds words in them.
pub trait IndexBackend: Send + Sync {
    /// Adds records, `None` for contents that are not text. What is there already stays as it is,
    /// since the same key means the same record.
    fn upsert(&mut self, contents: Vec<(Key, Option<Record>)>) -> Result<(), BackendError>;

    /// Forgets contents.
    fn delete(&mut self, keys: &[Key]) -> Result<(), BackendError>;

    /// What is known of contents; `None` for what has to be added.
    fn find(&self, keys: &[Key]) -> Result<Vec<Option<Known>>, BackendError>;

    /// Calls `found` with the occurrences of words in the contents that `within` has, some at a
    /// time: word by word, and for each word by segment, content and chunk; until it has enough.
    fn search(
        &self,
        words: &[u32],
        within: &Contents,
        found: &mut dyn FnMut(Hits<'_>) -> ControlFlow<()>,
    ) -> Result<(), BackendError>;

    /// Calls `found` with the figures of contents and the lengths of their chunks, in order.
    fn figures(
        &self,
        places: &[Place],
        found: &mut dyn FnMut(&Doc, &[u32]),
    ) -> Result<(), BackendError>;

    /// What is read of contents once they were found; `None` for what is damaged.
    fn forward(&self, places: &[Place]) -> Result<Vec<Option<Forward>>, BackendError>;

    /// What there is in all.
    fn statistics(&self) -> Result<Statistics, BackendError>;
}
