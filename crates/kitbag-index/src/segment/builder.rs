//! Builds a segment from records.

use super::postings::pack;
use super::{Doc, FieldLengths, Segment, StoredDoc};
use crate::content_key::ContentKey;
use crate::record::{ChunkWords, ContentRecord, FieldCounts};
use crate::varint::write_varint;
use rayon::slice::ParallelSliceMut;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A word in a chunk, before it is encoded as a posting.
struct Occurrence {
    word: u32,
    doc: u32,
    chunk: u32,
    counts: FieldCounts,
}

/// A segment is filled in this order: all docs, all words, all stored docs.
impl Segment {
    /// Builds a segment of records, `None` for contents that are not text.
    pub fn build(records: BTreeMap<ContentKey, Option<ContentRecord>>) -> Self {
        let mut segment = Self::default();
        let (mut occurrences, mut stored) = (Vec::new(), Vec::new());
        for ((key, record), doc) in records.into_iter().zip(0..) {
            match record {
                Some(record) => {
                    segment.push_record(key, &record, |word, chunk, counts| {
                        occurrences.push(Occurrence { word, doc, chunk, counts });
                    });
                    let ContentRecord { chunks, tally, .. } = record;
                    let record = StoredDoc { chunks, tally: Arc::new(tally) };
                    // Encoding to memory does not fail; if it did, the content would read as damaged.
                    stored.push(postcard::to_stdvec(&record).unwrap_or_default());
                }
                None => {
                    segment.push_doc(key, Doc::default(), []);
                    stored.push(Vec::new());
                }
            }
        }
        // The keys are unique, so an unstable sort is deterministic.
        occurrences.par_sort_unstable_by_key(|it| (it.word, it.doc, it.chunk));
        for of_word in occurrences.chunk_by(|a, b| a.word == b.word) {
            segment.begin_word(of_word[0].word);
            write_postings(&mut segment.bytes, of_word);
        }
        segment.end_words();
        stored.iter().for_each(|stored| segment.push_stored(stored));
        segment
    }

    /// Adds a record, and calls `visit` with each word of each chunk.
    fn push_record(
        &mut self,
        key: ContentKey,
        record: &ContentRecord,
        mut visit: impl FnMut(u32, u32, FieldCounts),
    ) {
        let mut lengths = FieldLengths::default();
        for (words, chunk) in record.words.iter().zip(0..) {
            for &(word, counts) in words {
                visit(word, chunk, counts);
                lengths.body += counts.body;
                lengths.comment += u32::from(counts.comment);
                lengths.signature += u32::from(counts.signature);
                lengths.symbol += u32::from(counts.symbol);
            }
        }
        let doc = Doc { is_text: true, lengths, flags: record.flags, ..Doc::default() };
        let length = |words: &ChunkWords| words.iter().map(|(_, counts)| counts.body).sum();
        self.push_doc(key, doc, record.words.iter().map(length));
    }

    pub(super) fn push_doc(
        &mut self,
        key: ContentKey,
        doc: Doc,
        chunk_lengths: impl IntoIterator<Item = u32>,
    ) {
        let first_chunk = self.chunk_lengths.len() as u32;
        self.chunk_lengths.extend(chunk_lengths);
        let chunks = self.chunk_lengths.len() as u32 - first_chunk;
        self.keys.push(key);
        self.docs.push(Doc { first_chunk, chunks, ..doc });
    }

    /// Starts a word; its postings are appended to `bytes`.
    pub(super) fn begin_word(&mut self, word: u32) {
        self.words.push(word);
        self.postings_starts.push(self.bytes.len() as u32);
    }

    pub(super) fn end_words(&mut self) {
        self.postings_starts.push(self.bytes.len() as u32);
        self.stored_starts.push(self.bytes.len() as u32);
    }

    pub(super) fn push_stored(&mut self, stored: &[u8]) {
        self.bytes.extend_from_slice(stored);
        self.stored_starts.push(self.bytes.len() as u32);
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
        let texts = ["def a():\n    pass\n\n\ndef b():\n    return a()\n", "a = a\n"];
        let record = |text: &str| Some(record("x.py", text, limits.clone(), &counting));
        let segment = Segment::build(BTreeMap::from([
            (ContentKey([0; 32]), record(texts[0])),
            (ContentKey([1; 32]), record(texts[1])),
        ]));
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
