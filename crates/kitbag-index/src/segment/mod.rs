//! Segments: immutable sets of records, laid out for search. Which contents of a segment are still
//! in use is tracked by its readers.
//!
//! Words lead to *postings*: the chunks with the word, with counts by field. Document frequencies are
//! counted over the contents that a search includes, so scores do not depend on how the index was
//! built.
//!
//! Contents are sorted by key, so a segment is determined by the set of its contents, however they
//! were added or merged.

mod builder;
mod file;
mod merge;
mod postings;

pub(crate) use merge::merge;
pub use postings::Posting;

use crate::content_key::ContentKey;
use crate::file_kind::ContentFlags;
use kitbag_text::{Chunk, Fallback};
use kitbag_tokens::Tally;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Number of words of a content by field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldLengths {
    /// All words.
    pub body: u32,
    /// Words in comments.
    pub comment: u32,
    /// Words in signatures.
    pub signature: u32,
    /// Words in defined names.
    pub symbol: u32,
}

/// Metadata of a content in a segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doc {
    /// Whether the content is text. Otherwise it has no chunks.
    pub is_text: bool,
    /// Index of the first chunk among the chunks of the segment.
    pub first_chunk: u32,
    /// Number of chunks.
    pub chunks: u32,
    /// Lengths by field.
    pub lengths: FieldLengths,
    /// Flags read from the content.
    pub flags: ContentFlags,
    /// Why the content was split by lines, if it killed or stalled its parser.
    pub parser_failure: Option<Fallback>,
}

impl Doc {
    fn chunk_range(&self) -> Range<usize> {
        let first = self.first_chunk as usize;
        first..first + self.chunks as usize
    }
}

/// The part of a record that is read only for contents that a search found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoredDoc {
    /// Chunks in the order of their lines.
    pub chunks: Vec<Chunk>,
    /// Token counts by line.
    pub tally: Arc<Tally>,
}

/// An immutable set of records, laid out for search.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Segment {
    /// Keys of the contents, ascending, parallel to `docs`.
    keys: Vec<ContentKey>,
    docs: Vec<Doc>,
    /// Lengths of all chunks in words, content by content.
    #[serde(with = "file::fixed_width")]
    chunk_lengths: Vec<u32>,
    /// Ids of all words, ascending.
    #[serde(with = "file::fixed_width")]
    words: Vec<u32>,
    /// Start of each word's postings in `bytes`, and the end of the last.
    #[serde(with = "file::fixed_width")]
    postings_starts: Vec<u32>,
    /// Start of each stored doc in `bytes`, and the end of the last.
    #[serde(with = "file::fixed_width")]
    stored_starts: Vec<u32>,
    /// Postings and stored docs, from `bytes_start` on; the whole file if the segment was loaded.
    #[serde(skip)]
    bytes: Vec<u8>,
    #[serde(skip)]
    bytes_start: usize,
}

impl Segment {
    /// Returns the keys of the contents, ascending.
    pub fn keys(&self) -> &[ContentKey] {
        &self.keys
    }

    /// Returns the metadata of a content.
    pub fn doc(&self, doc: u32) -> &Doc {
        &self.docs[doc as usize]
    }

    /// Returns the number of contents that are text.
    pub fn texts(&self) -> usize {
        self.docs.iter().filter(|doc| doc.is_text).count()
    }

    /// Returns the ids of all words, ascending.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the lengths of a content's chunks in words.
    pub fn chunk_lengths(&self, doc: u32) -> &[u32] {
        &self.chunk_lengths[self.doc(doc).chunk_range()]
    }

    /// Returns the index of the content with that key.
    pub fn find(&self, key: &ContentKey) -> Option<u32> {
        key.find_in(&self.keys).map(|at| at as u32)
    }

    /// Decodes the stored chunks of a content; `None` if it is not text.
    pub fn stored_doc(&self, doc: u32) -> Option<StoredDoc> {
        let stored: StoredDoc = postcard::from_bytes(self.stored_bytes(doc)).ok()?;
        let chunks = self.docs.get(doc as usize)?.chunks;
        (stored.chunks.len() == chunks as usize).then_some(stored)
    }

    /// Returns the encoded stored chunks of a content.
    pub(crate) fn stored_bytes(&self, doc: u32) -> &[u8] {
        self.slice(&self.stored_starts, doc as usize)
    }

    /// Returns the postings of a word, ordered by content and chunk.
    pub fn postings(&self, word: u32) -> impl Iterator<Item = Posting> {
        let at = self.words.binary_search(&word).ok();
        let bytes = at.map(|at| self.slice(&self.postings_starts, at)).unwrap_or_default();
        postings::decode(bytes, &self.docs)
    }

    fn slice(&self, starts: &[u32], at: usize) -> &[u8] {
        let range = starts[at] as usize..starts[at + 1] as usize;
        &self.bytes[self.bytes_start..][range]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::record::tests::record;
    use kitbag_text::ChunkLimits;
    use kitbag_tokens::{CachedCounter, Estimator};
    use std::sync::Arc;

    pub(super) const WORDS: [&str; 3] = ["alpha", "beta", "gamma"];

    const TEXTS: [&str; 5] = [
        "def alpha():\n    return beta(1)\n\n\ndef beta(x):\n    # gamma\n    return x\n",
        "class Gamma:\n    def alpha(self):\n        return self.beta\n",
        "gamma = alpha + beta\n",
        "",
        "# nothing of the sort\nprint('alpha')\n",
    ];

    pub(crate) fn key(text: usize) -> ContentKey {
        // Keys sort in the reverse order of the texts.
        ContentKey([(200 - 37 * text) as u8; 32])
    }

    /// Builds a segment of some of the texts and one content that is not text.
    pub(crate) fn segment(texts: &[usize]) -> Segment {
        let counting = CachedCounter::new(Arc::new(Estimator::Words), 0);
        let limits = ChunkLimits { min_chunk_tokens: 1, ..ChunkLimits::default() };
        let record = |text: usize| Some(record("x.py", TEXTS[text], limits.clone(), &counting));
        let texts = texts.iter().map(|&text| (key(text), record(text)));
        Segment::build(texts.chain([(ContentKey([9; 32]), None)]).collect())
    }

    #[test]
    fn a_segment_is_determined_by_the_set_of_its_contents() {
        let bytes = segment(&[0, 1, 2, 3, 4]).to_bytes();
        assert_eq!(segment(&[3, 1, 4, 2, 0]).to_bytes(), bytes);
        assert_eq!(segment(&[3, 1, 3, 4, 2, 0, 0]).to_bytes(), bytes);
    }
}
