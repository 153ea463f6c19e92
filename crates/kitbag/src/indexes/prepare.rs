//! Making a work tree ready, step by step: first its files are known, then what git says of them,
//! then their contents. Whoever needs no more than a step begins when it is taken.
//!
//! All of it stops when nobody waits any more. What was found out up to then is kept, so that the
//! next time goes on from there.

use super::kept::{Kept, Seen};
use super::{Indexes, Prepared, Scene, lock};
use crate::error::Error;
use crate::pools::Pools;
use kitbag_core::{Cancel, Cancelled, PackError};
use kitbag_index::{Analysis, Past, Refresh, RefreshStats, Refreshed, Snapshot, View};
use kitbag_repo::{Globs, Root, Survey, WorkTree, stopping, walk};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::thread::{self, ScopedJoinHandle};

/// What is to be made ready.
pub(crate) struct Preparation<'a> {
    pub root: &'a Root,
    pub globs: &'a Globs,
    pub now: Option<i64>,
    pub analysis: &'a Analysis<'a>,
    /// Whether it is kept on disk too.
    pub keeps: bool,
    /// Whether somebody searches: otherwise no file is read.
    pub is_searched: bool,
    /// Where contents are analysed.
    pub pools: &'a Arc<Pools>,
}

/// When making ready stops.
#[derive(Clone)]
pub(crate) struct Stops {
    /// Nobody waits for anything any more.
    pub all: Cancel,
    /// Nobody waits for contents and the past any more: what is known of them has to do.
    pub haste: Cancel,
}

impl Stops {
    /// All of it at once.
    pub fn together(cancel: &Cancel) -> Self {
        Self { all: cancel.clone(), haste: cancel.clone() }
    }
}

/// A step that was taken.
pub(crate) enum Step {
    /// The files are known.
    Walked(Arc<WorkTree>),
    /// What git says of them is known; with a view, their contents too.
    Ready(Arc<Prepared>),
}

/// What was found of the files' contents.
struct Found {
    view: View,
    stats: RefreshStats,
}

/// The index with it, and the number of the one that it was made from.
type Draft = (u64, Snapshot);

impl Indexes {
    /// Brings the index of a work tree up to date, tells of every step, and keeps it for the next
    /// time. It waits for others, so it must not run on threads that compute.
    pub fn prepare(
        &self,
        asked: &Preparation<'_>,
        stops: &Stops,
        tell: &mut dyn FnMut(Step),
    ) -> Result<Prepared, Error> {
        let kept = self.open(asked.root, asked.analysis, asked.keeps);
        let trouble = std::mem::take(&mut *lock(&kept.trouble));
        let watched = self.watched(asked.root).filter(|_| asked.globs.take_all());
        let generation = watched.as_ref().map(|it| it.watcher.generation());
        let seen = generation.and_then(|generation| kept.scene(generation));
        // What another request was allowed to see may be denied to this one.
        let allowed = |seen: &Seen| seen.scene.tree.root().denylist() == asked.root.denylist();
        let seen = seen.filter(allowed);
        let is_new = seen.is_none();
        let mut prepared = match seen {
            Some(seen) => self.look_again(&kept, seen, asked, (trouble, &stops.haste), tell)?,
            None => self.look(&kept, asked, (trouble, stops), tell)?,
        };
        if prepared.unkept.is_none() {
            prepared.unkept.clone_from(&kept.unkept);
        }
        if let (Some(watched), Some(generation)) = (watched, generation)
            && !prepared.scene.is_cut
        {
            kept.keep_scene(generation, Seen::of(&prepared));
            watched.walked.fetch_max(generation, Ordering::Relaxed);
            let followed =
                if is_new { watched.watcher.follow(&prepared.scene.tree) } else { Ok(()) };
            if let Err(error) = followed {
                lock(&self.watched).remove(asked.root.path());
                let warning = format!("changes are looked for at every request: {error}");
                prepared.warnings.push(warning);
            }
        }
        Ok(prepared)
    }

    /// Looks at a work tree of which nothing has changed since it was seen.
    fn look_again(
        &self,
        kept: &Kept,
        Seen { scene, view, stats }: Seen,
        asked: &Preparation<'_>,
        (trouble, cancel): (Vec<String>, &Cancel),
        tell: &mut dyn FnMut(Step),
    ) -> Result<Prepared, Error> {
        tell(Step::Walked(Arc::clone(&scene.tree)));
        let mut prepared = Prepared::new(scene, asked.now, trouble);
        tell(Step::Ready(Arc::new(prepared.clone())));
        let mut draft = None;
        if let Some(view) = view {
            prepared.stats = of_nothing_new(stats);
            prepared.view = Some(view);
        } else if asked.is_searched {
            let tree = &prepared.scene.tree;
            let (found, own) = self.refresh(kept, tree, asked, cancel)?;
            prepared.take(found);
            draft = Some(own);
        }
        if prepared.view.is_some() {
            tell(Step::Ready(Arc::new(prepared.clone())));
        }
        let publish = |(origin, index): Draft| kept.publish(index, origin);
        prepared.note_unkept(draft.and_then(publish));
        Ok(prepared)
    }

    /// Walks a work tree, asks git about it, and analyses what is not known, as far as possible at
    /// the same time.
    fn look(
        &self,
        kept: &Kept,
        asked: &Preparation<'_>,
        (trouble, stops): (Vec<String>, &Stops),
        tell: &mut dyn FnMut(Step),
    ) -> Result<Prepared, Error> {
        let (path, cancel) = (asked.root.path(), &stops.haste);
        thread::scope(|scope| {
            let recency = scope.spawn(|| {
                let mut past = Arc::default();
                let recency = stopping(cancel, || kept.recency(path, &mut past));
                (recency, past)
            });
            let walked = stopping(&stops.all, || walk(asked.root, asked.globs));
            if stops.all.is_cancelled() {
                // Some files are not seen: that would look as if they were gone.
                return Err(Error::Pack(PackError::from(Cancelled)));
            }
            let tree = Arc::clone(&walked.tree);
            tell(Step::Walked(Arc::clone(&tree)));
            let (sender, found) = channel();
            // It is published at once, whatever else is waited for: the process may end soon.
            let refresh = move || {
                let (found, (origin, index)) = self.refresh(kept, &tree, asked, cancel)?;
                let _ = sender.send(found);
                Ok::<_, Error>(kept.publish(index, origin))
            };
            let refreshing = asked.is_searched.then(|| scope.spawn(refresh));
            let (recency, past) = joined(recency);
            let survey = stopping(cancel, || walked.survey(recency, None));
            let scene = Scene::new(survey, past, cancel.is_cancelled());
            let mut prepared = Prepared::new(Arc::new(scene), asked.now, trouble);
            tell(Step::Ready(Arc::new(prepared.clone())));
            if let Some(refreshing) = refreshing {
                if let Ok(found) = found.recv() {
                    prepared.take(found);
                    tell(Step::Ready(Arc::new(prepared.clone())));
                }
                prepared.note_unkept(joined(refreshing)?);
            }
            Ok(prepared)
        })
    }

    /// Brings the index up to date with a tree, as far as somebody waits for it.
    fn refresh(
        &self,
        kept: &Kept,
        tree: &WorkTree,
        asked: &Preparation<'_>,
        cancel: &Cancel,
    ) -> Result<(Found, Draft), Error> {
        let progress = |done: usize, of: usize| {
            if let Some(progress) = &self.progress {
                progress(done, of);
            }
        };
        let is_partial = !asked.globs.take_all();
        let refresh =
            Refresh { progress: &progress, is_partial, ..Refresh::new(asked.analysis, cancel) };
        let (origin, snapshot) = kept.snapshot();
        let run = || refresh.run(tree, &snapshot);
        let refreshed = match asked.pools.take(cancel) {
            Ok(pool) => pool.install(run),
            // What is known already is all that is looked at now: that takes no threads.
            Err(error) if error.is_cancelled() => run(),
            Err(error) => return Err(error),
        };
        let refreshed = refreshed.map_err(|error| Error::Index { message: error.to_string() })?;
        let Refreshed { view, snapshot, stats } = refreshed;
        Ok((Found { view, stats }, (origin, snapshot)))
    }
}

impl Scene {
    fn new(survey: Survey, past: Arc<Past>, is_cut: bool) -> Self {
        let Survey { tree, timestamps, changed, warnings } = survey;
        Self { tree, past, timestamps, changed, is_cut, warnings }
    }
}

impl Prepared {
    fn new(scene: Arc<Scene>, now: Option<i64>, mut warnings: Vec<String>) -> Self {
        warnings.extend(scene.warnings.iter().cloned());
        let (now, stats) = (now.unwrap_or(scene.timestamps.now), RefreshStats::default());
        Self { scene, view: None, now, warnings, unkept: None, stats }
    }

    /// Takes in what was found of the files' contents.
    fn take(&mut self, Found { view, stats }: Found) {
        (self.view, self.stats) = (Some(Arc::new(view)), stats);
    }

    /// Notes why the index could not be kept, if it could not.
    fn note_unkept(&mut self, why: Option<String>) {
        self.warnings.extend(why.clone());
        self.unkept = why;
    }
}

impl Seen {
    /// What is worth to be used again: a view of all files.
    fn of(prepared: &Prepared) -> Self {
        let Prepared { scene, view, stats, .. } = prepared;
        let view = view.clone().filter(|_| stats.left == 0);
        Self { scene: Arc::clone(scene), view, stats: *stats }
    }
}

/// What it took to find that nothing had changed.
fn of_nothing_new(stats: RefreshStats) -> RefreshStats {
    let RefreshStats { files, too_large, unreadable, .. } = stats;
    let unread = files - too_large - unreadable;
    RefreshStats { unread, known: 0, analysed: 0, ..stats }
}

/// What a thread came to. Should it panic, the panic goes on here.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
