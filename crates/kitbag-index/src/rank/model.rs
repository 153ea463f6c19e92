//! Learnt scores: a slope for each feature and a sum of small decision trees, which tell factor by
//! factor how a score came about.
//!
//! `scripts/learn` writes `weights.json`. A tree asks whether a feature is at most a threshold and
//! goes left or right. Every node knows the mean of what is below it, so each question changes the
//! expected score by an amount that is that feature's contribution; they sum to the score.

use super::forest::Forest;
use serde::Deserialize;
use std::cmp::Ordering;
use std::sync::LazyLock;

/// The learnt tables for files and for chunks.
#[derive(Debug, Clone, Deserialize)]
pub struct Models {
    files: Model,
    chunks: Model,
}

/// A sum of slopes and trees over named features.
#[derive(Debug, Clone, Deserialize)]
pub struct Model {
    features: Vec<String>,
    /// What each feature adds for each unit of its value.
    slopes: Vec<f32>,
    trees: Vec<Tree>,
}

/// A tree, its nodes in one list; the first is its root.
#[derive(Debug, Clone, Deserialize)]
struct Tree(Vec<Node>);

/// A node: feature, threshold, left, right, value. A leaf has no right.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Node(u16, f32, u16, u16, f32);

impl Node {
    pub(super) fn feature(&self) -> u16 {
        self.0
    }

    pub(super) fn threshold(&self) -> f32 {
        self.1
    }

    pub(super) fn left(&self) -> usize {
        usize::from(self.2)
    }

    pub(super) fn right(&self) -> usize {
        usize::from(self.3)
    }

    pub(super) fn is_leaf(&self) -> bool {
        self.3 == 0
    }

    pub(super) fn value(&self) -> f32 {
        self.4
    }
}

/// What one feature adds to a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contribution {
    /// The feature.
    pub feature: &'static str,
    /// Its value.
    pub value: f32,
    /// What it adds.
    pub adds: f32,
}

/// What adds or takes the most comes first.
pub(super) fn by_weight(a: &Contribution, b: &Contribution) -> Ordering {
    b.adds.abs().total_cmp(&a.adds.abs()).then(a.feature.cmp(b.feature))
}

static LEARNT: LazyLock<Models> = LazyLock::new(|| {
    serde_json::from_str(include_str!("weights.json")).unwrap_or_else(|error| {
        // The file is part of the program, and a test reads it.
        unreachable!("the learnt weights cannot be read: {error}")
    })
});

impl Models {
    /// What was learnt and ships with the program.
    pub fn learnt() -> &'static Self {
        &LEARNT
    }

    /// Reads what a learning run wrote.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    pub(crate) fn files(&self) -> Scorer<'_> {
        Scorer::new(&self.files, super::features::FILE_FEATURES)
    }

    pub(crate) fn chunks(&self) -> Scorer<'_> {
        Scorer::new(&self.chunks, super::features::CHUNK_FEATURES)
    }
}

/// A model, held against the features as they are listed now.
pub(crate) struct Scorer<'a> {
    model: &'a Model,
    /// For each of the model's features, its place in the list.
    places: Vec<Option<usize>>,
    names: &'static [&'static str],
    /// The trees, where they can be laid out for speed.
    forest: Option<Forest>,
}

impl<'a> Scorer<'a> {
    fn new(model: &'a Model, names: &'static [&'static str]) -> Self {
        let place = |feature: &String| names.iter().position(|name| name == feature);
        let places: Vec<Option<usize>> = model.features.iter().map(place).collect();
        let known = places.iter().all(Option::is_some);
        let trees = model.trees.iter().map(|tree| tree.0.as_slice());
        let place = |feature: u16| places.get(usize::from(feature)).copied().flatten().unwrap_or(0);
        let asked = model.trees.iter().flat_map(|tree| &tree.0).map(Node::feature);
        let within = asked.max().is_none_or(|last| usize::from(last) < places.len());
        let forest = if known && within { Forest::of(trees, place) } else { None };
        Self { model, places, names, forest }
    }

    /// The score of what has these features.
    pub fn score(&self, features: &[f32]) -> f32 {
        let trees = match &self.forest {
            Some(forest) => forest.score(features),
            None => self.walk_all(features),
        };
        let slopes = self.model.slopes.iter().zip(&self.places);
        let lines = slopes.map(|(slope, place)| place.map_or(0.0, |place| slope * features[place]));
        trees + lines.sum::<f32>()
    }

    fn walk_all(&self, features: &[f32]) -> f32 {
        self.model.trees.iter().map(|tree| self.walk(tree, features, |_, _| {})).sum()
    }

    /// The score, factor by factor, the greatest first.
    pub fn explain(&self, features: &[f32]) -> Vec<Contribution> {
        let mut adds = vec![0.0f32; self.model.features.len()];
        let slopes = self.model.slopes.iter().zip(&self.places);
        for (adds, (slope, place)) in adds.iter_mut().zip(slopes) {
            *adds += place.map_or(0.0, |place| slope * features[place]);
        }
        for tree in &self.model.trees {
            self.walk(tree, features, |feature, change| adds[feature] += change);
        }
        let mut all: Vec<Contribution> = adds
            .into_iter()
            .zip(&self.places)
            .filter_map(|(adds, place)| {
                let place = (*place)?;
                Some(Contribution { feature: self.names[place], value: features[place], adds })
            })
            .filter(|it| it.adds != 0.0)
            .collect();
        all.sort_by(by_weight);
        all
    }

    /// Goes from the root to a leaf, telling what each question changes, and gives the leaf's value.
    fn walk(&self, tree: &Tree, features: &[f32], mut changed: impl FnMut(usize, f32)) -> f32 {
        let Some(mut node) = tree.0.first() else { return 0.0 };
        // A tree has no loops; should a file claim one, the walk ends all the same.
        for _ in 0..tree.0.len() {
            if node.is_leaf() {
                break;
            }
            let feature = usize::from(node.0);
            let place = self.places.get(feature).copied().flatten();
            let value = place.map_or(0.0, |place| features[place]);
            let at = usize::from(if value <= node.1 { node.2 } else { node.3 });
            let Some(next) = tree.0.get(at) else { break };
            changed(feature.min(self.places.len().saturating_sub(1)), next.4 - node.4);
            node = next;
        }
        node.4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::FILE_FEATURES;

    #[test]
    fn trees_laid_out_score_as_trees_walked() {
        let scorer = Models::learnt().files();
        assert!(scorer.forest.is_some());
        for seed in 0..200u32 {
            let value = |at: usize| (seed * 31 + at as u32 * 17) % 23;
            let features: Vec<f32> =
                (0..FILE_FEATURES.len()).map(|at| value(at) as f32 / 11.0 - 0.2).collect();
            let laid_out = scorer.forest.as_ref().map(|forest| forest.score(&features));
            assert_eq!(laid_out, Some(scorer.walk_all(&features)), "{seed}");
        }
    }

    #[test]
    fn a_tree_that_is_none_is_walked() {
        let names = r#""features": ["fused"], "slopes": [0.0]"#;
        for nodes in ["[[0, 0.5, 0, 1, 1.0], [0, 0.0, 0, 0, 2.0]]", "[[0, 0.5, 7, 9, 1.0]]"] {
            let model = format!("{{{names}, \"trees\": [{nodes}]}}");
            let models = Models::parse(&format!("{{\"files\": {model}, \"chunks\": {model}}}"));
            let models = models.unwrap_or_else(|error| panic!("{error}"));
            let scorer = models.files();
            assert!(scorer.forest.is_none(), "{nodes}");
            assert!(scorer.score(&vec![0.0; FILE_FEATURES.len()]).is_finite());
        }
    }
}
