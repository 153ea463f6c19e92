//! Runs tasks through the whole pipeline.

use super::hidden::TaskTree;
use super::library::Library;
use super::score::{
    BUDGETS, Outcome, RANKING_BUDGET, ReliabilityBin, STOP_BUDGET, StoppedPack, Summary, all_by,
    files_in_order, ndcg, reliability, shares,
};
use super::setup::{EvalError, Options, by_repository};
use super::task::Task;
use kitbag::Engine;
use kitbag::internal::{
    CachedChunker, ChunkCache, Reading, Search, SearchHistory, SourceLimits, around_frames, read,
};
use kitbag_core::{Cancel, Cancelled, Decision, Job, pack};
use kitbag_index::{IndexView, ParsedTask, RankModels, RankedChunk, SearchRanking};
use kitbag_repo::{Timestamps, Tree};
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
    /// Aggregates over the questions of each kind.
    #[serde(default)]
    pub by_category: BTreeMap<String, Summary>,
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
        for outcome in self.outcomes.iter().filter(|outcome| !outcome.files.is_empty()) {
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
        let first = warnings.into_iter().next();
        return Err(first.map_or(EvalError::NoTasks, |first| EvalError::NoneRan { first }));
    }
    let by_repo = summaries(&outcomes, |outcome| Some(&outcome.repo));
    let by_category = summaries(&outcomes, |outcome| outcome.category.as_ref());
    let summary = Summary::of(&outcomes.iter().collect::<Vec<_>>());
    Ok(Evaluation { version: VERSION, summary, by_repo, by_category, outcomes, warnings })
}

fn summaries(
    outcomes: &[Outcome],
    key: fn(&Outcome) -> Option<&String>,
) -> BTreeMap<String, Summary> {
    let mut groups: BTreeMap<String, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        if let Some(key) = key(outcome) {
            groups.entry(key.clone()).or_default().push(outcome);
        }
    }
    groups.into_iter().map(|(key, group)| (key, Summary::of(&group))).collect()
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

/// Number of best chunks whose relevance is compared with the answer.
const JUDGED_CHUNKS: usize = 500;

impl TaskSearch<'_> {
    /// Counts the best chunks by relevance, and those of them that share a line with the answer.
    fn reliability(&self, view: &IndexView) -> Vec<ReliabilityBin> {
        let judge = |it: &RankedChunk| {
            let (path, span) = (&view.files()[it.file].path, self.found.chunk(it)?.span);
            let gold = self.task.gold.iter().filter(|gold| gold.path == *path);
            let mut hunks = gold.flat_map(|gold| &gold.hunks);
            Some((it.relevance, hunks.any(|hunk| hunk.shared_lines(span) > 0)))
        };
        reliability(self.found.chunks.iter().take(JUDGED_CHUNKS).filter_map(judge))
    }
}

impl Runner<'_> {
    fn run(&self, task: &Task, tree: TaskTree) -> Result<Outcome, EvalError> {
        let snapshot = self.library.snapshot(task, tree)?;
        let models =
            self.options.models.as_ref().map_or(RankModels::learned(), |models| models.of(task));
        let history = SearchHistory { past: &snapshot.past, now: snapshot.times.now };
        let search = Search::new(&snapshot.tree, &snapshot.view, history, models, self.cancel);
        let began = Instant::now();
        let parsed = ParsedTask::new(&task.query);
        let found = search.find(&parsed)?;
        let times = &snapshot.times;
        let mut outcome = Outcome {
            instance_id: task.instance_id.clone(),
            repo: task.repo.clone(),
            category: task.category.clone(),
            ..Outcome::default()
        };
        if task.is_question() && !task.is_foreign {
            let path = |file: usize| snapshot.view.files()[file].path.as_str();
            let listed = found.listing().into_iter().map(|at| &found.chunks[at]);
            let spans = listed.filter_map(|it| Some((path(it.file), found.chunk(it)?.span)));
            outcome.ndcg = Some(ndcg(task, spans));
            outcome.ms = began.elapsed().as_secs_f64() * 1_000.0;
        } else {
            let traced = self.traced(task, &snapshot.tree, &snapshot.times)?;
            let search = TaskSearch { task, search: &search, found: &found, traced, times };
            if !task.is_foreign {
                self.measure_packs(&search, began, &mut outcome)?;
                outcome.reliability = search.reliability(&snapshot.view);
            }
            outcome.stopped = Some(self.stopped(&search)?);
        }
        (self.options.progress)(1);
        Ok(outcome)
    }

    /// Measures packs that fill their budgets.
    fn measure_packs(
        &self,
        search: &TaskSearch<'_>,
        began: Instant,
        outcome: &mut Outcome,
    ) -> Result<(), EvalError> {
        for budget in BUDGETS {
            let pack = self.pack(search, budget, None)?;
            if outcome.files.is_empty() {
                outcome.ms = began.elapsed().as_secs_f64() * 1_000.0;
            }
            let (files, hunks) = shares(search.task, &pack);
            outcome.files.push(files);
            outcome.hunks.push(hunks);
            outcome.utilization.push(pack.total_tokens as f64 / budget as f64);
        }
        let ranking = self.pack(search, RANKING_BUDGET, None)?;
        let files = files_in_order(&ranking);
        outcome.all_by = all_by(search.task, &files);
        outcome.first_files = files.iter().take(10).map(|file| (*file).to_owned()).collect();
        Ok(())
    }

    /// Measures the pack that ends where nothing left is likely to matter.
    fn stopped(&self, search: &TaskSearch<'_>) -> Result<StoppedPack, EvalError> {
        let pack = self.pack(search, STOP_BUDGET, self.options.stop_below)?;
        let filled = self.pack(search, STOP_BUDGET, None)?;
        Ok(StoppedPack {
            tokens: pack.total_tokens,
            share: pack.total_tokens as f64 / filled.total_tokens.max(1) as f64,
            hunks: shares(search.task, &pack).1,
            best_relevance: search.found.chunks.first().map_or(0.0, |it| it.relevance),
            is_foreign: search.task.is_foreign,
        })
    }

    /// Returns the code around stack frames in a task, as the diagnostics provider would.
    fn traced(
        &self,
        task: &Task,
        tree: &TaskTree,
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

    /// Packs the results of a search, down to a relevance of `stop_below` or until the budget is full.
    fn pack(
        &self,
        search: &TaskSearch<'_>,
        budget: usize,
        stop_below: Option<f64>,
    ) -> Result<Decision, EvalError> {
        let TaskSearch { task, search, found, traced, times } = search;
        let mut sources = traced.clone();
        let limits = SourceLimits { budget, max_chunks: usize::MAX };
        let changed = |path: &str| times.of(path);
        sources.extend(search.sources(found, &changed, limits, &self.library.analysis)?);
        let mut settings = self.options.settings.clone();
        settings.selection.stop_below = stop_below;
        let job = Job {
            sources,
            task: &task.query,
            now: Some(times.now),
            budget,
            settings: &settings,
            counting: self.counting,
            cancel: self.cancel,
        };
        Ok(pack(job, &mut ())?.decision)
    }
}
