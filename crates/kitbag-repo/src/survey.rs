//! Everything about a work tree at once: its files and when each last changed.

use crate::changes::Index;
use crate::git::Git;
use crate::lookup::{is_bare, is_in_work_tree};
use crate::{FileEntry, GitError, Globs, Recency, Root, Tree, WorkTree};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::sync::Arc;
use std::thread;

/// When files last changed.
#[derive(Debug, Clone, Default)]
pub struct Timestamps {
    /// The time from which ages are counted, in seconds since 1970.
    pub now: i64,
    times: FxHashMap<String, i64>,
}

impl Timestamps {
    /// Times that are known from elsewhere.
    pub fn new(now: i64, times: impl IntoIterator<Item = (String, i64)>) -> Self {
        Self { now, times: times.into_iter().collect() }
    }

    /// When a file last changed, in seconds since 1970, if that is known and was of late.
    pub fn of(&self, path: &str) -> Option<i64> {
        self.times.get(path).copied()
    }

    /// The times of a commit's files. `now` is the commit's own time unless it is given.
    pub fn of_commit(dir: &Path, revision: &str, now: Option<i64>) -> Result<Self, GitError> {
        let recency = Recency::read(dir, Some(revision), now)?;
        let now = now.or(recency.head()).unwrap_or(0);
        Ok(Self::new(now, recency.iter().map(|(path, time)| (path.to_owned(), time))))
    }

    /// The times of a work tree's files: the newer of the last commit and, where git sees a change
    /// or does not know the file, its own time. `now` is by default the newest of `HEAD`'s and the
    /// changed files'.
    fn of_work_tree(
        recency: &Recency,
        files: &[FileEntry],
        changed: &FxHashSet<&str>,
        now: Option<i64>,
    ) -> Self {
        let mut times = FxHashMap::default();
        let mut newest = recency.head();
        for file in files {
            let modified = file.modified().filter(|_| changed.contains(file.path.as_str()));
            newest = newest.max(modified);
            if let Some(time) = recency.of(&file.path).max(modified) {
                times.insert(file.path.clone(), time);
            }
        }
        Self { now: now.or(newest).unwrap_or(0), times }
    }
}

/// A work tree, with its times.
#[derive(Debug)]
pub struct Survey {
    /// The files.
    pub tree: Arc<WorkTree>,
    /// When they last changed.
    pub timestamps: Timestamps,
    /// The files that git sees as changed or deleted or does not know, sorted; `None` where there is
    /// no repository, or git has no answer.
    pub changed: Option<Vec<String>>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// Walks a work tree and asks git about it, all at once.
///
/// Where there is no repository, every file's own time counts. Where there is one that git cannot
/// be asked about, no time is known: those of a fresh checkout would say nothing.
pub fn survey(root: &Root, globs: &Globs, now: Option<i64>) -> Survey {
    survey_with(&Git::at(root.path()), root, globs, now)
}

/// Walks a work tree, and asks git for its index at the same time. What else is to be known of the
/// files takes longer: [`Walked::survey`] goes on from here.
pub fn walk(root: &Root, globs: &Globs) -> Walked {
    Walked::new(Git::at(root.path()), root, globs)
}

fn survey_with(git: &Git, root: &Root, globs: &Globs, now: Option<i64>) -> Survey {
    let (walked, recency) = thread::scope(|scope| {
        let recency = scope.spawn(|| Recency::read_with(git, None, now));
        (Walked::new(git.clone(), root, globs), joined(recency))
    });
    walked.survey(recency, now)
}

/// The files of a work tree, before anything is known of their times.
#[derive(Debug)]
pub struct Walked {
    /// The files.
    pub tree: Arc<WorkTree>,
    git: Git,
    index: Result<Index, GitError>,
    /// The files that git expects and that are not there.
    gone: Vec<String>,
}

impl Walked {
    fn new(git: Git, root: &Root, globs: &Globs) -> Self {
        let (mut tree, index) = thread::scope(|scope| {
            let index = scope.spawn(|| Index::read(&git));
            (WorkTree::walk(root, globs), joined(index))
        });
        let mut gone = Vec::new();
        if let Ok(index) = &index {
            tree.add_tracked(index.paths(), globs);
            gone = tree.gone(index.expected(), globs);
        }
        Self { tree: Arc::new(tree), git, index, gone }
    }

    /// What is known of the files with their history.
    pub fn survey(self, recency: Result<Recency, GitError>, now: Option<i64>) -> Survey {
        let Self { tree, git, index, gone } = self;
        let (files, root) = (tree.files(), tree.root());
        let mut warnings = Vec::new();
        if is_bare(root.path()) {
            let path = root.path().display();
            warnings.push(format!("a bare repository has no work tree: `{path}`"));
        }
        let mut is_known = false;
        let (recency, changed) = match (recency, index) {
            (Ok(recency), Ok(index)) => {
                warnings.extend(recency.warning().map(str::to_owned));
                is_known = true;
                (recency, index.changed(&git, files))
            }
            (Err(error), _) if is_no_repository(&error, root) => {
                if is_in_broken_repository(root.path()) {
                    warnings.push(format!("history is not known: {error}"));
                }
                (Recency::default(), files.iter().map(|file| file.path.as_str()).collect())
            }
            (Ok(recency), Err(error)) => {
                warnings.extend(recency.warning().map(str::to_owned));
                warnings.push(format!("uncommitted changes are not known: {error}"));
                (recency, FxHashSet::default())
            }
            (Err(error), _) => {
                warnings.push(format!("history is not known: {error}"));
                (Recency::default(), FxHashSet::default())
            }
        };
        let timestamps = Timestamps::of_work_tree(&recency, files, &changed, now);
        let uncommitted = files.iter().map(|file| &file.path);
        let uncommitted = uncommitted.filter(|path| changed.contains(path.as_str())).cloned();
        let mut uncommitted: Vec<String> = uncommitted.chain(gone).collect();
        uncommitted.sort_unstable();
        let changed = is_known.then_some(uncommitted);
        Survey { timestamps, changed, warnings, tree }
    }
}

/// What a thread came to. It does not panic; should it, the panic goes on here.
fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Whether git has no answer because there is nothing to ask it about.
fn is_no_repository(error: &GitError, root: &Root) -> bool {
    match error {
        GitError::NotARepository { .. } => true,
        GitError::NotInstalled { .. } => !is_in_work_tree(root.path()),
        _ => false,
    }
}

/// Whether git finds no repository where there is what looks like one.
fn is_in_broken_repository(dir: &Path) -> bool {
    let nearest = dir.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists());
    nearest.is_some_and(|git| git.join("HEAD").is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::fs;
    use std::process::Command;

    /// Surveys a folder with one file, in a repository or not, by another program than git.
    fn survey_by(program: &OsStr, in_repository: bool) -> Survey {
        let folder = tempfile::tempdir().unwrap();
        if in_repository {
            let mut init = Command::new("git");
            let init = init.arg("-C").arg(folder.path()).args(["init", "-q"]).status();
            assert!(init.unwrap().success());
        }
        fs::write(folder.path().join("a.rs"), "").unwrap();
        let root = Root::open(folder.path()).unwrap();
        survey_with(&Git::with_program(program, root.path()), &root, &Globs::default(), None)
    }

    #[test]
    fn without_git_files_have_their_own_times_or_none() {
        let nothing = OsStr::new("/nonexistent/git");
        let plain = survey_by(nothing, false);
        assert!(plain.timestamps.of("a.rs").is_some() && plain.warnings.is_empty());
        let repository = survey_by(nothing, true);
        assert_eq!(repository.timestamps.of("a.rs"), None);
        assert_eq!(repository.warnings.len(), 1);
        assert_eq!(repository.tree.files().len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_repository_that_git_distrusts_has_no_history_and_a_warning() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("git");
        let script = "#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec git \"$@\"\n";
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let found = survey_by(program.as_os_str(), true);
        assert_eq!(found.timestamps.of("a.rs"), None);
        assert!(found.warnings[0].contains("does not trust the owner"), "{:?}", found.warnings);
    }
}
