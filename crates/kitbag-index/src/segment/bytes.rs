//! A segment as the bytes of a file, and back. What was read is checked so far that nothing which
//! is asked of it later can go wrong, whatever the bytes were.

use super::{Doc, Key, Lengths, Segment};
use crate::file_kind::Looks;
use crate::store::envelope::{self, Damaged, FileType, HEADER, Reader, are_offsets, put_u32s};

/// How many numbers stand for a content's figures.
const DOC_NUMBERS: usize = 6;
/// How many lengths of parts come first.
const PARTS: usize = 6;

impl Segment {
    /// How many bytes its file has.
    pub fn size(&self) -> usize {
        let keys = self.keys.len() + self.not_text.len();
        let numbers = PARTS
            + DOC_NUMBERS * self.docs.len()
            + self.chunk_lengths.len()
            + self.words.len()
            + self.offsets.len()
            + self.forward_offsets.len();
        HEADER + 32 * keys + 4 * numbers + self.postings.len() + self.forward.len()
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (postings, forward) =
            (&self.bytes[self.postings.clone()], &self.bytes[self.forward.clone()]);
        let mut bytes = envelope::begin(self.size() - HEADER);
        let lengths = [
            self.docs.len(),
            self.chunk_lengths.len(),
            self.words.len(),
            self.not_text.len(),
            postings.len(),
            forward.len(),
        ];
        put_u32s(&mut bytes, lengths.map(|length| length as u32));
        bytes.extend(self.keys.iter().chain(&self.not_text).flat_map(|key| key.0));
        put_u32s(&mut bytes, self.docs.iter().flat_map(numbers));
        put_u32s(&mut bytes, self.chunk_lengths.iter().copied());
        put_u32s(&mut bytes, self.words.iter().copied());
        put_u32s(&mut bytes, self.offsets.iter().copied());
        put_u32s(&mut bytes, self.forward_offsets.iter().copied());
        bytes.extend_from_slice(postings);
        bytes.extend_from_slice(forward);
        envelope::seal(FileType::Segment, bytes)
    }

    /// The segment that a file's bytes hold.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Damaged> {
        let mut reader = envelope::open(FileType::Segment, &bytes)?;
        let lengths: Vec<usize> = reader.u32s(PARTS)?.map(|length| length as usize).collect();
        let &[docs, chunks, words, not_text, postings, forward] = lengths.as_slice() else {
            return Err(Damaged::Layout);
        };
        let mut segment = Self {
            keys: keys(&mut reader, docs)?,
            not_text: keys(&mut reader, not_text)?,
            docs: read_docs(&mut reader, docs, chunks)?,
            chunk_lengths: reader.u32s(chunks)?.collect(),
            words: reader.u32s(words)?.collect(),
            offsets: reader.u32s(words + 1)?.collect(),
            forward_offsets: reader.u32s(docs + 1)?.collect(),
            ..Self::default()
        };
        let start = bytes.len() - reader.rest.len();
        segment.postings = start..start + postings;
        segment.forward = segment.postings.end..segment.postings.end + forward;
        segment.bytes = bytes;
        segment.check().then_some(segment).ok_or(Damaged::Layout)
    }

    fn check(&self) -> bool {
        self.forward.end == self.bytes.len()
            && self.postings.start >= HEADER
            && self.words.is_sorted_by(|a, b| a < b)
            && are_offsets(&self.offsets, self.postings.len())
            && are_offsets(&self.forward_offsets, self.forward.len())
    }
}

/// A content's figures as numbers. Where its chunks begin follows from those before it.
fn numbers(doc: &Doc) -> [u32; DOC_NUMBERS] {
    let Lengths { body, comment, signature, symbol } = doc.lengths;
    let looks = u32::from(doc.looks.generated) | u32::from(doc.looks.minified) << 1;
    [doc.chunks, body, comment, signature, symbol, looks]
}

fn keys(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Key>, Damaged> {
    let bytes = reader.take(count.checked_mul(32).ok_or(Damaged::Layout)?)?;
    let keys: Vec<Key> = bytes.as_chunks::<32>().0.iter().map(|key| Key(*key)).collect();
    keys.is_sorted_by(|a, b| a < b).then_some(keys).ok_or(Damaged::Layout)
}

fn read_docs(reader: &mut Reader<'_>, count: usize, all: usize) -> Result<Vec<Doc>, Damaged> {
    let numbers: Vec<u32> = reader.u32s(count * DOC_NUMBERS)?.collect();
    let mut first_chunk = 0u32;
    let mut docs = Vec::with_capacity(count);
    for &[chunks, body, comment, signature, symbol, looks] in numbers.as_chunks::<6>().0 {
        let lengths = Lengths { body, comment, signature, symbol };
        let looks = Looks { generated: looks & 1 == 1, minified: looks & 2 == 2 };
        docs.push(Doc { first_chunk, chunks, lengths, looks });
        first_chunk = first_chunk.checked_add(chunks).ok_or(Damaged::Layout)?;
    }
    if first_chunk as usize == all { Ok(docs) } else { Err(Damaged::Layout) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::tests::{WORDS, segment};

    /// Asks everything that can be asked; nothing may panic.
    fn use_all(segment: &Segment) {
        for doc in 0..segment.len() as u32 {
            let _ = (segment.doc(doc), segment.chunk_lengths(doc).len(), segment.forward(doc));
        }
        for &word in &segment.words {
            assert!(segment.postings(word).all(|it| it.chunk < segment.doc(it.doc).chunks));
        }
        let _ = segment.find(&Key([7; 32]));
    }

    #[test]
    fn what_is_written_is_read() {
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
            let chunks = |segment: &Segment| segment.forward(doc).map(|it| it.chunks);
            assert_eq!(chunks(&read), chunks(&segment));
        }
        use_all(&read);
    }

    #[test]
    fn every_changed_byte_is_noticed() {
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
    fn hostile_bytes_with_a_right_checksum_cause_no_panic() {
        let bytes = segment(&[0, 1]).to_bytes();
        for at in HEADER..bytes.len() {
            for flip in [0x01, 0x7f, 0x80, 0xff] {
                let mut hostile = bytes.clone();
                hostile[at] ^= flip;
                if let Ok(segment) = Segment::from_bytes(envelope::seal(FileType::Segment, hostile))
                {
                    use_all(&segment);
                }
            }
        }
    }

    #[test]
    fn truncation_anywhere_is_noticed() {
        let bytes = segment(&[0]).to_bytes();
        for end in 0..bytes.len() {
            assert!(Segment::from_bytes(bytes[..end].to_vec()).is_err(), "{end} bytes");
            if end >= HEADER {
                let sealed = envelope::seal(FileType::Segment, bytes[..end].to_vec());
                assert_eq!(Segment::from_bytes(sealed).err(), Some(Damaged::Layout));
            }
        }
        let longer = [bytes, vec![0]].concat();
        assert!(Segment::from_bytes(envelope::seal(FileType::Segment, longer)).is_err());
    }

    #[test]
    fn another_version_says_which() {
        let mut bytes = segment(&[0]).to_bytes();
        bytes[8] = 0;
        assert_eq!(
            Segment::from_bytes(bytes).err(),
            Some(Damaged::Version { found: 0, expected: 1 })
        );
    }
}
