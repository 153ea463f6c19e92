//! Metrics of a pack for one task, and their aggregates.

use super::task::{Gold, Target, Task};
use kitbag_core::Decision;
use kitbag_text::Span;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Budget in tokens of the pack used to measure file ranking.
pub const RANKING_BUDGET: usize = 128_000;

/// Budgets in tokens of the packs used to measure content.
pub const BUDGETS: [usize; 3] = [8_000, 16_000, 32_000];

/// Numbers of top-ranked files at which ranking is measured.
pub const DEPTHS: [usize; 4] = [1, 3, 5, 10];

/// Budget in tokens of the pack that ends where nothing left is likely to matter.
pub const STOP_BUDGET: usize = 32_000;

/// A pack for a foreign task is small if it has at most this number of tokens.
pub const SMALL_PACK: usize = 500;

/// Number of search results that are measured for a question.
pub const LISTED: usize = 10;

/// The outcome of one task. Lists are empty, and values missing, where they do not apply: questions have
/// only `ndcg`, foreign tasks only `stopped`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// The id of the task.
    pub instance_id: String,
    /// The name of the repository.
    pub repo: String,
    /// The kind of question.
    #[serde(default)]
    pub category: Option<String>,
    /// The rank of the lowest-ranked gold file, counted from 1; `None` if any gold file is missing.
    pub all_by: Option<usize>,
    /// Fraction of gold files in the pack, for each budget.
    pub files: Vec<f64>,
    /// Fraction of gold hunks with at least one line in the pack, for each budget.
    pub hunks: Vec<f64>,
    /// Fraction of the budget that is used, for each budget.
    pub utilization: Vec<f64>,
    /// Normalized discounted cumulative gain of the first results of a search.
    #[serde(default)]
    pub ndcg: Option<f64>,
    /// The pack that ends where nothing left is likely to matter.
    #[serde(default)]
    pub stopped: Option<StoppedPack>,
    /// Number of chunks, and of those that matter, by relevance.
    #[serde(default)]
    pub reliability: Vec<ReliabilityBin>,
    /// Duration in milliseconds of a search and a pack with the smallest budget, with cached
    /// analyses.
    pub ms: f64,
    /// The ten highest-ranked files, in order.
    pub first_files: Vec<String>,
}

/// A pack that ends where nothing left is likely to matter.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct StoppedPack {
    /// Number of tokens.
    pub tokens: usize,
    /// Fraction of the tokens of a pack that fills the budget.
    pub share: f64,
    /// Fraction of gold hunks with at least one line in the pack.
    pub hunks: f64,
    /// Relevance of the best chunk.
    pub best_relevance: f64,
    /// Whether the text belongs to another project.
    pub is_foreign: bool,
}

/// The chunks whose relevance is in a range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ReliabilityBin {
    /// Lower bound of the relevance.
    pub from: f64,
    /// Number of chunks.
    pub chunks: usize,
    /// Sum of their relevance.
    pub relevance: f64,
    /// Number of them that matter.
    pub matter: usize,
}

/// Lower bounds of relevance by which chunks are counted.
const RELIABILITY_BOUNDS: [f64; 12] =
    [0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9];

/// Counts chunks by relevance, given the relevance of each and whether it matters.
pub(super) fn reliability(chunks: impl Iterator<Item = (f64, bool)>) -> Vec<ReliabilityBin> {
    let bin = |from: f64| ReliabilityBin { from, ..ReliabilityBin::default() };
    let mut bins: Vec<ReliabilityBin> = RELIABILITY_BOUNDS.map(bin).to_vec();
    for (relevance, matters) in chunks {
        let at = RELIABILITY_BOUNDS.partition_point(|from| *from <= relevance).max(1) - 1;
        bins[at].chunks += 1;
        bins[at].relevance += relevance;
        bins[at].matter += usize::from(matters);
    }
    bins
}

/// Sums the bins of several tasks.
fn sum_reliability(outcomes: &[&Outcome]) -> Vec<ReliabilityBin> {
    let mut sums: Vec<ReliabilityBin> = Vec::new();
    for bins in outcomes.iter().map(|outcome| &outcome.reliability) {
        sums.resize(sums.len().max(bins.len()), ReliabilityBin::default());
        for (sum, bin) in sums.iter_mut().zip(bins) {
            sum.from = bin.from;
            sum.chunks += bin.chunks;
            sum.relevance += bin.relevance;
            sum.matter += bin.matter;
        }
    }
    sums
}

impl Outcome {
    /// Returns the metrics by name, each in \[0, 1\].
    pub fn figures(&self) -> Vec<(String, f64)> {
        let mut figures: Vec<(String, f64)> = Vec::new();
        if let Some(ndcg) = self.ndcg {
            figures.push((format!("N@{LISTED}"), ndcg));
        }
        if !self.files.is_empty() {
            figures.extend(DEPTHS.iter().map(|depth| {
                let reached = self.all_by.is_some_and(|place| place <= *depth);
                (format!("A@{depth}"), f64::from(u8::from(reached)))
            }));
        }
        for ((budget, files), hunks) in BUDGETS.iter().zip(&self.files).zip(&self.hunks) {
            figures.push((format!("F@{}k", budget / 1_000), *files));
            figures.push((format!("H@{}k", budget / 1_000), *hunks));
        }
        let budget = format!("{}k", STOP_BUDGET / 1_000);
        match self.stopped {
            Some(it) if it.is_foreign => {
                let is_small = it.tokens <= SMALL_PACK;
                figures.push((format!("<={SMALL_PACK}"), f64::from(u8::from(is_small))));
            }
            Some(it) => {
                figures.push((format!("T@{budget}"), it.share));
                figures.push((format!("E@{budget}"), it.hunks));
            }
            None => {}
        }
        figures
    }
}

/// Aggregates over several tasks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Summary {
    /// Number of tasks.
    pub tasks: usize,
    /// The mean of each metric in percent, in display order.
    pub figures: Vec<(String, f64)>,
    /// Median fraction of the budget that is used, for each budget.
    pub utilization: Vec<f64>,
    /// Number of chunks, and of those that matter, by relevance.
    #[serde(default)]
    pub reliability: Vec<ReliabilityBin>,
    /// Mean number of tokens of the packs that end where nothing left is likely to matter.
    #[serde(default)]
    pub stopped_tokens: f64,
    /// Median duration in milliseconds.
    pub median_ms: f64,
    /// 90th percentile of the duration in milliseconds.
    pub p90_ms: f64,
}

impl Summary {
    /// Aggregates the outcomes of several tasks.
    pub fn of(outcomes: &[&Outcome]) -> Self {
        let mut sums: Vec<(String, f64, usize)> = Vec::new();
        for (name, value) in outcomes.iter().flat_map(|outcome| outcome.figures()) {
            match sums.iter_mut().find(|sum| sum.0 == name) {
                Some((_, sum, count)) => (*sum, *count) = (*sum + value, *count + 1),
                None => sums.push((name, value, 1)),
            }
        }
        let mean = |(name, sum, count): (String, f64, usize)| (name, 100.0 * sum / count as f64);
        let column =
            |place: usize| outcomes.iter().filter_map(move |it| it.utilization.get(place).copied());
        let times = || outcomes.iter().map(|outcome| outcome.ms);
        let stopped: Vec<f64> =
            outcomes.iter().filter_map(|it| Some(it.stopped?.tokens as f64)).collect();
        Self {
            tasks: outcomes.len(),
            figures: sums.into_iter().map(mean).collect(),
            utilization: (0..BUDGETS.len()).map(|place| quantile(column(place), 0.5)).collect(),
            reliability: sum_reliability(outcomes),
            stopped_tokens: stopped.iter().sum::<f64>() / stopped.len().max(1) as f64,
            median_ms: quantile(times(), 0.5),
            p90_ms: quantile(times(), 0.9),
        }
    }
}

/// Returns the normalized discounted cumulative gain of search results, best first, with binary gains.
/// The rank of a target is that of the first result that covers a line of it.
pub(super) fn ndcg<'r>(task: &Task, results: impl Iterator<Item = (&'r str, Span)>) -> f64 {
    let results: Vec<(&str, Span)> = results.take(LISTED).collect();
    let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let covers = |(path, span): &(&str, Span), target: &Target| {
        *path == target.path && span.shared_lines(target.span()) > 0
    };
    let found = |target: &Target| results.iter().position(|result| covers(result, target));
    let gained: f64 = task.targets.iter().filter_map(found).map(gain).sum();
    let ideal: f64 = (0..task.targets.len().min(LISTED)).map(gain).sum();
    gained / ideal
}

fn quantile(values: impl Iterator<Item = f64>, share: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share) as usize;
    values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// Returns the distinct files of a decision, in rank order.
pub(super) fn files_in_order(decision: &Decision) -> Vec<&str> {
    let mut files: Vec<&str> = Vec::new();
    for chunk in &decision.included {
        if !files.contains(&chunk.path.as_str()) {
            files.push(&chunk.path);
        }
    }
    files
}

/// Returns the rank of the lowest-ranked gold file, or `None` if any gold file is missing.
pub(super) fn all_by(task: &Task, files: &[&str]) -> Option<usize> {
    let place = |gold: &Gold| files.iter().position(|file| *file == gold.path).map(|at| at + 1);
    let places: Option<Vec<usize>> = task.gold.iter().map(place).collect();
    places.and_then(|places| places.into_iter().max())
}

/// Returns the fractions of gold files included, and of gold hunks with at least one line shown.
pub(super) fn shares(task: &Task, decision: &Decision) -> (f64, f64) {
    let mut shown: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    for chunk in &decision.included {
        shown.entry(&chunk.path).or_default().extend(&chunk.shown);
    }
    let files = task.gold.iter().filter(|gold| shown.contains_key(gold.path.as_str())).count();
    let (mut hunks, mut hit) = (0, 0);
    for gold in &task.gold {
        let spans = shown.get(gold.path.as_str()).map_or(&[][..], Vec::as_slice);
        for hunk in &gold.hunks {
            hunks += 1;
            hit += usize::from(spans.iter().any(|span| span.shared_lines(*hunk) > 0));
        }
    }
    (share(files, task.gold.len()), share(hit, hunks))
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_core::{ChunkForm, Factors, Included, Stats};
    use kitbag_text::Kind;

    fn included(path: &str, shown: &[(u32, u32)]) -> Included {
        Included {
            path: path.into(),
            span: Span::new(1, 100),
            symbol: None,
            defines: Vec::new(),
            kind: Kind::SearchResult,
            part: None,
            tokens: 0,
            score: 0.0,
            factors: Factors::default(),
            form: ChunkForm::Outline,
            shown: shown.iter().map(|&span| Span::from(span)).collect(),
            merged_from: Vec::new(),
            text: String::new(),
            from: None,
            is_pinned: false,
        }
    }

    fn decision(included: Vec<Included>) -> Decision {
        Decision {
            included,
            excluded: vec![],
            total_tokens: 0,
            stats: Stats::default(),
            replaced_chars: 0,
        }
    }

    fn task() -> Task {
        let gold = |path: &str, hunks: &[(u32, u32)]| Gold {
            path: path.into(),
            hunks: hunks.iter().map(|&span| Span::from(span)).collect(),
        };
        Task {
            instance_id: "t".into(),
            repo: "o/n".into(),
            base_commit: "c".into(),
            query: "q".into(),
            gold: vec![gold("a", &[(5, 9), (20, 20)]), gold("b", &[(1, 1)])],
            targets: Vec::new(),
            root: String::new(),
            category: None,
            hidden: None,
            is_foreign: false,
        }
    }

    #[test]
    fn a_line_that_is_not_shown_does_not_count() {
        let decision = decision(vec![included("a", &[(1, 4), (9, 12)]), included("c", &[(1, 1)])]);
        let (files, hunks) = shares(&task(), &decision);
        assert!((files - 0.5).abs() < 1e-9);
        assert!((hunks - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn all_gold_files_must_be_among_the_first() {
        let decision = decision(vec![
            included("a", &[(1, 1)]),
            included("c", &[(1, 1)]),
            included("a", &[(3, 3)]),
            included("b", &[(1, 1)]),
        ]);
        let files = files_in_order(&decision);
        assert_eq!(files, ["a", "c", "b"]);
        assert_eq!(all_by(&task(), &files), Some(3));
        assert_eq!(all_by(&task(), &files[..2]), None);
    }
}
