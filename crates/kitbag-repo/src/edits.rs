//! Uncommitted changes as short diffs.
//!
//! Git does not compare the work tree, since that would run the content filters that a repository
//! configures: contents are read through the root and compared here.

use crate::blob_reader::BlobReader;
use crate::git::Git;
use crate::git_index::staged_paths;
use crate::hunks::hunks;
use crate::ls_tree::{TreeEntry, list_tree};
use crate::renames::match_renames;
use crate::secret_lines::SecretLines;
use crate::{GitError, ObjectId, PathError, Root};
use kitbag_text::Redaction;
use rustc_hash::{FxHashMap, FxHashSet};

/// Larger files are not compared.
pub(crate) const MAX_COMPARED_BYTES: u64 = 1 << 20;
/// Unchanged lines before and after each change.
pub(crate) const CONTEXT_LINES: usize = 2;

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
/// rename. A commit has none. With `redact_secrets`, lines that contain secrets, judged by the whole files, are redacted.
pub fn uncommitted_edits(
    root: &Root,
    paths: &[&str],
    redact_secrets: bool,
) -> Result<Vec<Edit>, GitError> {
    if paths.is_empty() || root.commit().is_some() {
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
pub(crate) fn to_text(bytes: Vec<u8>) -> Option<String> {
    let is_text = !bytes.contains(&0);
    is_text.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

fn diff(before: &str, after: &str) -> String {
    let hunks = hunks(before, after, CONTEXT_LINES);
    hunks.iter().map(|hunk| format!("{}\n{}", hunk.header(), hunk.lines)).collect()
}
