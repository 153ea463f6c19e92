//! Metrics of a pack for one task, and their aggregates.

use super::task::{Gold, Task};
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

/// The outcome of one task.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// The id of the task.
    pub instance_id: String,
    /// The name of the repository.
    pub repo: String,
    /// The rank of the lowest-ranked gold file, counted from 1; `None` if any gold file is missing.
    pub all_by: Option<usize>,
    /// Fraction of gold files in the pack, for each budget.
    pub files: Vec<f64>,
    /// Fraction of gold hunks with at least one line in the pack, for each budget.
    pub hunks: Vec<f64>,
    /// Fraction of the budget that is used, for each budget.
    pub utilization: Vec<f64>,
    /// Duration in milliseconds of a search and a pack with the smallest budget, with cached
    /// analyses.
    pub ms: f64,
    /// The ten highest-ranked files, in order.
    pub first_files: Vec<String>,
}

impl Outcome {
    /// Returns the metrics by name, each in \[0, 1\].
    pub fn figures(&self) -> Vec<(String, f64)> {
        let at = |depth: &usize| {
            let reached = self.all_by.is_some_and(|place| place <= *depth);
            (format!("A@{depth}"), f64::from(u8::from(reached)))
        };
        let mut figures: Vec<(String, f64)> = DEPTHS.iter().map(at).collect();
        for (place, budget) in BUDGETS.iter().enumerate() {
            figures.push((format!("F@{}k", budget / 1_000), self.files[place]));
            figures.push((format!("H@{}k", budget / 1_000), self.hunks[place]));
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
    /// Median duration in milliseconds.
    pub median_ms: f64,
    /// 90th percentile of the duration in milliseconds.
    pub p90_ms: f64,
}

impl Summary {
    /// Aggregates the outcomes of several tasks.
    pub fn of(outcomes: &[&Outcome]) -> Self {
        let mut figures: Vec<(String, f64)> = Vec::new();
        for outcome in outcomes {
            let values = outcome.figures();
            figures.resize(values.len(), Default::default());
            for (figure, (name, value)) in figures.iter_mut().zip(values) {
                *figure = (name, figure.1 + value);
            }
        }
        for (_, mean) in &mut figures {
            *mean = 100.0 * *mean / outcomes.len() as f64;
        }
        let column = |place: usize| outcomes.iter().map(move |outcome| outcome.utilization[place]);
        let times = || outcomes.iter().map(|outcome| outcome.ms);
        Self {
            tasks: outcomes.len(),
            figures,
            utilization: (0..BUDGETS.len()).map(|place| quantile(column(place), 0.5)).collect(),
            median_ms: quantile(times(), 0.5),
            p90_ms: quantile(times(), 0.9),
        }
    }
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
