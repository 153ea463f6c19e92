//! The files of a commit, read from git without a checkout.
//!
//! The list equals that of a walk over the same files: no links, submodules or denied files, nor files
//! that `.ignore` and `.agentignore` leave out. Tracked files count even if they are hidden or
//! `.gitignore` matches them. Contents are as git stores them: no filter and no conversion applies.

use crate::blob_reader::BlobReader;
use crate::git::Git;
use crate::ignore_rules::{AGENT_IGNORE, IGNORE_FILES, MAX_IGNORE_FILE_BYTES};
use crate::ls_tree::{TreeEntry, list_with_links};
use crate::tree::sort;
use crate::{FileEntry, FileId, GitError, GitLocation, Globs, ObjectId, PathError, Skipped};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::VecDeque;
use std::io;
use std::path::Path;

/// Symbolic links that are followed for one path.
const MAX_LINKS: usize = 40;
/// Maximum length of a link's target in bytes, as on Linux.
const MAX_TARGET_BYTES: u64 = 4_096;

/// The files of a commit below a folder.
#[derive(Debug)]
pub struct CommitFiles {
    id: ObjectId,
    /// Sorted by path.
    entries: Vec<TreeEntry>,
    rules: CommitIgnoreRules,
    blobs: BlobReader,
}

/// What a path of a commit leads to, without symbolic links.
pub(crate) enum CommitPath {
    File(String),
    Folder(String),
}

impl CommitFiles {
    /// Lists the files of a commit. `dir` is a repository, bare or checked out, or a folder of a work
    /// tree; paths are relative to it.
    pub fn open<'a>(dir: impl Into<GitLocation<'a>>, commit: ObjectId) -> Result<Self, GitError> {
        let git = Git::at(dir);
        let mut entries = list_with_links(&git, &["-r", &commit.to_string()])?;
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let blobs = BlobReader::new(git, u64::MAX);
        let rules = CommitIgnoreRules::read(&entries, &blobs);
        Ok(Self { id: commit, entries, rules, blobs })
    }

    /// Returns the id of the commit.
    pub fn id(&self) -> ObjectId {
        self.id
    }

    /// Lists the files that a walk of the checked-out commit would list, and those skipped for a reason
    /// worth reporting. `permit` fails for a denied path.
    pub(crate) fn list(
        &self,
        globs: &Globs,
        permit: impl Fn(&str) -> Result<(), PathError>,
    ) -> (Vec<FileEntry>, Vec<Skipped>) {
        let (mut files, mut skipped) = (Vec::new(), Vec::new());
        for entry in &self.entries {
            match self.check(entry, globs, &permit) {
                Ok(file) => files.extend(file),
                Err(error) => skipped.push(error.into()),
            }
        }
        skipped.extend(self.rules.rejected.iter().cloned());
        sort(&mut files, &mut skipped);
        (files, skipped)
    }

    /// Returns the file, `None` if a walk would not list it, or the reason for skipping it.
    fn check(
        &self,
        entry: &TreeEntry,
        globs: &Globs,
        permit: impl Fn(&str) -> Result<(), PathError>,
    ) -> Result<Option<FileEntry>, PathError> {
        let invalid = |reason| PathError::Invalid {
            path: String::from_utf8_lossy(&entry.path).into_owned(),
            reason,
        };
        let path = std::str::from_utf8(&entry.path);
        let path = path.map_err(|_| invalid("the file name is not UTF-8"))?;
        if path.split('/').any(|name| matches!(name, "" | "." | "..")) {
            return Err(invalid("git would not check it out"));
        }
        if !globs.accepts(path) || self.rules.ignores(path) {
            return Ok(None);
        }
        permit(path)?;
        if !entry.is_link {
            return file_entry(path, entry).map(Some);
        }
        // A walk reports links that lead nowhere, except hidden ones.
        if !path.split('/').any(|name| name.starts_with('.')) {
            self.resolve(path)?;
        }
        Ok(None)
    }

    /// Follows the symbolic links of a normalized path. `..` in a link that leads out of the folder is an
    /// error, as is an absolute link.
    pub(crate) fn resolve(&self, path: &str) -> Result<CommitPath, PathError> {
        let missing = || PathError::NotFound { path: path.to_owned() };
        let outside = || PathError::OutsideRoot { path: path.to_owned() };
        let mut rest: VecDeque<String> = names(path).collect();
        let (mut resolved, mut links) = (String::new(), 0);
        let mut is_file = false;
        while let Some(name) = rest.pop_front() {
            if is_file {
                return Err(missing());
            }
            if name == ".." {
                let parent = resolved.rfind('/').unwrap_or(0);
                if resolved.is_empty() {
                    return Err(outside());
                }
                resolved.truncate(parent);
                continue;
            }
            let parent = resolved.len();
            if parent > 0 {
                resolved.push('/');
            }
            resolved.push_str(&name);
            match self.find(&resolved) {
                Some(entry) if entry.is_link => {
                    links += 1;
                    let target = self.target(entry).filter(|_| links <= MAX_LINKS);
                    let target = target.ok_or_else(missing)?;
                    if target.starts_with('/') {
                        return Err(outside());
                    }
                    resolved.truncate(parent);
                    names(&target).rev().for_each(|name| rest.push_front(name));
                }
                Some(_) => is_file = true,
                None if self.has_folder(&resolved) => {}
                None => return Err(missing()),
            }
        }
        Ok(if is_file { CommitPath::File(resolved) } else { CommitPath::Folder(resolved) })
    }

    /// Returns the regular file or link at a path.
    pub(crate) fn find(&self, path: &str) -> Option<&TreeEntry> {
        let at = self.entries.binary_search_by(|it| it.path.as_slice().cmp(path.as_bytes()));
        at.ok().map(|at| &self.entries[at])
    }

    /// Returns the file at a path without links.
    pub(crate) fn file(&self, path: &str) -> Result<FileEntry, PathError> {
        let entry = self.find(path).filter(|entry| !entry.is_link);
        file_entry(path, entry.ok_or_else(|| PathError::NotFound { path: path.to_owned() })?)
    }

    /// Iterates over the paths of files and links below a folder, sorted; those that are not UTF-8 are
    /// left out.
    pub(crate) fn below(&self, folder: &str) -> impl Iterator<Item = &str> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let start = self.entries.partition_point(|it| it.path.as_slice() < prefix.as_bytes());
        let paths = self.entries[start..].iter().map(|it| it.path.as_slice());
        let paths = paths.take_while(move |path| path.starts_with(prefix.as_bytes()));
        paths.filter_map(|path| std::str::from_utf8(path).ok())
    }

    fn has_folder(&self, path: &str) -> bool {
        let prefix = [path.as_bytes(), b"/"].concat();
        let at = self.entries.partition_point(|it| it.path < prefix);
        self.entries.get(at).is_some_and(|it| it.path.starts_with(&prefix))
    }

    /// Returns the target of a link.
    fn target(&self, entry: &TreeEntry) -> Option<String> {
        entry.size.filter(|size| *size <= MAX_TARGET_BYTES)?;
        String::from_utf8(self.blobs.read(entry.id).ok()?).ok()
    }

    /// Reads a file of this commit, unless it is larger than `limit` bytes.
    pub(crate) fn read(&self, entry: &FileEntry, limit: u64) -> Result<Vec<u8>, PathError> {
        let path = || entry.path.clone();
        let FileId::Blob(id) = entry.id else {
            return Err(PathError::NotFound { path: path() });
        };
        if entry.size > limit {
            return Err(PathError::TooLarge { path: path(), size: entry.size, limit });
        }
        self.blobs.read(id).map_err(|error| PathError::io(&entry.path, error))
    }

    /// Returns whether `.ignore` or `.agentignore` of the commit matches a path.
    pub(crate) fn ignores(&self, path: &str) -> bool {
        self.rules.ignores(path)
    }
}

fn file_entry(path: &str, entry: &TreeEntry) -> Result<FileEntry, PathError> {
    let path = path.to_owned();
    match entry.size {
        Some(size) => Ok(FileEntry { path, size, id: FileId::Blob(entry.id) }),
        None => {
            let source = io::Error::other("the repository lacks the content");
            Err(PathError::Io { path, source })
        }
    }
}

/// Returns the names in a path, without those that stay where they are.
fn names(path: &str) -> impl DoubleEndedIterator<Item = String> {
    path.split('/').filter(|name| !matches!(*name, "" | ".")).map(str::to_owned)
}

/// The rules of a commit's `.ignore` and `.agentignore` files.
#[derive(Debug)]
struct CommitIgnoreRules {
    /// In ascending precedence: deeper folders override, and `.agentignore` overrides `.ignore`.
    rules: Vec<Gitignore>,
    /// Ignore files that are too large to be applied. What one ignores may be private, so its folder is
    /// not listed.
    rejected: Vec<Skipped>,
    rejected_folders: Vec<String>,
}

impl CommitIgnoreRules {
    fn read(entries: &[TreeEntry], blobs: &BlobReader) -> Self {
        let mut all =
            Self { rules: Vec::new(), rejected: Vec::new(), rejected_folders: Vec::new() };
        for name in IGNORE_FILES {
            let mut named = Vec::new();
            for entry in entries.iter().filter(|entry| !entry.is_link) {
                let Some((path, folder)) = named_file(entry, name) else { continue };
                let size = entry.size.unwrap_or(0);
                if size > MAX_IGNORE_FILE_BYTES {
                    let (path, limit) = (path.to_owned(), MAX_IGNORE_FILE_BYTES);
                    all.rejected.push(PathError::TooLarge { path, size, limit }.into());
                    all.rejected_folders.push(folder.to_owned());
                } else if name == ".ignore" || name == AGENT_IGNORE {
                    named.extend(parse_rules(folder, entry, blobs));
                }
            }
            named.sort_by_key(|rule| rule.path().components().count());
            all.rules.append(&mut named);
        }
        all
    }

    fn ignores(&self, path: &str) -> bool {
        if self.rejected_folders.iter().any(|folder| path.starts_with(folder.as_str())) {
            return true;
        }
        let full = format!("/{path}");
        let full = Path::new(&full);
        let applicable = self.rules.iter().rev().filter(|rule| full.starts_with(rule.path()));
        let mut matches = applicable.map(|rule| rule.matched_path_or_any_parents(full, false));
        matches.find(|found| !found.is_none()).is_some_and(|found| found.is_ignore())
    }
}

/// Returns the path of an entry and its folder, which is empty or ends in `/`, if it is called `name`.
fn named_file<'a>(entry: &'a TreeEntry, name: &str) -> Option<(&'a str, &'a str)> {
    let path = std::str::from_utf8(&entry.path).ok()?;
    let folder = path.strip_suffix(name)?;
    (folder.is_empty() || folder.ends_with('/')).then_some((path, folder))
}

fn parse_rules(folder: &str, entry: &TreeEntry, blobs: &BlobReader) -> Option<Gitignore> {
    let content = blobs.read(entry.id).ok()?;
    let mut builder = GitignoreBuilder::new(format!("/{}", folder.trim_end_matches('/')));
    for line in String::from_utf8_lossy(&content).lines() {
        // Invalid lines are ignored, as in a walk.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}
