//! Where a word occurs, packed into few bytes: for each content the distance to the one before and
//! how many chunks have the word; for each of those the distance to the one before and the counts.

use super::Doc;
use super::varint::read_varint;
use crate::record::Counts;

/// A word's occurrence in one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// The content.
    pub doc: u32,
    /// The chunk's place in it.
    pub chunk: u32,
    /// How often, by field.
    pub counts: Counts,
}

/// The occurrences of a word in a segment. What cannot be right, since there is no such content or
/// chunk, ends them.
#[derive(Debug, Clone)]
pub struct Postings<'a> {
    bytes: &'a [u8],
    docs: &'a [Doc],
    doc: u32,
    chunk: u32,
    /// How many chunks of the current content are still to come, and how many it has.
    left: u32,
    chunks: u32,
}

impl<'a> Postings<'a> {
    /// The postings of a word, packed, in a segment with these contents.
    pub(super) fn new(bytes: &'a [u8], docs: &'a [Doc]) -> Self {
        Self { bytes, docs, doc: 0, chunk: 0, left: 0, chunks: 0 }
    }

    /// How many bytes they take: a hint of how many there are.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        if self.bytes.is_empty() {
            return None;
        }
        if self.left == 0 {
            self.doc = self.doc.wrapping_add(read_varint(&mut self.bytes));
            self.left = read_varint(&mut self.bytes);
            self.chunk = 0;
            self.chunks = self.docs.get(self.doc as usize).map_or(0, |doc| doc.chunks);
        }
        self.left = self.left.saturating_sub(1);
        self.chunk = self.chunk.saturating_add(read_varint(&mut self.bytes));
        let body = read_varint(&mut self.bytes);
        let mut counts = Counts { body: body >> 1, ..Counts::default() };
        if body & 1 == 1 {
            unpack(read_varint(&mut self.bytes), &mut counts);
        }
        if self.chunk >= self.chunks {
            self.bytes = &[];
            return None;
        }
        Some(Posting { doc: self.doc, chunk: self.chunk, counts })
    }
}

/// The counts of the smaller fields in one number; 0 where there are none.
pub(super) fn pack(counts: &Counts) -> u32 {
    u32::from(counts.scope)
        | u32::from(counts.symbol) << 1
        | u32::from(counts.signature) << 3
        | u32::from(counts.comment) << 5
}

fn unpack(packed: u32, counts: &mut Counts) {
    counts.scope = (packed & 1) as u8;
    counts.symbol = (packed >> 1 & 3) as u8;
    counts.signature = (packed >> 3 & 3) as u8;
    counts.comment = (packed >> 5 & 7) as u8;
}
