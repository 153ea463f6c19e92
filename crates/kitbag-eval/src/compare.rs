//! Compares two evaluations, task by task.

use super::run::Evaluation;
use super::score::Outcome;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The differences between two evaluations, over the tasks that both contain.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// Number of tasks that both evaluations contain.
    pub tasks: usize,
    /// Number of tasks that only one evaluation contains.
    pub unmatched: usize,
    /// The change in each metric.
    pub figures: Vec<MetricChange>,
}

/// The change in one metric.
#[derive(Debug, Clone, Default, Serialize)]
pub struct MetricChange {
    /// The name of the metric.
    pub name: String,
    /// Number of tasks that have it.
    pub tasks: usize,
    /// The mean in the first evaluation, in percent.
    pub before: f64,
    /// The mean in the second evaluation, in percent.
    pub after: f64,
    /// Ids of the tasks on which the second evaluation is better.
    pub won: Vec<String>,
    /// Ids of the tasks on which the first evaluation is better.
    pub lost: Vec<String>,
}

/// Compares `before` with `after`. If several outcomes have the same task id, the first is used.
pub fn compare(before: &Evaluation, after: &Evaluation) -> Comparison {
    let (old, new) = (first_of_each(&before.outcomes), first_of_each(&after.outcomes));
    let by_id: BTreeMap<&str, &Outcome> =
        old.iter().map(|old| (old.instance_id.as_str(), *old)).collect();
    let pairs = new.iter().filter_map(|new| Some((*by_id.get(new.instance_id.as_str())?, *new)));
    let pairs: Vec<(&Outcome, &Outcome)> = pairs.collect();
    let unmatched = old.len() + new.len() - 2 * pairs.len();
    let mut figures: Vec<MetricChange> = Vec::new();
    for (old, new) in &pairs {
        let earlier: BTreeMap<String, f64> = old.figures().into_iter().collect();
        for (name, after) in new.figures() {
            let Some(&before) = earlier.get(&name) else { continue };
            let known = figures.iter().position(|figure| figure.name == name);
            let place = known.unwrap_or_else(|| {
                figures.push(MetricChange { name, ..MetricChange::default() });
                figures.len() - 1
            });
            let figure = &mut figures[place];
            figure.tasks += 1;
            figure.before += 100.0 * before;
            figure.after += 100.0 * after;
            if after > before + 1e-9 {
                figure.won.push(new.instance_id.clone());
            } else if after < before - 1e-9 {
                figure.lost.push(new.instance_id.clone());
            }
        }
    }
    for figure in &mut figures {
        figure.before /= figure.tasks as f64;
        figure.after /= figure.tasks as f64;
    }
    Comparison { tasks: pairs.len(), unmatched, figures }
}

/// Returns the first outcome of each task.
fn first_of_each(outcomes: &[Outcome]) -> Vec<&Outcome> {
    let mut seen = BTreeSet::new();
    outcomes.iter().filter(|outcome| seen.insert(&outcome.instance_id)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::score::Summary;
    use super::*;

    fn evaluation(outcomes: &[(&str, Option<usize>, f64)]) -> Evaluation {
        let outcome = |&(id, all_by, share): &(&str, Option<usize>, f64)| Outcome {
            instance_id: id.into(),
            repo: "o/n".into(),
            all_by,
            files: vec![share; 3],
            hunks: vec![share; 3],
            utilization: vec![1.0; 3],
            ms: 1.0,
            first_files: vec![],
        };
        let outcomes: Vec<Outcome> = outcomes.iter().map(outcome).collect();
        let summary = Summary::of(&outcomes.iter().collect::<Vec<_>>());
        Evaluation {
            version: 1,
            summary,
            by_repo: BTreeMap::new(),
            by_category: BTreeMap::new(),
            outcomes,
            warnings: vec![],
        }
    }

    #[test]
    fn tasks_won_and_lost_are_named() {
        let before = evaluation(&[("a", Some(1), 0.5), ("b", None, 0.5), ("x", None, 0.0)]);
        let after = evaluation(&[("a", Some(4), 0.5), ("b", Some(1), 1.0), ("y", None, 0.0)]);
        let comparison = compare(&before, &after);
        assert_eq!((comparison.tasks, comparison.unmatched), (2, 2));
        let first = &comparison.figures[0];
        assert_eq!(
            (first.name.as_str(), first.won.clone(), first.lost.clone()),
            ("A@1", vec!["b".to_owned()], vec!["a".to_owned()])
        );
        let hunks = comparison.figures.iter().find(|figure| figure.name == "H@8k").expect("there");
        assert!((hunks.after - 75.0).abs() < 1e-9);
    }

    #[test]
    fn a_task_that_repeats_counts_once() {
        let before = evaluation(&[("a", Some(1), 0.5), ("x", None, 0.0)]);
        let after = evaluation(&[("a", Some(1), 1.0), ("a", None, 0.0), ("a", None, 0.0)]);
        for (first, second) in [(&before, &after), (&after, &before)] {
            let comparison = compare(first, second);
            assert_eq!((comparison.tasks, comparison.unmatched), (1, 1));
        }
        let comparison = compare(&before, &after);
        let hunks = comparison.figures.iter().find(|figure| figure.name == "H@8k").expect("there");
        assert_eq!((hunks.won.len(), hunks.lost.len()), (1, 0));
    }

    #[test]
    fn a_result_of_another_shape_is_refused() {
        let whole = evaluation(&[("a", Some(1), 0.5), ("b", None, 0.5)]);
        assert!(whole.check().is_ok());
        let newer = Evaluation { version: 2, ..whole.clone() };
        assert_eq!(newer.check().expect_err("newer").to_string(), "version 2, expected 1");
        let mut files = whole.clone();
        files.outcomes[1].files.truncate(2);
        let mut hunks = whole.clone();
        hunks.outcomes[1].hunks.clear();
        let mut utilization = whole;
        utilization.outcomes[1].utilization.push(1.0);
        for (odd, message) in [
            (files, "task `b` must have 3 values in `files`, not 2"),
            (hunks, "task `b` must have 3 values in `hunks`, not 0"),
            (utilization, "task `b` must have 3 values in `utilization`, not 4"),
        ] {
            assert_eq!(odd.check().expect_err(message).to_string(), message);
        }
    }
}
