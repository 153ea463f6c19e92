//! Temporary repositories with fixed dates and identities, isolated from the user's git
//! configuration, and commits without a repository.

use crate::word_id;
use crate::{CommitHistory, CommitLog};
use kitbag_repo::{Commit, ObjectId, head_id};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Time of the first commit.
pub const START: i64 = 1_700_000_000;

/// A temporary folder.
pub struct TestFolder {
    _guard: TempDir,
    pub path: PathBuf,
}

impl TestFolder {
    pub fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        let path = guard.path().canonicalize().unwrap();
        Self { _guard: guard, path }
    }

    /// Creates a folder with an empty repository.
    pub fn repository() -> Self {
        let folder = Self::new();
        folder.git(&["init", "-q", "-b", "main"], 0);
        folder
    }

    pub fn git(&self, arguments: &[&str], time: i64) -> String {
        git(&self.path, arguments, time)
    }

    /// Changes a file and commits it.
    pub fn commit(&self, path: &str, message: &str, time: i64) -> ObjectId {
        let full = self.path.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, format!("{message} {time}")).unwrap();
        self.git(&["add", "-A"], time);
        self.git(&["commit", "-q", "-m", message], time);
        self.head()
    }

    /// Creates commits with these names, each to a file of its name, a second apart.
    pub fn commits(&self, names: &[&str], start: i64) {
        for (name, time) in names.iter().zip(start..) {
            self.commit(&format!("src/{name}.rs"), name, time);
        }
    }

    pub fn head(&self) -> ObjectId {
        head_id(&self.path).unwrap().unwrap()
    }
}

/// Runs git in a folder and returns its output; panics on failure.
pub fn git(dir: &Path, arguments: &[&str], time: i64) -> String {
    let date = format!("{} +0000", START + time);
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

/// Updates a log to the head of `dir`, expecting no warning, and returns the history of the head.
pub fn update(log: &mut CommitLog, dir: &Path, max: usize) -> CommitHistory {
    let head = head_id(dir).unwrap().unwrap();
    assert_eq!(log.update(dir, &head, max).unwrap(), None);
    log.ancestors(&head, max)
}

/// Returns the paths that each commit touches, newest first.
pub fn touched(history: &CommitHistory) -> Vec<Vec<&str>> {
    let paths = history.commits().iter().map(|commit| &commit.paths);
    paths.map(|paths| paths.iter().map(|&id| history.path(id)).collect()).collect()
}

/// Creates the commit with this number, whose parents are given by number.
pub fn commit(number: u32, parents: &[u32], message: &str, paths: &[&str]) -> Commit {
    Commit {
        id: id(number),
        parents: parents.iter().map(|&parent| id(parent)).collect(),
        time: START + i64::from(number),
        message: message.to_owned(),
        paths: paths.iter().map(|&path| path.to_owned()).collect(),
        is_shallow: false,
        is_unread: false,
    }
}

pub fn id(number: u32) -> ObjectId {
    format!("{number:040x}").parse().unwrap()
}

pub fn ids(words: &[&str]) -> Vec<u32> {
    words.iter().map(|word| word_id(word)).collect()
}
