//! Lines that earlier packs of a session have shown.

use rustc_hash::FxHashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Number of bytes of a hash.
const HASH_BYTES: usize = size_of::<u64>();

/// Hashes of the lines that a reader already has, each with its file. Each line is stored, and each pair of
/// lines that follow each other: a text counts as sent only if all of its pairs were, so one from which a line
/// was deleted does not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SentLines(FxHashSet<u64>);

impl SentLines {
    /// Adds lines of a file that were shown together.
    pub fn add(&mut self, path: &str, text: &str) {
        let file = hash(path);
        let mut previous = None;
        for line in lines(text) {
            self.0.insert(hash((file, line)));
            self.0.extend(previous.map(|previous| hash((file, previous, line))));
            previous = Some(line);
        }
    }

    /// Adds the lines of another reader's packs.
    pub fn add_all(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    /// Whether all lines of `text` were sent in this order. Blank lines and trailing whitespace do not
    /// matter.
    pub fn contains(&self, path: &str, text: &str) -> bool {
        let file = hash(path);
        let (mut previous, mut count) = (None, 0);
        for line in lines(text) {
            if previous.is_some_and(|previous| !self.0.contains(&hash((file, previous, line)))) {
                return false;
            }
            (previous, count) = (Some(line), count + 1);
        }
        count > 1 || previous.is_some_and(|line| self.0.contains(&hash((file, line))))
    }

    /// Returns the number of hashes, which determines the size in memory.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was sent.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Encodes the hashes for another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut hashes: Vec<u64> = self.0.iter().copied().collect();
        hashes.sort_unstable();
        [check_hash()].into_iter().chain(hashes).flat_map(u64::to_le_bytes).collect()
    }

    /// Decodes hashes. `None` if they are damaged, or if a program with another hash function wrote them.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks::<HASH_BYTES>();
        let mut hashes = words.iter().map(|word| u64::from_le_bytes(*word));
        let is_known = rest.is_empty() && hashes.next() == Some(check_hash());
        is_known.then(|| Self(hashes.collect()))
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty())
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns a hash that differs between hash functions: that of the standard library may change.
fn check_hash() -> u64 {
    hash("sent lines 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_not_sent_yet() {
        let mut sent = SentLines::default();
        sent.add("a.rs", "fn a() {\n    one();\n\n    two();\n}\n");
        for same in ["fn a() {\n    one();\n    two();\n}\n", "    one();\n    two();\n", "}\n"] {
            assert!(sent.contains("a.rs", same), "{same}");
        }
        for new in [
            "fn a() {\n    one();\n}\n",
            "fn a() {\n    two();\n    one();\n}\n",
            "fn a() {\n    one();\n    three();\n    two();\n}\n",
            "three();\n",
            "\n",
        ] {
            assert!(!sent.contains("a.rs", new), "{new}");
        }
        assert!(!sent.contains("b.rs", "}\n"), "another file");
    }

    #[test]
    fn hashes_survive_encoding_and_damage_is_detected() {
        let mut sent = SentLines::default();
        sent.add("a.rs", "one\ntwo\n");
        let bytes = sent.to_bytes();
        assert_eq!(SentLines::from_bytes(&bytes), Some(sent.clone()));
        for damaged in [&bytes[1..], &bytes[..bytes.len() - 1], &bytes[HASH_BYTES..], b""] {
            assert_eq!(SentLines::from_bytes(damaged), None);
        }
        let mut all = SentLines::default();
        all.add("b.rs", "three\n");
        all.add_all(&sent);
        assert!(all.contains("a.rs", "one\ntwo\n") && all.contains("b.rs", "three\n"));
    }
}
