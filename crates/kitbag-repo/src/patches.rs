//! Changes of commits as short diffs.

use crate::blob_reader::BlobReader;
use crate::edits::{CONTEXT_LINES, MAX_COMPARED_BYTES};
use crate::git::Git;
use crate::secret_lines::{SecretLines, may_show_partial_secret};
use crate::{GitError, GitLocation, ObjectId};
use kitbag_text::Redaction;

/// Bytes of patches that are read; changes of large files are not worth more.
const MAX_PATCH_BYTES: usize = 4 << 20;
/// Bytes of whole files that are searched for secrets that patches show parts of.
const MAX_SEARCHED_BYTES: usize = 64 << 20;

/// The change of a file in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The commit's id.
    pub id: ObjectId,
    /// Commit time in seconds since 1970.
    pub time: i64,
    /// The first line of the commit's message.
    pub subject: String,
    /// The file's path after the commit.
    pub path: String,
    /// The file's path before the commit, if it is another one.
    pub renamed_from: Option<String>,
    /// The changed lines, as in [`Edit::diff`](crate::Edit::diff).
    pub diff: String,
    /// The secrets that were redacted, by line of `diff`.
    pub redactions: Vec<Redaction>,
    /// The blobs before and after, where the file exists.
    blobs: [Option<ObjectId>; 2],
}

/// Returns the last `limit` changes to a file, also under its earlier names, newest first. Paths are
/// relative to `dir`; changes while the file was outside of it are left out. Secrets are redacted as
/// by [`uncommitted_edits`](crate::uncommitted_edits).
pub fn changes_to_file<'a>(
    dir: impl Into<GitLocation<'a>>,
    path: &str,
    limit: usize,
    redact_secrets: bool,
) -> Result<Vec<FileChange>, GitError> {
    let git = Git::at(dir);
    let count = format!("--max-count={limit}");
    // With `--follow`, git's `--relative` cuts paths outside the folder at the wrong place.
    let prefix = path_prefix(&git)?;
    let relative = |path: &String| path.strip_prefix(&prefix).map(str::to_owned);
    let head = git.head();
    let mut changes = read_patches(&git, &["--follow", &count, &head, "--", path])?;
    changes.retain_mut(|change| {
        change.renamed_from = change.renamed_from.as_ref().and_then(relative);
        relative(&change.path).map(|path| change.path = path).is_some()
    });
    Ok(if redact_secrets { redact_changes(git, changes) } else { changes })
}

/// Returns the changes of one commit. Secrets are redacted as by
/// [`uncommitted_edits`](crate::uncommitted_edits).
pub fn changes_in_commit<'a>(
    dir: impl Into<GitLocation<'a>>,
    commit: &ObjectId,
    redact_secrets: bool,
) -> Result<Vec<FileChange>, GitError> {
    let git = Git::at(dir);
    let changes = read_patches(&git, &["--max-count=1", "--relative", &commit.to_string(), "--"])?;
    Ok(if redact_secrets { redact_changes(git, changes) } else { changes })
}

/// Redacts secrets that only the whole files reveal. Changes of files that are missing or too large to
/// search are left out.
fn redact_changes(git: Git, changes: Vec<FileChange>) -> Vec<FileChange> {
    let blobs = BlobReader::new(git, MAX_COMPARED_BYTES);
    let mut budget = MAX_SEARCHED_BYTES;
    let mut read = |id: ObjectId| {
        let bytes = blobs.read(id).ok().filter(|_| budget > 0)?;
        budget = budget.saturating_sub(bytes.len());
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let redact = |change: FileChange| {
        if !may_show_partial_secret(&change.diff) {
            return Some(change);
        }
        let mut secrets = SecretLines::default();
        for id in change.blobs.into_iter().flatten() {
            secrets.add_text(&read(id)?);
        }
        let (diff, redactions) = secrets.redact_diff(&change.diff);
        Some(FileChange { diff, redactions, ..change })
    };
    changes.into_iter().filter_map(redact).collect()
}

/// Returns the path of git's folder from the root of the work tree, empty or with a trailing `/`.
fn path_prefix(git: &Git) -> Result<String, GitError> {
    if git.dir().join(".git").exists() {
        return Ok(String::new());
    }
    git.text(&["rev-parse", "--show-prefix"])
}

fn read_patches(git: &Git, arguments: &[&str]) -> Result<Vec<FileChange>, GitError> {
    let context = format!("-U{CONTEXT_LINES}");
    let options = [
        "log",
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
        &context,
    ];
    let output = git.first_bytes(&[&options, arguments].concat(), MAX_PATCH_BYTES)?;
    let mut changes = parse(&String::from_utf8_lossy(&output));
    if output.len() == MAX_PATCH_BYTES {
        // The last patch may lack its end.
        changes.pop();
    }
    Ok(changes)
}

/// Parses commits, each after a NUL: a line `<id> <time> <subject>`, and patches.
fn parse(output: &str) -> Vec<FileChange> {
    let mut changes = Vec::new();
    for commit in output.split('\0').skip(1) {
        let (head, patches) = commit.split_once('\n').unwrap_or((commit, ""));
        let mut words = head.splitn(3, ' ');
        let id = words.next().and_then(|id| id.parse().ok());
        let time = words.next().and_then(|time| time.parse().ok());
        let (Some(id), Some(time)) = (id, time) else { continue };
        let subject = words.next().unwrap_or_default();
        for patch in patches.split("\ndiff --git ").skip(1) {
            changes.extend(parse_patch(patch, id, time, subject));
        }
    }
    changes
}

/// Parses a patch without its leading `diff --git`; `None` for binary files.
fn parse_patch(patch: &str, id: ObjectId, time: i64, subject: &str) -> Option<FileChange> {
    let start = patch.find("\n@@ ")? + 1;
    let (head, diff) = patch.split_at(start);
    let field = |prefix: &str| head.lines().find_map(|line| line.strip_prefix(prefix));
    let path = field("+++ b/").or_else(|| field("--- a/"))?;
    let (before, after) = field("index ")?.split(' ').next()?.split_once("..")?;
    // An id of zeros means that the file does not exist.
    let exists = |id: &&str| !id.bytes().all(|byte| byte == b'0');
    let blob = |id: &str| Some(id).filter(exists).map(str::parse).transpose().ok();
    let diff = if diff.ends_with('\n') { diff.to_owned() } else { format!("{diff}\n") };
    Some(FileChange {
        id,
        time,
        subject: subject.to_owned(),
        path: path.trim_end_matches('\t').to_owned(),
        renamed_from: field("rename from ").map(str::to_owned),
        diff,
        redactions: Vec::new(),
        blobs: [blob(before)?, blob(after)?],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_parsed_with_renames_and_deletions() {
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
}
