//! The manifest: which files make up the index, and what changed since its table was written. It
//! is the only file that is ever replaced, and it is replaced as a whole.

use super::envelope::{self, Damaged, FileType};
use super::table::Change;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// An index, as it is on disk.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// How the contents were analysed.
    pub fingerprint: String,
    /// The segments, the oldest first.
    pub segments: Vec<FileName>,
    /// The table of files.
    pub table: Option<FileName>,
    /// What differs from the table, in the order of paths.
    pub changes: Vec<Change>,
}

/// A file that never changes, known by a hash of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileName {
    /// The first half of the SHA-256 of its bytes.
    pub hash: [u8; 16],
    /// How many bytes it has.
    pub size: u64,
}

impl FileName {
    /// The name for a file of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let digest: [u8; 32] = Sha256::digest(bytes).into();
        let mut hash = [0; 16];
        hash.copy_from_slice(&digest[..16]);
        Self { hash, size: bytes.len() as u64 }
    }

    /// As a segment's name.
    pub fn segment(&self) -> String {
        self.with("segment")
    }

    /// As a table's name.
    pub fn table(&self) -> String {
        self.with("table")
    }

    fn with(&self, what: &str) -> String {
        let mut name = format!("{what}-");
        for byte in self.hash {
            // Writing to a string does not fail.
            let _ = write!(name, "{byte:02x}");
        }
        name + ".kb"
    }
}

impl Manifest {
    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let bytes = envelope::begin(0);
        // Writing to memory does not fail; if it did, the file would read as damaged.
        let bytes = postcard::to_extend(self, bytes).unwrap_or_default();
        envelope::seal(FileType::Manifest, bytes)
    }

    /// The manifest in a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Damaged> {
        let reader = envelope::open(FileType::Manifest, bytes)?;
        let manifest: Self = postcard::from_bytes(reader.rest).map_err(|_| Damaged::Layout)?;
        let sorted = manifest.changes.is_sorted_by(|a, b| a.0 < b.0);
        sorted.then_some(manifest).ok_or(Damaged::Layout)
    }
}
