//! Builds a segment from records.

use super::postings::pack;
use super::{Doc, FieldLengths, Segment, StoredDoc};
use crate::content_key::ContentKey;
use crate::record::{ContentRecord, FieldCounts};
use crate::varint::write_varint;
use rayon::slice::ParallelSliceMut;
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::Arc;

/// Collects records for a segment.
#[derive(Default)]
pub struct SegmentBuilder {
    keys: FxHashSet<ContentKey>,
    docs: Vec<PendingDoc>,
    not_text: Vec<ContentKey>,
    /// Occurrences of all contents, one content after the other.
    occurrences: Vec<Occurrence>,
    chunk_lengths: Vec<u32>,
    stored: Vec<u8>,
}

/// A content with the ranges of its data in the builder.
struct PendingDoc {
    key: ContentKey,
    doc: Doc,
    occurrences: Range<usize>,
    stored: Range<usize>,
}

/// A word in a chunk, before it is encoded as a posting.
#[derive(Clone, Copy)]
struct Occurrence {
    word: u32,
    /// Set once the contents are sorted.
    doc: u32,
    chunk: u32,
    counts: FieldCounts,
}

impl SegmentBuilder {
    /// Adds the record of a content, unless the key is already present.
    pub fn add(&mut self, key: ContentKey, record: ContentRecord) {
        if !self.keys.insert(key) {
            return;
        }
        let first_chunk = self.chunk_lengths.len() as u32;
        let first_occurrence = self.occurrences.len();
        let lengths = self.add_words(&record);
        let first_byte = self.stored.len();
        let stored = StoredDoc { chunks: record.chunks, tally: Arc::new(record.tally) };
        // Encoding to memory does not fail; if it did, the content would read as damaged.
        if let Ok(bytes) = postcard::to_stdvec(&stored) {
            self.stored.extend(bytes);
        }
        let chunks = record.words.len() as u32;
        self.docs.push(PendingDoc {
            key,
            doc: Doc { first_chunk, chunks, lengths, flags: record.flags },
            occurrences: first_occurrence..self.occurrences.len(),
            stored: first_byte..self.stored.len(),
        });
    }

    /// Records that a content is not text.
    pub fn add_not_text(&mut self, key: ContentKey) {
        if self.keys.insert(key) {
            self.not_text.push(key);
        }
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Builds the segment.
    pub fn finish(mut self) -> Segment {
        self.docs.sort_unstable_by_key(|pending| pending.key);
        self.not_text.sort_unstable();
        let mut segment = Segment { not_text: self.not_text, ..Segment::default() };
        for (at, pending) in self.docs.iter().enumerate() {
            let occurrences = &mut self.occurrences[pending.occurrences.clone()];
            occurrences.iter_mut().for_each(|occurrence| occurrence.doc = at as u32);
            let lengths = &self.chunk_lengths[pending.doc.chunk_range()];
            segment.push_doc(pending.key, pending.doc, lengths);
        }
        // The keys are unique, so an unstable sort is deterministic.
        self.occurrences.par_sort_unstable_by_key(|it| (it.word, it.doc, it.chunk));
        for of_word in self.occurrences.chunk_by(|a, b| a.word == b.word) {
            segment.begin_word(of_word[0].word);
            write_postings(&mut segment.bytes, of_word);
        }
        segment.end_words();
        for pending in &self.docs {
            segment.push_stored(&self.stored[pending.stored.clone()]);
        }
        segment
    }

    fn add_words(&mut self, record: &ContentRecord) -> FieldLengths {
        let mut lengths = FieldLengths::default();
        for (chunk, words) in record.words.iter().enumerate() {
            let mut length = 0;
            for &(word, counts) in words {
                self.occurrences.push(Occurrence { word, doc: 0, chunk: chunk as u32, counts });
                length += counts.body;
                lengths.comment += u32::from(counts.comment);
                lengths.signature += u32::from(counts.signature);
                lengths.symbol += u32::from(counts.symbol);
            }
            lengths.body += length;
            self.chunk_lengths.push(length);
        }
        lengths
    }
}

/// A segment is filled in this order: all docs, all words, all stored docs.
impl Segment {
    pub(super) fn push_doc(&mut self, key: ContentKey, doc: Doc, chunk_lengths: &[u32]) {
        let first_chunk = self.chunk_lengths.len() as u32;
        self.chunk_lengths.extend_from_slice(chunk_lengths);
        self.keys.push(key);
        self.docs.push(Doc { first_chunk, ..doc });
    }

    /// Starts a word; its postings are appended to `bytes`.
    pub(super) fn begin_word(&mut self, word: u32) {
        self.words.push(word);
        self.offsets.push(self.bytes.len() as u32);
    }

    pub(super) fn end_words(&mut self) {
        self.offsets.push(self.bytes.len() as u32);
        self.postings = 0..self.bytes.len();
        self.stored = self.bytes.len()..self.bytes.len();
        self.stored_offsets.push(0);
    }

    pub(super) fn push_stored(&mut self, stored: &[u8]) {
        self.bytes.extend_from_slice(stored);
        self.stored.end = self.bytes.len();
        self.stored_offsets.push(self.stored.len() as u32);
    }
}

/// Encodes the postings of one word.
fn write_postings(bytes: &mut Vec<u8>, of_word: &[Occurrence]) {
    let mut last_doc = 0;
    for of_doc in of_word.chunk_by(|a, b| a.doc == b.doc) {
        let doc = of_doc[0].doc;
        write_varint(bytes, doc - last_doc);
        write_varint(bytes, of_doc.len() as u32);
        last_doc = doc;
        let mut last_chunk = 0;
        for Occurrence { chunk, counts, .. } in of_doc {
            write_varint(bytes, chunk - last_chunk);
            last_chunk = *chunk;
            let fields = pack(counts);
            write_varint(bytes, counts.body << 1 | u32::from(fields != 0));
            if fields != 0 {
                write_varint(bytes, fields);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;
    use crate::terms::word_id;
    use kitbag_text::ChunkLimits;
    use kitbag_tokens::CachedCounter;

    #[test]
    fn a_word_leads_to_the_chunks_that_have_it() {
        let counting = CachedCounter::named("o200k_base").expect("built in");
        let limits = ChunkLimits { min_chunk_tokens: 1, ..ChunkLimits::default() };
        let mut builder = SegmentBuilder::default();
        let texts = ["def a():\n    pass\n\n\ndef b():\n    return a()\n", "a = a\n"];
        for (at, text) in texts.iter().enumerate() {
            let record = record("x.py", text, limits.clone(), &counting);
            builder.add(ContentKey([at as u8; 32]), record);
        }
        let segment = builder.finish();
        let found: Vec<(u32, u32, u32, u8)> = segment
            .postings(word_id("a"))
            .map(|it| (it.doc, it.chunk, it.counts.body, it.counts.symbol))
            .collect();
        assert_eq!(found, [(0, 0, 1, 1), (0, 1, 1, 0), (1, 0, 2, 1)]);
        assert_eq!(segment.postings(word_id("none")).count(), 0);
        assert_eq!(segment.stored_doc(0).map(|stored| stored.chunks.len()), Some(2));
        assert_eq!(segment.chunk_lengths(0).len(), 2);
    }
}
