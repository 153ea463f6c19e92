//! The file format of a segment. Everything that later reads rely on is checked on loading, so no
//! input can cause a panic.

use super::{Doc, Segment, merge};
use crate::content_key::ContentKey;
use crate::envelope::{self, FileType, FormatError};

impl Segment {
    /// Returns the approximate size of the segment's file in bytes.
    pub fn size(&self) -> usize {
        let numbers = self.chunk_lengths.len() + 2 * self.words.len() + 6 * self.docs.len();
        32 * self.keys.len() + 4 * numbers + self.bytes.len() - self.bytes_start
    }

    /// Encodes the segment as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        envelope::encode(FileType::Segment, self, &self.bytes[self.bytes_start..])
    }

    /// Decodes a segment from a file.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, FormatError> {
        let (segment, tail): (Self, _) = envelope::decode(FileType::Segment, &bytes)?;
        let bytes_start = bytes.len() - tail.len();
        let segment = Self { bytes, bytes_start, ..segment };
        segment.is_consistent().then_some(segment).ok_or(FormatError::Layout)
    }

    /// Merges the contents of segments that `is_live` accepts.
    pub fn merged(segments: &[Segment], is_live: impl Fn(&ContentKey) -> bool) -> Self {
        merge(&segments.iter().collect::<Vec<_>>(), is_live)
    }

    fn is_consistent(&self) -> bool {
        let next_chunk = |next: u32, doc: &Doc| {
            let is_next = doc.first_chunk == next && (doc.is_text || doc.chunks == 0);
            next.checked_add(doc.chunks).filter(|_| is_next)
        };
        let postings_end = self.stored_starts.first().copied().unwrap_or(0);
        let stored_end = (self.bytes.len() - self.bytes_start) as u32;
        self.keys.is_sorted_by(|a, b| a < b)
            && self.words.is_sorted_by(|a, b| a < b)
            && self.keys.len() == self.docs.len()
            && self.docs.iter().try_fold(0, next_chunk) == Some(self.chunk_lengths.len() as u32)
            && are_starts(&self.postings_starts, self.words.len(), postings_end)
            && are_starts(&self.stored_starts, self.docs.len(), stored_end)
    }
}

/// Whether the numbers are the starts of `count` slices, and the end of the last.
fn are_starts(starts: &[u32], count: usize, end: u32) -> bool {
    starts.len() == count + 1 && starts.is_sorted() && starts.last() == Some(&end)
}

/// Encodes numbers with four bytes each: long lists are copied several times faster than varints are
/// decoded.
pub(super) mod fixed_width {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(numbers: &[u32], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        serializer.serialize_bytes(&bytes)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
        let bytes = <&[u8]>::deserialize(deserializer)?;
        Ok(bytes.as_chunks().0.iter().map(|number| u32::from_le_bytes(*number)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::HEADER_BYTES;
    use crate::segment::tests::{WORDS, segment};

    /// Calls every reading method; none may panic.
    fn read_everything(segment: &Segment) {
        for doc in 0..segment.docs.len() as u32 {
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
        assert!(segment.size().abs_diff(bytes.len()) < bytes.len() / 4);
        let read = Segment::from_bytes(bytes.clone()).expect("whole");
        assert_eq!(read.to_bytes(), bytes);
        assert_eq!((&read.keys, &read.docs), (&segment.keys, &segment.docs));
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
            Some(FormatError::Version { found: 0, expected: 2 })
        );
    }
}
