//! Keys of contents: hashes of the bytes and of the language that they are parsed as.

use kitbag_repo::{FileEntry, FileId, ObjectId};
use kitbag_text::Language;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Identifies a content parsed as one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentKey(pub [u8; 32]);

impl ContentKey {
    /// Returns the key of the content of the file at `path`. It is that of git's blob, so that a work tree
    /// and commits share records.
    pub(crate) fn of_content(path: &str, content: &[u8]) -> Self {
        match ObjectId::of_content(content) {
            Some(id) => Self::hash("blob", path, id.as_bytes()),
            // Two contents were made to have the same id.
            None => Self::hash("text", path, content),
        }
    }

    /// Returns the key of a file whose content git names by a blob id.
    pub(crate) fn of_blob(entry: &FileEntry) -> Option<Self> {
        let FileId::Blob(id) = entry.id else { return None };
        Some(Self::hash("blob", &entry.path, id.as_bytes()))
    }

    /// Hashes the language too, because the same bytes parse differently in another language. A
    /// `.h` file is C or C++ depending on its content, so it gets a namespace of its own.
    fn hash(namespace: &str, path: &str, content: &[u8]) -> Self {
        let language = Language::for_path(path, None).map_or("", Language::name);
        let header = if path.ends_with(".h") { "header" } else { "" };
        let mut hash = Sha256::new();
        for part in [namespace, language, header] {
            hash.update(part);
            hash.update(b"\0");
        }
        hash.update(content);
        Self(hash.finalize().into())
    }

    /// Returns the position of the key in a sorted slice, by interpolation search: keys are hashes,
    /// so a key lies close to where its first bytes predict.
    pub(crate) fn find_in(&self, keys: &[Self]) -> Option<usize> {
        let [a, b, c, d, ..] = self.0;
        let prefix = u64::from(u32::from_be_bytes([a, b, c, d]));
        let guess = ((prefix * keys.len() as u64) >> 32) as usize;
        let (mut low, mut high, mut step) = (guess, guess, 4);
        while low > 0 && keys[low] > *self {
            low = low.saturating_sub(step);
            step *= 2;
        }
        while high < keys.len() && keys[high] < *self {
            high += step;
            step *= 2;
        }
        let end = keys.len().min(high + 1);
        keys[low..end].binary_search(self).ok().map(|at| low + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_any_distribution() {
        let of = |numbers: &[u32]| -> Vec<ContentKey> {
            let key = |number: &u32| {
                let mut key = [0; 32];
                key[..4].copy_from_slice(&number.to_be_bytes());
                ContentKey(key)
            };
            numbers.iter().map(key).collect()
        };
        let spread: Vec<u32> = (0..500u32).map(|it| it * 8_589_934).collect();
        let low: Vec<u32> = (0..300).collect();
        let high: Vec<u32> = (0..300).map(|it| u32::MAX - 300 + it).collect();
        for numbers in [spread, low, high, vec![5], Vec::new()] {
            let keys = of(&numbers);
            for (at, key) in keys.iter().enumerate() {
                assert_eq!(key.find_in(&keys), Some(at));
                let mut other = *key;
                other.0[31] = 1;
                assert_eq!(other.find_in(&keys), None);
            }
            assert_eq!(ContentKey([0xff; 32]).find_in(&keys), None);
        }
    }

    #[test]
    fn a_file_and_its_blob_have_the_same_key() {
        let id = "ce013625030ba8dba906f756967f9e9ca394464a".parse().expect("an id");
        let entry = FileEntry { path: "a.py".to_owned(), size: 6, id: FileId::Blob(id) };
        assert_eq!(ContentKey::of_blob(&entry), Some(ContentKey::of_content("b.py", b"hello\n")));
    }

    #[test]
    fn keys_differ_by_language() {
        let keys = [
            ContentKey::of_content("a.py", b"x"),
            ContentKey::of_content("a.py", b"y"),
            ContentKey::of_content("a.rs", b"x"),
            ContentKey::of_content("a.c", b"x"),
            ContentKey::of_content("a.h", b"x"),
        ];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[..at].contains(key), "{at}");
        }
        assert_eq!(ContentKey::of_content("a.py", b"x"), ContentKey::of_content("b/c.py", b"x"));
    }
}
