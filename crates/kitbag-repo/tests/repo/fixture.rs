//! Temporary folders and repositories with fixed dates and identities, independent of the user's git
//! configuration.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// The time of the first commit, in seconds since 1970.
pub const START: i64 = 1_700_000_000;
/// One day in seconds.
pub const DAY: i64 = 86_400;

/// A folder that is removed when dropped.
pub struct Folder {
    _guard: TempDir,
    pub path: PathBuf,
}

impl Folder {
    pub fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        let path = guard.path().canonicalize().unwrap();
        Self { _guard: guard, path }
    }

    /// Creates a folder with an empty repository.
    pub fn repository() -> Self {
        let folder = Self::new();
        folder.git(&["init", "-q", "-b", "main"], START);
        folder
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let full = self.path.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(&full, content).unwrap();
        full
    }

    /// Writes a file and sets its modification time.
    pub fn write_at(&self, path: &str, content: &str, time: i64) {
        set_time(&self.write(path, content), time);
    }

    pub fn git(&self, arguments: &[&str], time: i64) -> String {
        git(&self.path, arguments, time)
    }

    /// Commits all files, also ignored ones, and returns the id of the commit.
    pub fn commit(&self, message: &str, time: i64) -> String {
        self.git(&["add", "-A", "-f"], time);
        self.git(&["commit", "-q", "--allow-empty", "-m", message], time);
        self.git(&["rev-parse", "HEAD"], time)
    }
}

/// Runs git in a folder and returns its trimmed output.
pub fn git(dir: &Path, arguments: &[&str], time: i64) -> String {
    let date = format!("{time} +0000");
    let output = Command::new("git")
        .arg("-C")
        .arg(dir)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_AUTHOR_NAME", "A")
        .env("GIT_AUTHOR_EMAIL", "a@example.com")
        .env("GIT_COMMITTER_NAME", "A")
        .env("GIT_COMMITTER_EMAIL", "a@example.com")
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

pub fn set_time(path: &Path, time: i64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(time.try_into().unwrap());
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// Creates a named pipe without a writer.
pub fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Walks a work tree and reads its history.
pub fn survey(path: &Path, globs: &kitbag_repo::Globs) -> kitbag_repo::Survey {
    let root = kitbag_repo::Root::open(path).unwrap();
    kitbag_repo::scan(&root, globs).survey(kitbag_repo::Recency::read(path, None))
}

/// Returns the paths of a tree's files.
pub fn paths(tree: &dyn kitbag_repo::Tree) -> Vec<&str> {
    tree.files().iter().map(|file| file.path.as_str()).collect()
}

/// Returns the paths and codes of the files that a tree skipped.
pub fn skips(tree: &dyn kitbag_repo::Tree) -> Vec<(&str, kitbag_repo::SkipCode)> {
    tree.skipped().iter().map(|skip| (skip.path.as_str(), skip.code)).collect()
}
