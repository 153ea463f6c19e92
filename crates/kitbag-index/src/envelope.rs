//! The header of every index file: a magic number, the format version, and a checksum of the rest,
//! so that damage is detected before any field is used.

/// Size of the header in bytes.
pub(crate) const HEADER_BYTES: usize = 16;

/// Reason why an index file cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The magic number does not match.
    #[error("not an index file")]
    Magic,
    /// Another version of the program wrote it.
    #[error("format version {found}, expected {expected}")]
    Version {
        /// The version in the file.
        found: u32,
        /// The version that this program reads.
        expected: u32,
    },
    /// The bytes differ from those that were written.
    #[error("checksum mismatch")]
    Checksum,
    /// The lengths or offsets in the file are inconsistent.
    #[error("inconsistent layout")]
    Layout,
}

#[derive(Clone, Copy)]
pub(crate) enum FileType {
    Segment,
    Table,
    Manifest,
}

impl FileType {
    fn magic(self) -> &'static [u8; 8] {
        match self {
            Self::Segment => b"kitbagSG",
            Self::Table => b"kitbagTB",
            Self::Manifest => b"kitbagMF",
        }
    }

    /// Bumped whenever the layout of such a file changes.
    fn version(self) -> u32 {
        match self {
            Self::Segment => 1,
            // Both hold rows of the file table.
            Self::Table | Self::Manifest => 2,
        }
    }
}

/// Returns a buffer with room for the header, to which the content is appended.
pub(crate) fn begin(capacity: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES + capacity);
    bytes.resize(HEADER_BYTES, 0);
    bytes
}

/// Fills in the header of a buffer from [`begin`].
pub(crate) fn seal(file_type: FileType, mut bytes: Vec<u8>) -> Vec<u8> {
    let (header, rest) = bytes.split_at_mut(HEADER_BYTES);
    header[..8].copy_from_slice(file_type.magic());
    header[8..12].copy_from_slice(&file_type.version().to_le_bytes());
    header[12..].copy_from_slice(&crc32fast::hash(rest).to_le_bytes());
    bytes
}

/// Checks the header and returns a reader of the content.
pub(crate) fn open(file_type: FileType, bytes: &[u8]) -> Result<ByteReader<'_>, FormatError> {
    let mut reader = ByteReader { rest: bytes };
    if reader.take(8) != Ok(file_type.magic()) {
        return Err(FormatError::Magic);
    }
    let (found, expected) = (reader.u32()?, file_type.version());
    if found != expected {
        return Err(FormatError::Version { found, expected });
    }
    if reader.u32()? != crc32fast::hash(reader.rest) {
        return Err(FormatError::Checksum);
    }
    Ok(reader)
}

/// Reads little-endian numbers and byte ranges in sequence.
pub(crate) struct ByteReader<'a> {
    pub rest: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], FormatError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(FormatError::Layout)?;
        self.rest = rest;
        Ok(taken)
    }

    pub fn u32(&mut self) -> Result<u32, FormatError> {
        Ok(self.u32s(1)?.next().unwrap_or(0))
    }

    pub fn u32s(&mut self, count: usize) -> Result<impl Iterator<Item = u32> + 'a, FormatError> {
        let bytes = self.take(count.checked_mul(4).ok_or(FormatError::Layout)?)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number)))
    }
}

pub(crate) fn put_u32s(bytes: &mut Vec<u8>, numbers: impl IntoIterator<Item = u32>) {
    bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
}

/// Whether the numbers ascend from 0 to `end`.
pub(crate) fn are_offsets(numbers: &[u32], end: usize) -> bool {
    numbers.first() == Some(&0)
        && numbers.last().is_some_and(|&last| last as usize == end)
        && numbers.is_sorted()
}
