//! The `git` program: how it is started, watched, and kept from running anything of the
//! repository's own.
//!
//! A repository's configuration can name programs: file system monitors, hooks, signature checks,
//! pagers, diff and content filters, transports. Every one of these is switched off here or, where
//! git has no switch (content filters), not reached: no command that we use compares the work tree.

use crate::child::{Bounds, Ended, finish};
use crate::stop::current;
use kitbag_text::Cancel;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use thiserror::Error;

/// How long one git command may take.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// How much one git command may write.
const MOST_BYTES: usize = 512 << 20;

/// Settings that stand above the repository's.
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

/// What would lead git to another repository than the one at the folder it is given.
const FOREIGN_VARIABLES: &[&str] = &[
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

/// Why git has no answer.
#[derive(Debug, Error)]
pub enum GitError {
    /// The program is not there.
    #[error("`git` cannot be started: {source}")]
    NotInstalled {
        /// What the system said.
        source: io::Error,
    },
    /// The folder is in no repository.
    #[error("not a git repository: `{}`", dir.display())]
    NotARepository {
        /// The folder.
        dir: PathBuf,
    },
    /// Git distrusts the repository, since another user owns it.
    #[error("git does not trust the owner of `{}`", dir.display())]
    DubiousOwnership {
        /// The folder.
        dir: PathBuf,
    },
    /// There is no such commit.
    #[error("no such commit in `{}`: `{revision}`", dir.display())]
    UnknownRevision {
        /// The folder.
        dir: PathBuf,
        /// What was asked for.
        revision: String,
    },
    /// It took too long and was ended.
    #[error("no answer within {} s from `git {command}`", limit.as_secs())]
    TimedOut {
        /// The git command.
        command: String,
        /// How long it was given.
        limit: Duration,
    },
    /// Nobody waited for it any more, and it was ended.
    #[error("`git {command}` was stopped")]
    Stopped {
        /// The git command.
        command: String,
    },
    /// It wrote too much and was ended.
    #[error("more than {most} bytes from `git {command}`")]
    TooMuch {
        /// The git command.
        command: String,
        /// How much it may write.
        most: usize,
    },
    /// Anything else.
    #[error("`git {command}` failed in `{}`: {message}", dir.display())]
    Failed {
        /// The git command.
        command: String,
        /// The folder.
        dir: PathBuf,
        /// What git said, or the system.
        message: String,
    },
}

/// Git, to be asked about the repository that a folder is in.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    program: OsString,
    dir: PathBuf,
    /// What was asked is ended once this is up: the flag of whoever made this.
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

    /// A git command with all precautions taken, its streams connected.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("-C").arg(&self.dir).arg("--no-pager");
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(arguments);
        for variable in FOREIGN_VARIABLES {
            command.env_remove(variable);
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_LITERAL_PATHSPECS", "1")
            // A partial clone would fetch what it lacks, through whatever program it names.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// What a command writes, if it succeeds.
    pub fn output<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<Vec<u8>, GitError> {
        match self.run(arguments, None)? {
            (bytes, None) => Ok(bytes),
            (_, Some(error)) => Err(error),
        }
    }

    /// The first `most` bytes that a command writes; then it is ended.
    pub fn first_bytes<S: AsRef<OsStr>>(
        &self,
        arguments: &[S],
        most: usize,
    ) -> Result<Vec<u8>, GitError> {
        match self.run_within(arguments, None, most)? {
            (bytes, None | Some(GitError::TooMuch { .. })) => Ok(bytes),
            (_, Some(error)) => Err(error),
        }
    }

    /// What a command writes, and how it failed if it did: output up to a failure has its worth.
    pub fn run<S: AsRef<OsStr>>(
        &self,
        arguments: &[S],
        input: Option<Vec<u8>>,
    ) -> Result<(Vec<u8>, Option<GitError>), GitError> {
        self.run_within(arguments, input, MOST_BYTES)
    }

    fn run_within<S: AsRef<OsStr>>(
        &self,
        arguments: &[S],
        input: Option<Vec<u8>>,
        most: usize,
    ) -> Result<(Vec<u8>, Option<GitError>), GitError> {
        let name = arguments.first().map(|name| name.as_ref().to_string_lossy().into_owned());
        let command = name.unwrap_or_default();
        if self.cancel.is_cancelled() {
            return Err(GitError::Stopped { command });
        }
        let mut process = self.command(arguments);
        if input.is_some() {
            process.stdin(Stdio::piped());
        }
        let child = process.spawn().map_err(|source| GitError::NotInstalled { source })?;
        let bounds = Bounds { time: TIME_LIMIT, bytes: most, cancel: &self.cancel };
        let (output, ended) = match finish(child, input, &bounds) {
            Ok(finished) => finished,
            Err(error) => return Err(self.complaint(command, &error.to_string())),
        };
        let error = match ended {
            Ended::Well => None,
            Ended::Badly(message) => Some(self.complaint(command, &message)),
            Ended::TooMuch => Some(GitError::TooMuch { command, most }),
            Ended::Stopped => Some(GitError::Stopped { command }),
            Ended::TimedOut => Some(GitError::TimedOut { command, limit: TIME_LIMIT }),
        };
        Ok((output, error))
    }

    /// Makes an error of what git said.
    pub fn complaint(&self, command: String, message: &str) -> GitError {
        let dir = self.dir.clone();
        if message.contains("dubious ownership") {
            GitError::DubiousOwnership { dir }
        } else if message.contains("not a git repository") {
            GitError::NotARepository { dir }
        } else {
            let first = message.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason");
            let message = first.trim().trim_start_matches("fatal: ").to_owned();
            GitError::Failed { command, dir, message }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_is_an_error_of_its_own() {
        let git = Git::with_program(OsStr::new("/nonexistent/git"), Path::new("/"));
        let error = git.output(&["rev-parse"]).unwrap_err();
        assert!(matches!(error, GitError::NotInstalled { .. }), "{error}");
    }
}
