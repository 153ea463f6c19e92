//! The file format of a segment. Everything that later reads rely on is checked on loading, so no
//! input can cause a panic.

use super::{Doc, FieldLengths, Segment};
use crate::content_key::ContentKey;
use crate::envelope::{
    self, ByteReader, FileType, FormatError, HEADER_BYTES, are_offsets, put_u32s,
};
use crate::file_kind::ContentFlags;

/// Number of `u32` fields of an encoded [`Doc`].
const DOC_NUMBERS: usize = 6;
/// Number of section lengths at the beginning of the file.
const SECTIONS: usize = 6;

impl Segment {
    /// Returns the size of the segment's file in bytes.
    pub fn size(&self) -> usize {
        let keys = self.keys.len() + self.not_text.len();
        let numbers = SECTIONS
            + DOC_NUMBERS * self.docs.len()
            + self.chunk_lengths.len()
            + self.words.len()
            + self.offsets.len()
            + self.stored_offsets.len();
        HEADER_BYTES + 32 * keys + 4 * numbers + self.postings.len() + self.stored.len()
    }

    /// Encodes the segment as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let postings = &self.bytes[self.postings.clone()];
        let stored = &self.bytes[self.stored.clone()];
        let mut bytes = envelope::begin(self.size() - HEADER_BYTES);
        let lengths = [
            self.docs.len(),
            self.chunk_lengths.len(),
            self.words.len(),
            self.not_text.len(),
            postings.len(),
            stored.len(),
        ];
        put_u32s(&mut bytes, lengths.map(|length| length as u32));
        bytes.extend(self.keys.iter().chain(&self.not_text).flat_map(|key| key.0));
        put_u32s(&mut bytes, self.docs.iter().flat_map(encode_doc));
        put_u32s(&mut bytes, self.chunk_lengths.iter().copied());
        put_u32s(&mut bytes, self.words.iter().copied());
        put_u32s(&mut bytes, self.offsets.iter().copied());
        put_u32s(&mut bytes, self.stored_offsets.iter().copied());
        bytes.extend_from_slice(postings);
        bytes.extend_from_slice(stored);
        envelope::seal(FileType::Segment, bytes)
    }

    /// Decodes a segment from a file.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, FormatError> {
        let mut reader = envelope::open(FileType::Segment, &bytes)?;
        let lengths: Vec<usize> = reader.u32s(SECTIONS)?.map(|length| length as usize).collect();
        let &[docs, chunks, words, not_text, postings, stored] = lengths.as_slice() else {
            return Err(FormatError::Layout);
        };
        let mut segment = Self {
            keys: read_keys(&mut reader, docs)?,
            not_text: read_keys(&mut reader, not_text)?,
            docs: read_docs(&mut reader, docs, chunks)?,
            chunk_lengths: reader.u32s(chunks)?.collect(),
            words: reader.u32s(words)?.collect(),
            offsets: reader.u32s(words + 1)?.collect(),
            stored_offsets: reader.u32s(docs + 1)?.collect(),
            ..Self::default()
        };
        let start = bytes.len() - reader.rest.len();
        segment.postings = start..start + postings;
        segment.stored = segment.postings.end..segment.postings.end + stored;
        segment.bytes = bytes;
        segment.is_consistent().then_some(segment).ok_or(FormatError::Layout)
    }

    fn is_consistent(&self) -> bool {
        self.stored.end == self.bytes.len()
            && self.postings.start >= HEADER_BYTES
            && self.words.is_sorted_by(|a, b| a < b)
            && are_offsets(&self.offsets, self.postings.len())
            && are_offsets(&self.stored_offsets, self.stored.len())
    }
}

/// Encodes a doc without `first_chunk`, which follows from the docs before it.
fn encode_doc(doc: &Doc) -> [u32; DOC_NUMBERS] {
    let FieldLengths { body, comment, signature, symbol } = doc.lengths;
    let flags = u32::from(doc.flags.is_generated) | u32::from(doc.flags.is_minified) << 1;
    [doc.chunks, body, comment, signature, symbol, flags]
}

fn read_keys(reader: &mut ByteReader<'_>, count: usize) -> Result<Vec<ContentKey>, FormatError> {
    let bytes = reader.take(count.checked_mul(32).ok_or(FormatError::Layout)?)?;
    let keys: Vec<ContentKey> =
        bytes.as_chunks::<32>().0.iter().map(|key| ContentKey(*key)).collect();
    keys.is_sorted_by(|a, b| a < b).then_some(keys).ok_or(FormatError::Layout)
}

fn read_docs(
    reader: &mut ByteReader<'_>,
    count: usize,
    all_chunks: usize,
) -> Result<Vec<Doc>, FormatError> {
    let numbers: Vec<u32> = reader.u32s(count * DOC_NUMBERS)?.collect();
    let mut first_chunk = 0u32;
    let mut docs = Vec::with_capacity(count);
    for &[chunks, body, comment, signature, symbol, flags] in numbers.as_chunks::<6>().0 {
        let lengths = FieldLengths { body, comment, signature, symbol };
        let flags = ContentFlags { is_generated: flags & 1 == 1, is_minified: flags & 2 == 2 };
        docs.push(Doc { first_chunk, chunks, lengths, flags });
        first_chunk = first_chunk.checked_add(chunks).ok_or(FormatError::Layout)?;
    }
    if first_chunk as usize == all_chunks { Ok(docs) } else { Err(FormatError::Layout) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::tests::{WORDS, segment};

    /// Calls every reading method; none may panic.
    fn read_everything(segment: &Segment) {
        for doc in 0..segment.len() as u32 {
            let _ = (segment.doc(doc), segment.chunk_lengths(doc).len(), segment.stored_doc(doc));
        }
        for &word in &segment.words {
            assert!(segment.postings(word).all(|it| it.chunk < segment.doc(it.doc).chunks));
        }
        let _ = segment.find(&ContentKey([7; 32]));
    }

    #[test]
    fn segments_round_trip() {
        let segment = segment(&[0, 1, 2, 3]);
        let bytes = segment.to_bytes();
        assert_eq!(bytes.len(), segment.size());
        let read = Segment::from_bytes(bytes.clone()).expect("whole");
        assert_eq!(read.to_bytes(), bytes);
        assert_eq!((&read.keys, &read.docs), (&segment.keys, &segment.docs));
        assert_eq!(read.not_text, segment.not_text);
        for word in WORDS.map(crate::terms::word_id) {
            assert!(read.postings(word).eq(segment.postings(word)));
            assert!(read.postings(word).next().is_some());
        }
        for doc in 0..4 {
            let chunks = |segment: &Segment| segment.stored_doc(doc).map(|it| it.chunks);
            assert_eq!(chunks(&read), chunks(&segment));
        }
        read_everything(&read);
    }

    #[test]
    fn every_changed_byte_is_detected() {
        let bytes = segment(&[0, 1]).to_bytes();
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                assert!(Segment::from_bytes(damaged).is_err(), "byte {at}");
            }
        }
    }

    #[test]
    fn hostile_bytes_with_a_valid_checksum_cause_no_panic() {
        let bytes = segment(&[0, 1]).to_bytes();
        for at in HEADER_BYTES..bytes.len() {
            for flip in [0x01, 0x7f, 0x80, 0xff] {
                let mut hostile = bytes.clone();
                hostile[at] ^= flip;
                if let Ok(segment) = Segment::from_bytes(envelope::seal(FileType::Segment, hostile))
                {
                    read_everything(&segment);
                }
            }
        }
    }

    #[test]
    fn truncation_anywhere_is_detected() {
        let bytes = segment(&[0]).to_bytes();
        for end in 0..bytes.len() {
            assert!(Segment::from_bytes(bytes[..end].to_vec()).is_err(), "{end} bytes");
            if end >= HEADER_BYTES {
                let sealed = envelope::seal(FileType::Segment, bytes[..end].to_vec());
                assert_eq!(Segment::from_bytes(sealed).err(), Some(FormatError::Layout));
            }
        }
        let longer = [bytes, vec![0]].concat();
        assert!(Segment::from_bytes(envelope::seal(FileType::Segment, longer)).is_err());
    }

    #[test]
    fn another_version_is_reported() {
        let mut bytes = segment(&[0]).to_bytes();
        bytes[8] = 0;
        assert_eq!(
            Segment::from_bytes(bytes).err(),
            Some(FormatError::Version { found: 0, expected: 1 })
        );
    }
}
