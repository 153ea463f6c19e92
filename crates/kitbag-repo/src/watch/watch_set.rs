//! The folders to watch, and which events in each are changes.

use crate::git::Git;
use crate::ignore_rules::IGNORE_FILES;
use crate::lookup::is_in_work_tree;
use crate::{Root, WorkTree};
use rustc_hash::FxHashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Selects the files of a folder whose events are changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventFilter {
    All,
    Names(&'static [&'static str]),
    /// All but lock files, which git creates and removes.
    References,
}

/// The files in which git records the checked-out commit, the index, and where a shallow clone ends.
const GIT_FILES: EventFilter = EventFilter::Names(&["HEAD", "index", "packed-refs", "shallow"]);
const RULES: EventFilter = EventFilter::Names(&IGNORE_FILES);

impl EventFilter {
    /// Returns whether an event of a file is a change. `None` means the folder itself.
    pub fn accepts(self, name: Option<&OsStr>) -> bool {
        let Some(name) = name else { return true };
        match self {
            Self::All => true,
            Self::Names(names) => names.iter().any(|it| name == *it),
            Self::References => !name.as_encoded_bytes().ends_with(b".lock"),
        }
    }
}

/// The folders to watch.
#[derive(Debug, Clone, Default)]
pub(super) struct WatchSet {
    pub folders: FxHashMap<PathBuf, EventFilter>,
}

impl WatchSet {
    /// Creates the set of a work tree from the folders that a walk has entered.
    pub fn new(root: &Root, tree: &WorkTree) -> Self {
        let mut set = Self::default();
        set.add_git(root);
        if is_in_work_tree(root.path()) {
            // Ignore rules above the root apply up to the root of the repository.
            let above = root.path().ancestors().take_while(|it| !it.join(".git").exists());
            let parents = above.filter_map(Path::parent);
            set.folders.extend(parents.map(|folder| (folder.to_owned(), RULES)));
        }
        set.folders.extend(tree.folders.iter().map(|folder| (folder.clone(), EventFilter::All)));
        set.folders.insert(root.path().to_owned(), EventFilter::All);
        set
    }

    fn add_git(&mut self, root: &Root) {
        let git = Git::at(root);
        // Without git or a repository there is nothing to add.
        let Ok(git_dir) = git.git_dir() else { return };
        for folder in [&git_dir.dir, &git_dir.common] {
            self.folders.insert(folder.join("info"), EventFilter::Names(&["exclude"]));
            self.folders.insert(folder.join("reftable"), EventFilter::Names(&["tables.list"]));
            self.add_references(folder.join("refs/heads"));
            self.folders.insert(folder.clone(), GIT_FILES);
        }
    }

    fn add_references(&mut self, folder: PathBuf) {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.add_references(entry.path());
            }
        }
        self.folders.insert(folder, EventFilter::References);
    }
}
