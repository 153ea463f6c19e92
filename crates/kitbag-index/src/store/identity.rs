//! What contents and indexes are known by.

use crate::record::RECORD_VERSION;
use crate::segment::Key;
use kitbag_repo::{FileEntry, FileId};
use kitbag_text::{ChunkLimits, Language};
use kitbag_tokens::Counting;
use sha2::{Digest, Sha256};

/// How contents are analysed.
pub struct Analysis<'a> {
    /// How files are cut.
    pub limits: ChunkLimits,
    /// How tokens are counted.
    pub counting: &'a Counting,
}

impl Analysis<'_> {
    /// The way of analysing without the program's version: what a user can choose.
    pub fn way(&self) -> String {
        Self::way_of(self.counting.counter().name(), &self.limits)
    }

    /// What an index has to be made with to be of use.
    pub fn fingerprint(&self) -> String {
        Self::fingerprint_of(self.counting.counter().name(), &self.limits)
    }

    /// The way of analysing with a counter of that name.
    pub fn way_of(counter: &str, limits: &ChunkLimits) -> String {
        format!("{counter} {limits:?}")
    }

    /// What an index has to be made with, with a counter of that name.
    pub fn fingerprint_of(counter: &str, limits: &ChunkLimits) -> String {
        let program = env!("CARGO_PKG_VERSION");
        let way = Self::way_of(counter, limits);
        format!("kitbag {program}, records {RECORD_VERSION}, {way}")
    }
}

/// The key of a file whose content has a name.
pub(super) fn blob_key(entry: &FileEntry) -> Option<Key> {
    let FileId::Blob(id) = entry.id else { return None };
    Some(key("blob", &entry.path, id.as_bytes()))
}

/// The key of a file by its content.
pub(crate) fn content_key(path: &str, content: &[u8]) -> Key {
    key("text", path, content)
}

/// The same content is another in another language. Which that is follows from the content and from
/// what the path says: a header may be C or C++.
fn key(what: &str, path: &str, content: &[u8]) -> Key {
    let language = Language::of(path, None).map_or("", Language::name);
    let header = if path.ends_with(".h") { "header" } else { "" };
    let mut hash = Sha256::new();
    for part in [what, language, header] {
        hash.update(part);
        hash.update(b"\0");
    }
    hash.update(content);
    Key(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_differ_by_what_they_are_read_as() {
        let keys = [
            content_key("a.py", b"x"),
            content_key("a.py", b"y"),
            content_key("a.rs", b"x"),
            content_key("a.c", b"x"),
            content_key("a.h", b"x"),
        ];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[..at].contains(key), "{at}");
        }
        assert_eq!(content_key("a.py", b"x"), content_key("b/c.py", b"x"));
    }
}
