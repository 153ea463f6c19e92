//! The manifest: the files of an index, and the changes since its table was written. It is the only
//! file that is ever replaced.

use super::table::TableChange;
use crate::envelope::{self, FileType, FormatError};
use kitbag_tokens::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The root of an index on disk.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct IndexManifest {
    /// Fingerprint of the analysis settings.
    pub fingerprint: String,
    /// Segments, oldest first.
    pub segments: Vec<FileDigest>,
    pub table: Option<FileDigest>,
    /// Changes since the table was written, sorted by path.
    pub changes: Vec<TableChange>,
}

/// Hash and size of an immutable file, which is named by the hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileDigest {
    /// The first half of the SHA-256 of the bytes.
    pub hash: [u8; 16],
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

    pub fn table_name(&self) -> String {
        format!("table-{}.kb", hex(&self.hash))
    }
}

impl IndexManifest {
    pub fn to_bytes(&self) -> Vec<u8> {
        // Encoding to memory does not fail; if it did, the file would read as damaged.
        let bytes = postcard::to_extend(self, envelope::begin(0)).unwrap_or_default();
        envelope::seal(FileType::Manifest, bytes)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let reader = envelope::open(FileType::Manifest, bytes)?;
        let manifest: Self = postcard::from_bytes(reader.rest).map_err(|_| FormatError::Layout)?;
        let is_sorted = manifest.changes.is_sorted_by(|a, b| a.0 < b.0);
        is_sorted.then_some(manifest).ok_or(FormatError::Layout)
    }
}
