//! Runs the `git` program so that nothing a repository configures can run, and within limits.
//!
//! A repository's configuration can name programs: file system monitors, hooks, signature checks,
//! pagers, diff and content filters, transports. Each is switched off here or, where git has no switch
//! (content filters), never reached: no command used by this crate compares the work tree.

use crate::cancel_scope::current;
use crate::git_dir::GitDir;
use crate::git_limits::{GitLimits, STALL_TIME, limits_of};
use crate::git_location::{GitLocation, describe};
use crate::git_program::find_git;
use crate::git_stall;
use crate::process::{BoundedChild, ProcessExit, WaitLimits};
use crate::{GitError, ObjectId};
use kitbag_text::Cancel;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Settings that override the repository's.
const SETTINGS: &[&str] = &[
    "core.quotePath=false",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.sshCommand=false",
    "core.alternateRefsCommand=false",
    "gpg.program=false",
    "submodule.recurse=false",
    "log.showSignature=false",
    "log.showRoot=true",
    "log.follow=false",
    "diff.noPrefix=false",
    "diff.mnemonicPrefix=false",
    "diff.suppressBlankEmpty=false",
    "diff.submodule=short",
    "diff.orderFile=/dev/null",
    "i18n.logOutputEncoding=UTF-8",
    // Larger files are compared as binary ones, and streamed.
    "core.bigFileThreshold=16m",
    // Pairs of files that are compared in search of renames grow with the square.
    "diff.renameLimit=400",
    // Packs are mapped in parts, and threads need stacks: both count against limits.
    "core.packedGitWindowSize=32m",
    "core.packedGitLimit=1g",
    "core.preloadIndex=false",
    "index.threads=1",
];

/// Git's environment variables that are passed on: the user's own configuration files. Others would
/// point git at another repository, add configuration, or change its output.
const KEPT_VARIABLES: &[&str] = &[
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/// Message of a command that failed without one.
pub(crate) const NO_REASON: &str = "no reason";

/// Runs git commands in a folder.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    dir: PathBuf,
    /// The commit that takes the place of `HEAD`.
    commit: Option<ObjectId>,
    repository: Result<Repository, Unusable>,
    /// Replaces the limits of every command.
    limits: Option<GitLimits>,
    /// The flag of the thread that created this.
    cancel: Cancel,
}

/// A repository that may be used, and the program for it.
#[derive(Debug, Clone)]
struct Repository {
    program: PathBuf,
    git_dir: GitDir,
}

/// Why git is not started.
#[derive(Debug, Clone)]
enum Unusable {
    NoRepository,
    LeadsOutside { top: PathBuf, links: String },
    SpecialFile { path: PathBuf },
    Stalled,
    NoProgram,
}

impl Git {
    pub fn at<'a>(location: impl Into<GitLocation<'a>>) -> Self {
        let GitLocation { dir, trusted, commit } = location.into();
        let repository = Repository::find(dir, trusted, |top| {
            find_git(&std::env::var_os("PATH").unwrap_or_default(), top)
        });
        Self { dir: dir.to_owned(), commit, repository, limits: None, cancel: current() }
    }

    #[cfg(test)]
    pub fn with_program(program: &std::ffi::OsStr, dir: &Path) -> Self {
        let repository = Repository::find(dir, None, |_| Some(PathBuf::from(program)));
        let dir = dir.to_owned();
        Self { dir, commit: None, repository, limits: None, cancel: current() }
    }

    #[cfg(test)]
    pub fn with_limits(self, limits: GitLimits) -> Self {
        Self { limits: Some(limits), ..self }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the commit that takes the place of `HEAD` and of the work tree, if one does.
    pub fn commit(&self) -> Option<ObjectId> {
        self.commit
    }

    /// Returns the revision that counts as `HEAD`.
    pub fn head(&self) -> String {
        self.commit.map_or_else(|| "HEAD".to_owned(), |commit| commit.to_string())
    }

    /// Returns git's own directory.
    pub fn git_dir(&self) -> Result<&GitDir, GitError> {
        self.repository().map(|repository| &repository.git_dir)
    }

    fn repository(&self) -> Result<&Repository, GitError> {
        self.repository.as_ref().map_err(|unusable| match unusable.clone() {
            Unusable::NoRepository => GitError::NotARepository { dir: self.dir.clone() },
            Unusable::LeadsOutside { top, links } => GitError::LeadsOutside { top, links },
            Unusable::SpecialFile { path } => GitError::SpecialFile { path },
            Unusable::Stalled => GitError::Stalled,
            Unusable::NoProgram => {
                let source = "no `git` in the absolute folders of `PATH`";
                GitError::NotInstalled { source: io::Error::new(io::ErrorKind::NotFound, source) }
            }
        })
    }

    /// Returns a hardened git command with piped output.
    pub fn command(&self, arguments: &[&str]) -> Result<Command, GitError> {
        let Repository { program, git_dir } = self.repository()?;
        let mut command = Command::new(program);
        command.arg("-C").arg(&self.dir).arg("--no-pager");
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(arguments);
        set_environment(&mut command, &git_dir.top);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
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
        complete(self.run_to(limit, arguments)?)
    }

    /// Returns at most the first `limit` bytes of a command's output, and the error if it failed after writing
    /// them.
    pub fn run_to(
        &self,
        limit: usize,
        arguments: &[&str],
    ) -> Result<(Vec<u8>, Option<GitError>), GitError> {
        let limits = GitLimits { output_bytes: limit, ..self.limits(arguments) };
        let mut output = Vec::new();
        let sink = &mut |bytes: &[u8]| output.extend_from_slice(bytes);
        let error = self.run_within(&limits, arguments, None, sink)?;
        let error = error.filter(|error| !matches!(error, GitError::OutputTooLarge { .. }));
        Ok((output, error))
    }

    /// Returns the output of a command, and the error if it failed after writing it.
    pub fn run(
        &self,
        arguments: &[&str],
        input: Option<Vec<u8>>,
    ) -> Result<(Vec<u8>, Option<GitError>), GitError> {
        let mut output = Vec::new();
        let sink = &mut |bytes: &[u8]| output.extend_from_slice(bytes);
        let error = self.stream(arguments, input, sink)?;
        Ok((output, error))
    }

    /// Passes the output of a command to `sink`, and returns the error if it failed after writing it.
    pub fn stream(
        &self,
        arguments: &[&str],
        input: Option<Vec<u8>>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<Option<GitError>, GitError> {
        self.run_within(&self.limits(arguments), arguments, input, sink)
    }

    fn limits(&self, arguments: &[&str]) -> GitLimits {
        let index = self.repository.as_ref().map(|it| it.git_dir.dir.join("index"));
        let index_bytes =
            index.ok().and_then(|index| index.metadata().ok()).map_or(0, |it| it.len());
        self.limits.unwrap_or_else(|| limits_of(command_name(arguments), index_bytes))
    }

    fn run_within(
        &self,
        limits: &GitLimits,
        arguments: &[&str],
        input: Option<Vec<u8>>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<Option<GitError>, GitError> {
        let name = command_name(arguments);
        let command = name.to_owned();
        if self.cancel.is_cancelled() {
            return Err(GitError::Cancelled { command });
        }
        let mut process = self.command(arguments)?;
        // Another thread may have found out since this was created.
        if git_stall::is_stalled(self.git_dir()?) {
            return Err(GitError::Stalled);
        }
        if input.is_some() {
            process.stdin(Stdio::piped());
        }
        let child = BoundedChild::spawn(&mut process, &limits.resources)
            .map_err(|source| GitError::NotInstalled { source })?;
        let GitLimits { time, resources, output_bytes } = *limits;
        let waiting = WaitLimits { time, stall: STALL_TIME, output_bytes, cancel: &self.cancel };
        let exit = child.wait(input, &waiting, sink);
        let exit = exit.map_err(|error| self.error(name, &error.to_string()))?;
        Ok(match exit {
            ProcessExit::Success => None,
            ProcessExit::Failure { stderr } if is_out_of_memory(&stderr) => {
                Some(GitError::OutOfMemory { command, limit: resources.heap_bytes })
            }
            ProcessExit::Failure { stderr } => Some(self.error(name, &stderr)),
            ProcessExit::OutputTooLarge => {
                Some(GitError::OutputTooLarge { command, limit: output_bytes })
            }
            ProcessExit::OutOfCpuTime => {
                Some(GitError::OutOfCpuTime { command, seconds: resources.cpu_seconds })
            }
            ProcessExit::Cancelled => Some(GitError::Cancelled { command }),
            ProcessExit::TimedOut => Some(GitError::TimedOut { command, limit: time }),
            ProcessExit::Stalled => {
                self.remember_stall();
                Some(GitError::Stalled)
            }
        })
    }

    /// Keeps git from being started again in this repository for a while.
    pub fn remember_stall(&self) {
        if let Ok(repository) = &self.repository {
            git_stall::remember(&repository.git_dir);
        }
    }

    /// Converts git's message into an error.
    pub fn error(&self, command: &str, message: &str) -> GitError {
        let dir = self.dir.clone();
        if message.contains("dubious ownership") {
            GitError::DubiousOwnership { dir }
        } else if message.contains("not a git repository") {
            GitError::NotARepository { dir }
        } else {
            let first = message.lines().find(|line| !line.trim().is_empty()).unwrap_or(NO_REASON);
            let message = first.trim().trim_start_matches("fatal: ").to_owned();
            GitError::Failed { command: command.to_owned(), dir, message }
        }
    }
}

impl Repository {
    fn find(
        dir: &Path,
        trusted: Option<&str>,
        program: impl FnOnce(&Path) -> Option<PathBuf>,
    ) -> Result<Self, Unusable> {
        let git_dir = GitDir::find(dir).ok_or(Unusable::NoRepository)?;
        let top = git_dir.top.clone();
        if let Some(path) = git_dir.special_file {
            return Err(Unusable::SpecialFile { path });
        }
        match describe(&git_dir) {
            Some(links) if Some(links.as_str()) != trusted => {
                return Err(Unusable::LeadsOutside { top, links });
            }
            _ => {}
        }
        if git_stall::is_stalled(&git_dir) {
            return Err(Unusable::Stalled);
        }
        let program = program(&top).ok_or(Unusable::NoProgram)?;
        Ok(Self { program, git_dir })
    }
}

fn command_name<'a>(arguments: &[&'a str]) -> &'a str {
    arguments.first().copied().unwrap_or_default()
}

/// Removes git's variables and sets those that restrict it. Git looks for a repository no higher than
/// `top`, which was checked.
fn set_environment(command: &mut Command, top: &Path) {
    for (variable, _) in std::env::vars_os() {
        let is_git = variable.as_encoded_bytes().starts_with(b"GIT_");
        if is_git && !KEPT_VARIABLES.iter().any(|kept| variable == *kept) {
            command.env_remove(variable);
        }
    }
    if let Some(ceilings) = ceilings(top) {
        command.env("GIT_CEILING_DIRECTORIES", ceilings);
    }
    command
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_LITERAL_PATHSPECS", "1")
        // A partial clone would fetch missing objects, through any program it names.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none");
}

/// Returns the folders that git's search for a repository stops below: the user's and that of `top`.
fn ceilings(top: &Path) -> Option<OsString> {
    let users = std::env::var_os("GIT_CEILING_DIRECTORIES").unwrap_or_default();
    let own = top.parent().filter(|_| cfg!(unix)).map(Path::to_owned);
    std::env::join_paths(std::env::split_paths(&users).chain(own)).ok()
}

/// Returns whether git failed to allocate memory, or to map a file.
fn is_out_of_memory(message: &str) -> bool {
    message.contains("ut of memory") || message.contains("annot allocate memory")
}

fn complete((output, error): (Vec<u8>, Option<GitError>)) -> Result<Vec<u8>, GitError> {
    error.map_or(Ok(output), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn missing_program_is_not_installed() {
        let folder = tempfile::tempdir().unwrap();
        let init = Command::new("git").arg("-C").arg(folder.path()).args(["init", "-q"]).status();
        assert!(init.unwrap().success());
        let git = Git::with_program(OsStr::new("/nonexistent/git"), folder.path());
        let error = git.output(&["rev-parse"]).unwrap_err();
        assert!(matches!(error, GitError::NotInstalled { .. }), "{error}");
    }
}
