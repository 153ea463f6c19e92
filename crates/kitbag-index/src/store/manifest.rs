//! The manifest: the files of an index, and the changes since its table was written. It is the only
//! file that is ever replaced.

use super::table::TableChange;
use crate::envelope::{self, FileDigest, FileType, FormatError};
use serde::{Deserialize, Serialize};

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

impl IndexManifest {
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        let (manifest, _): (Self, _) = envelope::decode(FileType::Manifest, bytes)?;
        let is_sorted = manifest.changes.is_sorted_by(|a, b| a.0 < b.0);
        is_sorted.then_some(manifest).ok_or(FormatError::Layout)
    }
}
