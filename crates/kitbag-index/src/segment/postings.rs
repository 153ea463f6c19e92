//! Postings of a word, delta-encoded: for each content the distance to the previous one and the
//! number of chunks; for each chunk the distance to the previous one and the counts.

use super::Doc;
use crate::record::FieldCounts;
use crate::varint::{read_varint, write_varint};

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

/// Decodes the postings of a word. Ends at the first posting of a content or chunk that does not exist.
pub(super) fn decode<'a>(
    mut bytes: &'a [u8],
    docs: &'a [Doc],
) -> impl Iterator<Item = Posting> + 'a {
    let (mut doc, mut chunk) = (0u32, 0u32);
    // The number of chunks of the current content, and of those with the word that are left.
    let (mut chunks, mut remaining) = (0, 0);
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        if remaining == 0 {
            doc = doc.wrapping_add(read_varint(&mut bytes));
            remaining = read_varint(&mut bytes);
            chunk = 0;
            chunks = docs.get(doc as usize).map_or(0, |doc| doc.chunks);
        }
        remaining = remaining.saturating_sub(1);
        chunk = chunk.saturating_add(read_varint(&mut bytes));
        let body = read_varint(&mut bytes);
        let mut counts = FieldCounts { body: body >> 1, ..FieldCounts::default() };
        if body & 1 == 1 {
            unpack(read_varint(&mut bytes), &mut counts);
        }
        if chunk >= chunks {
            bytes = &[];
            return None;
        }
        Some(Posting { doc, chunk, counts })
    })
}

/// Encodes the postings of a word, which are ordered by content and chunk.
pub(super) fn encode(bytes: &mut Vec<u8>, postings: &[Posting]) {
    let mut last_doc = 0;
    for of_doc in postings.chunk_by(|a, b| a.doc == b.doc) {
        let doc = of_doc[0].doc;
        write_varint(bytes, doc - last_doc);
        write_varint(bytes, of_doc.len() as u32);
        last_doc = doc;
        let mut last_chunk = 0;
        for Posting { chunk, counts, .. } in of_doc {
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

/// Packs the counts of all fields but the body into one number.
fn pack(counts: &FieldCounts) -> u32 {
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
