//! Lists of segments. Each push writes one, and none is ever changed.

use serde::{Deserialize, Serialize};

/// Identifies a content in a list: the beginning of its key. A collision costs no more than a
/// download that is of no use.
pub(crate) type ShortId = u64;

/// What is known about a segment without reading it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ListedSegment {
    /// Name of its object.
    pub name: String,
    /// SHA-256 of its content.
    pub hash: [u8; 32],
    /// Size of its object in bytes.
    pub size: u64,
    /// When it was last pushed, in milliseconds since 1970 by the clock of the store; 0 for the time
    /// of the list itself.
    pub used_ms: i64,
    /// Its contents, ascending.
    pub contents: Vec<ShortId>,
}

/// The content of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SegmentList {
    /// Names of earlier lists, all of whose contents this one has, unless they expired.
    pub replaces: Vec<String>,
    pub segments: Vec<ListedSegment>,
}

impl SegmentList {
    pub fn to_bytes(&self) -> Vec<u8> {
        // Encoding to memory does not fail; if it did, the list would read as damaged.
        postcard::to_stdvec(self).unwrap_or_default()
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (list, rest): (Self, _) = postcard::take_from_bytes(bytes).ok()?;
        let is_sorted = list.segments.iter().all(|it| it.contents.is_sorted());
        (rest.is_empty() && is_sorted).then_some(list)
    }
}
