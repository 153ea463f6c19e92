//! The ways in which git can fail.

use crate::ObjectId;
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// A failure of a git command.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GitError {
    /// The `git` program cannot be started.
    #[error("cannot start `git`: {source}")]
    NotInstalled {
        /// The system's error.
        source: io::Error,
    },
    /// The folder is not inside a repository.
    #[error("not a git repository: `{}`", dir.display())]
    NotARepository {
        /// The folder.
        dir: PathBuf,
    },
    /// The repository's data is elsewhere, and nothing there says that it belongs to the work tree.
    #[error("{}, which does not point back to `{}`", links.replace('\n', ", "), top.display())]
    LeadsOutside {
        /// The root of the work tree.
        top: PathBuf,
        /// What leads out of the work tree and where to, one per line.
        links: String,
    },
    /// A pipe or device is in place of one of git's files, so git would wait for it.
    #[error("not a regular file: `{}`", path.display())]
    SpecialFile {
        /// The file.
        path: PathBuf,
    },
    /// Git refuses the repository because another user owns it.
    #[error("git does not trust the owner of `{}`", dir.display())]
    DubiousOwnership {
        /// The folder.
        dir: PathBuf,
    },
    /// The revision does not name a commit.
    #[error("no such commit in `{}`: `{revision}`", dir.display())]
    UnknownRevision {
        /// The folder.
        dir: PathBuf,
        /// The revision as given.
        revision: String,
    },
    /// The revision is the beginning of several ids.
    #[error("several commits begin with `{revision}`")]
    AmbiguousRevision {
        /// The revision as given.
        revision: String,
    },
    /// The revision names something else than a commit.
    #[error("`{revision}` is a {kind}, not a commit")]
    NotACommit {
        /// The revision as given.
        revision: String,
        /// What it names: `blob` or `tree`.
        kind: String,
    },
    /// The repository lacks the commit that a branch or tag names, or cannot read it.
    #[error("`{revision}` names the commit {id}, which is missing or damaged")]
    MissingCommit {
        /// The revision as given.
        revision: String,
        /// The id of the commit.
        id: ObjectId,
    },
    /// A comparison with the index was asked for where a commit takes the place of the work tree.
    #[error("a commit has no index: `{commit}`")]
    NoIndex {
        /// The commit.
        commit: ObjectId,
    },
    /// The command was killed after its time limit.
    #[error("`git {command}` timed out after {} s", limit.as_secs())]
    TimedOut {
        /// The git command.
        command: String,
        /// The time limit.
        limit: Duration,
    },
    /// The command was killed, or is not started any more, because one waited for something that did not
    /// come, such as the other end of a pipe in place of an object.
    #[error("git stalled")]
    Stalled,
    /// The command was killed, or not started, because the work was cancelled.
    #[error("`git {command}` was cancelled")]
    Cancelled {
        /// The git command.
        command: String,
    },
    /// The command was killed because it wrote too much.
    #[error("the output of `git {command}` exceeds {limit} bytes")]
    OutputTooLarge {
        /// The git command.
        command: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// The command was killed after its limit on processor time.
    #[error("`git {command}` needs more than {seconds} s of processor time")]
    OutOfCpuTime {
        /// The git command.
        command: String,
        /// The limit in seconds.
        seconds: u64,
    },
    /// The command failed at its memory limit.
    #[error("`git {command}` needs more than {} MB of memory", limit >> 20)]
    OutOfMemory {
        /// The git command.
        command: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// The command failed for another reason.
    #[error("`git {command}` failed in `{}`: {message}", dir.display())]
    Failed {
        /// The git command.
        command: String,
        /// The folder.
        dir: PathBuf,
        /// The first line of git's or the system's message.
        message: String,
    },
}

impl GitError {
    /// Returns whether the repository needs more than a command may use, so that it would fail again.
    pub(crate) fn exceeds_resources(&self) -> bool {
        matches!(
            self,
            Self::TimedOut { .. }
                | Self::OutputTooLarge { .. }
                | Self::OutOfCpuTime { .. }
                | Self::OutOfMemory { .. }
        )
    }
}
