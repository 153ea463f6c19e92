//! Runs tasks through the whole pipeline.

use super::score::{BUDGETS, Outcome, RANKING_BUDGET, Summary, all_by, files_in_order, shares};
use super::store::Store;
use super::task::{OWN, Task};
use crate::engine::Engine;
use crate::search::{Findings, Search};
use kitbag_core::{Cancel, Cancelled, Decision, Job, PackError, Settings, pack};
use kitbag_repo::{CommitTree, Denylist, GitError, Globs, Timestamps, find_repository};
use kitbag_tokens::Counting;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How an evaluation is run.
pub struct Options<'a> {
    /// The folder that has the repositories, or the repository itself for tasks of its own.
    pub repos: PathBuf,
    /// The folder that keeps analyses between runs.
    pub cache: PathBuf,
    /// How decisions are made.
    pub settings: Settings,
    /// Is told after each task how many are done.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// What came out of an evaluation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Evaluation {
    /// The version of this shape.
    pub version: u32,
    /// The means over all tasks.
    pub summary: Summary,
    /// The means over the tasks of each repository.
    pub by_repo: BTreeMap<String, Summary>,
    /// Each task.
    pub outcomes: Vec<Outcome>,
}

/// Why an evaluation failed.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// A repository is not in the folder.
    #[error("no repository `{repo}` in `{}`", .folder.display())]
    NoRepository {
        /// The repository.
        repo: String,
        /// The folder.
        folder: PathBuf,
    },
    /// Git could not read a task's commit.
    #[error("{task}: {error}")]
    Git {
        /// The task.
        task: String,
        /// What git said.
        error: GitError,
    },
    /// A pack failed.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The analyses could not be kept.
    #[error("the analyses could not be written to `{}`: {error}", .folder.display())]
    Cache {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// There is nothing to evaluate.
    #[error("there are no tasks")]
    NoTasks,
}

impl From<Cancelled> for EvalError {
    fn from(cancelled: Cancelled) -> Self {
        Self::Pack(cancelled.into())
    }
}

/// Runs `tasks`, a repository at a time.
pub fn evaluate(
    engine: &Engine,
    tasks: &[Task],
    options: &Options<'_>,
    cancel: &Cancel,
) -> Result<Evaluation, EvalError> {
    let mut by_repo: BTreeMap<&str, Vec<&Task>> = BTreeMap::new();
    for task in tasks {
        by_repo.entry(&task.repo).or_default().push(task);
    }
    let counting = engine.counting("o200k_base");
    let mut outcomes = Vec::with_capacity(tasks.len());
    for (repo, tasks) in by_repo {
        let missing =
            || EvalError::NoRepository { repo: repo.to_owned(), folder: options.repos.clone() };
        let own = repo == OWN;
        let directory =
            if own { Some(options.repos.clone()) } else { find_repository(&options.repos, repo) };
        let directory = directory.ok_or_else(missing)?;
        let name = if own { local_name(&directory) } else { repo.to_owned() };
        let store = Store::open(&options.cache, &name, &options.settings.chunking, &counting);
        let runner = Runner { store: &store, counting: &counting, options, cancel, directory };
        let done: Vec<Outcome> = engine.install(|| {
            tasks.par_iter().map(|task| runner.run(task)).collect::<Result<Vec<_>, EvalError>>()
        })?;
        outcomes.extend(done);
        let failed = |error| EvalError::Cache { folder: options.cache.clone(), error };
        store.close().map_err(failed)?;
    }
    summarise(outcomes)
}

/// The name that a repository's own analyses are kept under.
fn local_name(directory: &Path) -> String {
    let path = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    path.to_string_lossy().into_owned()
}

fn summarise(outcomes: Vec<Outcome>) -> Result<Evaluation, EvalError> {
    if outcomes.is_empty() {
        return Err(EvalError::NoTasks);
    }
    let mut groups: BTreeMap<String, Vec<&Outcome>> = BTreeMap::new();
    for outcome in &outcomes {
        groups.entry(outcome.repo.clone()).or_default().push(outcome);
    }
    let by_repo = groups.iter().map(|(repo, group)| (repo.clone(), Summary::of(group))).collect();
    let summary = Summary::of(&outcomes.iter().collect::<Vec<_>>());
    Ok(Evaluation { version: 1, summary, by_repo, outcomes })
}

struct Runner<'a> {
    store: &'a Store<'a>,
    counting: &'a Counting,
    options: &'a Options<'a>,
    cancel: &'a Cancel,
    directory: PathBuf,
}

impl Runner<'_> {
    fn run(&self, task: &Task) -> Result<Outcome, EvalError> {
        let git = |error| EvalError::Git { task: task.instance_id.clone(), error };
        let globs = Globs::default();
        let tree =
            CommitTree::open(&self.directory, &task.base_commit, &globs, &Denylist::default())
                .map_err(git)?;
        let times = Timestamps::of_commit(&self.directory, &task.base_commit, None).map_err(git)?;
        let changed = |path: &str| times.of(path);
        let search =
            Search { tree: &tree, analyses: self.store, changed: &changed, cancel: self.cancel };
        // The first search fills the store; the second is what a warm one costs.
        search.find(&task.query)?;
        let began = Instant::now();
        let found = search.find(&task.query)?;
        let mut packs = Vec::with_capacity(BUDGETS.len());
        let mut ms = 0.0;
        for budget in BUDGETS {
            packs.push(self.pack(task, &search, &found, budget, times.now)?);
            if packs.len() == 1 {
                ms = began.elapsed().as_secs_f64() * 1_000.0;
            }
        }
        let ranking = self.pack(task, &search, &found, RANKING_BUDGET, times.now)?;
        let files = files_in_order(&ranking);
        let shares: Vec<(f64, f64)> = packs.iter().map(|pack| shares(task, pack)).collect();
        let used = packs.iter().zip(BUDGETS);
        (self.options.progress)(1);
        Ok(Outcome {
            instance_id: task.instance_id.clone(),
            repo: task.repo.clone(),
            all_by: all_by(task, &files),
            files: shares.iter().map(|share| share.0).collect(),
            hunks: shares.iter().map(|share| share.1).collect(),
            utilisation: used.map(|(p, b)| p.total_tokens as f64 / b as f64).collect(),
            ms,
            first_files: files.iter().take(10).map(|file| (*file).to_owned()).collect(),
        })
    }

    fn pack(
        &self,
        task: &Task,
        search: &Search<'_>,
        found: &Findings,
        budget: usize,
        now: i64,
    ) -> Result<Decision, EvalError> {
        let job = Job {
            sources: search.sources(found, budget)?,
            task: &task.query,
            now: Some(now),
            budget,
            settings: &self.options.settings,
            counting: self.counting,
            cancel: self.cancel,
        };
        Ok(pack(job, &mut ())?.decision)
    }
}
