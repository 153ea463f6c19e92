//! Builds a segment from records.

use super::postings::encode;
use super::{Doc, FieldLengths, Posting, Segment, StoredDoc};
use crate::content_key::ContentKey;
use crate::record::{ChunkWords, ContentRecord, FieldCounts};
use rayon::slice::ParallelSliceMut;
use std::collections::BTreeMap;
use std::sync::Arc;

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
                        occurrences.push((word, Posting { doc, chunk, counts }));
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
        occurrences.par_sort_unstable_by_key(|(word, it)| (*word, it.doc, it.chunk));
        let mut postings = Vec::new();
        for of_word in occurrences.chunk_by(|a, b| a.0 == b.0) {
            postings.clear();
            postings.extend(of_word.iter().map(|(_, posting)| *posting));
            segment.push_word(of_word[0].0, &postings);
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
        let ContentRecord { flags, parser_failure, .. } = *record;
        let doc = Doc { is_text: true, lengths, flags, parser_failure, ..Doc::default() };
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

    pub(super) fn push_word(&mut self, word: u32, postings: &[Posting]) {
        self.words.push(word);
        self.postings_starts.push(self.bytes.len() as u32);
        encode(&mut self.bytes, postings);
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
