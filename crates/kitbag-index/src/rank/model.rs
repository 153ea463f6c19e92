//! Learned scoring: a linear model plus small decision trees, which can be explained feature by
//! feature.
//!
//! `scripts/learn` writes `weights.json`. Every node of a tree has the mean of the leaves below it,
//! so each split changes the expected score by an amount that is its feature's contribution; the
//! contributions sum to the score.

use super::calibration::Calibration;
use super::features::{CHUNK_FEATURES, FILE_FEATURES, TASK_FEATURES};
use super::forest::{Forest, TreeNode};
use crate::task::{KIND_FEATURES, ParsedTask};
use serde::Deserialize;
use std::cmp::Ordering;
use std::sync::LazyLock;

/// The learned models: which kind a task is of, which files matter and which of their chunks for either
/// kind, whether the task is about the repository at all, and the chance that follows from the scores.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "WeightsFile")]
pub struct RankModels {
    kind: RankModel,
    change: CandidateModels,
    question: CandidateModels,
    pub(super) task: RankModel,
    pub(super) calibration: Calibration,
}

/// The models of files and of chunks for one kind of task.
#[derive(Debug, Clone)]
struct CandidateModels {
    files: RankModel,
    chunks: RankModel,
}

/// The format of `weights.json`.
#[derive(Deserialize)]
struct WeightsFile {
    kind: ModelWeights,
    change: CandidateWeights,
    question: CandidateWeights,
    task: ModelWeights,
    calibration: Calibration,
}

#[derive(Deserialize)]
struct CandidateWeights {
    files: ModelWeights,
    chunks: ModelWeights,
}

#[derive(Deserialize)]
struct ModelWeights {
    /// Names of the features that slopes and trees refer to.
    features: Vec<String>,
    slopes: Vec<f32>,
    /// Slopes to add in proportion to the task's brevity, and for a task that is a single name.
    #[serde(default)]
    brief_slopes: Vec<f32>,
    #[serde(default)]
    name_slopes: Vec<f32>,
    /// Nodes of each tree, the root first.
    trees: Vec<Vec<TreeNode>>,
    #[serde(default)]
    intercept: f32,
}

/// Contribution of one feature to a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contribution {
    /// Name of the feature.
    pub feature: &'static str,
    /// Value of the feature.
    pub value: f32,
    /// Amount that it adds to the score.
    pub amount: f32,
}

/// Orders by absolute contribution, largest first.
pub(super) fn by_magnitude(a: &Contribution, b: &Contribution) -> Ordering {
    b.amount.abs().total_cmp(&a.amount.abs()).then(a.feature.cmp(b.feature))
}

static LEARNED: LazyLock<RankModels> = LazyLock::new(|| {
    serde_json::from_str(include_str!("weights.json")).unwrap_or_else(|error| {
        // The file is compiled in, and a test parses it.
        unreachable!("invalid built-in weights: {error}")
    })
});

impl RankModels {
    /// Returns the models that ship with the program.
    pub fn learned() -> &'static Self {
        &LEARNED
    }
}

impl TryFrom<WeightsFile> for RankModels {
    type Error = String;

    fn try_from(file: WeightsFile) -> Result<Self, String> {
        Ok(Self {
            kind: RankModel::new(file.kind, KIND_FEATURES)?,
            change: file.change.try_into()?,
            question: file.question.try_into()?,
            task: RankModel::new(file.task, TASK_FEATURES)?,
            calibration: file.calibration,
        })
    }
}

impl TryFrom<CandidateWeights> for CandidateModels {
    type Error = String;

    fn try_from(weights: CandidateWeights) -> Result<Self, String> {
        Ok(Self {
            files: RankModel::new(weights.files, FILE_FEATURES)?,
            chunks: RankModel::new(weights.chunks, CHUNK_FEATURES)?,
        })
    }
}

/// Chance of the other kind below which its models are not asked.
const MIN_KIND_CHANCE: f32 = 0.02;

/// The models of candidates for one task: those for changes and those for questions, in proportion to the
/// chance that the task is one.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskModels<'a> {
    models: &'a RankModels,
    /// Chance that the task describes a change rather than asks where something is.
    pub change: f32,
}

impl<'a> TaskModels<'a> {
    pub fn new(models: &'a RankModels, task: &ParsedTask) -> Self {
        let chance = 1.0 / (1.0 + (-models.kind.score(&task.kind_features)).exp());
        let change = match chance {
            it if it < MIN_KIND_CHANCE => 0.0,
            it if it > 1.0 - MIN_KIND_CHANCE => 1.0,
            it => it,
        };
        Self { models, change }
    }

    pub fn score_file(&self, features: &[f32]) -> f32 {
        self.score(|models| &models.files, features)
    }

    pub fn score_chunk(&self, features: &[f32]) -> f32 {
        self.score(|models| &models.chunks, features)
    }

    pub fn explain_file(&self, features: &[f32]) -> Vec<Contribution> {
        self.explain(|models| &models.files, features)
    }

    pub fn explain_chunk(&self, features: &[f32]) -> Vec<Contribution> {
        self.explain(|models| &models.chunks, features)
    }

    fn score(&self, model: fn(&CandidateModels) -> &RankModel, features: &[f32]) -> f32 {
        self.shares().map(|(models, share)| share * model(models).score(features)).sum()
    }

    /// Returns the contributions of the features to the score, largest first.
    fn explain(
        &self,
        model: fn(&CandidateModels) -> &RankModel,
        features: &[f32],
    ) -> Vec<Contribution> {
        let mut amounts = vec![0.0f32; features.len()];
        for (models, share) in self.shares() {
            let of_model = model(models).amounts(features);
            amounts.iter_mut().zip(of_model).for_each(|(sum, amount)| *sum += share * amount);
        }
        contributions(model(&self.models.change).names, features, &amounts)
    }

    /// Iterates over the models in use with their shares of the score.
    fn shares(&self) -> impl Iterator<Item = (&'a CandidateModels, f32)> + use<'a> {
        let both = [(&self.models.change, self.change), (&self.models.question, 1.0 - self.change)];
        both.into_iter().filter(|(_, share)| *share > 0.0)
    }
}

fn contributions(
    names: &'static [&'static str],
    features: &[f32],
    amounts: &[f32],
) -> Vec<Contribution> {
    let values = names.iter().zip(features).zip(amounts);
    let mut all: Vec<Contribution> = values
        .map(|((feature, &value), &amount)| Contribution { feature, value, amount })
        .filter(|it| it.amount != 0.0)
        .collect();
    all.sort_by(by_magnitude);
    all
}

/// A linear model plus decision trees over a list of features. The slopes depend on how brief the task is
/// and on whether it is a single name, because what identifies the right file differs: the path for a
/// question, the definition for a name, the text for a report.
#[derive(Debug, Clone)]
pub(super) struct RankModel {
    slopes: Vec<Slope>,
    intercept: f32,
    /// Features with the brevity of the task and whether it is a name.
    shape: Option<(usize, usize)>,
    trees: Vec<Vec<TreeNode>>,
    /// The same trees, laid out for speed.
    forest: Forest,
    names: &'static [&'static str],
}

/// The slope of a feature.
#[derive(Debug, Clone, Copy)]
struct Slope {
    feature: usize,
    base: f32,
    brief: f32,
    name: f32,
}

impl RankModel {
    fn new(weights: ModelWeights, names: &'static [&'static str]) -> Result<Self, String> {
        let find = |feature: &str| names.iter().position(|name| *name == feature);
        let index =
            |feature: &String| find(feature).ok_or_else(|| format!("unknown feature `{feature}`"));
        let indexes = weights.features.iter().map(index).collect::<Result<Vec<usize>, String>>()?;
        let mut trees = weights.trees;
        for node in trees.iter_mut().flatten() {
            let index = indexes.get(node.feature).copied();
            // Leaves have no feature.
            node.feature = index.or(node.is_leaf().then_some(0)).ok_or("a tree uses no feature")?;
        }
        let forest = Forest::new(&trees).ok_or("a tree is malformed or too deep")?;
        let at = |slopes: &[f32], place: usize| slopes.get(place).copied().unwrap_or(0.0);
        let slopes = indexes.into_iter().zip(weights.slopes).enumerate();
        let slopes = slopes.map(|(place, (feature, base))| Slope {
            feature,
            base,
            brief: at(&weights.brief_slopes, place),
            name: at(&weights.name_slopes, place),
        });
        Ok(Self {
            slopes: slopes.collect(),
            intercept: weights.intercept,
            shape: find("brevity").zip(find("is_name")),
            trees,
            forest,
            names,
        })
    }

    pub fn score(&self, features: &[f32]) -> f32 {
        let linear = self.linear(features).map(|(_, amount)| amount);
        self.intercept + self.forest.score(features) + linear.sum::<f32>()
    }

    /// Iterates over the features with the amounts that their slopes add.
    fn linear<'a>(&'a self, features: &'a [f32]) -> impl Iterator<Item = (usize, f32)> + 'a {
        let shape =
            self.shape.map_or((0.0, 0.0), |(brief, name)| (features[brief], features[name]));
        self.slopes.iter().map(move |it| {
            let slope = it.base + it.brief * shape.0 + it.name * shape.1;
            (it.feature, slope * features[it.feature])
        })
    }

    /// Returns the amount that each feature adds to the score.
    fn amounts(&self, features: &[f32]) -> Vec<f32> {
        let mut amounts = vec![0.0f32; self.names.len()];
        for (feature, amount) in self.linear(features) {
            amounts[feature] += amount;
        }
        for tree in &self.trees {
            walk(tree, features, |feature, change| amounts[feature] += change);
        }
        amounts
    }
}

/// Walks from the root of a valid tree to a leaf and returns its value. Calls `visit` with the feature
/// of each split and the change of the expected score.
fn walk(tree: &[TreeNode], features: &[f32], mut visit: impl FnMut(usize, f32)) -> f32 {
    let Some(mut node) = tree.first() else { return 0.0 };
    while !node.is_leaf() {
        let goes_left = features[node.feature] <= node.threshold;
        let child = &tree[if goes_left { node.left } else { node.right }];
        visit(node.feature, child.value - node.value);
        node = child;
    }
    node.value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_layout_scores_like_walking_the_trees() {
        let model = &RankModels::learned().change.files;
        for seed in 0..200u32 {
            let value = |at: usize| (seed * 31 + at as u32 * 17) % 23;
            let features: Vec<f32> =
                (0..FILE_FEATURES.len()).map(|at| value(at) as f32 / 11.0 - 0.2).collect();
            let walked: f32 = model.trees.iter().map(|tree| walk(tree, &features, |_, _| {})).sum();
            assert_eq!(model.forest.score(&features), walked, "{seed}");
        }
    }

    #[test]
    fn invalid_weights_are_rejected() {
        for (feature, tree, reason) in [
            ("all_fields", "[[0, 0.5, 0, 1, 1.0], [0, 0.0, 0, 0, 2.0]]", "too deep"),
            ("all_fields", "[[0, 0.5, 7, 9, 1.0]]", "malformed"),
            ("all_fields", "[[1, 0.5, 1, 1, 1.0], [0, 0.0, 0, 0, 2.0]]", "no feature"),
            ("fused", "[]", "unknown feature `fused`"),
        ] {
            let model =
                format!(r#"{{"features": ["{feature}"], "slopes": [0.0], "trees": [{tree}]}}"#);
            let empty = r#"{"features": [], "slopes": [], "trees": []}"#;
            let file = format!(
                r#"{{"kind": {empty}, "change": {{"files": {model}, "chunks": {model}}}, "question":
                {{"files": {model}, "chunks": {model}}}, "task": {model}, "calibration": {{}}}}"#
            );
            let error = serde_json::from_str::<RankModels>(&file).expect_err(tree);
            assert!(error.to_string().contains(reason), "{error}");
        }
    }

    #[test]
    fn the_built_in_models_use_every_feature() {
        let models = RankModels::learned();
        assert_eq!(models.kind.slopes.len(), KIND_FEATURES.len());
        for of_kind in [&models.change, &models.question] {
            assert_eq!(of_kind.files.slopes.len(), FILE_FEATURES.len());
            assert_eq!(of_kind.chunks.slopes.len(), CHUNK_FEATURES.len());
        }
        assert_eq!(models.task.slopes.len(), TASK_FEATURES.len());
    }
}
