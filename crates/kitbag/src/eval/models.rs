//! What was learnt with some projects left out, so that each can be tested by what never saw it.

use super::task::Task;
use kitbag_index::Models;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Learnt weights for folds of projects: each fold's were learnt on the other folds.
#[derive(Debug, Deserialize)]
pub struct FoldModels {
    /// The fold of each project.
    folds: BTreeMap<String, usize>,
    /// The weights to test each fold with.
    models: Vec<Models>,
}

impl FoldModels {
    /// Reads what `scripts/learn` wrote.
    pub fn parse(text: &str) -> Result<Self, String> {
        let folds: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if folds.models.is_empty() {
            return Err("there are no folds in it".to_owned());
        }
        match folds.folds.iter().find(|(_, fold)| **fold >= folds.models.len()) {
            Some((project, fold)) => Err(format!("there is no fold {fold} for `{project}`")),
            None => Ok(folds),
        }
    }

    /// The weights that were learnt without a task's project. A project in no fold was left out of
    /// them all.
    pub(super) fn of(&self, task: &Task) -> &Models {
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
                r#"{"folds": {"o/n": 1}, "models": [{"files": {"features": [], "slopes": [], "trees": []},
                "chunks": {"features": [], "slopes": [], "trees": []}}]}"#,
                "no fold 1 for `o/n`",
            ),
        ] {
            let error = FoldModels::parse(text).expect_err(text);
            assert!(error.contains(reason), "{error}");
        }
    }
}
