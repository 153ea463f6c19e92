//! Which folders are watched, and what counts in each.

use crate::git::Git;
use crate::lookup::is_in_work_tree;
use crate::work_tree::IGNORE_FILES;
use crate::{Root, WorkTree};
use rustc_hash::FxHashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What counts as a change in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// Everything.
    All,
    /// What happens to files of these names.
    Names(&'static [&'static str]),
    /// Everything but locks, which come and go.
    References,
}

/// The files by which git says what is checked out and staged, and where a shallow clone ends.
const GIT_FILES: Counts = Counts::Names(&["HEAD", "index", "packed-refs", "shallow"]);
const RULES: Counts = Counts::Names(&IGNORE_FILES);

impl Counts {
    /// Whether something that happens to a file of that name is a change. What happens to the folder
    /// itself always is.
    pub fn has(self, name: Option<&OsStr>) -> bool {
        let Some(name) = name else { return true };
        match self {
            Self::All => true,
            Self::Names(names) => names.iter().any(|it| name == *it),
            Self::References => !name.as_encoded_bytes().ends_with(b".lock"),
        }
    }
}

/// Folders to be watched.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub folders: FxHashMap<PathBuf, Counts>,
}

impl Places {
    /// Those of a work tree, as far as a walk has seen it.
    pub fn of(root: &Root, tree: &WorkTree) -> Self {
        let mut places = Self::default();
        places.add_git(root.path());
        if is_in_work_tree(root.path()) {
            // Rules above the root hold up to the folder that has the repository.
            let above = root.path().ancestors().take_while(|it| !it.join(".git").exists());
            let parents = above.filter_map(Path::parent);
            places.folders.extend(parents.map(|folder| (folder.to_owned(), RULES)));
        }
        places.folders.extend(tree.folders().map(|folder| (folder.to_owned(), Counts::All)));
        places.folders.insert(root.path().to_owned(), Counts::All);
        places
    }

    fn add_git(&mut self, root: &Path) {
        let found = Git::at(root).output(&["rev-parse", "--absolute-git-dir", "--git-common-dir"]);
        // Where there is no repository, or no git, there is nothing of it to watch.
        let Some(found) = found.ok().and_then(|found| String::from_utf8(found).ok()) else {
            return;
        };
        for folder in found.lines().map(|line| root.join(line)) {
            let folder = folder.canonicalize().unwrap_or(folder);
            self.folders.insert(folder.join("info"), Counts::Names(&["exclude"]));
            self.folders.insert(folder.join("reftable"), Counts::Names(&["tables.list"]));
            self.add_references(folder.join("refs/heads"));
            self.folders.insert(folder, GIT_FILES);
        }
    }

    fn add_references(&mut self, folder: PathBuf) {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.add_references(entry.path());
            }
        }
        self.folders.insert(folder, Counts::References);
    }
}
