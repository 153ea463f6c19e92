//! Which files differ from the commit that is checked out, or are unknown to git.
//!
//! `git status` would tell, but it runs the content filters that a repository configures, and it
//! reads every file that was checked out in the second in which the index was written. So the index
//! is listed, files whose size and time are the index's are taken as unchanged, and the contents of
//! the others are hashed as they stand. A file that a filter converts counts as changed only when
//! its time or size differs from the index.

use crate::git::Git;
use crate::lookup::is_unborn;
use crate::{FileEntry, FileId, GitError, ObjectId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// Larger files are taken as changed, not hashed.
const HASH_BYTES: u64 = 10 << 20;

/// Those of the files of a work tree that git sees as changed or does not know. `files` come from a
/// [`WorkTree`](crate::WorkTree) of the same folder. A submodule's files are its own business, and
/// count as unchanged.
pub fn changed_files<'a>(
    dir: &Path,
    files: &'a [FileEntry],
) -> Result<FxHashSet<&'a str>, GitError> {
    let git = Git::at(dir);
    Ok(Index::read(&git)?.changed(&git, files))
}

/// What git knows of a work tree: while it is the same, and the files are, so are git's answers. It
/// takes one question to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitState {
    head: String,
    index: (u64, SystemTime),
}

impl GitState {
    /// Reads it; nothing where there is no commit or no index, or git cannot be asked.
    pub fn read(dir: &Path) -> Option<Self> {
        let output = Git::at(dir).output(&["rev-parse", "--git-path", "index", "HEAD"]).ok()?;
        let output = String::from_utf8(output).ok()?;
        let (index, head) = output.trim_end_matches('\n').rsplit_once('\n')?;
        let index = fs::metadata(dir.join(index)).ok()?;
        Some(Self { head: head.to_owned(), index: (index.len(), index.modified().ok()?) })
    }
}

/// The index, and what in it differs from `HEAD`.
#[derive(Debug)]
pub(crate) struct Index {
    entries: FxHashMap<String, Indexed>,
    /// The folders of submodules, which have histories of their own.
    submodules: FxHashSet<String>,
    /// `None` where there is no commit to differ from.
    staged: Option<FxHashSet<String>>,
}

/// A file as the index has it.
#[derive(Debug, PartialEq, Eq)]
struct Indexed {
    id: ObjectId,
    /// Seconds and nanoseconds, and the size, when it was last known to be unchanged.
    stat: Option<(i64, i64, u32)>,
    is_merged: bool,
    /// Whether it is not checked out on purpose.
    is_sparse: bool,
}

impl Index {
    pub fn read(git: &Git) -> Result<Self, GitError> {
        let listing = git.output(&["ls-files", "-z", "--stage", "--debug"])?;
        let arguments = ["diff-index", "--cached", "--name-only", "-z", "--no-renames"];
        let options = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--relative"];
        let arguments = [&arguments[..], &options[..], &["HEAD", "--"]].concat();
        let staged = match git.output(&arguments) {
            Ok(output) => {
                let paths = output.split(|&byte| byte == 0);
                Some(paths.filter_map(|path| String::from_utf8(path.to_owned()).ok()).collect())
            }
            // Where there is no commit yet, every file is new.
            Err(_) if is_unborn(git) => None,
            Err(error) => return Err(error),
        };
        let (entries, submodules) = parse(&listing);
        Ok(Self { entries, submodules, staged })
    }

    /// The paths of all files that git tracks here, in no order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The paths of all files that should be there or were there in the commit, in no order; none
    /// where there is no commit.
    pub fn expected(&self) -> impl Iterator<Item = &str> {
        let wanted = |(_, entry): &(&String, &Indexed)| !entry.is_sparse;
        let indexed = self.entries.iter().filter(wanted).map(|(path, _)| path);
        // What is staged and not in the index was deleted there.
        let staged = self.staged.iter().flatten();
        let deleted = staged.filter(|path| !path.is_empty() && !self.entries.contains_key(*path));
        let has_commit = self.staged.is_some();
        indexed.chain(deleted).filter(move |_| has_commit).map(String::as_str)
    }

    /// Those of the files that are changed or unknown.
    pub fn changed<'a>(&self, git: &Git, files: &'a [FileEntry]) -> FxHashSet<&'a str> {
        let mut changed = FxHashSet::default();
        let mut doubtful = Vec::new();
        for file in files {
            match self.state(file) {
                State::Unchanged => {}
                State::Changed => {
                    changed.insert(file.path.as_str());
                }
                State::Doubtful(id) => doubtful.push((file, id)),
            }
        }
        if !doubtful.is_empty() {
            let names = hash_files(git, &doubtful);
            let names = names.into_iter().map(Some).chain(std::iter::repeat(None));
            let pairs = doubtful.into_iter().zip(names);
            let other = pairs.filter(|((_, id), name)| *name != Some(*id));
            changed.extend(other.map(|((file, _), _)| file.path.as_str()));
        }
        changed
    }

    fn state(&self, file: &FileEntry) -> State {
        let Some(staged) = &self.staged else { return State::Changed };
        let Some(entry) = self.entries.get(&file.path) else {
            let is_foreign = self.is_in_submodule(&file.path);
            return if is_foreign { State::Unchanged } else { State::Changed };
        };
        if !entry.is_merged || staged.contains(&file.path) {
            return State::Changed;
        }
        if entry.stat.is_some_and(|stat| is_same(stat, file)) {
            State::Unchanged
        } else if file.size > HASH_BYTES || file.path.contains(['\n', '\r', '"']) {
            State::Changed
        } else {
            State::Doubtful(entry.id)
        }
    }

    fn is_in_submodule(&self, path: &str) -> bool {
        let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        !self.submodules.is_empty() && folders.any(|folder| self.submodules.contains(folder))
    }
}

enum State {
    Unchanged,
    Changed,
    /// Its time or size is new. It is unchanged if its content has this name.
    Doubtful(ObjectId),
}

/// Whether a file has the time and the size that the index knows.
fn is_same((seconds, nanoseconds, size): (i64, i64, u32), file: &FileEntry) -> bool {
    let FileId::Stat { modified, .. } = file.id else { return false };
    let time = (modified.div_euclid(1_000_000_000), modified.rem_euclid(1_000_000_000));
    // The index keeps the lower half of the size, and some gits write no nanoseconds.
    let is_same_time = time.0 == seconds && (nanoseconds == 0 || time.1 == nanoseconds);
    is_same_time && file.size as u32 == size
}

/// The names that git would give to the contents as they stand, in order. The list is shorter if a
/// file cannot be read.
fn hash_files(git: &Git, files: &[(&FileEntry, ObjectId)]) -> Vec<ObjectId> {
    let mut input = Vec::new();
    for (file, _) in files {
        let path = git.dir().join(&file.path);
        input.extend_from_slice(path.as_os_str().as_encoded_bytes());
        input.push(b'\n');
    }
    let output = git.run(&["hash-object", "--no-filters", "--stdin-paths"], Some(input));
    let output = output.map(|(output, _)| output).unwrap_or_default();
    String::from_utf8_lossy(&output).lines().map_while(|name| name.parse().ok()).collect()
}

/// Reads `<mode> <name> <stage>\t<path>`, NUL, and lines of details that begin with two spaces. The
/// details are for people and may change; a file without them is hashed. Gives the regular files,
/// and the folders of submodules.
fn parse(listing: &[u8]) -> (FxHashMap<String, Indexed>, FxHashSet<String>) {
    let (mut entries, mut submodules) = (FxHashMap::default(), FxHashSet::default());
    let mut words = listing.split(|&byte| byte == 0);
    let mut head = words.next().unwrap_or_default();
    for word in words {
        let (details, next) = word.split_at(details_length(word));
        match parse_head(head) {
            Some((mode, path, mut entry)) if mode.starts_with("100") => {
                entry.stat = parse_details(details);
                entry.is_sparse = is_sparse(details);
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

fn parse_head(head: &[u8]) -> Option<(&str, &str, Indexed)> {
    let (attributes, path) = std::str::from_utf8(head).ok()?.split_once('\t')?;
    let mut words = attributes.split(' ');
    let mode = words.next()?;
    let id = words.next()?.parse().ok()?;
    let is_merged = words.next()? == "0";
    Some((mode, path, Indexed { id, stat: None, is_merged, is_sparse: false }))
}

fn parse_details(details: &[u8]) -> Option<(i64, i64, u32)> {
    let details = std::str::from_utf8(details).ok()?;
    let field = |name: &str| details.lines().find_map(|line| line.trim().strip_prefix(name));
    let (seconds, nanoseconds) = field("mtime: ")?.split_once(':')?;
    let size = field("size: ")?.split_ascii_whitespace().next()?;
    Some((seconds.parse().ok()?, nanoseconds.parse().ok()?, size.parse().ok()?))
}

/// Whether the flags say that a file is not to be checked out.
fn is_sparse(details: &[u8]) -> bool {
    const SKIP_WORKTREE: u64 = 1 << 30;
    let details = String::from_utf8_lossy(details);
    let flags = details
        .split_once("flags: ")
        .and_then(|(_, rest)| u64::from_str_radix(rest.split_ascii_whitespace().next()?, 16).ok());
    flags.is_some_and(|flags| flags & SKIP_WORKTREE != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    #[test]
    fn the_index_is_read_with_odd_names_and_without_details() {
        let details = "  ctime: 1:2\n  mtime: 3:4\n  dev: 5\tino: 6\n  size: 7\tflags: 0\n";
        let listing = format!(
            "100644 {NAME} 0\ta\n  b\0{details}100755 {NAME} 2\tb\0{details}160000 {NAME} 0\tsub\0\
             {details}100644 {NAME} 0\tc\0"
        );
        let (entries, submodules) = parse(listing.as_bytes());
        assert_eq!(entries.len(), 3);
        assert!(submodules.contains("sub") && submodules.len() == 1);
        assert_eq!(entries["a\n  b"].stat, Some((3, 4, 7)));
        assert!(entries["a\n  b"].is_merged && !entries["b"].is_merged);
        assert_eq!(entries["c"].stat, None);
        assert!(parse(b"").0.is_empty());
    }
}
