//! Learned scoring: a linear model plus small decision trees, which can be explained feature by
//! feature.
//!
//! `scripts/learn` writes `weights.json`. Every node of a tree has the mean of the leaves below it,
//! so each split changes the expected score by an amount that is its feature's contribution; the
//! contributions sum to the score.

use super::features::{CHUNK_FEATURES, FILE_FEATURES};
use super::forest::{Forest, TreeNode};
use serde::Deserialize;
use std::cmp::Ordering;
use std::sync::LazyLock;

/// The learned models for files and for chunks.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "WeightsFile")]
pub struct RankModels {
    pub(super) files: RankModel,
    pub(super) chunks: RankModel,
}

/// The format of `weights.json`.
#[derive(Deserialize)]
struct WeightsFile {
    files: ModelWeights,
    chunks: ModelWeights,
}

#[derive(Deserialize)]
struct ModelWeights {
    /// Names of the features that slopes and trees refer to.
    features: Vec<String>,
    slopes: Vec<f32>,
    /// Nodes of each tree, the root first.
    trees: Vec<Vec<TreeNode>>,
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
            files: RankModel::new(file.files, FILE_FEATURES)?,
            chunks: RankModel::new(file.chunks, CHUNK_FEATURES)?,
        })
    }
}

/// A linear model plus decision trees over a list of features.
#[derive(Debug, Clone)]
pub(super) struct RankModel {
    /// Slope of each feature, in the order of the weights.
    slopes: Vec<(usize, f32)>,
    trees: Vec<Vec<TreeNode>>,
    /// The same trees, laid out for speed.
    forest: Forest,
    names: &'static [&'static str],
}

impl RankModel {
    fn new(weights: ModelWeights, names: &'static [&'static str]) -> Result<Self, String> {
        let index = |feature: &String| {
            let found = names.iter().position(|name| name == feature);
            found.ok_or_else(|| format!("unknown feature `{feature}`"))
        };
        let indexes = weights.features.iter().map(index).collect::<Result<Vec<usize>, String>>()?;
        let mut trees = weights.trees;
        for node in trees.iter_mut().flatten() {
            let index = indexes.get(node.feature).copied();
            // Leaves have no feature.
            node.feature = index.or(node.is_leaf().then_some(0)).ok_or("a tree uses no feature")?;
        }
        let forest = Forest::new(&trees).ok_or("a tree is malformed or too deep")?;
        Ok(Self { slopes: indexes.into_iter().zip(weights.slopes).collect(), trees, forest, names })
    }

    pub fn score(&self, features: &[f32]) -> f32 {
        let linear = self.slopes.iter().map(|&(index, slope)| slope * features[index]);
        self.forest.score(features) + linear.sum::<f32>()
    }

    /// Returns the contributions of the features to the score, largest first.
    pub fn explain(&self, features: &[f32]) -> Vec<Contribution> {
        let mut amounts = vec![0.0f32; self.names.len()];
        for &(index, slope) in &self.slopes {
            amounts[index] += slope * features[index];
        }
        for tree in &self.trees {
            walk(tree, features, |feature, change| amounts[feature] += change);
        }
        let values = features.iter().zip(amounts);
        let mut all: Vec<Contribution> = self
            .names
            .iter()
            .zip(values)
            .map(|(feature, (&value, amount))| Contribution { feature, value, amount })
            .filter(|it| it.amount != 0.0)
            .collect();
        all.sort_by(by_magnitude);
        all
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
        let model = &RankModels::learned().files;
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
            let file = format!(r#"{{"files": {model}, "chunks": {model}}}"#);
            let error = serde_json::from_str::<RankModels>(&file).expect_err(tree);
            assert!(error.to_string().contains(reason), "{error}");
        }
    }

    #[test]
    fn the_built_in_models_use_every_feature() {
        let models = RankModels::learned();
        assert_eq!(models.files.slopes.len(), FILE_FEATURES.len());
        assert_eq!(models.chunks.slopes.len(), CHUNK_FEATURES.len());
    }
}
