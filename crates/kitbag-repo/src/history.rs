//! What commits say and touch: the ancestors of a commit, as far back as wanted and no further
//! than what is already known.

use crate::git::Git;
use crate::log::{self, Logged};
use crate::lookup::is_unborn;
use crate::recency::shallow_commits;
use crate::{GitError, ObjectId, resolve_commit};
use rustc_hash::FxHashSet;
use std::path::Path;

/// A commit that touches more files says nothing about any of them: mass reformatting, imports.
const MOST_PATHS: usize = 200;
/// How much of a message is kept.
const MESSAGE_BYTES: usize = 4_000;

/// A commit: what it says and which files it touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its name.
    pub id: ObjectId,
    /// The commits that it was made from.
    pub parents: Vec<ObjectId>,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// Its message without blank lines around it, at most 4,000 bytes.
    pub message: String,
    /// The files that it adds, changes or deletes, relative to the folder that was asked about.
    /// None for a merge, for more than 200 files, and where a shallow clone ends.
    pub paths: Vec<String>,
    /// Whether a shallow clone ends here: its parents and paths are not known.
    pub is_cut: bool,
}

/// The newest `most` ancestors of `head`, itself included, that are neither in `known` nor
/// ancestors of one that is; newest first. Comes with what a person should know if the history is
/// incomplete. Known commits that the repository no longer has are passed over. `dir` is a
/// repository or a folder of a work tree.
pub fn read_history(
    dir: &Path,
    head: &ObjectId,
    known: &[ObjectId],
    most: usize,
) -> Result<(Vec<Commit>, Option<String>), GitError> {
    read_on(dir, std::slice::from_ref(head), known, most)
}

/// The same for the ancestors of several commits, at which an earlier reading ended.
pub fn continue_history(
    dir: &Path,
    heads: &[ObjectId],
    most: usize,
) -> Result<(Vec<Commit>, Option<String>), GitError> {
    read_on(dir, heads, &[], most)
}

fn read_on(
    dir: &Path,
    heads: &[ObjectId],
    known: &[ObjectId],
    most: usize,
) -> Result<(Vec<Commit>, Option<String>), GitError> {
    let git = Git::at(dir);
    let shallow = shallow_commits(&git)?;
    let mut revisions = String::new();
    heads.iter().for_each(|id| revisions.push_str(&format!("{id}\n")));
    known.iter().for_each(|id| revisions.push_str(&format!("^{id}\n")));
    let count = format!("--max-count={most}");
    let (mut commits, error) = log::read_set(&git, &["--ignore-missing", &count], revisions)?;
    match &error {
        None => {}
        // Where the log broke off, what the last commit touches may be lost.
        Some(GitError::Failed { .. }) => {
            commits.pop_if(|commit| commit.changes.is_empty());
        }
        // It was ended in the midst of a word.
        Some(_) => {
            commits.pop();
        }
    }
    if commits.is_empty() {
        // Also a missing head is passed over.
        heads.iter().try_for_each(|head| resolve_commit(dir, &head.to_string()).map(drop))?;
        if let Some(error) = error {
            return Err(error);
        }
    }
    let commits: Vec<Commit> =
        commits.into_iter().filter_map(|commit| read(commit, &shallow)).collect();
    let warning = match error {
        Some(error) => Some(format!("history is incomplete: {error}")),
        None => commits
            .iter()
            .any(|commit| commit.is_cut)
            .then(|| "the clone is shallow: older changes are not known".to_owned()),
    };
    Ok((commits, warning))
}

/// The commit that is checked out; `None` where there is none yet.
pub fn head_id(dir: &Path) -> Result<Option<ObjectId>, GitError> {
    let git = Git::at(dir);
    let arguments = ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"];
    match git.run(&arguments, None)? {
        (output, None) => Ok(String::from_utf8_lossy(&output).trim().parse().ok()),
        (_, Some(GitError::Failed { .. })) if is_unborn(&git) => Ok(None),
        // That command says nothing; this one fails too, and says why.
        (_, Some(GitError::Failed { .. })) => {
            let output = git.output(&["log", "-1", "--format=%H", "HEAD", "--"])?;
            Ok(String::from_utf8_lossy(&output).trim().parse().ok())
        }
        (_, Some(error)) => Err(error),
    }
}

/// The commits at which the clone ends; none unless it is shallow.
pub fn cut_commits(dir: &Path) -> Result<FxHashSet<ObjectId>, GitError> {
    let shallow = shallow_commits(&Git::at(dir))?;
    Ok(shallow.iter().filter_map(|id| id.parse().ok()).collect())
}

fn read(commit: Logged, shallow: &FxHashSet<String>) -> Option<Commit> {
    let is_cut = shallow.contains(&commit.id);
    let changes =
        if is_cut || commit.changes.len() > MOST_PATHS { Vec::new() } else { commit.changes };
    let parents = if is_cut { Vec::new() } else { commit.parents };
    let mut message = commit.message;
    message.truncate(message.floor_char_boundary(MESSAGE_BYTES));
    Some(Commit {
        id: commit.id.parse().ok()?,
        parents: parents.iter().filter_map(|parent| parent.parse().ok()).collect(),
        time: commit.time,
        message,
        paths: changes.into_iter().map(|change| change.path).collect(),
        is_cut,
    })
}
