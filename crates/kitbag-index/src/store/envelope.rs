//! What every file of an index begins with: what it is, the version of its layout, and a checksum
//! of the rest, so that damage is noticed before anything is believed.

/// How many bytes the envelope takes.
pub(crate) const HEADER: usize = 16;

/// Why a file of the index cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Damaged {
    /// It begins like no file of this kind.
    #[error("it is no file of an index")]
    Kind,
    /// Another version of the program wrote it.
    #[error("its format is version {found}, not {expected}")]
    Version {
        /// The version that it says.
        found: u32,
        /// The version that can be read.
        expected: u32,
    },
    /// Its bytes are not those that were written.
    #[error("its checksum is wrong")]
    Checksum,
    /// It says what cannot be.
    #[error("its parts do not fit together")]
    Layout,
}

/// What a file holds.
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

    /// Changes whenever the layout of such a file does.
    fn version(self) -> u32 {
        match self {
            Self::Segment => 1,
            // Both hold what files looked like.
            Self::Table | Self::Manifest => 2,
        }
    }
}

/// Room for the envelope; what the file holds is to be appended.
pub(crate) fn begin(capacity: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + capacity);
    bytes.resize(HEADER, 0);
    bytes
}

/// Closes the envelope around what was appended.
pub(crate) fn seal(file_type: FileType, mut bytes: Vec<u8>) -> Vec<u8> {
    let (header, rest) = bytes.split_at_mut(HEADER);
    header[..8].copy_from_slice(file_type.magic());
    header[8..12].copy_from_slice(&file_type.version().to_le_bytes());
    header[12..].copy_from_slice(&crc32fast::hash(rest).to_le_bytes());
    bytes
}

/// What the envelope holds.
pub(crate) fn open(file_type: FileType, bytes: &[u8]) -> Result<Reader<'_>, Damaged> {
    let mut reader = Reader { rest: bytes };
    if reader.take(8) != Ok(file_type.magic()) {
        return Err(Damaged::Kind);
    }
    let (found, expected) = (reader.u32()?, file_type.version());
    if found != expected {
        return Err(Damaged::Version { found, expected });
    }
    if reader.u32()? != crc32fast::hash(reader.rest) {
        return Err(Damaged::Checksum);
    }
    Ok(reader)
}

/// Reads numbers and bytes one after the other.
pub(crate) struct Reader<'a> {
    pub rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// The next bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Damaged> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Damaged::Layout)?;
        self.rest = rest;
        Ok(taken)
    }

    /// The next number.
    pub fn u32(&mut self) -> Result<u32, Damaged> {
        Ok(self.u32s(1)?.next().unwrap_or(0))
    }

    /// The next numbers.
    pub fn u32s(&mut self, count: usize) -> Result<impl Iterator<Item = u32> + 'a, Damaged> {
        let bytes = self.take(count.checked_mul(4).ok_or(Damaged::Layout)?)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number)))
    }
}

/// Appends numbers.
pub(crate) fn put_u32s(bytes: &mut Vec<u8>, numbers: impl IntoIterator<Item = u32>) {
    bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
}

/// Whether each number is at least the one before, the first is 0 and the last is `end`.
pub(crate) fn are_offsets(numbers: &[u32], end: usize) -> bool {
    numbers.first() == Some(&0)
        && numbers.last().is_some_and(|&last| last as usize == end)
        && numbers.is_sorted()
}
