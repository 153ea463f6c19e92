//! The journal: how each file was before Kitbag changed it, and which folders Kitbag made.
//!
//! The syntax trees of JSON and TOML reformat what surrounds an entry, and an empty object may have been
//! there before. With the journal, `--undo` restores the file byte by byte, as long as no one else has
//! changed it; otherwise only the entry is removed. It holds the text that an edit has replaced, which is
//! whitespace and Kitbag's own entry, and no copy of a file.

use super::error::InitError;
use super::files;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use similar::{DiffTag, TextDiff};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The journal's file in Kitbag's state folder.
const FILE_NAME: &str = "init.json";

/// Larger changes are not kept: they are not those of an entry.
const MAX_CHANGE_BYTES: usize = 64 << 10;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Journal {
    #[serde(skip)]
    path: PathBuf,
    /// The edits by file.
    edits: BTreeMap<PathBuf, JournalEdit>,
    /// The folders that were made.
    folders: BTreeSet<PathBuf>,
}

/// How to get from the text that Kitbag wrote to the one before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct JournalEdit {
    /// The SHA-256 of the text that was written.
    written_sha256: String,
    /// `None` if the file did not exist.
    restore: Option<Vec<Splice>>,
}

/// Bytes of the written text, and what they replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Splice {
    start: usize,
    end: usize,
    replaced: String,
}

impl Journal {
    /// Reads the journal; one that is missing or damaged is empty.
    pub fn open(state: &Path) -> Self {
        let path = state.join(FILE_NAME);
        let text = files::read(&path).ok().flatten().unwrap_or_default();
        Self { path, ..serde_json::from_str(&text).unwrap_or_default() }
    }

    /// Returns the text that a file had before its edit, if `current` is the text that was written. The
    /// inner `None` means that it did not exist.
    pub fn original(&self, path: &Path, current: &str) -> Option<Option<String>> {
        let edit = self.edits.get(path).filter(|edit| edit.written_sha256 == sha256(current))?;
        let Some(splices) = &edit.restore else { return Some(None) };
        let mut text = current.to_owned();
        for Splice { start, end, replaced } in splices.iter().rev() {
            text.get(*start..*end)?;
            text.replace_range(*start..*end, replaced);
        }
        Some(Some(text))
    }

    /// Notes an edit, before it is made. `is_first` is whether the file had nothing of Kitbag's before.
    pub fn note(
        &mut self,
        path: &Path,
        before: Option<&str>,
        after: &str,
        is_first: bool,
    ) -> Result<(), InitError> {
        let original = match before.and_then(|before| self.original(path, before)) {
            Some(original) => Some(original),
            None => is_first.then(|| before.map(str::to_owned)),
        };
        let edit = original.and_then(|original| {
            let restore = match original {
                None => None,
                Some(original) => Some(splices(after, &original)?),
            };
            Some(JournalEdit { written_sha256: sha256(after), restore })
        });
        match edit {
            Some(edit) => self.edits.insert(path.to_owned(), edit),
            None => self.edits.remove(path),
        };
        for path in [path, &self.path] {
            let missing = path.ancestors().skip(1).take_while(|folder| !folder.exists());
            self.folders.extend(missing.map(Path::to_owned));
        }
        self.save()
    }

    /// Forgets the edit of a file, and removes the folders that were made and are empty now.
    pub fn forget(&mut self, path: &Path) -> Result<(), InitError> {
        self.edits.remove(path);
        // A folder sorts before those that it contains.
        for folder in self.folders.iter().rev() {
            // Fails if something else is in it.
            let _ = fs::remove_dir(folder);
        }
        self.folders.retain(|folder| folder.exists());
        self.save()
    }

    /// Writes the journal, or removes it with its own folders if there is nothing else in it.
    fn save(&self) -> Result<(), InitError> {
        let is_own = |folder: &PathBuf| self.path.starts_with(folder);
        if !self.edits.is_empty() || !self.folders.iter().all(is_own) {
            let text = serde_json::to_string_pretty(self).unwrap_or_default();
            return files::replace(&self.path, &format!("{text}\n"));
        }
        if self.path.exists() {
            files::remove(&self.path)?;
        }
        for folder in self.folders.iter().rev() {
            // Fails if something else is in it.
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }
}

fn sha256(text: &str) -> String {
    kitbag::hex(&Sha256::digest(text))
}

/// Returns the changes that lead from `from` to `to`; `None` if they are too large.
fn splices(from: &str, to: &str) -> Option<Vec<Splice>> {
    let start = common_prefix(from, to);
    let end = common_prefix_bytes(from[start..].bytes().rev(), to[start..].bytes().rev());
    let (mut from_end, mut to_end) = (from.len() - end, to.len() - end);
    while !from.is_char_boundary(from_end) || !to.is_char_boundary(to_end) {
        (from_end, to_end) = (from_end + 1, to_end + 1);
    }
    let (from, to) = (&from[start..from_end], &to[start..to_end]);
    if from.len().max(to.len()) > MAX_CHANGE_BYTES {
        return None;
    }
    let diff = TextDiff::from_chars(from, to);
    let bytes = |slices: &[&str]| slices.iter().map(|it| it.len()).sum::<usize>();
    let (old, new) = (diff.old_slices(), diff.new_slices());
    let splice = |op: &similar::DiffOp| {
        let before = bytes(&old[..op.old_range().start]);
        (op.tag() != DiffTag::Equal).then(|| Splice {
            start: start + before,
            end: start + before + bytes(&old[op.old_range()]),
            replaced: new[op.new_range()].concat(),
        })
    };
    Some(diff.ops().iter().filter_map(splice).collect())
}

/// Returns the length of the longest common prefix that ends between characters.
fn common_prefix(a: &str, b: &str) -> usize {
    let mut length = common_prefix_bytes(a.bytes(), b.bytes());
    while !a.is_char_boundary(length) || !b.is_char_boundary(length) {
        length -= 1;
    }
    length
}

fn common_prefix_bytes(a: impl Iterator<Item = u8>, b: impl Iterator<Item = u8>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_original_is_restored_only_from_the_written_text() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a/b/file.json");
        let cases = [
            ("{}", "{\n  \"kitbag\": 1\n}"),
            ("{\"\u{e9}\":1}\r\n", "{\n  \"\u{e9}\":1,\n  \"kitbag\": \"\u{e8}\"\n}\r\n"),
            ("", "x"),
            ("ab", "aab"),
        ];
        for (before, after) in cases {
            let mut journal = Journal::open(folder.path());
            journal.note(&path, Some(before), after, true).expect("saved");
            let journal = Journal::open(folder.path());
            assert_eq!(journal.original(&path, after), Some(Some(before.to_owned())), "{after}");
            assert_eq!(journal.original(&path, "other"), None);
            // Renewing the entry keeps the way back to the original.
            let mut journal = Journal::open(folder.path());
            journal.note(&path, Some(after), "renewed", false).expect("saved");
            assert_eq!(journal.original(&path, "renewed"), Some(Some(before.to_owned())));
            // An edit by someone else in between ends it.
            journal.note(&path, Some("edited"), "written", false).expect("saved");
            assert_eq!(journal.original(&path, "written"), None);
        }
    }

    #[test]
    fn only_folders_that_were_made_and_are_empty_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (state, home) = (folder.path().join("state"), folder.path().join("home"));
        fs::create_dir_all(home.join("own")).expect("a folder");
        let paths = [home.join("own/made/file"), home.join("new/agents/file")];
        let mut journal = Journal::open(&state);
        for path in &paths {
            journal.note(path, None, "text", true).expect("saved");
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        }
        fs::write(home.join("new/other"), "kept").expect("a file");
        for path in &paths {
            journal.forget(path).expect("saved");
        }
        assert!(home.join("own").exists() && !home.join("own/made").exists());
        assert!(home.join("new/other").exists() && !home.join("new/agents").exists());
        fs::remove_file(home.join("new/other")).expect("removed");
        journal.forget(&paths[0]).expect("saved");
        assert!(!home.join("new").exists() && !state.join(FILE_NAME).exists());
    }

    #[test]
    fn a_damaged_journal_is_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(FILE_NAME), "{ \"edits\": 5").expect("written");
        let mut journal = Journal::open(folder.path());
        let path = folder.path().join("x");
        assert_eq!(journal.original(&path, ""), None);
        journal.note(&path, None, "text", true).expect("saved");
        assert_eq!(Journal::open(folder.path()).original(&path, "text"), Some(None));
    }
}
