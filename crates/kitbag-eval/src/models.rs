//! Ranking models for cross-validation, trained without the projects they are tested on.

use super::task::Task;
use kitbag_index::RankModels;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Ranking models by fold of projects. The model of each fold is trained on all other folds.
#[derive(Debug, Deserialize)]
pub struct FoldModels {
    /// The fold of each project.
    folds: BTreeMap<String, usize>,
    /// The model to test each fold with.
    models: Vec<RankModels>,
}

impl FoldModels {
    /// Parses the output of `scripts/learn`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let folds: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if folds.models.is_empty() {
            return Err("no folds".to_owned());
        }
        match folds.folds.iter().find(|(_, fold)| **fold >= folds.models.len()) {
            Some((project, fold)) => Err(format!("there is no fold {fold} for `{project}`")),
            None => Ok(folds),
        }
    }

    /// Returns the model that was trained without the task's project. Any model is valid for a
    /// project that is in no fold.
    pub(super) fn of(&self, task: &Task) -> &RankModels {
        let fold = self.folds.get(&task.repo).copied().unwrap_or(0);
        &self.models[fold]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_could_test_nothing_are_refused() {
        for (text, reason) in [
            ("{}", "missing field"),
            (r#"{"folds": {}, "models": []}"#, "no folds"),
            (
                r#"{"folds": {"o/n": 1}, "models": [{"kind": {"features": [], "slopes": [], "trees": []},
                "change": {"files": {"features": [], "slopes": [], "trees": []},
                "chunks": {"features": [], "slopes": [], "trees": []}},
                "question": {"files": {"features": [], "slopes": [], "trees": []},
                "chunks": {"features": [], "slopes": [], "trees": []}},
                "task": {"features": [], "slopes": [], "trees": []}, "calibration": {}}]}"#,
                "no fold 1 for `o/n`",
            ),
        ] {
            let error = FoldModels::parse(text).expect_err(text);
            assert!(error.contains(reason), "{error}");
        }
    }
}
