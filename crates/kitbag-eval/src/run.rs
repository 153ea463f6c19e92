//! Runs tasks through the whole pipeline.

use super::library::Library;
use super::score::{BUDGETS, Outcome, RANKING_BUDGET, Summary, all_by, files_in_order, shares};
use super::setup::{EvalError, Options, by_repository};
use super::task::Task;
use kitbag::Engine;
use kitbag::internal::{
    CachedChunker, ChunkCache, Reading, Search, SearchHistory, SourceLimits, around_frames, read,
};
use kitbag_core::{Cancel, Cancelled, Decision, Job, pack};
use kitbag_index::{ParsedTask, RankModels, SearchRanking};
use kitbag_repo::{CommitTree, Timestamps, Tree};
use kitbag_text::{Source, Text};
use kitbag_tokens::CachedCounter;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// The results of an evaluation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Evaluation {
    /// The schema version.
    pub version: u32,
    /// Aggregates over all tasks.
    pub summary: Summary,
    /// Aggregates over the tasks of each repository.
    pub by_repo: BTreeMap<String, Summary>,
    /// The outcome of each task.
    pub outcomes: Vec<Outcome>,
    /// Problems that do not affect the results.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// The schema version of [`Evaluation`].
const VERSION: u32 = 1;

impl Evaluation {
    /// Checks that a deserialized evaluation has the current version and complete lists.
    pub fn check(&self) -> Result<(), ResultError> {
        if self.version != VERSION {
            return Err(ResultError::Version(self.version));
        }
        for outcome in &self.outcomes {
            let lists = [
                ("files", &outcome.files),
                ("hunks", &outcome.hunks),
                ("utilization", &outcome.utilization),
            ];
            if let Some((list, values)) = lists.iter().find(|(_, it)| it.len() != BUDGETS.len()) {
                let (task, values) = (outcome.instance_id.clone(), values.len());
                return Err(ResultError::Length { task, list, values });
            }
        }
        Ok(())
    }
}

/// The reason why a stored evaluation cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ResultError {
    /// The schema version is not supported.
    #[error("version {0}, expected {VERSION}")]
    Version(u32),
    /// A list does not have one value per budget.
    #[error("task `{task}` must have {} values in `{list}`, not {values}", BUDGETS.len())]
    Length {
        /// The id of the task.
        task: String,
        /// The name of the list.
        list: &'static str,
        /// Number of values in the list.
        values: usize,
    },
}

/// Runs `tasks`, one repository at a time. All repositories are located first, so that a missing
/// one is reported immediately.
pub fn evaluate(
    engine: &Engine,
    tasks: &[Task],
    options: &Options<'_>,
    cancel: &Cancel,
) -> Result<Evaluation, EvalError> {
    let groups = by_repository(tasks, &options.repos)?;
    let counting = engine.default_counting();
    let mut outcomes = Vec::with_capacity(tasks.len());
    let mut warnings = Vec::new();
    for group in groups {
        let mut library = Library::open(&group, options, &counting, cancel);
        let trees = library.read_all(engine, &group.tasks)?;
        let runner = Runner { library: &library, counting: &counting, options, cancel };
        let done: Result<Vec<Outcome>, EvalError> = engine
            .install(|| trees.into_par_iter().map(|(task, tree)| runner.run(task, tree)).collect());
        outcomes.extend(done?);
        warnings.extend(library.close());
    }
    summarize(outcomes, warnings)
}

fn summarize(outcomes: Vec<Outcome>, warnings: Vec<String>) -> Result<Evaluation, EvalError> {
    if outcomes.is_empty() {
        return Err(EvalError::NoTasks);
    }
    let mut groups: BTreeMap<String, Vec<&Outcome>> = BTreeMap::new();
    for outcome in &outcomes {
        groups.entry(outcome.repo.clone()).or_default().push(outcome);
    }
    let by_repo = groups.into_iter().map(|(repo, group)| (repo, Summary::of(&group))).collect();
    let summary = Summary::of(&outcomes.iter().collect::<Vec<_>>());
    Ok(Evaluation { version: VERSION, summary, by_repo, outcomes, warnings })
}

struct Runner<'a> {
    library: &'a Library<'a>,
    counting: &'a Arc<CachedCounter>,
    options: &'a Options<'a>,
    cancel: &'a Cancel,
}

/// The search for one task, from which packs with several budgets are made.
struct TaskSearch<'a> {
    task: &'a Task,
    search: &'a Search<'a>,
    found: &'a SearchRanking<'a>,
    /// Code around stack frames in the task.
    traced: Vec<Source>,
    times: &'a Timestamps,
}

impl Runner<'_> {
    fn run(&self, task: &Task, tree: CommitTree) -> Result<Outcome, EvalError> {
        let snapshot = self.library.snapshot(task, tree)?;
        let models =
            self.options.models.as_ref().map_or(RankModels::learned(), |models| models.of(task));
        let history = SearchHistory { past: &snapshot.past, now: snapshot.times.now };
        let search = Search::new(&snapshot.tree, &snapshot.view, history, models, self.cancel);
        let began = Instant::now();
        let parsed = ParsedTask::new(&task.query);
        let found = search.find(&parsed)?;
        let traced = self.traced(task, &snapshot.tree, &snapshot.times)?;
        let times = &snapshot.times;
        let search = TaskSearch { task, search: &search, found: &found, traced, times };
        let mut packs = Vec::with_capacity(BUDGETS.len());
        let mut ms = 0.0;
        for budget in BUDGETS {
            packs.push(self.pack(&search, budget)?);
            if packs.len() == 1 {
                ms = began.elapsed().as_secs_f64() * 1_000.0;
            }
        }
        let ranking = self.pack(&search, RANKING_BUDGET)?;
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
            utilization: used.map(|(p, b)| p.total_tokens as f64 / b as f64).collect(),
            ms,
            first_files: files.iter().take(10).map(|file| (*file).to_owned()).collect(),
        })
    }

    /// Returns the code around stack frames in a task, as the diagnostics provider would.
    fn traced(
        &self,
        task: &Task,
        tree: &CommitTree,
        times: &Timestamps,
    ) -> Result<Vec<Source>, Cancelled> {
        let text = |path: &str| {
            let entry = tree.files().iter().find(|file| file.path == path)?;
            read(tree, entry).map(|content| Arc::new(Text::new(content)))
        };
        let (counting, cancel) = (self.counting, self.cancel);
        let chunker = CachedChunker { cache: &ChunkCache::default(), counting, cancel };
        let chunking = &self.options.settings.chunking;
        let reading = Reading { text: &text, chunking, chunker };
        let paths = tree.files().iter().map(|file| file.path.clone());
        let mut sources = around_frames(&task.query, paths, &reading)?;
        for source in &mut sources {
            source.timestamp = times.of(&source.path);
        }
        Ok(sources)
    }

    fn pack(&self, search: &TaskSearch<'_>, budget: usize) -> Result<Decision, EvalError> {
        let TaskSearch { task, search, found, traced, times } = search;
        let mut sources = traced.clone();
        let limits = SourceLimits { budget, max_chunks: usize::MAX };
        let changed = |path: &str| times.of(path);
        sources.extend(search.sources(found, &changed, limits, &self.library.analysis)?);
        let job = Job {
            sources,
            task: &task.query,
            now: Some(times.now),
            budget,
            settings: &self.options.settings,
            counting: self.counting,
            cancel: self.cancel,
        };
        Ok(pack(job, &mut ())?.decision)
    }
}
