//! Runs the `git` program so that nothing a repository configures can run.
//!
//! A repository's configuration can name programs: file system monitors, hooks, signature checks,
//! pagers, diff and content filters, transports. Each is switched off here or, where git has no switch
//! (content filters), never reached: no command used by this crate compares the work tree.

use crate::cancel_scope::current;
use crate::process::{ProcessExit, ProcessLimits, wait_with_output};
use kitbag_text::Cancel;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use thiserror::Error;

/// Time limit of one git command.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// Output limit of one git command.
const MAX_OUTPUT_BYTES: usize = 512 << 20;

/// Settings that override the repository's.
const SETTINGS: &[&str] = &[
    "core.quotePath=false",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "log.showSignature=false",
    "log.showRoot=true",
    "log.follow=false",
    "diff.noPrefix=false",
    "diff.mnemonicPrefix=false",
    "diff.suppressBlankEmpty=false",
    "diff.submodule=short",
    "i18n.logOutputEncoding=UTF-8",
];

/// Environment variables that would point git at another repository, or change its output.
const REMOVED_VARIABLES: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
];

/// A failure of a git command.
#[derive(Debug, Error)]
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
    /// The command was killed after its time limit.
    #[error("`git {command}` timed out after {} s", limit.as_secs())]
    TimedOut {
        /// The git command.
        command: String,
        /// The time limit.
        limit: Duration,
    },
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

/// Runs git commands in a folder.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    program: OsString,
    dir: PathBuf,
    /// The flag of the thread that created this.
    cancel: Cancel,
}

impl Git {
    pub fn at(dir: &Path) -> Self {
        Self::with_program(OsStr::new("git"), dir)
    }

    pub fn with_program(program: &OsStr, dir: &Path) -> Self {
        Self { program: program.to_owned(), dir: dir.to_owned(), cancel: current() }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns a hardened git command with piped output.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("-C").arg(&self.dir).arg("--no-pager");
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(arguments);
        for variable in REMOVED_VARIABLES {
            command.env_remove(variable);
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_LITERAL_PATHSPECS", "1")
            // A partial clone would fetch missing objects, through any program it names.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Returns the output of a command that succeeds.
    pub fn output(&self, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        complete(self.run(arguments, None)?)
    }

    /// Returns the output of a command that succeeds, as text without the final newline.
    pub fn text(&self, arguments: &[&str]) -> Result<String, GitError> {
        let output = self.output(arguments)?;
        Ok(String::from_utf8_lossy(&output).trim_end_matches('\n').to_owned())
    }

    /// Returns at most the first `limit` bytes of a command's output.
    pub fn first_bytes(&self, arguments: &[&str], limit: usize) -> Result<Vec<u8>, GitError> {
        match self.run_limited(arguments, None, limit)? {
            (bytes, Some(GitError::OutputTooLarge { .. })) => Ok(bytes),
            result => complete(result),
        }
    }

    /// Returns the output of a command, and the error if it failed after writing it.
    pub fn run(
        &self,
        arguments: &[&str],
        input: Option<Vec<u8>>,
    ) -> Result<(Vec<u8>, Option<GitError>), GitError> {
        self.run_limited(arguments, input, MAX_OUTPUT_BYTES)
    }

    fn run_limited(
        &self,
        arguments: &[&str],
        input: Option<Vec<u8>>,
        output_bytes: usize,
    ) -> Result<(Vec<u8>, Option<GitError>), GitError> {
        let name = arguments.first().copied().unwrap_or_default();
        let command = || name.to_owned();
        if self.cancel.is_cancelled() {
            return Err(GitError::Cancelled { command: command() });
        }
        let mut process = self.command(arguments);
        if input.is_some() {
            process.stdin(Stdio::piped());
        }
        let child = process.spawn().map_err(|source| GitError::NotInstalled { source })?;
        let limits = ProcessLimits { time: TIME_LIMIT, output_bytes, cancel: &self.cancel };
        let (output, exit) = wait_with_output(child, input, &limits)
            .map_err(|error| self.error(name, &error.to_string()))?;
        let error = match exit {
            ProcessExit::Success => None,
            ProcessExit::Failure { stderr } => Some(self.error(name, &stderr)),
            ProcessExit::OutputTooLarge => {
                Some(GitError::OutputTooLarge { command: command(), limit: output_bytes })
            }
            ProcessExit::Cancelled => Some(GitError::Cancelled { command: command() }),
            ProcessExit::TimedOut => {
                Some(GitError::TimedOut { command: command(), limit: TIME_LIMIT })
            }
        };
        Ok((output, error))
    }

    /// Converts git's message into an error.
    pub fn error(&self, command: &str, message: &str) -> GitError {
        let dir = self.dir.clone();
        if message.contains("dubious ownership") {
            GitError::DubiousOwnership { dir }
        } else if message.contains("not a git repository") {
            GitError::NotARepository { dir }
        } else {
            let first = message.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason");
            let message = first.trim().trim_start_matches("fatal: ").to_owned();
            GitError::Failed { command: command.to_owned(), dir, message }
        }
    }
}

fn complete((output, error): (Vec<u8>, Option<GitError>)) -> Result<Vec<u8>, GitError> {
    error.map_or(Ok(output), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_program_is_not_installed() {
        let git = Git::with_program(OsStr::new("/nonexistent/git"), Path::new("/"));
        let error = git.output(&["rev-parse"]).unwrap_err();
        assert!(matches!(error, GitError::NotInstalled { .. }), "{error}");
    }
}
