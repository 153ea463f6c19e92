//! Lines that earlier packs of a session have shown.

use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Hashes of the lines that a reader already has, by file. Each line is stored, and each pair of lines that
/// follow each other: a text counts as sent only if all of its pairs were, so one from which a line was
/// deleted does not.
#[derive(Debug, Clone, Default)]
pub struct SentLines {
    files: FxHashMap<String, FxHashSet<u64>>,
    len: usize,
}

impl SentLines {
    /// Adds lines of a file that were shown together.
    pub fn add(&mut self, path: &str, text: &str) {
        let hashes = self.files.entry(path.to_owned()).or_default();
        let before = hashes.len();
        let mut previous = None;
        for line in lines(text) {
            hashes.insert(hash(line));
            hashes.extend(previous.map(|previous| hash((previous, line))));
            previous = Some(line);
        }
        self.len += hashes.len() - before;
    }

    /// Whether all lines of `text` were sent in this order. Blank lines and trailing whitespace do not
    /// matter.
    pub fn contains(&self, path: &str, text: &str) -> bool {
        let Some(hashes) = self.files.get(path) else { return false };
        let (mut previous, mut count) = (None, 0);
        for line in lines(text) {
            if previous.is_some_and(|previous| !hashes.contains(&hash((previous, line)))) {
                return false;
            }
            (previous, count) = (Some(line), count + 1);
        }
        count > 1 || previous.is_some_and(|line| hashes.contains(&hash(line)))
    }

    /// Returns the number of hashes, which determines the size in memory.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing was sent.
    pub fn is_empty(&self) -> bool {
        self.len == 0
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
}
