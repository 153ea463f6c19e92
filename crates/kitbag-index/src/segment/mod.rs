//! A segment: the records of some contents, laid out for search. It never changes; what changes is
//! which of its contents a tree still has, and that is the reader's affair.
//!
//! Words lead to *postings*: for each content that has the word, its chunks that have it, with the
//! counts by field. How common a word is follows from the postings of the contents that count, so
//! scores do not depend on how the index came about.
//!
//! Contents stand in the order of their keys, so a segment follows from the set of its contents: it
//! does not show in which order they came, nor whether they came from other segments.

mod builder;
mod bytes;
mod key;
mod merge;
mod postings;
mod varint;

pub use builder::SegmentBuilder;
pub use key::Key;
pub(crate) use merge::merge;
pub use postings::{Posting, Postings};

use crate::file_kind::Looks;
use kitbag_text::Chunk;
use kitbag_tokens::Tally;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// The lengths of a content, in words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lengths {
    /// All words.
    pub body: u32,
    /// Those in comments.
    pub comment: u32,
    /// Those in signatures.
    pub signature: u32,
    /// Those of the names that it defines.
    pub symbol: u32,
}

/// A content in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doc {
    /// The place of its first chunk among all of the segment's.
    pub first_chunk: u32,
    /// How many chunks it has.
    pub chunks: u32,
    /// How long it is.
    pub lengths: Lengths,
    /// What it says about its kind.
    pub looks: Looks,
}

/// What is read of a content only once it was found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Forward {
    /// Its chunks, in order.
    pub chunks: Vec<Chunk>,
    /// The token counts of its lines.
    pub tally: Arc<Tally>,
}

/// The records of some contents, laid out for search.
#[derive(Debug, Default)]
pub struct Segment {
    /// What the contents are known by, ascending; and their figures.
    keys: Vec<Key>,
    docs: Vec<Doc>,
    /// The words of each chunk, all contents' chunks one after the other.
    chunk_lengths: Vec<u32>,
    /// The ids of all words, ascending, and where the postings of each begin; one more at the end.
    words: Vec<u32>,
    offsets: Vec<u32>,
    /// Where what is read last of each content begins; one more at the end.
    forward_offsets: Vec<u32>,
    /// The contents of which no more is known than that they are not text, ascending.
    not_text: Vec<Key>,
    /// Holds the postings and what is read last; all of a file, where it comes from one.
    bytes: Vec<u8>,
    postings: Range<usize>,
    forward: Range<usize>,
}

impl Segment {
    /// What each content is known by, in order.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// What each content is known by, those that are not text among them.
    pub(crate) fn all_keys(&self) -> impl Iterator<Item = &Key> {
        self.keys.iter().chain(&self.not_text)
    }

    /// A content's figures.
    pub fn doc(&self, doc: u32) -> &Doc {
        &self.docs[doc as usize]
    }

    /// How many contents it has.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// How many chunks its contents have together.
    pub fn chunk_count(&self) -> usize {
        self.chunk_lengths.len()
    }

    /// The lengths of a content's chunks, in words.
    pub fn chunk_lengths(&self, doc: u32) -> &[u32] {
        let doc = &self.docs[doc as usize];
        &self.chunk_lengths[doc.first_chunk as usize..(doc.first_chunk + doc.chunks) as usize]
    }

    /// The place of the content with that key.
    pub fn find(&self, key: &Key) -> Option<u32> {
        key.find_in(&self.keys).map(|at| at as u32)
    }

    /// Whether the content with that key is known not to be text.
    pub fn is_not_text(&self, key: &Key) -> bool {
        key.find_in(&self.not_text).is_some()
    }

    /// What is read of a content once it was found; `None` if the segment is damaged.
    pub fn forward(&self, doc: u32) -> Option<Forward> {
        let forward: Forward = postcard::from_bytes(self.forward_bytes(doc)).ok()?;
        let chunks = self.docs.get(doc as usize)?.chunks;
        (forward.chunks.len() == chunks as usize).then_some(forward)
    }

    /// How many bytes are read of a content once it was found.
    pub fn forward_size(&self, doc: u32) -> usize {
        self.forward_bytes(doc).len()
    }

    /// Whether it knows of any content, be it text or not.
    pub fn knows_something(&self) -> bool {
        !self.keys.is_empty() || !self.not_text.is_empty()
    }

    fn forward_bytes(&self, doc: u32) -> &[u8] {
        let at = |place: usize| self.forward_offsets.get(place).map(|&at| at as usize);
        let range = at(doc as usize).zip(at(doc as usize + 1)).map(|(start, end)| start..end);
        let forward = self.bytes.get(self.forward.clone()).unwrap_or_default();
        range.and_then(|range| forward.get(range)).unwrap_or_default()
    }

    /// The occurrences of a word, by content and chunk.
    pub fn postings(&self, word: u32) -> Postings<'_> {
        let at = self.words.binary_search(&word).ok();
        let bytes = at.map(|at| self.postings_at(at)).unwrap_or_default();
        Postings::new(bytes, &self.docs)
    }

    /// The postings of the word at a place.
    fn postings_at(&self, at: usize) -> &[u8] {
        let (start, end) = (self.offsets[at] as usize, self.offsets[at + 1] as usize);
        &self.bytes[self.postings.clone()][start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;
    use kitbag_text::{ChunkLimits, Text};
    use kitbag_tokens::{Counting, Estimator};
    use std::sync::Arc;

    /// Words that all texts have together.
    pub(super) const WORDS: [&str; 3] = ["alpha", "beta", "gamma"];

    const TEXTS: [&str; 5] = [
        "def alpha():\n    return beta(1)\n\n\ndef beta(x):\n    # gamma\n    return x\n",
        "class Gamma:\n    def alpha(self):\n        return self.beta\n",
        "gamma = alpha + beta\n",
        "",
        "# nothing of the sort\nprint('alpha')\n",
    ];

    pub(super) fn key(text: usize) -> Key {
        // In another order than the texts.
        Key([(200 - 37 * text) as u8; 32])
    }

    /// A segment of some of the texts, and of something that is not text.
    pub(super) fn segment(texts: &[usize]) -> Segment {
        let counting = Counting::new(Arc::new(Estimator::Words), 0);
        let limits = ChunkLimits { min_chunk_tokens: 1, ..ChunkLimits::default() };
        let mut builder = SegmentBuilder::default();
        for &text in texts {
            let record = Record::of("x.py", &Text::new(TEXTS[text]), &limits, &counting);
            builder.add(key(text), record);
        }
        builder.add_not_text(Key([9; 32]));
        builder.finish()
    }

    #[test]
    fn a_segment_follows_from_the_set_of_its_contents() {
        let bytes = segment(&[0, 1, 2, 3, 4]).to_bytes();
        assert_eq!(segment(&[3, 1, 4, 2, 0]).to_bytes(), bytes);
        assert_eq!(segment(&[3, 1, 3, 4, 2, 0, 0]).to_bytes(), bytes);
    }
}
