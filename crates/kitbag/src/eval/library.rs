//! One repository's contents and history, for all its tasks: each content is read once, and kept
//! in the same kind of store that a pack's index is.

use super::run::{EvalError, Options};
use super::task::Task;
use crate::search::{finer, read};
use kitbag_core::Cancel;
use kitbag_index::{
    Analysis, Context, History, Loaded, Past, Refresh, Snapshot, Store, View, folder_for,
};
use kitbag_repo::{CommitTree, Denylist, FileEntry, Globs, ObjectId, Timestamps, Tree};
use kitbag_text::Text;
use kitbag_tokens::Counting;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

pub(super) use crate::indexes::HISTORY_COMMITS;

/// A repository, read for its tasks.
pub(super) struct Library<'a> {
    directory: PathBuf,
    pub analysis: Analysis<'a>,
    store: Option<Store>,
    snapshot: Snapshot,
    history: History,
    history_file: PathBuf,
    cancel: &'a Cancel,
    /// What went wrong without harm.
    pub warnings: Vec<String>,
}

/// A task's tree, as the index sees it.
pub(super) struct Shelf {
    pub tree: CommitTree,
    pub view: View,
    pub past: Past,
    pub times: Timestamps,
}

impl Shelf {
    /// What ranking knows besides the words of the tree.
    pub fn with_context<T>(&self, use_it: impl FnOnce(&Context<'_>) -> T) -> T {
        let entries: FxHashMap<&str, &FileEntry> =
            self.tree.files().iter().map(|entry| (entry.path.as_str(), entry)).collect();
        let read = |file: usize| {
            let entry = entries.get(self.view.files()[file].path.as_str())?;
            read(&self.tree, entry).map(Text::new)
        };
        use_it(&Context { past: &self.past, now: self.times.now, read: &read })
    }
}

impl<'a> Library<'a> {
    pub fn open(
        directory: &Path,
        name: &str,
        options: &Options<'_>,
        counting: &'a Counting,
        cancel: &'a Cancel,
    ) -> Self {
        let analysis = Analysis { limits: finer(&options.settings.chunking), counting };
        let folder = folder_for(&options.cache, Path::new(name), &analysis.way());
        let mut warnings = Vec::new();
        let (store, snapshot) = match Store::open(&folder, &analysis.fingerprint()) {
            Ok(store) => {
                let store = store.keeping_all();
                let Loaded { snapshot, trouble } = store.load();
                warnings.extend(trouble);
                (Some(store), snapshot)
            }
            Err(error) => {
                warnings.push(format!("cannot keep the contents of `{name}`: {error}"));
                (None, Snapshot::default())
            }
        };
        let history_file = folder.join("history");
        let (history, trouble) = History::open(&history_file);
        warnings.extend(trouble);
        let directory = directory.to_owned();
        Self { directory, analysis, store, snapshot, history, history_file, cancel, warnings }
    }

    /// Reads a task's tree and its history, as far as they are not known.
    pub fn read(&mut self, task: &Task) -> Result<CommitTree, EvalError> {
        self.cancel.check()?;
        let git = |error| EvalError::Git { task: task.instance_id.clone(), error };
        let tree = CommitTree::open(
            &self.directory,
            &task.base_commit,
            &Globs::default(),
            &Denylist::default(),
        )
        .map_err(git)?;
        let refreshed = Refresh::new(&self.analysis, self.cancel)
            .run(&tree, &self.snapshot)
            .map_err(|error| EvalError::Index { message: error.to_string() })?;
        self.cancel.check()?;
        self.snapshot = refreshed.snapshot;
        let head = self.head(task)?;
        self.history.update(&self.directory, &head, HISTORY_COMMITS).map_err(git)?;
        Ok(tree)
    }

    /// What a task is answered from. Its tree was read.
    pub fn shelve(&self, task: &Task, tree: CommitTree) -> Result<Shelf, EvalError> {
        let refreshed = Refresh::new(&self.analysis, self.cancel)
            .run(&tree, &self.snapshot)
            .map_err(|error| EvalError::Index { message: error.to_string() })?;
        let head = self.head(task)?;
        let past = self.history.past(&head, HISTORY_COMMITS);
        let changes = past.changes().map(|(path, time)| (path.to_owned(), time));
        let times = Timestamps::new(self.history.time(&head).unwrap_or(0), changes);
        Ok(Shelf { view: refreshed.view, tree, past, times })
    }

    /// Keeps what was read for the next run.
    pub fn close(mut self) -> Vec<String> {
        if let Some(store) = &self.store {
            if let Err(error) = store.publish(&mut self.snapshot) {
                self.warnings.push(format!("cannot keep what was read: {error}"));
            }
            let (history, file) = (&mut self.history, &self.history_file);
            if let Ok(Some(Err(error))) = store.locked(|_| history.append_to(file)) {
                self.warnings.push(format!("cannot keep the history: {error}"));
            }
        }
        self.warnings
    }

    fn head(&self, task: &Task) -> Result<ObjectId, EvalError> {
        let id = kitbag_repo::resolve_commit(&self.directory, &task.base_commit)
            .map_err(|error| EvalError::Git { task: task.instance_id.clone(), error })?;
        let message = || format!("`{id}` is no commit");
        id.parse().map_err(|_| EvalError::Index { message: message() })
    }
}
