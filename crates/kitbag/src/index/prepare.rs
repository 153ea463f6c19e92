//! Brings the index of a work tree up to date in steps: the list of files, their history, their
//! contents. Providers start as soon as the step that they need is done.
//!
//! Everything stops on cancellation. Partial results are kept, and the next request continues from
//! there.

use super::repo_index::{RepoIndex, Scan};
use super::{Indexes, Prepared, WorktreeSnapshot, lock};
use crate::error::Error;
use crate::exec::ComputePools;
use kitbag_core::{Cancel, Cancelled, PackError};
use kitbag_index::{
    AnalysisSettings, CommitHistory, IndexView, Refresh, RefreshStats, RefreshedIndex, Snapshot,
};
use kitbag_repo::{Globs, Root, Survey, WorkTree, scan, with_cancel};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::thread::{self, ScopedJoinHandle};

/// The work tree to index, and the settings for it.
pub(crate) struct Preparation<'a> {
    pub root: &'a Root,
    pub globs: &'a Globs,
    pub now: Option<i64>,
    pub analysis: &'a AnalysisSettings<'a>,
    /// Whether the index is saved on disk.
    pub persist: bool,
    /// Whether contents are searched; otherwise no file is read.
    pub searches: bool,
    pub pools: &'a ComputePools,
}

/// Cancellation of a request, and of indexing alone.
#[derive(Clone)]
pub(crate) struct Cancels {
    pub request: Cancel,
    /// Stops indexing and the walk of the history. The request continues with the data available
    /// then.
    pub indexing: Cancel,
}

impl Cancels {
    /// Creates children of `cancel`.
    pub fn new(cancel: &Cancel) -> Self {
        let request = cancel.child();
        Self { indexing: request.child(), request }
    }
}

/// A finished step.
pub(crate) enum Step {
    /// The list of files is available.
    Walked(Arc<WorkTree>),
    /// The history is available, and the contents as well if there is a view.
    Ready(Arc<Prepared>),
}

/// The indexed contents of a work tree.
struct Indexed {
    view: IndexView,
    stats: RefreshStats,
    snapshot: Snapshot,
    /// Generation of the snapshot that this one is based on.
    base: u64,
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
        let index = self.open(job.root, job.analysis, job.persist);
        let warnings = std::mem::take(&mut *lock(&index.warnings));
        let watched = self.watched(job.root).filter(|_| job.globs.accepts_all());
        let generation = watched.as_ref().map(|it| it.watcher.generation());
        let scan = generation.and_then(|generation| index.scan(generation));
        // The last scan may contain files that are denied to this request.
        let scan = scan.filter(|it| it.worktree.tree.root().denylist() == job.root.denylist());
        let is_new = scan.is_none();
        let mut prepared = match scan {
            Some(scan) => {
                self.reuse_scan(&index, scan, job, warnings, &cancels.indexing, report)?
            }
            None => self.scan(&index, job, warnings, cancels, report)?,
        };
        if prepared.unsaved_warning.is_none() {
            prepared.unsaved_warning.clone_from(&index.unsaved_warning);
        }
        if let (Some(watched), Some(generation)) = (watched, generation)
            && !prepared.worktree.is_cut
        {
            index.keep_scan(generation, Scan::of(&prepared));
            watched.walked.fetch_max(generation, Ordering::Relaxed);
            let followed =
                if is_new { watched.watcher.follow(&prepared.worktree.tree) } else { Ok(()) };
            if let Err(error) = followed {
                lock(&self.watched).remove(job.root.path());
                let warning = format!("every request scans for changes: {error}");
                prepared.warnings.push(warning);
            }
        }
        Ok(prepared)
    }

    /// Prepares a work tree that has not changed since it was scanned.
    fn reuse_scan(
        &self,
        index: &RepoIndex,
        Scan { worktree, view, stats }: Scan,
        job: &Preparation<'_>,
        warnings: Vec<String>,
        cancel: &Cancel,
        report: &mut dyn FnMut(Step),
    ) -> Result<Prepared, Error> {
        report(Step::Walked(Arc::clone(&worktree.tree)));
        let mut prepared = Prepared::new(worktree, job.now, warnings);
        report(Step::Ready(Arc::new(prepared.clone())));
        let mut snapshot = None;
        if let Some(view) = view {
            prepared.stats = unchanged(stats);
            prepared.view = Some(view);
        } else if job.searches {
            let indexed = self.refresh(index, &prepared.worktree.tree, job, cancel)?;
            prepared.set_view(indexed.view, indexed.stats);
            snapshot = Some((indexed.snapshot, indexed.base));
        }
        if prepared.view.is_some() {
            report(Step::Ready(Arc::new(prepared.clone())));
        }
        prepared.unsaved_warning = snapshot.and_then(|(it, base)| index.publish(it, base));
        Ok(prepared)
    }

    /// Walks a work tree, reads its history from git and indexes its contents, concurrently where
    /// possible.
    fn scan(
        &self,
        index: &RepoIndex,
        job: &Preparation<'_>,
        warnings: Vec<String>,
        cancels: &Cancels,
        report: &mut dyn FnMut(Step),
    ) -> Result<Prepared, Error> {
        let (path, cancel) = (job.root.path(), &cancels.indexing);
        thread::scope(|scope| {
            let recency = scope.spawn(|| {
                let mut past = Arc::default();
                let recency = with_cancel(cancel, || index.recency(path, &mut past));
                (recency, past)
            });
            let walked = with_cancel(&cancels.request, || scan(job.root, job.globs));
            if cancels.request.is_cancelled() {
                // Files that were not reached would appear to be deleted.
                return Err(Error::Pack(PackError::from(Cancelled)));
            }
            let tree = Arc::clone(&walked.tree);
            report(Step::Walked(Arc::clone(&tree)));
            let (sender, indexed) = channel();
            // Published as soon as it is ready, because the process may exit before the rest is
            // done.
            let refresh = move || {
                let Indexed { view, stats, snapshot, base } =
                    self.refresh(index, &tree, job, cancel)?;
                let _ = sender.send((view, stats));
                Ok::<_, Error>(index.publish(snapshot, base))
            };
            let refreshing = job.searches.then(|| scope.spawn(refresh));
            let (recency, past) = join(recency);
            let survey = with_cancel(cancel, || walked.survey(recency));
            let worktree = WorktreeSnapshot::new(survey, past, cancel.is_cancelled());
            let mut prepared = Prepared::new(Arc::new(worktree), job.now, warnings);
            report(Step::Ready(Arc::new(prepared.clone())));
            if let Some(refreshing) = refreshing {
                if let Ok((view, stats)) = indexed.recv() {
                    prepared.set_view(view, stats);
                    report(Step::Ready(Arc::new(prepared.clone())));
                }
                prepared.unsaved_warning = join(refreshing)?;
            }
            Ok(prepared)
        })
    }

    /// Indexes the contents of a tree until `cancel`.
    fn refresh(
        &self,
        index: &RepoIndex,
        tree: &WorkTree,
        job: &Preparation<'_>,
        cancel: &Cancel,
    ) -> Result<Indexed, Error> {
        let progress = |done: usize, total: usize| {
            if let Some(progress) = &self.progress {
                progress(done, total);
            }
        };
        let is_partial = !job.globs.accepts_all();
        let refresh =
            Refresh { progress: &progress, is_partial, ..Refresh::new(job.analysis, cancel) };
        let (base, snapshot) = index.snapshot();
        let run = || refresh.run(tree, &snapshot);
        let refreshed = match job.pools.take(cancel) {
            Ok(pool) => pool.install(run),
            // Only contents that are already indexed are used now, which needs no pool.
            Err(error) if error.is_cancelled() => run(),
            Err(error) => return Err(error),
        };
        let RefreshedIndex { view, snapshot, stats } = refreshed;
        Ok(Indexed { view, stats, snapshot, base })
    }
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
        Self { worktree, view: None, now, warnings, unsaved_warning: None, stats }
    }

    fn set_view(&mut self, view: IndexView, stats: RefreshStats) {
        self.view = Some(Arc::new(view));
        self.stats = stats;
    }
}

impl Scan {
    /// Returns the reusable part of `prepared`. The view is included only if all files were
    /// indexed.
    fn of(prepared: &Prepared) -> Self {
        let Prepared { worktree, view, stats, .. } = prepared;
        let view = view.clone().filter(|_| stats.skipped == 0);
        Self { worktree: Arc::clone(worktree), view, stats: *stats }
    }
}

/// Returns the statistics of a refresh that found no change.
fn unchanged(stats: RefreshStats) -> RefreshStats {
    let RefreshStats { files, too_large, unreadable, .. } = stats;
    let unchanged = files - too_large - unreadable;
    RefreshStats { unchanged, known: 0, analysed: 0, ..stats }
}

/// Joins a scoped thread and resumes its panic, if it panicked.
fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
