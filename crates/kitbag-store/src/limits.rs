//! Maximum sizes of objects: what a damaged, hostile or foreign object can cost at most.

use crate::layout::{INDEXES, SUMMARIES};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Maximum size of the marker in bytes.
pub(crate) const MAX_MARKER_BYTES: u64 = 64 * KIB;

/// Maximum sizes of an object, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// As stored.
    pub object: u64,
    /// After decompression.
    pub content: u64,
}

impl Limits {
    /// Returns the limits of an object. Each is several times what writers produce: segments of 8 MiB and one
    /// record, or collections of `collect::MAX_MERGE`; lists of up to 20 bytes for each content.
    pub fn of(name: &str) -> Self {
        let mut parts = name.split('/');
        let (folder, part) = (parts.next().unwrap_or_default(), parts.nth(2));
        match part {
            Some("segments") if folder == INDEXES => Self { object: 64 * MIB, content: 256 * MIB },
            _ if folder == INDEXES => Self { object: 16 * MIB, content: 32 * MIB },
            _ if folder == SUMMARIES => Self { object: 128 * KIB, content: 256 * KIB },
            _ => Self { object: 8 * MIB, content: 32 * MIB },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_object_has_its_own_limits() {
        let object = |name: &str| Limits::of(name).object;
        assert_eq!(object("index/a/b/segments/c"), 64 * MIB);
        assert_eq!(object("index/a/b/lists/c"), 16 * MIB);
        assert_eq!(object("index"), 16 * MIB);
        assert_eq!(object("summaries/a"), 128 * KIB);
        assert_eq!(object("sessions/segments/x/segments"), 8 * MIB);
    }
}
