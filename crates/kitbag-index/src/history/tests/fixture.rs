//! Repositories, and commits without one. Dates and identities are fixed and the user's own git
//! configuration is out of reach.

use crate::word_id;
use crate::{History, Past};
use kitbag_repo::{Commit, ObjectId, head_id};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The time of the first commit.
pub const START: i64 = 1_700_000_000;

/// A folder that goes away with the test.
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

    /// A folder that is a repository.
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

    /// Commits named `one`, `two` and so on, each to a file of its name, a second apart.
    pub fn commits(&self, names: &[&str], start: i64) {
        for (name, time) in names.iter().zip(start..) {
            self.commit(&format!("src/{name}.rs"), name, time);
        }
    }

    pub fn head(&self) -> ObjectId {
        head_id(&self.path).unwrap().unwrap()
    }
}

/// Runs git in a folder and gives its output, which must be a success.
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
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {complaint}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Brings a history up to the head of `dir`, which must go without a warning, and gives its past.
pub fn update(history: &mut History, dir: &Path, most: usize) -> Past {
    let head = head_id(dir).unwrap().unwrap();
    assert_eq!(history.update(dir, &head, most).unwrap(), None);
    history.past(&head, most)
}

/// The paths that each commit touches, newest first.
pub fn touched(past: &Past) -> Vec<Vec<&str>> {
    let paths = past.commits().iter().map(|commit| &commit.paths);
    paths.map(|paths| paths.iter().map(|&id| past.path(id)).collect()).collect()
}

/// The commit of a number: its parents are commits of other numbers, and it touches `paths`.
pub fn commit(number: u32, parents: &[u32], message: &str, paths: &[&str]) -> Commit {
    Commit {
        id: id(number),
        parents: parents.iter().map(|&parent| id(parent)).collect(),
        time: START + i64::from(number),
        message: message.to_owned(),
        paths: paths.iter().map(|&path| path.to_owned()).collect(),
        is_cut: false,
    }
}

pub fn id(number: u32) -> ObjectId {
    format!("{number:040x}").parse().unwrap()
}

pub fn ids(words: &[&str]) -> Vec<u32> {
    words.iter().map(|word| word_id(word)).collect()
}
