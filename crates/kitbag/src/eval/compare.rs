//! Two evaluations, task by task.

use super::run::Evaluation;
use super::score::Outcome;
use serde::Serialize;
use std::collections::BTreeMap;

/// How two evaluations differ, over the tasks that both have.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// How many tasks both have.
    pub tasks: usize,
    /// How many only one has.
    pub unmatched: usize,
    /// Each figure.
    pub figures: Vec<MetricChange>,
}

/// How one figure differs.
#[derive(Debug, Clone, Serialize)]
pub struct MetricChange {
    /// Its name.
    pub name: String,
    /// Its mean in the first, in per cent.
    pub before: f64,
    /// Its mean in the second, in per cent.
    pub after: f64,
    /// Tasks on which the second is better.
    pub won: Vec<String>,
    /// Tasks on which the first is better.
    pub lost: Vec<String>,
}

/// Compares `before` with `after`.
pub fn compare(before: &Evaluation, after: &Evaluation) -> Comparison {
    let known: BTreeMap<&str, &Outcome> =
        before.outcomes.iter().map(|outcome| (outcome.instance_id.as_str(), outcome)).collect();
    let pairs: Vec<(&Outcome, &Outcome)> = after
        .outcomes
        .iter()
        .filter_map(|outcome| known.get(outcome.instance_id.as_str()).map(|old| (*old, outcome)))
        .collect();
    let mut figures: Vec<MetricChange> = Vec::new();
    for (old, new) in &pairs {
        for (place, ((name, before), (_, after))) in
            old.figures().into_iter().zip(new.figures()).enumerate()
        {
            if figures.len() == place {
                let (won, lost) = (Vec::new(), Vec::new());
                figures.push(MetricChange { name, before: 0.0, after: 0.0, won, lost });
            }
            let figure = &mut figures[place];
            figure.before += 100.0 * before / pairs.len() as f64;
            figure.after += 100.0 * after / pairs.len() as f64;
            if after > before + 1e-9 {
                figure.won.push(new.instance_id.clone());
            } else if after < before - 1e-9 {
                figure.lost.push(new.instance_id.clone());
            }
        }
    }
    let unmatched = before.outcomes.len() + after.outcomes.len() - 2 * pairs.len();
    Comparison { tasks: pairs.len(), unmatched, figures }
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
            utilisation: vec![1.0; 3],
            ms: 1.0,
            first_files: vec![],
        };
        let outcomes: Vec<Outcome> = outcomes.iter().map(outcome).collect();
        let summary = Summary::of(&outcomes.iter().collect::<Vec<_>>());
        Evaluation { version: 1, summary, by_repo: BTreeMap::new(), outcomes }
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
}
