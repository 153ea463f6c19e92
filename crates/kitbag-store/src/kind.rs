//! Objects beside the indexes: small ones that are found by their names, and deleted by age alone.

use crate::layout::{PACKS, SESSIONS, SUMMARIES};
use crate::store::ObjectStore;

/// A kind of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// Summaries of repositories.
    Summary,
    /// Sessions of callers.
    Session,
    /// Records of packs.
    Pack,
}

impl ObjectKind {
    pub(crate) const ALL: [Self; 3] = [Self::Summary, Self::Session, Self::Pack];

    /// Returns the folder of the objects.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Summary => SUMMARIES,
            Self::Session => SESSIONS,
            Self::Pack => PACKS,
        }
    }
}

impl ObjectStore {
    /// Returns the name of an object that stands for `parts`, without revealing them.
    pub fn name_of(&self, kind: ObjectKind, parts: &[&str]) -> String {
        let parts: Vec<&str> = [kind.folder()].iter().chain(parts).copied().collect();
        format!("{}/{}", kind.folder(), self.hashed_name(&parts))
    }
}
