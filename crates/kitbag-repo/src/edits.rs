//! Uncommitted changes as short diffs.
//!
//! Git does not compare the work tree, since that would run the content filters that a repository
//! configures: contents are read through the root and compared here.

use crate::blob_reader::BlobReader;
use crate::git::Git;
use crate::git_index::staged_paths;
use crate::ls_tree::{TreeEntry, list_tree};
use crate::renames::match_renames;
use crate::secret_lines::SecretLines;
use crate::{GitError, ObjectId, PathError, Root};
use kitbag_text::Redaction;
use rustc_hash::{FxHashMap, FxHashSet};
use similar::TextDiff;
use std::fmt::Write;
use std::ops::Range;
use std::time::Duration;

/// Larger files are not compared.
pub(crate) const MAX_COMPARED_BYTES: u64 = 1 << 20;
/// Unchanged lines before and after each change.
pub(crate) const CONTEXT_LINES: usize = 2;
/// Time after which a comparison falls back to a coarser diff.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);

/// An uncommitted change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Relative to the root.
    pub path: String,
    /// The path in `HEAD`, if it is another one.
    pub renamed_from: Option<String>,
    /// Whether `HEAD` lacks the file, also under another name.
    pub is_new: bool,
    /// Whether the file no longer exists.
    pub is_deleted: bool,
    /// Whether part of the change is staged.
    pub is_staged: bool,
    /// Hunks that begin with `@@`, of lines that begin with `+`, `-` or a space. Empty for a rename
    /// without changes.
    pub diff: String,
    /// The secrets that were redacted, by line of `diff`.
    pub redactions: Vec<Redaction>,
}

/// Returns the changes since `HEAD` to files at `paths`, which are relative to the root and may not
/// exist. Unreadable and unchanged files are left out. A deleted file and a similar new one are a
/// rename. With `redact_secrets`, lines that contain secrets, judged by the whole files, are redacted.
pub fn uncommitted_edits(
    root: &Root,
    paths: &[&str],
    redact_secrets: bool,
) -> Result<Vec<Edit>, GitError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let git = Git::at(root);
    let (blobs_at_head, staged) = (blobs_at_head(&git, paths)?, staged_paths(&git, paths));
    let staged = staged.unwrap_or_default();
    let blobs = BlobReader::new(git, MAX_COMPARED_BYTES);
    let read = |&path: &&str| {
        let after = match root.read(path, MAX_COMPARED_BYTES) {
            Ok(bytes) => Some(to_text(bytes)?),
            Err(PathError::NotFound { .. }) => None,
            Err(_) => return None,
        };
        let before = match blobs_at_head.get(path) {
            Some(&id) => Some(to_text(blobs.read(id).ok()?)?),
            None => None,
        };
        let exists = before.is_some() || after.is_some();
        exists.then(|| FileVersions { path: path.to_owned(), renamed_from: None, before, after })
    };
    let mut files: Vec<FileVersions> = paths.iter().filter_map(read).collect();
    merge_renames(&mut files);
    Ok(files.into_iter().filter_map(|file| file.into_edit(&staged, redact_secrets)).collect())
}

/// The contents of a file in `HEAD` and now, `None` where it does not exist.
struct FileVersions {
    path: String,
    renamed_from: Option<String>,
    before: Option<String>,
    after: Option<String>,
}

impl FileVersions {
    /// Returns the change; `None` if nothing changed.
    fn into_edit(self, staged: &FxHashSet<String>, redact_secrets: bool) -> Option<Edit> {
        let before = self.before.as_deref().unwrap_or("");
        let after = self.after.as_deref().unwrap_or("");
        let mut secrets = SecretLines::default();
        if redact_secrets {
            secrets.add_text(before);
            secrets.add_text(after);
        }
        let (diff, redactions) = secrets.redact_diff(&diff(before, after));
        let is_edited = !diff.is_empty() || self.renamed_from.is_some();
        is_edited.then(|| Edit {
            is_new: self.before.is_none(),
            is_deleted: self.after.is_none(),
            is_staged: staged.contains(&self.path),
            path: self.path,
            renamed_from: self.renamed_from,
            diff,
            redactions,
        })
    }
}

/// Merges each deleted file into the new file that it was renamed to.
fn merge_renames(files: &mut Vec<FileVersions>) {
    let indexes = |is_chosen: fn(&FileVersions) -> bool| -> Vec<usize> {
        (0..files.len()).filter(|&at| is_chosen(&files[at])).collect()
    };
    let (new, deleted) = (indexes(|it| it.before.is_none()), indexes(|it| it.after.is_none()));
    let text = |&at: &usize| files[at].after.as_deref().or(files[at].before.as_deref());
    let texts = |indexes: &[usize]| -> Vec<&str> { indexes.iter().filter_map(text).collect() };
    let renames = match_renames(&texts(&new), &texts(&deleted));
    for (new, from) in new.into_iter().zip(renames) {
        let Some(from) = from.map(|from| deleted[from]) else { continue };
        files[new].renamed_from = Some(files[from].path.clone());
        files[new].before = files[from].before.take();
    }
    files.retain(|file| file.before.is_some() || file.after.is_some());
}

/// Returns the ids of the blobs at some paths in `HEAD`.
fn blobs_at_head(git: &Git, paths: &[&str]) -> Result<FxHashMap<String, ObjectId>, GitError> {
    let entries = match list_tree(git, &[&["HEAD", "--"], paths].concat()) {
        // Without a commit, every file is new.
        Err(GitError::Failed { .. }) => Vec::new(),
        result => result?,
    };
    let path = |entry: &TreeEntry| String::from_utf8_lossy(&entry.path).into_owned();
    Ok(entries.into_iter().map(|entry| (path(&entry), entry.id)).collect())
}

/// Returns bytes as text; `None` if they are binary.
fn to_text(bytes: Vec<u8>) -> Option<String> {
    let is_text = !bytes.contains(&0);
    is_text.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

fn diff(before: &str, after: &str) -> String {
    let mut config = TextDiff::configure();
    config.timeout(DIFF_TIMEOUT);
    // Unlike `similar`, git and redaction end lines at `\n` only.
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    let diff = config.diff_slices(&before, &after);
    let mut text = String::new();
    for group in diff.grouped_ops(CONTEXT_LINES) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        let _ = writeln!(text, "@@ -{} +{} @@", hunk_range(&old), hunk_range(&new));
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let line = change.value().trim_end_matches(['\n', '\r']);
            let _ = writeln!(text, "{}{line}", change.tag());
        }
    }
    text
}

/// Formats a range as `first,count`. If it is empty, `first` is the line before it.
fn hunk_range(range: &Range<usize>) -> String {
    let first = range.start + usize::from(!range.is_empty());
    format!("{first},{}", range.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_have_two_lines_of_context() {
        let before: String = (1..=9).map(|line| format!("{line}\n")).collect();
        let after = before.replace("5\n", "five\n");
        assert_eq!(diff(&before, &after), "@@ -3,5 +3,5 @@\n 3\n 4\n-5\n+five\n 6\n 7\n");
        assert_eq!(diff(&before, &before), "");
        assert_eq!(diff("", "1\n"), "@@ -0,0 +1,1 @@\n+1\n");
        assert_eq!(diff("1\n", ""), "@@ -1,1 +0,0 @@\n-1\n");
    }
}
