//! The files of a commit, read from git without a checkout.
//!
//! The list equals that of a walk over the same files: no links, submodules or denied files, nor files
//! that `.ignore` and `.agentignore` leave out. Tracked files count even if they are hidden or
//! `.gitignore` matches them.

use crate::blob_reader::BlobReader;
use crate::git::Git;
use crate::ignore_rules::AGENT_IGNORE;
use crate::lookup::resolve_in;
use crate::ls_tree::{TreeEntry, list_tree};
use crate::tree::sort;
use crate::{Denylist, FileEntry, FileId, GitError, GitLocation, Globs, PathError, Skipped, Tree};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::io;
use std::path::Path;

/// Larger ignore files are not read.
const MAX_IGNORE_FILE_BYTES: u64 = 1 << 20;

/// The files of a commit.
#[derive(Debug)]
pub struct CommitTree {
    files: Vec<FileEntry>,
    skipped: Vec<Skipped>,
    blobs: BlobReader,
}

impl CommitTree {
    /// Lists the files of a commit. `dir` is a repository, bare or checked out, or a folder of a work
    /// tree; paths are relative to it.
    pub fn open<'a>(
        dir: impl Into<GitLocation<'a>>,
        revision: &str,
        globs: &Globs,
        denylist: &Denylist,
    ) -> Result<Self, GitError> {
        let git = Git::at(dir);
        let commit = resolve_in(&git, revision)?;
        let entries = list_tree(&git, &["-r", &commit])?;
        let blobs = BlobReader::new(git, u64::MAX);
        let ignore_rules = ignore_rules(&entries, &blobs);
        let (mut files, mut skipped) = (Vec::new(), Vec::new());
        for entry in entries {
            match check(entry, globs, denylist, &ignore_rules) {
                Ok(file) => files.extend(file),
                Err(error) => skipped.push(error.into()),
            }
        }
        sort(&mut files, &mut skipped);
        Ok(Self { files, skipped, blobs })
    }
}

impl Tree for CommitTree {
    fn files(&self) -> &[FileEntry] {
        &self.files
    }

    fn read(&self, entry: &FileEntry, limit: u64) -> Result<Vec<u8>, PathError> {
        let path = || entry.path.clone();
        let FileId::Blob(id) = entry.id else {
            return Err(PathError::NotFound { path: path() });
        };
        if entry.size > limit {
            return Err(PathError::TooLarge { path: path(), size: entry.size, limit });
        }
        self.blobs.read(id).map_err(|error| PathError::io(&entry.path, error))
    }

    fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }
}

/// Returns the file, `None` if a walk would not list it, or the reason for skipping it.
fn check(
    entry: TreeEntry,
    globs: &Globs,
    denylist: &Denylist,
    ignore_rules: &[Gitignore],
) -> Result<Option<FileEntry>, PathError> {
    let TreeEntry { path, id, size } = entry;
    let path = String::from_utf8(path).map_err(|error| PathError::Invalid {
        path: String::from_utf8_lossy(error.as_bytes()).into_owned(),
        reason: "the file name is not UTF-8",
    })?;
    if !globs.accepts(&path) || is_ignored(ignore_rules, &path) {
        return Ok(None);
    }
    if let Some(pattern) = denylist.denies(&path) {
        let pattern = pattern.to_owned();
        return Err(PathError::Denied { path, pattern });
    }
    match size {
        Some(size) => Ok(Some(FileEntry { path, size, id: FileId::Blob(id) })),
        None => {
            let source = io::Error::other("the repository lacks the content");
            Err(PathError::Io { path, source })
        }
    }
}

/// Returns the rules of the commit's `.ignore` and `.agentignore` files in ascending precedence: deeper
/// folders override, and `.agentignore` overrides `.ignore`.
fn ignore_rules(entries: &[TreeEntry], blobs: &BlobReader) -> Vec<Gitignore> {
    let mut rules = Vec::new();
    for name in [".ignore", AGENT_IGNORE] {
        let read = |entry| read_ignore_file(entry, name, blobs);
        let mut named: Vec<Gitignore> = entries.iter().filter_map(read).collect();
        named.sort_by_key(|rule| rule.path().components().count());
        rules.append(&mut named);
    }
    rules
}

/// Returns the rules of a file if it is an ignore file called `name`.
fn read_ignore_file(entry: &TreeEntry, name: &str, blobs: &BlobReader) -> Option<Gitignore> {
    let path = std::str::from_utf8(&entry.path).ok()?;
    let folder = path.strip_suffix(name)?;
    let has_name = folder.is_empty() || folder.ends_with('/');
    if !has_name || entry.size? > MAX_IGNORE_FILE_BYTES {
        return None;
    }
    let content = blobs.read(entry.id).ok()?;
    let mut builder = GitignoreBuilder::new(format!("/{}", folder.trim_end_matches('/')));
    for line in String::from_utf8_lossy(&content).lines() {
        // Invalid lines are ignored, as in a walk.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}

fn is_ignored(rules: &[Gitignore], path: &str) -> bool {
    let full = format!("/{path}");
    let full = Path::new(&full);
    let applicable = rules.iter().rev().filter(|rule| full.starts_with(rule.path()));
    let mut matches = applicable.map(|rule| rule.matched_path_or_any_parents(full, false));
    matches.find(|found| !found.is_none()).is_some_and(|found| found.is_ignore())
}
