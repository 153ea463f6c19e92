//! Commits with their messages and the files that they touch.

use crate::git::Git;
use crate::log::{self, LogEntry, LogFields};
use crate::lookup::{SHALLOW_WARNING, is_unborn, resolve_in, shallow_commits};
use crate::{GitError, GitLocation, ObjectId};
use rustc_hash::FxHashSet;

/// A commit that touches more files, such as mass reformatting or an import, says nothing about any.
const MAX_PATHS: usize = 200;
const MAX_MESSAGE_BYTES: usize = 4_000;

/// A commit with its message and the files that it touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The commit's id.
    pub id: ObjectId,
    /// The ids of its parents.
    pub parents: Vec<ObjectId>,
    /// Commit time in seconds since 1970.
    pub time: i64,
    /// The trimmed message, at most 4,000 bytes.
    pub message: String,
    /// The files that it adds, changes or deletes, relative to the folder passed to [`read_history`].
    /// Empty for a merge, for more than 200 files, at the boundary of a shallow clone, and if unread.
    pub paths: Vec<String>,
    /// Whether it is at the boundary of a shallow clone, where parents and paths are unknown.
    pub is_shallow: bool,
    /// Whether git exceeded a limit before it had compared the commit, so that its paths are unknown.
    pub is_unread: bool,
}

// One path more than is kept shows that there are too many.
const WITH_PATHS: LogFields = LogFields { with_message: true, max_changes: MAX_PATHS + 1 };
const WITHOUT_PATHS: LogFields = LogFields { with_message: true, max_changes: 0 };

/// Returns the newest `limit` ancestors of `heads`, including themselves, that are neither in `known` nor
/// ancestors of one that is, newest first, and a warning if the history is incomplete. Ids in `known`
/// that the repository lacks are ignored. `dir` is a repository or a folder of a work tree.
pub fn read_history<'a>(
    dir: impl Into<GitLocation<'a>>,
    heads: &[ObjectId],
    known: &[ObjectId],
    limit: usize,
) -> Result<(Vec<Commit>, Option<String>), GitError> {
    let extent = format!("--max-count={limit}");
    read_history_with(&Git::at(dir), heads, known, &extent)
}

/// Returns commits without their ancestors. Ids that the repository lacks are ignored.
pub fn read_commits<'a>(
    dir: impl Into<GitLocation<'a>>,
    ids: &[ObjectId],
) -> Result<Vec<Commit>, GitError> {
    read_history_with(&Git::at(dir), ids, &[], "--no-walk").map(|(commits, _)| commits)
}

/// `extent` is the option of git that says how many commits to read.
fn read_history_with(
    git: &Git,
    heads: &[ObjectId],
    known: &[ObjectId],
    extent: &str,
) -> Result<(Vec<Commit>, Option<String>), GitError> {
    let shallow = shallow_commits(git)?;
    let included = heads.iter().map(|id| format!("{id}\n"));
    let excluded = known.iter().map(|id| format!("^{id}\n"));
    let revisions: String = included.chain(excluded).collect();
    let options = ["--ignore-missing", extent];
    let (mut entries, error) = log::read(git, &options, &revisions, WITH_PATHS)?;
    match &error {
        None => {}
        Some(error) if error.exceeds_resources() => {
            // The last commit may lack some of its changes, unless git ended by itself.
            let is_whole = matches!(error, GitError::OutOfMemory { .. });
            entries.pop_if(|entry| !is_whole || entry.changes.is_empty());
            let all = read_without_paths(git, &options, &revisions)?;
            return Ok((complete_history(entries, all, heads, &shallow), None));
        }
        // Where the log broke off, the changes of the last commit may be lost.
        Some(GitError::Failed { .. }) => {
            entries.pop_if(|entry| entry.changes.is_empty());
        }
        // Git was killed, possibly in the middle of a word.
        Some(_) => {
            entries.pop();
        }
    }
    if entries.is_empty() {
        // `--ignore-missing` ignores missing heads too.
        heads.iter().try_for_each(|head| resolve_in(git, &head.to_string()).map(drop))?;
        if let Some(error) = error {
            return Err(error);
        }
    }
    let commits: Vec<Commit> =
        entries.into_iter().filter_map(|entry| to_commit(entry, &shallow)).collect();
    let warning = match error {
        Some(error) => Some(format!("history is incomplete: {error}")),
        None => {
            let is_shallow = commits.iter().any(|commit| commit.is_shallow);
            is_shallow.then(|| SHALLOW_WARNING.to_owned())
        }
    };
    Ok((commits, warning))
}

/// Reads as many commits as git can read at all.
fn read_without_paths(
    git: &Git,
    options: &[&str],
    revisions: &str,
) -> Result<Vec<LogEntry>, GitError> {
    let (mut entries, error) = log::read(git, options, revisions, WITHOUT_PATHS)?;
    match error {
        Some(error) if error.exceeds_resources() => drop(entries.pop()),
        Some(error) => return Err(error),
        None => {}
    }
    Ok(entries)
}

/// Completes a history that git could not compare to its end with the commits that follow, without their
/// paths. Heads that git could not even read get an empty commit, so that they are not read again.
fn complete_history(
    read: Vec<LogEntry>,
    all: Vec<LogEntry>,
    heads: &[ObjectId],
    shallow: &FxHashSet<String>,
) -> Vec<Commit> {
    let ids: FxHashSet<String> = read.iter().map(|entry| entry.id.clone()).collect();
    let compared = read.into_iter().filter_map(|entry| to_commit(entry, shallow));
    let rest = all.into_iter().filter(|entry| !ids.contains(&entry.id));
    let unread = rest.filter_map(|entry| {
        to_commit(entry, shallow).map(|commit| Commit { is_unread: true, ..commit })
    });
    let mut commits: Vec<Commit> = compared.chain(unread).collect();
    for head in heads {
        if !commits.iter().any(|commit| commit.id == *head) {
            commits.push(Commit {
                id: *head,
                parents: Vec::new(),
                time: 0,
                message: String::new(),
                paths: Vec::new(),
                is_shallow: false,
                is_unread: true,
            });
        }
    }
    commits
}

/// Returns the id of the commit that is checked out, or that the root is at; `None` on a branch without
/// commits.
pub fn head_id<'a>(dir: impl Into<GitLocation<'a>>) -> Result<Option<ObjectId>, GitError> {
    let git = Git::at(dir);
    match resolve_in(&git, &git.head()) {
        Err(GitError::UnknownRevision { .. }) if is_unborn(&git) => Ok(None),
        result => result.map(Some),
    }
}

/// Returns the commits at which a shallow clone ends; none if the clone is complete.
pub fn shallow_boundary<'a>(
    dir: impl Into<GitLocation<'a>>,
) -> Result<FxHashSet<ObjectId>, GitError> {
    let shallow = shallow_commits(&Git::at(dir))?;
    Ok(shallow.iter().filter_map(|id| id.parse().ok()).collect())
}

fn to_commit(entry: LogEntry, shallow: &FxHashSet<String>) -> Option<Commit> {
    let LogEntry { id, mut parents, time, mut message, mut changes } = entry;
    let is_shallow = shallow.contains(&id);
    if is_shallow {
        parents.clear();
    }
    if is_shallow || changes.len() > MAX_PATHS {
        changes.clear();
    }
    message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
    Some(Commit {
        id: id.parse().ok()?,
        parents: parents.iter().filter_map(|parent| parent.parse().ok()).collect(),
        time,
        message,
        paths: changes.into_iter().map(|change| change.path).collect(),
        is_shallow,
        is_unread: false,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::git_limits::GitLimits;
    use crate::process::ResourceLimits;
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    fn git(dir: &Path, arguments: &[&str], input: &str) -> String {
        use std::io::Write;
        let mut command = Command::new("git");
        command.arg("-C").arg(dir).args(["-c", "user.name=A", "-c", "user.email=a@example.com"]);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits a tree of `10^depth` files with the same content, which takes `depth` small trees.
    fn commit_tree(dir: &Path, depth: usize, content: &str, parent: Option<&str>) -> String {
        let mut object = git(dir, &["hash-object", "-w", "--stdin"], content);
        let mut kind = "100644 blob";
        for _ in 0..depth {
            let entries = (0..10).map(|name| format!("{kind} {object}\t{name}\n"));
            object = git(dir, &["mktree"], &entries.collect::<String>());
            kind = "040000 tree";
        }
        let mut arguments = vec!["commit-tree", &object, "-m", "message"];
        arguments.extend(parent.into_iter().flat_map(|parent| ["-p", parent]));
        git(dir, &arguments, "")
    }

    /// Returns whether each of the last commits is unread, and its number of paths.
    fn read(dir: &Path, head: &str, limits: GitLimits) -> Vec<(bool, usize)> {
        let (git, head) = (Git::at(dir).with_limits(limits), head.parse().unwrap());
        let (commits, warning) = read_history_with(&git, &[head], &[], "--max-count=100").unwrap();
        assert_eq!(warning, None);
        assert_eq!(commits[0].id, head);
        commits.iter().map(|commit| (commit.is_unread, commit.paths.len())).collect()
    }

    #[test]
    fn commits_that_exceed_a_limit_are_read_without_paths() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        git(dir, &["init", "-q"], "");
        let first = commit_tree(dir, 1, "1", None);
        let bomb = commit_tree(dir, 6, "2", Some(&first));
        let blob = git(dir, &["hash-object", "-w", "--stdin"], "3");
        let tree = git(dir, &["ls-tree", &bomb], "") + &format!("\n100644 blob {blob}\tnew\n");
        let tree = git(dir, &["mktree"], &tree);
        let after = git(dir, &["commit-tree", &tree, "-p", &bomb, "-m", "after"], "");
        let resources = ResourceLimits { cpu_seconds: 60, heap_bytes: 32 << 20 };
        let (time, output_bytes) = (Duration::from_secs(60), 1 << 20);
        let small = GitLimits { time, resources, output_bytes };
        assert_eq!(read(dir, &after, small), [(false, 1), (true, 0), (true, 0)]);
        assert_eq!(read(dir, &first, small), [(false, 10)]);
        let roomy = ResourceLimits { heap_bytes: 2 << 30, ..resources };
        let cut = GitLimits { resources: roomy, ..small };
        assert_eq!(read(dir, &bomb, cut), [(true, 0), (true, 0)], "too much output");
        let none =
            GitLimits { resources: ResourceLimits { heap_bytes: 1 << 20, ..roomy }, ..small };
        assert_eq!(read(dir, &after, none), [(true, 0)], "not even the commits");
    }
}
