//! Surveys a work tree: its files, when each last changed, and which are uncommitted.

use crate::git::Git;
use crate::git_dir::is_bare_repository;
use crate::git_index::GitIndex;
use crate::lookup::is_in_work_tree;
use crate::{FileEntry, GitError, Globs, Recency, Root, Tree, WorkTree};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::sync::Arc;
use std::thread;

/// When files last changed.
#[derive(Debug, Clone, Default)]
pub struct Timestamps {
    /// The time that ages refer to, in seconds since 1970.
    pub now: i64,
    times: FxHashMap<String, i64>,
}

impl Timestamps {
    /// Creates timestamps from known times in seconds since 1970.
    pub fn new(now: i64, times: impl IntoIterator<Item = (String, i64)>) -> Self {
        Self { now, times: times.into_iter().collect() }
    }

    /// Returns when a file last changed, in seconds since 1970, if that is known and recent.
    pub fn of(&self, path: &str) -> Option<i64> {
        self.times.get(path).copied()
    }

    /// Combines the time of a file's last commit with the modification time of changed and untracked
    /// files. `now` is the newest time of `HEAD` and of the changed files.
    fn of_work_tree(recency: &Recency, files: &[FileEntry], changed: &FxHashSet<&str>) -> Self {
        let mut times = FxHashMap::default();
        let mut newest = recency.head();
        for file in files {
            let modified = file.modified().filter(|_| changed.contains(file.path.as_str()));
            newest = newest.max(modified);
            if let Some(time) = recency.of(&file.path).max(modified) {
                times.insert(file.path.clone(), time);
            }
        }
        Self { now: newest.unwrap_or(0), times }
    }
}

/// A work tree and the state of its files in git.
#[derive(Debug)]
pub struct Survey {
    /// The files that were found.
    pub tree: Arc<WorkTree>,
    /// The times at which they last changed.
    pub timestamps: Timestamps,
    /// The changed, deleted and untracked files, sorted; `None` without a repository, or if git failed.
    pub changed: Option<Vec<String>>,
    /// Messages for the user about incomplete results.
    pub warnings: Vec<String>,
}

/// Walks a work tree, or lists the commit that the root is at, and reads the index in parallel. [`TreeScan::survey`] adds the history, which takes
/// longer to read.
pub fn scan(root: &Root, globs: &Globs) -> TreeScan {
    TreeScan::new(Git::at(root), root, globs)
}

/// The files of a work tree and its index, without the history.
#[derive(Debug)]
pub struct TreeScan {
    /// The files that were found.
    pub tree: Arc<WorkTree>,
    git: Git,
    /// `None` at a commit, of which no file is changed.
    index: Result<Option<GitIndex>, GitError>,
    /// The files that git expects but that do not exist.
    missing: Vec<String>,
}

impl TreeScan {
    fn new(git: Git, root: &Root, globs: &Globs) -> Self {
        let (mut tree, index) = thread::scope(|scope| {
            let index = scope.spawn(|| match root.commit() {
                Some(_) => Ok(None),
                None => GitIndex::read(&git).map(Some),
            });
            let tree = WorkTree::walk(root, globs);
            // A panic of the thread is propagated.
            (tree, index.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let mut missing = Vec::new();
        if let Ok(Some(index)) = &index {
            tree.add_tracked(index.paths(), globs);
            missing = tree.missing(index.expected(), globs);
        }
        Self { tree: Arc::new(tree), git, index, missing }
    }

    /// Adds the history.
    ///
    /// Without a repository, modification times are used. In a repository that git cannot read, no time
    /// is known: the modification times of a fresh checkout mean nothing.
    pub fn survey(self, recency: Result<Recency, GitError>) -> Survey {
        let Self { tree, git, index, missing } = self;
        let (files, root) = (tree.files(), tree.root());
        let mut warnings = Vec::new();
        if root.commit().is_none() && is_bare_repository(root.path()) {
            let path = root.path().display();
            warnings.push(format!("a bare repository has no work tree: `{path}`"));
        }
        let mut is_status_known = false;
        let (recency, changed) = match (recency, index) {
            (Ok(recency), Ok(index)) => {
                warnings.extend(recency.warning().map(str::to_owned));
                is_status_known = true;
                let changed = index.map(|index| index.changed(&git, files));
                (recency, changed.unwrap_or_default())
            }
            (Err(error), _) if is_no_repository(&error, root) => {
                if let GitError::LeadsOutside { .. } = error {
                    let hint = "if you trust it, run `kitbag trust`";
                    warnings.push(format!("git is not used here: {error}; {hint}"));
                } else if is_in_broken_repository(root.path()) {
                    warnings.push(format!("cannot read the history: {error}"));
                }
                (Recency::default(), files.iter().map(|file| file.path.as_str()).collect())
            }
            (Err(error @ (GitError::Stalled | GitError::SpecialFile { .. })), _) => {
                warnings
                    .push(format!("git is not used here, files are listed without it: {error}"));
                (Recency::default(), FxHashSet::default())
            }
            (Ok(recency), Err(error)) => {
                warnings.extend(recency.warning().map(str::to_owned));
                warnings.push(format!("cannot determine uncommitted changes: {error}"));
                (recency, FxHashSet::default())
            }
            (Err(error), _) => {
                warnings.push(format!("cannot read the history: {error}"));
                (Recency::default(), FxHashSet::default())
            }
        };
        let timestamps = Timestamps::of_work_tree(&recency, files, &changed);
        let changed = changed.into_iter().map(str::to_owned);
        let mut uncommitted: Vec<String> = changed.chain(missing).collect();
        uncommitted.sort_unstable();
        let changed = is_status_known.then_some(uncommitted);
        Survey { timestamps, changed, warnings, tree }
    }
}

/// Returns whether git failed because there is no repository.
fn is_no_repository(error: &GitError, root: &Root) -> bool {
    match error {
        GitError::NotARepository { .. } | GitError::LeadsOutside { .. } => true,
        GitError::NotInstalled { .. } => !is_in_work_tree(root.path()),
        _ => false,
    }
}

/// Returns whether a folder is in a repository that git does not recognize as one.
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

    /// Surveys a folder with one file, with `program` in place of git.
    fn survey_with_program(program: &OsStr, in_repository: bool) -> Survey {
        let folder = tempfile::tempdir().unwrap();
        if in_repository {
            let mut init = Command::new("git");
            let init = init.arg("-C").arg(folder.path()).args(["init", "-q"]).status();
            assert!(init.unwrap().success());
        }
        fs::write(folder.path().join("a.rs"), "").unwrap();
        let root = Root::open(folder.path()).unwrap();
        let git = Git::with_program(program, root.path());
        let recency = Recency::read_with(&git, None);
        TreeScan::new(git, &root, &Globs::default()).survey(recency)
    }

    #[test]
    fn modification_times_are_used_without_git_outside_repositories_only() {
        let nothing = OsStr::new("/nonexistent/git");
        let plain = survey_with_program(nothing, false);
        assert!(plain.timestamps.of("a.rs").is_some() && plain.warnings.is_empty());
        let repository = survey_with_program(nothing, true);
        assert_eq!(repository.timestamps.of("a.rs"), None);
        assert_eq!(repository.warnings.len(), 1);
        assert_eq!(repository.tree.files().len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn distrusted_repository_has_no_history_and_a_warning() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("git");
        let script = "#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec git \"$@\"\n";
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let found = survey_with_program(program.as_os_str(), true);
        assert_eq!(found.timestamps.of("a.rs"), None);
        assert!(found.warnings[0].contains("does not trust the owner"), "{:?}", found.warnings);
    }
}
