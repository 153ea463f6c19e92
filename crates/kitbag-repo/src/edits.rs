//! What changed, as short texts for people: the work tree against the commit that is checked out,
//! and commits against their parents.
//!
//! Git is never asked to compare the work tree, since that would run the content filters that a
//! repository configures: contents are read through the root, and compared here.

use crate::batch::Batch;
use crate::git::Git;
use crate::hidden::{Hidden, needs_the_whole};
use crate::renames::renamed;
use crate::{GitError, ObjectId, PathError, Root};
use kitbag_text::Redaction;
use rustc_hash::FxHashMap;
use similar::TextDiff;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

/// Larger files are not compared.
const MOST_BYTES: u64 = 1 << 20;
/// How long two contents are compared before what differs is told more coarsely.
const LONGEST: Duration = Duration::from_millis(200);
/// So many bytes of patches are read: what a commit did to large files is not worth more.
const MOST_PATCHES: usize = 4 << 20;
/// So many bytes of whole files are searched for secrets that patches show parts of.
const MOST_SEARCHED: u64 = 64 << 20;
/// How many lines stand around each change.
const AROUND: usize = 2;

/// What was done to a file since the commit that is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The file.
    pub path: String,
    /// What it is called in the commit, where that is another name.
    pub renamed_from: Option<String>,
    /// Whether the commit does not have it, also not under another name.
    pub is_new: bool,
    /// Whether it is there no more.
    pub is_deleted: bool,
    /// Whether some of it is staged.
    pub is_staged: bool,
    /// The changed lines with a few around them, each after `+`, `-` or a space, in parts that begin
    /// with `@@`. Empty where it is renamed and not changed.
    pub diff: String,
    /// What was replaced on which lines of `diff`.
    pub redactions: Vec<Redaction>,
}

/// What a commit did to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The commit.
    pub id: ObjectId,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// The first line of its message.
    pub subject: String,
    /// The file as it was called then.
    pub path: String,
    /// What it was called before, where that is another name.
    pub renamed_from: Option<String>,
    /// The changed lines, as in [`Edit::diff`].
    pub diff: String,
    /// What was replaced on which lines of `diff`.
    pub redactions: Vec<Redaction>,
    /// The blobs before and after, where there is one.
    blobs: [Option<ObjectId>; 2],
}

/// What was done to files since the commit that is checked out. `paths` are of changed and deleted
/// files, relative to the root; those that cannot be read or are the same after all are passed over.
/// A deleted file and a new one that is much like it are one that was renamed. Lines that have
/// secrets in them, by the whole files, are told without them where `hides_secrets` is set.
pub fn uncommitted(
    root: &Root,
    paths: &[&str],
    hides_secrets: bool,
) -> Result<Vec<Edit>, GitError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let git = Git::at(root.path());
    let (committed, staged) = (blobs(&git, paths)?, staged(&git, paths));
    let batch = Batch::new(git);
    let compare = |&path: &&str| {
        let now = match root.read(path, MOST_BYTES) {
            Ok(bytes) => Some(text(bytes)?),
            Err(PathError::NotFound { .. }) => None,
            Err(_) => return None,
        };
        let was = match committed.get(path) {
            Some(&(_, size)) if size > MOST_BYTES => return None,
            Some(&(id, _)) => Some(text(batch.read(id).ok()?)?),
            None => None,
        };
        Some(Compared { path: path.to_owned(), renamed_from: None, was, now })
    };
    let mut all: Vec<Compared> = paths.iter().filter_map(compare).collect();
    pair_renamed(&mut all);
    Ok(all.into_iter().filter_map(|it| it.edit(&staged, hides_secrets)).collect())
}

/// A file as the commit has it and as it is now, `None` where it is not there.
struct Compared {
    path: String,
    renamed_from: Option<String>,
    was: Option<String>,
    now: Option<String>,
}

impl Compared {
    /// What was done to it; `None` where that is nothing.
    fn edit(self, staged: &[String], hides_secrets: bool) -> Option<Edit> {
        let (was, now) = (self.was.as_deref().unwrap_or(""), self.now.as_deref().unwrap_or(""));
        let mut hidden = Hidden::default();
        if hides_secrets {
            hidden.note(was);
            hidden.note(now);
        }
        let (diff, redactions) = hidden.hide(&diff(was, now));
        let is_edited = !diff.is_empty() || self.renamed_from.is_some();
        is_edited.then(|| Edit {
            is_new: self.was.is_none(),
            is_deleted: self.now.is_none(),
            is_staged: staged.contains(&self.path),
            path: self.path,
            renamed_from: self.renamed_from,
            diff,
            redactions,
        })
    }
}

/// Makes one of a new file and the deleted one that it was before.
fn pair_renamed(all: &mut Vec<Compared>) {
    let new: Vec<usize> = (0..all.len()).filter(|&at| all[at].was.is_none()).collect();
    let gone: Vec<usize> = (0..all.len()).filter(|&at| all[at].now.is_none()).collect();
    let of = |at: &usize| all[*at].now.as_deref().or(all[*at].was.as_deref()).unwrap_or("");
    let (texts, others): (Vec<&str>, Vec<&str>) =
        (new.iter().map(of).collect(), gone.iter().map(of).collect());
    let mut paired = Vec::new();
    for (&new, before) in new.iter().zip(renamed(&texts, &others)) {
        paired.extend(before.map(|before| (new, gone[before])));
    }
    for &(new, gone) in &paired {
        let (path, was) = (all[gone].path.clone(), all[gone].was.take());
        (all[new].renamed_from, all[new].was) = (Some(path), was);
    }
    all.retain(|it| it.was.is_some() || it.now.is_some());
}

/// The last `most` commits that changed a file, also under its earlier names, newest first. Paths are
/// relative to the folder; where the file was outside of it, that is passed over. Secrets are hidden
/// as by [`uncommitted`].
pub fn changes_of(
    dir: &Path,
    path: &str,
    most: usize,
    hides_secrets: bool,
) -> Result<Vec<FileChange>, GitError> {
    let count = format!("--max-count={most}");
    let options = ["log", "--follow", &count, "HEAD", "--", path];
    let git = Git::at(dir);
    // With `--follow`, git's own `--relative` cuts the names of files outside somewhere.
    let prefix = prefix(&git)?;
    let inside = |mut change: FileChange| {
        change.path = change.path.strip_prefix(&prefix)?.to_owned();
        let from = change.renamed_from.take();
        change.renamed_from = from.and_then(|from| Some(from.strip_prefix(&prefix)?.to_owned()));
        Some(change)
    };
    let changes = asked(&git, &options)?.into_iter().filter_map(inside).collect();
    if hides_secrets { without_secrets(git, changes) } else { Ok(changes) }
}

/// What one commit did, to each file. Secrets are hidden as by [`uncommitted`].
pub fn changes_in(
    dir: &Path,
    commit: &ObjectId,
    hides_secrets: bool,
) -> Result<Vec<FileChange>, GitError> {
    let (git, id) = (Git::at(dir), commit.to_string());
    let changes = asked(&git, &["log", "--max-count=1", "--relative", &id, "--"])?;
    if hides_secrets { without_secrets(git, changes) } else { Ok(changes) }
}

/// The changes without the secrets that only the whole files tell. Those of files that are too large
/// to be searched, or are not there, are passed over.
fn without_secrets(git: Git, changes: Vec<FileChange>) -> Result<Vec<FileChange>, GitError> {
    let searched = changes.iter().filter(|change| needs_the_whole(&change.diff));
    let ids: Vec<ObjectId> = searched.flat_map(|it| it.blobs).flatten().collect();
    if ids.is_empty() {
        return Ok(changes);
    }
    let sizes = sizes(&git, &ids)?;
    let batch = Batch::new(git);
    let mut left = MOST_SEARCHED;
    let mut whole = |id: ObjectId| {
        let size = *sizes.get(&id).filter(|size| **size <= MOST_BYTES)?;
        left = left.checked_sub(size)?;
        Some(String::from_utf8_lossy(&batch.read(id).ok()?).into_owned())
    };
    let hide = |change: FileChange| {
        if !needs_the_whole(&change.diff) {
            return Some(change);
        }
        let mut hidden = Hidden::default();
        for id in change.blobs.into_iter().flatten() {
            hidden.note(&whole(id)?);
        }
        let (diff, redactions) = hidden.hide(&change.diff);
        Some(FileChange { diff, redactions, ..change })
    };
    Ok(changes.into_iter().filter_map(hide).collect())
}

/// How large blobs are, of those that are there.
fn sizes(git: &Git, ids: &[ObjectId]) -> Result<FxHashMap<ObjectId, u64>, GitError> {
    let input: String = ids.iter().map(|id| format!("{id}\n")).collect();
    let command = ["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"];
    let (output, error) = git.run(&command, Some(input.into_bytes()))?;
    if let Some(error) = error {
        return Err(error);
    }
    let size = |line: &str| {
        let (id, size) = line.split_once(" blob ")?;
        Some((id.parse().ok()?, size.parse().ok()?))
    };
    Ok(String::from_utf8_lossy(&output).lines().filter_map(size).collect())
}

/// The folders of the repository that lead to git's one, each with a `/` after it.
fn prefix(git: &Git) -> Result<String, GitError> {
    if git.dir().join(".git").exists() {
        return Ok(String::new());
    }
    let output = git.output(&["rev-parse", "--show-prefix"])?;
    Ok(String::from_utf8_lossy(&output).trim_end_matches('\n').to_owned())
}

fn asked(git: &Git, options: &[&str]) -> Result<Vec<FileChange>, GitError> {
    let around = format!("-U{AROUND}");
    let (command, rest) = options.split_at(1);
    let shape = [
        "--format=%x00%H %ct %s",
        "-p",
        "-M",
        "--full-index",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--no-notes",
        "--no-mailmap",
        "--ignore-submodules=all",
        "--diff-merges=off",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        &around,
    ];
    let output = git.first_bytes(&[command, &shape, rest].concat(), MOST_PATCHES)?;
    let mut changes = parse(&String::from_utf8_lossy(&output));
    if output.len() == MOST_PATCHES {
        // The last patch may lack its end.
        changes.pop();
    }
    Ok(changes)
}

/// Reads commits, each after a NUL: a line with its name, its time and its subject, and patches.
fn parse(output: &str) -> Vec<FileChange> {
    let mut changes = Vec::new();
    for commit in output.split('\0').skip(1) {
        let (head, patches) = commit.split_once('\n').unwrap_or((commit, ""));
        let mut words = head.splitn(3, ' ');
        let id = words.next().and_then(|id| id.parse().ok());
        let time = words.next().and_then(|time| time.parse().ok());
        let (Some(id), Some(time)) = (id, time) else { continue };
        let subject = words.next().unwrap_or_default().to_owned();
        for patch in patches.split("\ndiff --git ").skip(usize::from(!patches.is_empty())) {
            changes.extend(file_change(patch, id, time, &subject));
        }
    }
    changes
}

/// What a patch, without its first words, did to a file in a commit. `None` for what is not text.
fn file_change(patch: &str, id: ObjectId, time: i64, subject: &str) -> Option<FileChange> {
    let start = patch.find("\n@@ ")? + 1;
    let (head, diff) = patch.split_at(start);
    let after = |prefix: &str| head.lines().find_map(|line| line.strip_prefix(prefix));
    let named = after("+++ b/").or_else(|| after("--- a/"))?;
    let (before, now) = after("index ")?.split(' ').next()?.split_once("..")?;
    let is_there = |id: &&str| !id.bytes().all(|byte| byte == b'0');
    let blob = |id: &str| Some(id).filter(is_there).map(str::parse).transpose().ok();
    let diff = if diff.ends_with('\n') { diff.to_owned() } else { format!("{diff}\n") };
    Some(FileChange {
        id,
        time,
        subject: subject.to_owned(),
        path: named.trim_end_matches('\t').to_owned(),
        renamed_from: after("rename from ").map(str::to_owned),
        diff,
        redactions: Vec::new(),
        blobs: [blob(before)?, blob(now)?],
    })
}

/// The blobs that the commit has at some paths, and how large they are.
fn blobs(git: &Git, paths: &[&str]) -> Result<FxHashMap<String, (ObjectId, u64)>, GitError> {
    let mut arguments = vec!["ls-tree", "-z", "-l", "HEAD", "--"];
    arguments.extend(paths);
    let output = match git.run(&arguments, None)? {
        (output, None) => output,
        // Without a commit every file is new.
        (_, Some(GitError::Failed { .. })) => Vec::new(),
        (_, Some(error)) => return Err(error),
    };
    let listing = String::from_utf8_lossy(&output).into_owned();
    let entry = |line: &str| {
        let (attributes, path) = line.split_once('\t')?;
        let mut words = attributes.split_ascii_whitespace();
        let (mode, kind, id) = (words.next()?, words.next()?, words.next()?.parse().ok()?);
        let size = words.next()?.parse().ok()?;
        (mode.starts_with("100") && kind == "blob").then(|| (path.to_owned(), (id, size)))
    };
    Ok(listing.split('\0').filter_map(entry).collect())
}

/// Those of some paths of which something is staged.
fn staged(git: &Git, paths: &[&str]) -> Vec<String> {
    let mut arguments = vec!["diff-index", "--cached", "--name-only", "-z", "--no-renames"];
    arguments.extend(["--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--relative"]);
    arguments.extend(["HEAD", "--"]);
    arguments.extend(paths);
    let output = git.output(&arguments).unwrap_or_default();
    let names = output.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    names.filter_map(|name| String::from_utf8(name.to_owned()).ok()).collect()
}

/// Bytes as text; `None` where they are not.
fn text(bytes: Vec<u8>) -> Option<String> {
    let is_text = !bytes.contains(&0);
    is_text.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// The lines that differ, with a few around them.
fn diff(before: &str, after: &str) -> String {
    let mut config = TextDiff::configure();
    config.timeout(LONGEST);
    // Lines end where git and redaction see their end.
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let diff = config.diff_slices(&before, &after);
    let mut text = String::new();
    for group in diff.grouped_ops(AROUND) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        let _ = writeln!(text, "@@ -{} +{} @@", lines(&old), lines(&new));
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let line = change.value().trim_end_matches(['\n', '\r']);
            let _ = writeln!(text, "{}{line}", change.tag());
        }
    }
    text
}

/// A range of lines as diffs tell it: the first and how many. Of none it is the line before.
fn lines(range: &Range<usize>) -> String {
    let first = range.start + usize::from(!range.is_empty());
    format!("{first},{}", range.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_read_with_their_names() {
        let id = "0123456789012345678901234567890123456789";
        let output = format!(
            "\0{id} 7 Move it\n\ndiff --git a/old.rs b/new name.rs\nsimilarity index 90%\n\
             rename from old.rs\nrename to new name.rs\nindex {id}..{id} 100644\n--- a/old.rs\n\
             +++ b/new name.rs\t\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n\
             diff --git a/x.bin b/x.bin\nBinary files differ\n\
             diff --git a/gone.rs b/gone.rs\ndeleted file mode 100644\n\
             index {id}..0000000000000000000000000000000000000000\n--- a/gone.rs\n\
             +++ /dev/null\n@@ -1 +0,0 @@\n-z"
        );
        let changes = parse(&output);
        assert_eq!(changes.len(), 2);
        assert_eq!((changes[0].time, changes[0].subject.as_str()), (7, "Move it"));
        assert_eq!(changes[0].path, "new name.rs");
        assert_eq!(changes[0].renamed_from.as_deref(), Some("old.rs"));
        assert_eq!(changes[0].diff, "@@ -1,2 +1,2 @@\n-a\n+b\n c\n");
        assert_eq!(changes[1].path, "gone.rs");
        assert_eq!(changes[1].blobs, [id.parse().ok(), None]);
        assert_eq!(changes[1].diff, "@@ -1 +0,0 @@\n-z\n");
    }

    #[test]
    fn lines_that_differ_come_with_two_around_them() {
        let before: String = (1..=9).map(|line| format!("{line}\n")).collect();
        let after = before.replace("5\n", "five\n");
        assert_eq!(diff(&before, &after), "@@ -3,5 +3,5 @@\n 3\n 4\n-5\n+five\n 6\n 7\n");
        assert_eq!(diff(&before, &before), "");
        assert_eq!(diff("", "1\n"), "@@ -0,0 +1,1 @@\n+1\n");
        assert_eq!(diff("1\n", ""), "@@ -1,1 +0,0 @@\n-1\n");
    }
}
