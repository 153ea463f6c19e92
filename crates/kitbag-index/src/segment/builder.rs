//! Makes a segment out of records.

use super::postings::pack;
use super::varint::write_varint;
use super::{Doc, Forward, Key, Lengths, Segment};
use crate::record::{Counts, Record};
use rayon::slice::ParallelSliceMut;
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::Arc;

/// Collects records for a segment.
#[derive(Default)]
pub struct SegmentBuilder {
    known: FxHashSet<Key>,
    contents: Vec<Content>,
    not_text: Vec<Key>,
    /// What the contents have, one after the other.
    entries: Vec<Entry>,
    chunk_lengths: Vec<u32>,
    forward: Vec<u8>,
}

/// A content, and where what belongs to it lies.
struct Content {
    key: Key,
    doc: Doc,
    entries: Range<usize>,
    forward: Range<usize>,
}

/// A word, the content and chunk that it is in, and how often.
#[derive(Clone, Copy)]
struct Entry {
    word: u32,
    doc: u32,
    chunk: u32,
    counts: Counts,
}

impl SegmentBuilder {
    /// Adds the record of a content, unless it has one already.
    pub fn add(&mut self, key: Key, record: Record) {
        if !self.known.insert(key) {
            return;
        }
        let first_chunk = self.chunk_lengths.len() as u32;
        let first_entry = self.entries.len();
        let lengths = self.add_words(&record);
        let first_byte = self.forward.len();
        let forward = Forward { chunks: record.chunks, tally: Arc::new(record.tally) };
        // Writing to memory does not fail; if it did, the content would read as damaged.
        if let Ok(bytes) = postcard::to_stdvec(&forward) {
            self.forward.extend(bytes);
        }
        let chunks = record.words.len() as u32;
        self.contents.push(Content {
            key,
            doc: Doc { first_chunk, chunks, lengths, looks: record.looks },
            entries: first_entry..self.entries.len(),
            forward: first_byte..self.forward.len(),
        });
    }

    /// Notes that a content is not text.
    pub fn add_not_text(&mut self, key: Key) {
        if self.known.insert(key) {
            self.not_text.push(key);
        }
    }

    /// Whether the content was added, or noted not to be text.
    pub fn contains(&self, key: &Key) -> bool {
        self.known.contains(key)
    }

    /// How many bytes it takes by now, roughly.
    pub fn size(&self) -> usize {
        self.entries.len() * size_of::<Entry>() + self.forward.len()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The segment.
    pub fn finish(mut self) -> Segment {
        self.contents.sort_unstable_by_key(|content| content.key);
        self.not_text.sort_unstable();
        let mut segment = Segment { not_text: self.not_text, ..Segment::default() };
        for (rank, content) in self.contents.iter().enumerate() {
            let entries = &mut self.entries[content.entries.clone()];
            entries.iter_mut().for_each(|entry| entry.doc = rank as u32);
            let first_chunk = segment.chunk_lengths.len() as u32;
            let from = content.doc.first_chunk as usize;
            let lengths = &self.chunk_lengths[from..from + content.doc.chunks as usize];
            segment.chunk_lengths.extend_from_slice(lengths);
            segment.keys.push(content.key);
            segment.docs.push(Doc { first_chunk, ..content.doc });
        }
        // No two are alike, so the order does not depend on the threads.
        self.entries.par_sort_unstable_by_key(|entry| (entry.word, entry.doc, entry.chunk));
        for entries in self.entries.chunk_by(|a, b| a.word == b.word) {
            segment.begin_word(entries[0].word);
            write_postings(&mut segment.bytes, entries);
        }
        segment.end_words();
        for content in &self.contents {
            segment.add_forward(&self.forward[content.forward.clone()]);
        }
        segment
    }

    fn add_words(&mut self, record: &Record) -> Lengths {
        let mut lengths = Lengths::default();
        for (chunk, words) in record.words.iter().enumerate() {
            let mut length = 0;
            for &(word, counts) in words {
                self.entries.push(Entry { word, doc: 0, chunk: chunk as u32, counts });
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

/// How a segment is filled: all words in order, then what is read last of all contents in order.
impl Segment {
    /// The postings that follow are this word's.
    pub(super) fn begin_word(&mut self, word: u32) {
        self.words.push(word);
        self.offsets.push(self.bytes.len() as u32);
    }

    /// There are no more postings.
    pub(super) fn end_words(&mut self) {
        self.offsets.push(self.bytes.len() as u32);
        self.postings = 0..self.bytes.len();
        self.forward = self.bytes.len()..self.bytes.len();
        self.forward_offsets.push(0);
    }

    /// Adds what is read last of the next content.
    pub(super) fn add_forward(&mut self, forward: &[u8]) {
        self.bytes.extend_from_slice(forward);
        self.forward.end = self.bytes.len();
        self.forward_offsets.push(self.forward.len() as u32);
    }
}

/// Writes the postings of one word.
fn write_postings(bytes: &mut Vec<u8>, entries: &[Entry]) {
    let mut last_doc = 0;
    for entries in entries.chunk_by(|a, b| a.doc == b.doc) {
        let doc = entries[0].doc;
        write_varint(bytes, doc - last_doc);
        write_varint(bytes, entries.len() as u32);
        last_doc = doc;
        let mut last_chunk = 0;
        for Entry { chunk, counts, .. } in entries {
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
    use crate::terms::word_id;
    use kitbag_text::{ChunkLimits, Text};
    use kitbag_tokens::Counting;

    #[test]
    fn a_word_leads_to_the_chunks_that_have_it() {
        let counting = Counting::named("o200k_base").expect("built in");
        let limits = ChunkLimits { min_chunk_tokens: 1, ..ChunkLimits::default() };
        let mut builder = SegmentBuilder::default();
        for (at, text) in
            ["def a():\n    pass\n\n\ndef b():\n    return a()\n", "a = a\n"].iter().enumerate()
        {
            let record = Record::of("x.py", &Text::new(*text), &limits, &counting);
            builder.add(Key([at as u8; 32]), record);
        }
        let segment = builder.finish();
        let found: Vec<(u32, u32, u32, u8)> = segment
            .postings(word_id("a"))
            .map(|it| (it.doc, it.chunk, it.counts.body, it.counts.symbol))
            .collect();
        assert_eq!(found, [(0, 0, 1, 1), (0, 1, 1, 0), (1, 0, 2, 1)]);
        assert_eq!(segment.postings(word_id("none")).count(), 0);
        assert_eq!(segment.forward(0).map(|forward| forward.chunks.len()), Some(2));
        assert_eq!(segment.chunk_lengths(0).len(), 2);
    }
}
