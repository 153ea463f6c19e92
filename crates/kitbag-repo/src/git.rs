//! The `git` program: how it is started, watched, and kept from running anything of the
//! repository's own.
//!
//! A repository's configuration can name programs: file system monitors, hooks, signature checks,
//! pagers, diff and content filters, transports. Every one of these is switched off here or, where
//! git has no switch (content filters), not reached: no command that we use compares the work tree.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use thiserror::Error;

/// How long one git command may take.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// How much of git's complaints is kept.
const MESSAGE_BYTES: u64 = 4_096;

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
}

impl Git {
    pub fn at(dir: &Path) -> Self {
        Self::with_program(OsStr::new("git"), dir)
    }

    pub fn with_program(program: &OsStr, dir: &Path) -> Self {
        Self { program: program.to_owned(), dir: dir.to_owned() }
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

    /// What a command writes, and how it failed if it did: output up to a failure has its worth.
    pub fn run<S: AsRef<OsStr>>(
        &self,
        arguments: &[S],
        input: Option<Vec<u8>>,
    ) -> Result<(Vec<u8>, Option<GitError>), GitError> {
        let name = arguments.first().map(|name| name.as_ref().to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let mut command = self.command(arguments);
        if input.is_some() {
            command.stdin(Stdio::piped());
        }
        let child = command.spawn().map_err(|source| GitError::NotInstalled { source })?;
        match finish(child, input, TIME_LIMIT) {
            Ok(Some(done)) if done.success => Ok((done.output, None)),
            Ok(Some(done)) => Ok((done.output, Some(self.complaint(name, &done.message)))),
            Ok(None) => Err(GitError::TimedOut { command: name, limit: TIME_LIMIT }),
            Err(error) => Err(self.complaint(name, &error.to_string())),
        }
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

/// A command that has ended.
struct Finished {
    output: Vec<u8>,
    message: String,
    success: bool,
}

/// Waits for a command, or ends it after `limit` and gives `None`.
fn finish(
    mut child: Child,
    input: Option<Vec<u8>>,
    limit: Duration,
) -> io::Result<Option<Finished>> {
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        // A command that stops reading breaks the pipe, and shows it by its exit status.
        thread::spawn(move || stdin.write_all(&input));
    }
    let (sender, receiver) = mpsc::channel();
    let output = child.stdout.take();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.map_or(Ok(0), |mut output| output.read_to_end(&mut bytes));
        let _ = sender.send(read.map(|_| bytes));
    });
    let complaints = child.stderr.take();
    let complaints = thread::spawn(move || {
        let Some(mut complaints) = complaints else { return Vec::new() };
        let mut bytes = Vec::new();
        let _ = complaints.by_ref().take(MESSAGE_BYTES).read_to_end(&mut bytes);
        let _ = io::copy(&mut complaints, &mut io::sink());
        bytes
    });
    let Ok(output) = receiver.recv_timeout(limit) else {
        child.kill()?;
        child.wait()?;
        return Ok(None);
    };
    let status = child.wait()?;
    let message = complaints.join().unwrap_or_default();
    let message = String::from_utf8_lossy(&message).into_owned();
    Ok(Some(Finished { output: output?, message, success: status.success() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_hangs_is_ended() {
        let mut command = Command::new("sleep");
        let child = command.arg("600").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let finished = finish(child.unwrap(), None, Duration::from_millis(20)).unwrap();
        assert!(finished.is_none());
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error_of_its_own() {
        let git = Git::with_program(OsStr::new("/nonexistent/git"), Path::new("/"));
        let error = git.output(&["rev-parse"]).unwrap_err();
        assert!(matches!(error, GitError::NotInstalled { .. }), "{error}");
    }
}
