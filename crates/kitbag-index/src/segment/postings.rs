//! Postings of a word, delta-encoded: for each content the distance to the previous one and the
//! number of chunks; for each chunk the distance to the previous one and the counts.

use super::Doc;
use crate::record::FieldCounts;
use crate::varint::read_varint;

/// Occurrences of a word in one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// Index of the content in its segment.
    pub doc: u32,
    /// Index of the chunk in the content.
    pub chunk: u32,
    /// Occurrences by field.
    pub counts: FieldCounts,
}

/// Iterator over the postings of a word in a segment. It ends at the first posting of a content or
/// chunk that does not exist.
#[derive(Debug, Clone)]
pub struct Postings<'a> {
    bytes: &'a [u8],
    docs: &'a [Doc],
    doc: u32,
    chunk: u32,
    /// Postings of the current content that were not yet returned.
    remaining: u32,
    /// Number of chunks of the current content.
    chunks: u32,
}

impl<'a> Postings<'a> {
    pub(super) fn new(bytes: &'a [u8], docs: &'a [Doc]) -> Self {
        Self { bytes, docs, doc: 0, chunk: 0, remaining: 0, chunks: 0 }
    }
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        if self.bytes.is_empty() {
            return None;
        }
        if self.remaining == 0 {
            self.doc = self.doc.wrapping_add(read_varint(&mut self.bytes));
            self.remaining = read_varint(&mut self.bytes);
            self.chunk = 0;
            self.chunks = self.docs.get(self.doc as usize).map_or(0, |doc| doc.chunks);
        }
        self.remaining = self.remaining.saturating_sub(1);
        self.chunk = self.chunk.saturating_add(read_varint(&mut self.bytes));
        let body = read_varint(&mut self.bytes);
        let mut counts = FieldCounts { body: body >> 1, ..FieldCounts::default() };
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

/// Packs the counts of all fields but the body into one number.
pub(super) fn pack(counts: &FieldCounts) -> u32 {
    u32::from(counts.scope)
        | u32::from(counts.symbol) << 1
        | u32::from(counts.signature) << 3
        | u32::from(counts.comment) << 5
}

fn unpack(packed: u32, counts: &mut FieldCounts) {
    counts.scope = (packed & 1) as u8;
    counts.symbol = (packed >> 1 & 3) as u8;
    counts.signature = (packed >> 3 & 3) as u8;
    counts.comment = (packed >> 5 & 7) as u8;
}
