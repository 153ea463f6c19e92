//! The files of an index. Each begins with a magic number, the format version and a checksum of the
//! rest, so that damage is detected before any field is used.

use crate::terms::WORDS_VERSION;
use kitbag_tokens::hex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

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
    History,
    Summary,
}

impl FileType {
    fn magic(self) -> &'static [u8; 8] {
        match self {
            Self::Segment => b"kitbagSG",
            Self::Table => b"kitbagTB",
            Self::Manifest => b"kitbagMF",
            Self::History => b"kitbagHI",
            Self::Summary => b"kitbagSU",
        }
    }

    /// Bumped whenever the layout of such a file changes.
    pub(crate) fn version(self) -> u32 {
        match self {
            Self::Segment => 2,
            // Both hold rows of the file table.
            Self::Table | Self::Manifest => 3,
            Self::History => 400 + WORDS_VERSION,
            Self::Summary => 100 + WORDS_VERSION,
        }
    }
}

/// Encodes a value as a file in which `tail` follows it.
pub(crate) fn encode(file_type: FileType, value: &impl Serialize, tail: &[u8]) -> Vec<u8> {
    // Encoding to memory does not fail; if it did, the file would read as damaged.
    let mut bytes = postcard::to_extend(value, vec![0; HEADER_BYTES]).unwrap_or_default();
    bytes.extend_from_slice(tail);
    seal(file_type, bytes)
}

/// Fills in the header, for which `bytes` has room.
pub(crate) fn seal(file_type: FileType, mut bytes: Vec<u8>) -> Vec<u8> {
    let (header, rest) = bytes.split_at_mut(HEADER_BYTES);
    header[..8].copy_from_slice(file_type.magic());
    header[8..12].copy_from_slice(&file_type.version().to_le_bytes());
    header[12..].copy_from_slice(&crc32fast::hash(rest).to_le_bytes());
    bytes
}

/// Checks the header and decodes the value of a file. Also returns the bytes that follow the value.
pub(crate) fn decode<T: DeserializeOwned>(
    file_type: FileType,
    bytes: &[u8],
) -> Result<(T, &[u8]), FormatError> {
    let rest = bytes.strip_prefix(file_type.magic()).ok_or(FormatError::Magic)?;
    let (found, rest) = rest.split_first_chunk().ok_or(FormatError::Layout)?;
    let (found, expected) = (u32::from_le_bytes(*found), file_type.version());
    if found != expected {
        return Err(FormatError::Version { found, expected });
    }
    let (checksum, rest) = rest.split_first_chunk().ok_or(FormatError::Layout)?;
    if u32::from_le_bytes(*checksum) != crc32fast::hash(rest) {
        return Err(FormatError::Checksum);
    }
    postcard::take_from_bytes(rest).map_err(|_| FormatError::Layout)
}

/// Hash and size of an immutable file, which is named by the hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileDigest {
    /// The first half of the SHA-256 of the bytes.
    hash: [u8; 16],
    /// Size in bytes.
    pub size: u64,
}

impl FileDigest {
    pub fn of(bytes: &[u8]) -> Self {
        let digest: [u8; 32] = Sha256::digest(bytes).into();
        let mut hash = [0; 16];
        hash.copy_from_slice(&digest[..16]);
        Self { hash, size: bytes.len() as u64 }
    }

    pub fn segment_name(&self) -> String {
        format!("segment-{}.kb", hex(&self.hash))
    }

    pub fn summary_name(&self) -> String {
        format!("summary-{}.kb", hex(&self.hash))
    }

    pub fn table_name(&self) -> String {
        format!("table-{}.kb", hex(&self.hash))
    }
}
