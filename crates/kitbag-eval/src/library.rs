//! The contents and history of one repository, shared by all of its tasks. Each blob is read once
//! and cached in the same kind of store as the index of a pack.

use super::hidden::TaskTree;
use super::setup::{EvalError, Group, Options};
use super::task::Task;
use kitbag::Engine;
use kitbag::internal::{HISTORY_COMMITS, read, search_chunk_limits};
use kitbag_core::Cancel;
use kitbag_index::{
    AnalysisSettings, CommitHistory, CommitLog, IndexView, LoadedIndex, Refresh, RefreshedIndex,
    SearchContext, Snapshot, Store,
};
use kitbag_repo::{CommitTree, Denylist, FileEntry, Globs, ObjectId, Timestamps, Tree, folder_for};
use kitbag_text::Text;
use kitbag_tokens::CachedCounter;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

/// A repository with the contents and history read so far.
pub(super) struct Library<'a> {
    directory: PathBuf,
    pub analysis: AnalysisSettings<'a>,
    store: Option<Store>,
    snapshot: Snapshot,
    history: CommitLog,
    history_file: PathBuf,
    cancel: &'a Cancel,
    /// Problems that do not affect the results.
    pub warnings: Vec<String>,
}

/// The tree of a task, with its index and history.
pub(super) struct TaskSnapshot {
    pub tree: TaskTree,
    pub view: IndexView,
    pub past: CommitHistory,
    pub times: Timestamps,
}

impl TaskSnapshot {
    /// Calls `work` with the history, reference time and file contents used for ranking.
    pub fn with_context<T>(&self, work: impl FnOnce(&SearchContext<'_>) -> T) -> T {
        let entries: FxHashMap<&str, &FileEntry> =
            self.tree.files().iter().map(|entry| (entry.path.as_str(), entry)).collect();
        let read = |file: usize| {
            let entry = entries.get(self.view.files()[file].path.as_str())?;
            read(&self.tree, entry).map(Text::new)
        };
        let (history, now) = (&self.past, self.times.now);
        work(&SearchContext { history, now, folder: None, read: &read })
    }
}

/// Returns the files that a task searches.
fn globs(task: &Task) -> Result<Globs, EvalError> {
    let root = task.root.trim_matches('/');
    if root.is_empty() {
        return Ok(Globs::default());
    }
    let message = |error| format!("{}: invalid `root`: {error}", task.instance_id);
    Globs::new(&[format!("{root}/**")], &[])
        .map_err(|error| EvalError::Index { message: message(error) })
}

impl<'a> Library<'a> {
    pub fn open(
        group: &Group<'_>,
        options: &Options<'_>,
        counting: &'a CachedCounter,
        cancel: &'a Cancel,
    ) -> Self {
        let name = group.cache_name();
        let analysis =
            AnalysisSettings { limits: search_chunk_limits(&options.settings.chunking), counting };
        let folder = folder_for(&options.cache, Path::new(&name), &analysis.variant());
        let mut warnings = Vec::new();
        let (store, snapshot) = match Store::open(&folder, &analysis.fingerprint()) {
            Ok(store) => {
                let store = store.keep_unused();
                let LoadedIndex { snapshot, problem } = store.load();
                warnings.extend(problem);
                (Some(store), snapshot)
            }
            Err(error) => {
                warnings.push(format!("cannot cache the contents of `{name}`: {error}"));
                (None, Snapshot::default())
            }
        };
        let history_file = folder.join("history");
        let (history, problem) = CommitLog::open(&history_file);
        warnings.extend(problem);
        let directory = group.directory.clone();
        Self { directory, analysis, store, snapshot, history, history_file, cancel, warnings }
    }

    /// Reads the trees and histories of tasks, skipping anything that is already cached. A task whose
    /// tree cannot be read is left out, with a warning.
    pub fn read_all<'t>(
        &mut self,
        engine: &Engine,
        tasks: &[&'t Task],
    ) -> Result<Vec<(&'t Task, TaskTree)>, EvalError> {
        let mut trees = Vec::with_capacity(tasks.len());
        for task in tasks {
            match engine.install(|| self.read(task)) {
                Ok(tree) => trees.push((*task, tree)),
                Err(error) if error.is_cancelled() => return Err(error),
                Err(error) => self.warnings.push(format!("skipped a task: {error}")),
            }
        }
        Ok(trees)
    }

    fn read(&mut self, task: &Task) -> Result<TaskTree, EvalError> {
        self.cancel.check()?;
        let git = |error| EvalError::Git { task: task.instance_id.clone(), error };
        let (globs, denylist) = (globs(task)?, Denylist::default());
        let tree = CommitTree::open(&self.directory, &task.base_commit, &globs, &denylist);
        let tree = TaskTree::new(tree.map_err(git)?, task.hidden.as_ref());
        let refreshed = self.refresh(&tree);
        self.cancel.check()?;
        self.snapshot = refreshed.snapshot;
        let head = self.head(task)?;
        self.history.update(&self.directory, &head, HISTORY_COMMITS).map_err(git)?;
        Ok(tree)
    }

    /// Prepares the index and history of a task whose tree has been read.
    pub fn snapshot(&self, task: &Task, tree: TaskTree) -> Result<TaskSnapshot, EvalError> {
        let view = self.refresh(&tree).view;
        let head = self.head(task)?;
        let past = self.history.ancestors(&head, HISTORY_COMMITS);
        let changes = past.last_changes().map(|(path, time)| (path.to_owned(), time));
        let times = Timestamps::new(self.history.time(&head).unwrap_or(0), changes);
        Ok(TaskSnapshot { view, tree, past, times })
    }

    fn refresh(&self, tree: &TaskTree) -> RefreshedIndex {
        Refresh::new(&self.analysis, self.cancel).run(tree, &self.snapshot)
    }

    /// Saves the cache for the next run and returns the warnings.
    pub fn close(mut self) -> Vec<String> {
        if let Some(store) = &self.store {
            if let Err(error) = store.publish(&mut self.snapshot) {
                self.warnings.push(format!("cannot cache the contents: {error}"));
            }
            let (history, file) = (&mut self.history, &self.history_file);
            if let Ok(Some(Err(error))) = store.with_lock(|_| history.save(file)) {
                self.warnings.push(format!("cannot cache the history: {error}"));
            }
        }
        self.warnings
    }

    fn head(&self, task: &Task) -> Result<ObjectId, EvalError> {
        kitbag_repo::resolve_commit(&self.directory, &task.base_commit)
            .map_err(|error| EvalError::Git { task: task.instance_id.clone(), error })
    }
}
