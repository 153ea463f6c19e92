//! Git's index: which files of a work tree are changed or untracked.
//!
//! `git status` would run the content filters that a repository configures, and would read every file
//! that was checked out in the second in which the index was written. So the index is listed, files
//! with the size and time of their index entry count as unchanged, and the others are hashed as they
//! are on disk. A file that a filter converts counts as changed only when its time or size differs.

use crate::git::Git;
use crate::log::is_submodule;
use crate::lookup::is_unborn;
use crate::{FileEntry, FileId, GitError, GitLocation, ObjectId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fs;
use std::time::SystemTime;

/// Larger files with a new size or time count as changed without being hashed.
const MAX_HASHED_BYTES: u64 = 10 << 20;

/// Returns those of `files`, which a [`WorkTree`](crate::WorkTree) of `dir` lists, that are changed or
/// untracked. Files of submodules count as unchanged, as do those of a commit.
pub fn changed_files<'a, 'b>(
    dir: impl Into<GitLocation<'b>>,
    files: &'a [FileEntry],
) -> Result<FxHashSet<&'a str>, GitError> {
    let dir = dir.into();
    if dir.commit.is_some() {
        return Ok(FxHashSet::default());
    }
    let git = Git::at(dir);
    Ok(GitIndex::read(&git)?.changed(&git, files))
}

/// The state of `HEAD` and the index. While it stays the same and the files do, so do git's answers
/// about them. Reading it takes one git command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitState {
    head: String,
    index_size: u64,
    index_modified: SystemTime,
}

impl GitState {
    /// Reads the state, or `None` without a commit, an index or git.
    pub fn read<'a>(dir: impl Into<GitLocation<'a>>) -> Option<Self> {
        let dir = dir.into();
        if let Some(commit) = dir.commit {
            let (head, index_modified) = (commit.to_string(), SystemTime::UNIX_EPOCH);
            return Some(Self { head, index_size: 0, index_modified });
        }
        let git = Git::at(dir);
        let index = fs::metadata(git.git_dir().ok()?.dir.join("index")).ok()?;
        let head = git.text(&["rev-parse", "HEAD"]).ok()?;
        let (index_size, index_modified) = (index.len(), index.modified().ok()?);
        Some(Self { head, index_size, index_modified })
    }
}

/// The index, and its differences from `HEAD`.
#[derive(Debug)]
pub(crate) struct GitIndex {
    entries: FxHashMap<String, IndexEntry>,
    /// The folders of submodules, which have histories of their own.
    submodules: FxHashSet<String>,
    /// `None` without a commit to compare with.
    staged: Option<FxHashSet<String>>,
}

#[derive(Debug, PartialEq, Eq)]
struct IndexEntry {
    id: ObjectId,
    stat: Option<IndexStat>,
    is_merged: bool,
    /// Whether a sparse checkout leaves it out.
    is_sparse: bool,
}

/// The modification time and size at which a file was last known to be unchanged.
#[derive(Debug, PartialEq, Eq)]
struct IndexStat {
    seconds: i64,
    nanoseconds: i64,
    size: u32,
}

impl GitIndex {
    pub fn read(git: &Git) -> Result<Self, GitError> {
        let listing = git.output(&["ls-files", "-z", "--stage", "--debug"])?;
        let staged = match staged_paths(git, &[]) {
            Ok(paths) => Some(paths),
            // Without a commit, every file is new.
            Err(GitError::Failed { .. }) if is_unborn(git) => None,
            Err(error) => return Err(error),
        };
        let (entries, submodules) = parse(&listing);
        Ok(Self { entries, submodules, staged })
    }

    /// Iterates over the tracked files, in no particular order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Iterates over the files that should be checked out or are staged as deleted, in no particular
    /// order; none without a commit.
    pub fn expected(&self) -> impl Iterator<Item = &str> {
        let indexed = self.entries.iter().filter(|(_, entry)| !entry.is_sparse);
        let indexed = indexed.map(|(path, _)| path);
        let staged = self.staged.iter().flatten();
        let deleted = staged.filter(|path| !self.entries.contains_key(*path));
        let has_commit = self.staged.is_some();
        indexed.chain(deleted).filter(move |_| has_commit).map(String::as_str)
    }

    /// Returns those of the files that are changed or untracked.
    pub fn changed<'a>(&self, git: &Git, files: &'a [FileEntry]) -> FxHashSet<&'a str> {
        let mut changed = FxHashSet::default();
        let mut unverified = Vec::new();
        for file in files {
            match self.status(file) {
                FileStatus::Unchanged => {}
                FileStatus::Changed => {
                    changed.insert(file.path.as_str());
                }
                FileStatus::UnchangedIfHash(id) => unverified.push((file.path.as_str(), id)),
            }
        }
        if !unverified.is_empty() {
            let hashes = hash_files(git, unverified.iter().map(|(path, _)| *path));
            let hashes = hashes.into_iter().map(Some).chain(std::iter::repeat(None));
            let pairs = unverified.into_iter().zip(hashes);
            let different = pairs.filter(|((_, id), hash)| *hash != Some(*id));
            changed.extend(different.map(|((path, _), _)| path));
        }
        changed
    }

    fn status(&self, file: &FileEntry) -> FileStatus {
        let Some(staged) = &self.staged else { return FileStatus::Changed };
        let Some(entry) = self.entries.get(&file.path) else {
            let is_foreign = self.is_in_submodule(&file.path);
            return if is_foreign { FileStatus::Unchanged } else { FileStatus::Changed };
        };
        if !entry.is_merged || staged.contains(&file.path) {
            FileStatus::Changed
        } else if entry.stat.as_ref().is_some_and(|stat| stat.matches(file)) {
            FileStatus::Unchanged
        } else if file.size > MAX_HASHED_BYTES || file.path.contains(['\n', '\r', '"']) {
            FileStatus::Changed
        } else {
            FileStatus::UnchangedIfHash(entry.id)
        }
    }

    fn is_in_submodule(&self, path: &str) -> bool {
        let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        !self.submodules.is_empty() && folders.any(|folder| self.submodules.contains(folder))
    }
}

enum FileStatus {
    Unchanged,
    Changed,
    /// The time or size is new; the file is unchanged if its content has this id.
    UnchangedIfHash(ObjectId),
}

impl IndexStat {
    fn matches(&self, file: &FileEntry) -> bool {
        let FileId::Stat { modified, .. } = file.id else { return false };
        let (seconds, nanoseconds) =
            (modified.div_euclid(1_000_000_000), modified.rem_euclid(1_000_000_000));
        // The index keeps the lower half of the size, and some gits write no nanoseconds.
        self.seconds == seconds
            && (self.nanoseconds == 0 || self.nanoseconds == nanoseconds)
            && self.size == file.size as u32
    }
}

/// Returns those of `paths`, or of all files if it is empty, whose index entry differs from `HEAD`.
pub(crate) fn staged_paths(git: &Git, paths: &[&str]) -> Result<FxHashSet<String>, GitError> {
    let mut arguments = vec!["diff-index", "--cached", "--raw", "-z", "--no-renames"];
    arguments.extend(["--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--relative"]);
    arguments.extend(["HEAD", "--"]);
    if paths.is_empty() && git.git_dir()?.top != git.dir() {
        // `--relative` alone would compare the other folders too.
        arguments.push(".");
    }
    arguments.extend(paths);
    let output = git.output(&arguments)?;
    let mut words = output.split(|&byte| byte == 0);
    let mut staged = FxHashSet::default();
    while let (Some(attributes), Some(path)) = (words.next(), words.next()) {
        if let Ok(path) = std::str::from_utf8(path)
            && !is_submodule(attributes)
        {
            staged.insert(path.to_owned());
        }
    }
    Ok(staged)
}

/// Returns the object ids of the files' contents, without filters. Ends early at a file that cannot be
/// read.
fn hash_files<'a>(git: &Git, paths: impl Iterator<Item = &'a str>) -> Vec<ObjectId> {
    let mut input = Vec::new();
    for path in paths {
        input.extend_from_slice(git.dir().join(path).as_os_str().as_encoded_bytes());
        input.push(b'\n');
    }
    let output = git.run(&["hash-object", "--no-filters", "--stdin-paths"], Some(input));
    let output = output.map(|(output, _)| output).unwrap_or_default();
    String::from_utf8_lossy(&output).lines().map_while(|id| id.parse().ok()).collect()
}

/// Parses `<mode> <id> <stage>\t<path>`, NUL, and detail lines that begin with two spaces, into the
/// regular files and the folders of submodules. The details are meant for people and may change; a
/// file without them is hashed.
fn parse(listing: &[u8]) -> (FxHashMap<String, IndexEntry>, FxHashSet<String>) {
    let (mut entries, mut submodules) = (FxHashMap::default(), FxHashSet::default());
    let mut words = listing.split(|&byte| byte == 0);
    let mut head = words.next().unwrap_or_default();
    for word in words {
        let (details, next) = word.split_at(details_length(word));
        match parse_head(head) {
            Some((mode, path, mut entry)) if mode.starts_with("100") => {
                let details = String::from_utf8_lossy(details);
                entry.stat = parse_stat(&details);
                entry.is_sparse = is_sparse(&details);
                entries.insert(path.to_owned(), entry);
            }
            Some(("160000", path, _)) => {
                submodules.insert(path.to_owned());
            }
            _ => {}
        }
        head = next;
    }
    (entries, submodules)
}

fn details_length(word: &[u8]) -> usize {
    let mut length = 0;
    while word[length..].starts_with(b"  ") {
        let line = word[length..].iter().position(|&byte| byte == b'\n');
        length = line.map_or(word.len(), |end| length + end + 1);
    }
    length
}

fn parse_head(head: &[u8]) -> Option<(&str, &str, IndexEntry)> {
    let (attributes, path) = std::str::from_utf8(head).ok()?.split_once('\t')?;
    let mut words = attributes.split(' ');
    let mode = words.next()?;
    let id = words.next()?.parse().ok()?;
    let is_merged = words.next()? == "0";
    Some((mode, path, IndexEntry { id, stat: None, is_merged, is_sparse: false }))
}

fn parse_stat(details: &str) -> Option<IndexStat> {
    let field = |name: &str| details.lines().find_map(|line| line.trim().strip_prefix(name));
    let (seconds, nanoseconds) = field("mtime: ")?.split_once(':')?;
    let size = field("size: ")?.split_ascii_whitespace().next()?.parse().ok()?;
    let (seconds, nanoseconds) = (seconds.parse().ok()?, nanoseconds.parse().ok()?);
    Some(IndexStat { seconds, nanoseconds, size })
}

fn is_sparse(details: &str) -> bool {
    const SKIP_WORKTREE: u64 = 1 << 30;
    let flags = details
        .split_once("flags: ")
        .and_then(|(_, rest)| u64::from_str_radix(rest.split_ascii_whitespace().next()?, 16).ok());
    flags.is_some_and(|flags| flags & SKIP_WORKTREE != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    #[test]
    fn unusual_names_and_missing_details_are_parsed() {
        let details = "  ctime: 1:2\n  mtime: 3:4\n  dev: 5\tino: 6\n  size: 7\tflags: 0\n";
        let listing = format!(
            "100644 {ID} 0\ta\n  b\0{details}100755 {ID} 2\tb\0{details}160000 {ID} 0\tsub\0\
             {details}100644 {ID} 0\tc\0"
        );
        let (entries, submodules) = parse(listing.as_bytes());
        assert_eq!(entries.len(), 3);
        assert!(submodules.contains("sub") && submodules.len() == 1);
        let stat = IndexStat { seconds: 3, nanoseconds: 4, size: 7 };
        assert_eq!(entries["a\n  b"].stat, Some(stat));
        assert!(entries["a\n  b"].is_merged && !entries["b"].is_merged);
        assert_eq!(entries["c"].stat, None);
        assert!(parse(b"").0.is_empty());
    }
}
