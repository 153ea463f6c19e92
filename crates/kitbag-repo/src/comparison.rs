//! The two sides of a diff, resolved from what a user types.

use crate::git::{Git, NO_REASON};
use crate::lookup::{is_unborn, resolve_in};
use crate::{GitError, GitLocation, ObjectId};

/// Names of the index as one side of a diff.
const INDEX_NAMES: [&str; 2] = ["staged", "cached"];

/// Two versions of a repository to compare. `None` stands for the state before the first commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// The work tree, with staged and untracked files, against a commit.
    WorkTree {
        /// The commit.
        base: Option<ObjectId>,
    },
    /// The index against `HEAD`.
    Index {
        /// The commit that `HEAD` refers to.
        base: Option<ObjectId>,
    },
    /// One commit against another.
    Commits {
        /// The earlier commit.
        before: Option<ObjectId>,
        /// The later commit.
        after: ObjectId,
    },
}

impl Comparison {
    /// Resolves the argument of `--diff`, which is understood as by `git diff`: nothing for the work tree
    /// against `HEAD`, a revision for the work tree against it, `A..B`, `A...B` for the changes of `B`
    /// since its merge base with `A`, and `A^!` for those of one commit. In addition, `staged` and
    /// `cached` stand for the index against `HEAD`.
    pub fn resolve<'a>(dir: impl Into<GitLocation<'a>>, text: &str) -> Result<Self, GitError> {
        let git = Git::at(dir);
        git.git_dir()?;
        let text = text.trim();
        if let Some(after) = git.commit() {
            return Self::resolve_at_commit(&git, text, after);
        }
        if text.is_empty() {
            Ok(Self::WorkTree { base: head(&git)? })
        } else if INDEX_NAMES.contains(&text) {
            Ok(Self::Index { base: head(&git)? })
        } else if let Some(range) = range(&git, text)? {
            Ok(range)
        } else {
            Ok(Self::WorkTree { base: Some(resolve_in(&git, text)?) })
        }
    }

    /// Resolves the argument of `--diff` where a commit takes the place of the work tree: nothing for the
    /// changes of the commit itself.
    fn resolve_at_commit(git: &Git, text: &str, after: ObjectId) -> Result<Self, GitError> {
        if text.is_empty() {
            Ok(changes_of(git, after))
        } else if INDEX_NAMES.contains(&text) {
            Err(GitError::NoIndex { commit: after })
        } else if let Some(range) = range(git, text)? {
            Ok(range)
        } else {
            Ok(Self::Commits { before: Some(resolve_in(git, text)?), after })
        }
    }
}

/// Resolves `A..B`, `A...B` or `A^!`; `None` for anything else.
fn range(git: &Git, text: &str) -> Result<Option<Comparison>, GitError> {
    if let Some((before, after)) = text.split_once("...") {
        let (before, after) = (side(git, before)?, side(git, after)?);
        let before = Some(merge_base(git, before, after)?);
        return Ok(Some(Comparison::Commits { before, after }));
    }
    if let Some((before, after)) = text.split_once("..") {
        let (before, after) = (Some(side(git, before)?), side(git, after)?);
        return Ok(Some(Comparison::Commits { before, after }));
    }
    let commit = text.strip_suffix("^!").map(|commit| resolve_in(git, commit)).transpose()?;
    Ok(commit.map(|commit| changes_of(git, commit)))
}

/// Compares a commit with its first parent.
fn changes_of(git: &Git, after: ObjectId) -> Comparison {
    let before = resolve_in(git, &format!("{after}^1")).ok();
    Comparison::Commits { before, after }
}

/// Returns names of branches and of tags, for suggestions: at most some thousands of each. `None` if they
/// cannot be listed.
pub fn ref_names<'a>(dir: impl Into<GitLocation<'a>>) -> Option<Vec<String>> {
    /// About 4,000 lines of an id and a name.
    const MAX_BYTES: usize = 256 << 10;
    let git = Git::at(dir);
    let mut names = Vec::new();
    for (option, prefix) in [("--heads", "refs/heads/"), ("--tags", "refs/tags/")] {
        // `for-each-ref` reads and sorts all refs before it writes the first.
        let (lines, error) = git.run_to(MAX_BYTES, &["show-ref", option]).ok()?;
        // It fails without a message if there are none, and at a ref to a missing object after those before.
        let is_known = |error: GitError| match error {
            GitError::Failed { message, .. } => message == NO_REASON || !lines.is_empty(),
            _ => false,
        };
        if !error.is_none_or(is_known) {
            return None;
        }
        let lines = String::from_utf8_lossy(&lines);
        // The last line may have been cut.
        let lines = lines.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        names.extend(lines.filter_map(|line| Some(line.split_once(prefix)?.1.to_owned())));
    }
    Some(names)
}

/// Returns the object id of a tree without files.
pub(crate) fn empty_tree(git: &Git) -> Result<String, GitError> {
    let (id, error) = git.run(&["hash-object", "-t", "tree", "--stdin"], Some(Vec::new()))?;
    match error {
        Some(error) => Err(error),
        None => Ok(String::from_utf8_lossy(&id).trim().to_owned()),
    }
}

fn head(git: &Git) -> Result<Option<ObjectId>, GitError> {
    match resolve_in(git, &git.head()) {
        Err(GitError::UnknownRevision { .. }) if is_unborn(git) => Ok(None),
        result => result.map(Some),
    }
}

/// Returns the commit on one side of a range, which is `HEAD` if nothing is there.
fn side(git: &Git, revision: &str) -> Result<ObjectId, GitError> {
    let revision = revision.trim();
    if revision.is_empty() { resolve_in(git, &git.head()) } else { resolve_in(git, revision) }
}

fn merge_base(git: &Git, before: ObjectId, after: ObjectId) -> Result<ObjectId, GitError> {
    let none = || git.error("merge-base", "the two commits have no common ancestor");
    let base = match git.text(&["merge-base", &before.to_string(), &after.to_string()]) {
        Err(GitError::Failed { .. }) => return Err(none()),
        result => result?,
    };
    base.lines().next().and_then(|id| id.parse().ok()).ok_or_else(none)
}
