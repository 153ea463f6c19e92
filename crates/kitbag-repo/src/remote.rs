//! Repositories by URL: shallow copies in a cache folder, which every use brings up to date.
//!
//! Git needs the user's own configuration here, for credentials, proxies and keys. What was fetched is not
//! trusted: it is checked out without that configuration, so that no filter that it names can run. URLs are
//! not stored, because they may contain credentials.

use crate::git_program::find_git;
use crate::names::folder_for;
use crate::process::{BoundedChild, ProcessExit, ResourceLimits, WaitLimits};
use kitbag_text::Cancel;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Number of commits that are fetched: ranking reads them, and more would take longer.
const DEPTH: &str = "--depth=200";

/// Maximum duration of a git command.
const MAX_TIME: Duration = Duration::from_secs(600);
/// Maximum size of a repository in bytes, as git stores it.
const MAX_BYTES: u64 = 4 << 30;
/// Interval between measurements of the size.
const SIZE_INTERVAL: Duration = Duration::from_millis(200);
const RESOURCES: ResourceLimits = ResourceLimits { cpu_seconds: 600, heap_bytes: 4 << 30 };
const MAX_OUTPUT_BYTES: usize = 1 << 20;

/// Protocols that git may use. Others can start any program.
const PROTOCOLS: [&str; 5] = ["https", "http", "ssh", "git", "file"];

/// Written when a copy is complete.
const MARKER: &str = "kitbag-complete";

/// The URL of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteUrl(String);

/// A local copy of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteCopy {
    /// Its folder, which has a work tree.
    pub folder: PathBuf,
    /// Why the copy could not be brought up to date, if it is an older one.
    pub stale: Option<String>,
}

/// Why there is no copy of a repository.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The protocol is unknown, or may start programs.
    #[error("`{url}`: the protocol `{protocol}` is not supported")]
    Protocol {
        /// URL without credentials.
        url: String,
        /// Its part before the colon.
        protocol: String,
    },
    /// The URL ends before its host, or the host looks like an option.
    #[error("`{url}` names no host")]
    Host {
        /// URL without credentials.
        url: String,
    },
    /// Git failed.
    #[error("cannot fetch `{url}`: {message}")]
    Fetch {
        /// URL without credentials.
        url: String,
        /// What git said.
        message: String,
    },
    /// A file of the cache could not be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The caller cancelled it.
    #[error("cancelled")]
    Cancelled,
}

impl RemoteError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Protocol { .. } | Self::Host { .. } => {
                Some("use an https, ssh or file URL, or a folder")
            }
            Self::Fetch { .. } => Some(
                "check the URL and the network; `git ls-remote URL` must work without a prompt",
            ),
            Self::Write { .. } | Self::Cancelled => None,
        }
    }
}

impl RemoteUrl {
    /// Parses a URL, or an address such as `git@example.com:a/b.git`. `None` means that the text is a path.
    pub fn parse(text: &str) -> Option<Result<Self, RemoteError>> {
        let url = Self(text.to_owned());
        if let Some((protocol, rest)) = text.split_once("://") {
            let is_name = |c: char| c.is_ascii_alphanumeric() || "+-.:".contains(c);
            if protocol.is_empty() || !protocol.chars().all(is_name) {
                return None;
            }
            let is_known = PROTOCOLS.contains(&protocol.to_ascii_lowercase().as_str());
            // Git would take a host that begins with a dash for an option of ssh.
            let is_host = !rest.is_empty() && !rest.starts_with('-') && !rest.contains("@-");
            let (protocol, shown) = (protocol.to_owned(), url.to_string());
            return Some(match (is_known, is_host) {
                (true, true) => Ok(url),
                (true, false) => Err(RemoteError::Host { url: shown }),
                (false, _) => Err(RemoteError::Protocol { url: shown, protocol }),
            });
        }
        let (host, path) = text.split_once(':')?;
        let (user, host) = host.split_once('@')?;
        let is_word = |word: &str| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            !word.is_empty() && !word.starts_with('-') && word.chars().all(is_part)
        };
        (is_word(user) && is_word(host) && !path.is_empty() && !path.starts_with('-'))
            .then_some(Ok(url))
    }

    /// Returns the last part of the path, without `.git`.
    pub fn name(&self) -> &str {
        let path = self.0.trim_end_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        path.rsplit(['/', ':']).next().filter(|it| !it.is_empty()).unwrap_or("repository")
    }

    /// Copies the repository into a folder of its own in `cache`, or brings that copy up to date.
    pub fn copy_to(&self, cache: &Path, cancel: &Cancel) -> Result<RemoteCopy, RemoteError> {
        let folder = folder_for(cache, Path::new(self.name()), &self.0);
        create_private(cache)?;
        let write_error =
            |path: &Path, source| RemoteError::Write { path: path.to_owned(), source };
        let lock = folder.with_extension("lock");
        let file = File::create(&lock).map_err(|source| write_error(&lock, source))?;
        file.lock().map_err(|source| write_error(&lock, source))?;
        let is_complete = folder.join(".git").join(MARKER).exists();
        let fetching = Fetching { url: self, folder: &folder, cancel };
        match fetching.run(is_complete) {
            Ok(()) => Ok(RemoteCopy { folder, stale: None }),
            Err(RemoteError::Cancelled) => Err(RemoteError::Cancelled),
            Err(error) if is_complete => Ok(RemoteCopy { folder, stale: Some(error.to_string()) }),
            Err(error) => Err(error),
        }
    }
}

/// The URL without credentials.
impl std::fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some((protocol, rest)) = self.0.split_once("://") else { return f.write_str(&self.0) };
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        write!(f, "{protocol}://{host}{path}")
    }
}

fn create_private(folder: &Path) -> Result<(), RemoteError> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let created = builder.recursive(true).create(folder);
    created.map_err(|source| RemoteError::Write { path: folder.to_owned(), source })
}

/// A copy that is made or brought up to date.
struct Fetching<'a> {
    url: &'a RemoteUrl,
    folder: &'a Path,
    cancel: &'a Cancel,
}

impl Fetching<'_> {
    fn run(&self, is_complete: bool) -> Result<(), RemoteError> {
        if !is_complete {
            // An interrupted copy may lack anything.
            let _ = fs::remove_dir_all(self.folder);
            create_private(self.folder)?;
            self.git(&["init", "--quiet", "--template="], Trust::Nothing)?;
        }
        let fetch = [
            "fetch",
            "--quiet",
            DEPTH,
            "--no-tags",
            "--no-recurse-submodules",
            "--",
            &self.url.0,
            "HEAD",
        ];
        self.git(&fetch, Trust::User)?;
        self.git(&["checkout", "--quiet", "--force", "--detach", "FETCH_HEAD"], Trust::Nothing)?;
        self.git(&["clean", "--quiet", "-ffdx"], Trust::Nothing)?;
        let git_dir = self.folder.join(".git");
        // It has the URL.
        let _ = fs::remove_file(git_dir.join("FETCH_HEAD"));
        let marker = git_dir.join(MARKER);
        fs::write(&marker, "").map_err(|source| RemoteError::Write { path: marker, source })
    }

    fn git(&self, arguments: &[&str], trust: Trust) -> Result<(), RemoteError> {
        let program = find_git(&std::env::var_os("PATH").unwrap_or_default(), self.folder);
        let program = program.ok_or_else(|| self.error("git is not installed"))?;
        let mut command = Command::new(program);
        command.arg("-C").arg(self.folder);
        for setting in ["core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0"] {
            command.args(["-c", setting]);
        }
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        set_environment(&mut command, self.folder, trust);
        let child = BoundedChild::spawn(&mut command, &RESOURCES);
        let child = child.map_err(|error| self.error(&error.to_string()))?;
        let (exit, is_too_large) = self.wait(child);
        match exit.map_err(|error| self.error(&error.to_string()))? {
            ProcessExit::Success => Ok(()),
            _ if self.cancel.is_cancelled() => Err(RemoteError::Cancelled),
            _ if is_too_large => Err(self.error("it is larger than 4 GiB")),
            ProcessExit::Failure { stderr } => Err(self.error(&message(&stderr, &self.url.0))),
            ProcessExit::TimedOut => Err(self.error("git took longer than 10 minutes")),
            exit => Err(self.error(&format!("git was stopped ({exit:?})"))),
        }
    }

    /// Waits for git, and stops it if the copy grows too large.
    fn wait(&self, child: BoundedChild) -> (io::Result<ProcessExit>, bool) {
        let (cancel, is_done) = (self.cancel.child(), AtomicBool::new(false));
        let packs = self.folder.join(".git/objects/pack");
        let limits = WaitLimits {
            time: MAX_TIME,
            stall: MAX_TIME,
            output_bytes: MAX_OUTPUT_BYTES,
            cancel: &cancel,
        };
        thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !is_done.load(Ordering::Acquire) {
                    if size_of(&packs) > MAX_BYTES {
                        cancel.cancel();
                        return true;
                    }
                    thread::park_timeout(SIZE_INTERVAL);
                }
                false
            });
            let exit = child.wait(None, &limits, &mut |_| {});
            is_done.store(true, Ordering::Release);
            watcher.thread().unpark();
            (exit, watcher.join().unwrap_or(false))
        })
    }

    fn error(&self, message: &str) -> RemoteError {
        RemoteError::Fetch { url: self.url.to_string(), message: message.to_owned() }
    }
}

/// Whose configuration git reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// The user's.
    User,
    Nothing,
}

fn set_environment(command: &mut Command, folder: &Path, trust: Trust) {
    let is_kept = |variable: &OsStr| {
        let kept = [
            "GIT_CONFIG_GLOBAL",
            "GIT_CONFIG_SYSTEM",
            "GIT_CONFIG_NOSYSTEM",
            "GIT_SSH",
            "GIT_SSH_COMMAND",
            "GIT_ASKPASS",
            "GIT_SSL_CAINFO",
            "GIT_SSL_NO_VERIFY",
        ];
        trust == Trust::User && kept.iter().any(|it| variable == *it)
    };
    for (variable, _) in std::env::vars_os() {
        let is_git = variable.as_encoded_bytes().starts_with(b"GIT_");
        if is_git && !is_kept(&variable) {
            command.env_remove(variable);
        }
    }
    if trust == Trust::Nothing {
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    }
    let ceiling = folder.parent().unwrap_or(folder);
    command
        .env("LC_ALL", "C")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_CEILING_DIRECTORIES", ceiling)
        .env("GIT_ALLOW_PROTOCOL", PROTOCOLS.join(":"));
}

/// Returns the first line of git's message that says what is wrong, without the URL.
fn message(stderr: &str, url: &str) -> String {
    let lines = stderr.lines().map(str::trim);
    let line = lines.clone().find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
    let line = line.or_else(|| lines.clone().find(|line| !line.is_empty())).unwrap_or("no reason");
    let line = line.trim_start_matches("fatal:").trim_start_matches("error:").trim();
    line.replace(url, "the repository")
}

fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|it| it.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<Result<String, String>> {
        let parsed = RemoteUrl::parse(text)?;
        Some(parsed.map(|url| url.name().to_owned()).map_err(|error| error.to_string()))
    }

    #[test]
    fn urls_and_addresses_are_not_paths() {
        for url in [
            "https://example.com/a/tool.git",
            "https://example.com/a/tool/",
            "ssh://git@example.com:22/a/tool.git",
            "git@example.com:a/tool.git",
            "git@example.com:tool",
            "file:///srv/tool.git",
        ] {
            assert_eq!(parsed(url), Some(Ok("tool".to_owned())), "{url}");
        }
        for path in [".", "../tool", "/srv/tool", "tool", "C:\\tool", "a:b", "-x@h:p", "u@-h:p", ""]
        {
            assert_eq!(parsed(path), None, "{path}");
        }
    }

    #[test]
    fn protocols_that_start_programs_are_refused() {
        for url in ["ext::sh -c id://x", "rsync://example.com/a", "ssh://-oProxyCommand=id/a"] {
            assert!(!matches!(parsed(url), Some(Ok(_))), "{url}");
        }
    }

    #[test]
    fn credentials_are_not_shown() {
        let url = RemoteUrl("https://user:secret@example.com/a/b@c.git".to_owned());
        assert_eq!(url.to_string(), "https://example.com/a/b@c.git");
        assert_eq!(
            message("fatal: https://u:p@h/x not found\n", "https://u:p@h/x"),
            "the repository not found"
        );
    }
}
