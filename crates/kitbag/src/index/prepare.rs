//! Brings the index of a work tree up to date in steps: the list of files, their history, their
//! contents. Providers start as soon as the step that they need is done.
//!
//! Everything stops on cancellation. Partial results are kept, and the next request continues from
//! there.

use super::repo_index::RepoIndex;
use super::shared::SharedRun;
use super::{
    Connections, Exchange, Indexes, Prepared, Progress, StoreUse, WorktreeSnapshot, index_analysis,
    lock,
};
use crate::error::Error;
use crate::exec::{ComputePools, spawn_scoped};
use kitbag_core::{Cancel, Cancelled, PackError};
use kitbag_index::{
    AnalysisSettings, CommitHistory, Refresh, RefreshStats, RefreshedIndex, Snapshot,
};
use kitbag_repo::{Globs, Root, Survey, WorkTree, scan, with_cancel};
use kitbag_text::ChunkLimits;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::thread;

/// The work tree to index, and the settings for it.
pub(crate) struct Preparation<'a> {
    pub root: &'a Root,
    pub globs: &'a Globs,
    pub now: Option<i64>,
    pub chunking: &'a ChunkLimits,
    /// The user's home folder, which is not indexed unless it is a repository.
    pub home: Option<&'a Path>,
    /// Whether the index is saved on disk.
    pub persist: bool,
    /// Whether contents are searched; otherwise no file is read.
    pub searches: bool,
    pub pools: &'a ComputePools,
    /// The object store that shares the index.
    pub store: StoreUse<'a>,
}

/// Cancellation of a request, of indexing alone, and of the walk of the history alone.
#[derive(Clone)]
pub(crate) struct Cancels {
    pub request: Cancel,
    /// Stops indexing and the walk of the history. The request continues with the data available
    /// then.
    pub indexing: Cancel,
    /// Stops the walk of the history, which all data but the list of files waits for.
    pub history: Cancel,
    /// Stops the walk of the work tree. Under a deadline it may go on after the request, whose successor
    /// would otherwise begin it again.
    pub walk: Cancel,
}

impl Cancels {
    /// Creates children of `cancel`.
    pub fn new(cancel: &Cancel) -> Self {
        let request = cancel.child();
        // What a request sends along must not decide how the files of the repository are indexed.
        let indexing = request.child_with_own_budget();
        Self { history: indexing.child(), indexing, walk: request.child(), request }
    }
}

/// A finished step.
pub(crate) enum Step {
    /// The list of files is available.
    Walked(Arc<WorkTree>),
    /// The history is available, and the contents as well if there is a view.
    Ready(Arc<Prepared>),
}

/// The preparation of one work tree.
struct PrepareRun<'a> {
    job: &'a Preparation<'a>,
    analysis: AnalysisSettings<'static>,
    index: &'a RepoIndex,
    progress: Option<&'a Progress>,
    cancels: &'a Cancels,
    stores: &'a Connections,
}

/// The contents of a tree, and what is left to do with them.
struct Refreshed {
    index: RefreshedIndex,
    /// Generation of the snapshot that they are based on.
    base: u64,
    shared: Option<SharedRun>,
}

impl Indexes {
    /// Brings the index of a work tree up to date, reports each step, and keeps the result. Must
    /// not run in a compute pool, because it blocks on other threads.
    pub fn prepare(
        &self,
        job: &Preparation<'_>,
        cancels: &Cancels,
        report: &mut dyn FnMut(Step),
    ) -> Result<Prepared, Error> {
        check_project(job.root.path(), job.home)?;
        let analysis = index_analysis(job.chunking);
        let index = &*self.open(job.root, &analysis, job.persist);
        let warnings = std::mem::take(&mut *lock(&index.warnings));
        let watched = self.watched(job.root).filter(|_| job.globs.accepts_all());
        let generation = watched.as_ref().map(|it| it.watcher.generation());
        let commit = job.root.commit().filter(|_| job.globs.accepts_all());
        let scan = match commit {
            Some(commit) => index.commit_scan(commit),
            None => generation.and_then(|generation| index.scan(generation)),
        };
        // The last scan may contain files that are denied to this request, or lack a history that the
        // user has trusted since.
        let scan = scan.filter(|it| {
            let root = it.worktree.tree.root();
            root.denylist() == job.root.denylist() && root.trusted_git() == job.root.trusted_git()
        });
        let is_new = scan.is_none();
        let (progress, stores) = (self.progress.as_deref(), &self.stores);
        let run = PrepareRun { job, analysis, index, progress, cancels, stores };
        let mut prepared = match scan {
            Some(scan) => run.reuse_scan(scan, warnings, report)?,
            None => run.scan(warnings, report)?,
        };
        if prepared.unsaved_warning.is_none() {
            prepared.unsaved_warning.clone_from(&index.unsaved_warning);
        }
        if let Some(commit) = commit.filter(|_| !prepared.worktree.is_cut) {
            index.keep_commit_scan(commit, prepared.without_partial_view());
        }
        if let Some((watched, generation)) = watched.zip(generation)
            && !prepared.worktree.is_cut
        {
            index.keep_scan(generation, prepared.without_partial_view());
            watched.walked.fetch_max(generation, Ordering::Relaxed);
            if is_new && let Err(error) = watched.watcher.follow(&prepared.worktree.tree) {
                lock(&self.watched).remove(job.root.path());
                prepared.warnings.push(format!("every request scans for changes: {error}"));
            }
        }
        Ok(prepared)
    }

    /// Continues an index that a deadline has cut off, until `cancel` is cancelled, so that the next
    /// request finds more of it.
    pub fn complete(
        &self,
        job: &Preparation<'_>,
        prepared: &Prepared,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        let analysis = index_analysis(job.chunking);
        let index = &*self.open(job.root, &analysis, job.persist);
        let cancels = &Cancels::new(cancel);
        let stores = &self.stores;
        PrepareRun { job, analysis, index, progress: None, cancels, stores }
            .complete_until(&prepared.worktree.tree, cancel)
    }
}

impl PrepareRun<'_> {
    /// Indexes what an earlier run did not reach, until `cancel` is cancelled, and saves it.
    fn complete_until(&self, tree: &WorkTree, cancel: &Cancel) -> Result<(), Error> {
        let Self { job, index, stores, analysis: AnalysisSettings { limits, counting }, .. } = self;
        let analysis = AnalysisSettings { limits: limits.clone(), counting };
        let cancels = &Cancels::new(cancel);
        PrepareRun { job, analysis, index, progress: None, cancels, stores }.complete(tree)
    }

    fn complete(&self, tree: &WorkTree) -> Result<(), Error> {
        let job = self.job;
        thread::scope(|scope| {
            let read_history = spawn_scoped(scope, || {
                let mut past = Arc::default();
                // What cannot be read now is read, or reported, by the next request.
                let _ =
                    with_cancel(&self.cancels.history, || self.index.recency(job.root, &mut past));
            });
            if job.searches {
                let Refreshed { index, base, .. } = self.refresh(tree)?;
                self.index.publish(index.snapshot, base);
            }
            read_history();
            Ok(())
        })
    }

    /// Prepares a work tree that has not changed since it was scanned.
    fn reuse_scan(
        &self,
        Prepared { worktree, view, stats, .. }: Prepared,
        warnings: Vec<String>,
        report: &mut dyn FnMut(Step),
    ) -> Result<Prepared, Error> {
        report(Step::Walked(Arc::clone(&worktree.tree)));
        let mut prepared = Prepared::new(worktree, self.job.now, warnings);
        report(Step::Ready(Arc::new(prepared.clone())));
        let mut snapshot = None;
        if let Some(view) = view {
            (prepared.view, prepared.stats) = (Some(view), unchanged(stats));
        } else if self.job.searches {
            let Refreshed { index, base, shared } = self.refresh(&prepared.worktree.tree)?;
            (prepared.view, prepared.stats) = (Some(Arc::new(index.view)), index.stats);
            snapshot = Some((index.snapshot, base, shared));
        }
        if prepared.view.is_some() {
            report(Step::Ready(Arc::new(prepared.clone())));
        }
        if let Some((snapshot, base, shared)) = snapshot {
            let finished = self.finish(snapshot, base, shared, prepared.stats.analyzed)?;
            prepared.add(finished);
        }
        Ok(prepared)
    }

    /// Walks a work tree, reads its history from git and indexes its contents, concurrently where
    /// possible.
    fn scan(&self, warnings: Vec<String>, report: &mut dyn FnMut(Step)) -> Result<Prepared, Error> {
        let (job, cancel) = (self.job, &self.cancels.indexing);
        self.index.restore_git_stall(job.root);
        let scanned = thread::scope(|scope| {
            let recency = spawn_scoped(scope, || {
                let mut past = Arc::default();
                let recency = || self.index.recency(job.root, &mut past);
                let recency = with_cancel(&self.cancels.history, recency);
                (recency, past, self.cancels.history.is_cancelled())
            });
            let walked = with_cancel(&self.cancels.walk, || scan(job.root, job.globs));
            let cancelled = || Err(Error::Pack(PackError::from(Cancelled)));
            if self.cancels.walk.is_cancelled() {
                // Files that were not reached would appear to be deleted.
                return cancelled();
            }
            if walked.tree.is_too_large() {
                let why = "it has more than 100,000 files and is not a git repository";
                return Err(Error::NotAProject { path: job.root.path().to_owned(), why });
            }
            let tree = Arc::clone(&walked.tree);
            if self.cancels.request.is_cancelled() {
                self.complete_until(&tree, &self.cancels.walk)?;
                return cancelled();
            }
            report(Step::Walked(Arc::clone(&tree)));
            let (sender, indexed) = channel();
            // Published as soon as it is ready, because the process may exit before the rest is
            // done.
            let refresh = move || {
                let Refreshed { index, base, shared } = self.refresh(&tree)?;
                let RefreshedIndex { view, stats, snapshot } = index;
                let _ = sender.send((view, stats));
                self.finish(snapshot, base, shared, stats.analyzed)
            };
            let refreshing = job.searches.then(|| spawn_scoped(scope, refresh));
            let (recency, past, is_cut) = recency();
            let survey = with_cancel(cancel, || walked.survey(recency));
            let worktree = WorktreeSnapshot::new(survey, past, is_cut || cancel.is_cancelled());
            let mut prepared = Prepared::new(Arc::new(worktree), job.now, warnings);
            report(Step::Ready(Arc::new(prepared.clone())));
            if let Some(refreshing) = refreshing {
                if let Ok((view, stats)) = indexed.recv() {
                    (prepared.view, prepared.stats) = (Some(Arc::new(view)), stats);
                    report(Step::Ready(Arc::new(prepared.clone())));
                }
                prepared.add(refreshing()?);
            }
            Ok(prepared)
        });
        self.index.save_git_stall(job.root);
        scanned
    }

    /// Saves what was indexed, and shares it. Returns a warning if it cannot be saved.
    fn finish(
        &self,
        snapshot: Snapshot,
        base: u64,
        shared: Option<SharedRun>,
        analyzed: usize,
    ) -> Result<(Option<String>, Exchange), Error> {
        let shareable = shared.map(|shared| (shared, snapshot.clone()));
        let warning = self.index.publish(snapshot, base);
        let Some((mut shared, snapshot)) = shareable else {
            return Ok((warning, Exchange::default()));
        };
        shared.push(&snapshot, analyzed)?;
        Ok((warning, shared.exchange))
    }

    /// Takes from the store what it has of the contents that are missing.
    fn pull(
        &self,
        tree: &WorkTree,
        refresh: &Refresh<'_>,
        snapshot: &mut Snapshot,
    ) -> Result<Option<SharedRun>, Error> {
        let (job, cancel) = (self.job, &self.cancels.indexing);
        let opened = SharedRun::open(self.stores, job.store, job.root, &self.analysis, cancel)?;
        let Some(mut shared) = opened else { return Ok(None) };
        let missing = match job.pools.take(cancel) {
            Ok(pool) => pool.install(|| refresh.missing(tree, snapshot, shared.min_missing())),
            Err(error) if error.is_cancelled() => Vec::new(),
            Err(error) => return Err(error),
        };
        shared.pull(snapshot, &missing)?;
        Ok(Some(shared))
    }

    /// Indexes the contents of a tree until indexing is cancelled.
    fn refresh(&self, tree: &WorkTree) -> Result<Refreshed, Error> {
        let cancel = &self.cancels.indexing;
        let progress = |done: usize, total: usize| {
            if let Some(progress) = self.progress {
                progress(done, total);
            }
        };
        let is_partial = !self.job.globs.accepts_all();
        let refresh =
            Refresh { progress: &progress, is_partial, ..Refresh::new(&self.analysis, cancel) };
        let (base, mut snapshot) = self.index.snapshot();
        let shared = self.pull(tree, &refresh, &mut snapshot)?;
        let run = || refresh.run(tree, &snapshot);
        let index = match self.job.pools.take(cancel) {
            Ok(pool) => pool.install(run),
            // Only contents that are already indexed are used now, which needs no pool.
            Err(error) if error.is_cancelled() => run(),
            Err(error) => return Err(error),
        };
        Ok(Refreshed { index, base, shared })
    }
}

/// Refuses a folder that cannot be a project, before anything in it is read.
pub(crate) fn check_project(path: &Path, home: Option<&Path>) -> Result<(), Error> {
    let why = match path {
        _ if path.parent().is_none() => "it is the root of the file system",
        _ if home == Some(path) && !path.join(".git").exists() => "it is the home folder",
        _ => return Ok(()),
    };
    Err(Error::NotAProject { path: path.to_owned(), why })
}

impl WorktreeSnapshot {
    fn new(survey: Survey, past: Arc<CommitHistory>, is_cut: bool) -> Self {
        let Survey { tree, timestamps, changed, warnings } = survey;
        Self { tree, past, timestamps, changed, is_cut, warnings }
    }
}

impl Prepared {
    fn new(worktree: Arc<WorktreeSnapshot>, now: Option<i64>, mut warnings: Vec<String>) -> Self {
        warnings.extend(worktree.warnings.iter().cloned());
        let (now, stats) = (now.unwrap_or(worktree.timestamps.now), RefreshStats::default());
        let exchange = Exchange::default();
        Self { worktree, view: None, now, warnings, unsaved_warning: None, stats, exchange }
    }

    /// Adds what became known when the index was saved and shared.
    fn add(&mut self, (unsaved_warning, exchange): (Option<String>, Exchange)) {
        self.unsaved_warning = unsaved_warning;
        self.warnings.extend(exchange.warnings.iter().cloned());
        self.exchange = exchange;
    }

    /// Returns a copy for later requests, with a view only if all files were indexed.
    fn without_partial_view(&self) -> Self {
        let view = self.view.clone().filter(|_| self.stats.skipped == 0);
        Self { view, ..self.clone() }
    }
}

/// Returns the statistics of a refresh that found no change.
fn unchanged(stats: RefreshStats) -> RefreshStats {
    let RefreshStats { files, too_large, unreadable, .. } = stats;
    let unchanged = files - too_large - unreadable;
    RefreshStats { unchanged, known: 0, analyzed: 0, ..stats }
}
