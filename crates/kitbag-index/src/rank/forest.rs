//! Decision trees laid out for speed: all paths of all trees have the same length, so that evaluation
//! is branch-free.

use serde::Deserialize;

/// Maximum depth of a tree: deeper ones would take too much space, and training limits the depth to 4.
const MAX_DEPTH: u32 = 8;

/// A node of a decision tree. The root is never a child, so a leaf has `right == 0`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(from = "(u16, f32, u16, u16, f32)")]
pub(super) struct TreeNode {
    pub feature: usize,
    /// Values up to the threshold go left.
    pub threshold: f32,
    pub left: usize,
    pub right: usize,
    /// Value of a leaf; the mean of the leaves below an inner node.
    pub value: f32,
}

impl From<(u16, f32, u16, u16, f32)> for TreeNode {
    fn from((feature, threshold, left, right, value): (u16, f32, u16, u16, f32)) -> Self {
        let (feature, left, right) = (feature.into(), left.into(), right.into());
        Self { feature, threshold, left, right, value }
    }
}

impl TreeNode {
    pub fn is_leaf(&self) -> bool {
        self.right == 0
    }
}

/// Complete binary trees of equal depth.
#[derive(Debug, Clone)]
pub(super) struct Forest {
    depth: u32,
    /// Feature index and threshold, tree by tree, level by level.
    splits: Vec<(usize, f32)>,
    /// Leaf values, tree by tree.
    leaves: Vec<f32>,
}

impl Forest {
    /// Lays out trees; `None` if one of them is too deep or malformed.
    pub fn new(trees: &[Vec<TreeNode>]) -> Option<Self> {
        let depths = trees.iter().map(|tree| depth(tree, 0, 0));
        let depth = depths.collect::<Option<Vec<u32>>>()?.into_iter().max().unwrap_or(0);
        let mut forest = Self { depth, splits: Vec::new(), leaves: Vec::new() };
        for tree in trees {
            forest.add(tree);
        }
        Some(forest)
    }

    fn add(&mut self, tree: &[TreeNode]) {
        let mut level: Vec<&TreeNode> = tree.first().into_iter().collect();
        if level.is_empty() {
            return;
        }
        for _ in 0..self.depth {
            let mut next = Vec::with_capacity(2 * level.len());
            for node in level {
                if node.is_leaf() {
                    self.splits.push((0, f32::INFINITY));
                    next.extend([node, node]);
                } else {
                    self.splits.push((node.feature, node.threshold));
                    next.extend([&tree[node.left], &tree[node.right]]);
                }
            }
            level = next;
        }
        self.leaves.extend(level.iter().map(|leaf| leaf.value));
    }

    /// Returns the sum of the leaf values that the features lead to.
    pub fn score(&self, features: &[f32]) -> f32 {
        let width = 1usize << self.depth;
        if width == 1 {
            return self.leaves.iter().sum();
        }
        let trees = self.splits.chunks_exact(width - 1).zip(self.leaves.chunks_exact(width));
        trees.map(|(splits, leaves)| leaves[self.leaf(splits, features)]).sum()
    }

    fn leaf(&self, splits: &[(usize, f32)], features: &[f32]) -> usize {
        let mut at = 0;
        for _ in 0..self.depth {
            let (feature, threshold) = splits[at];
            let goes_left = features[feature] <= threshold;
            at = 2 * at + 2 - usize::from(goes_left);
        }
        at - splits.len()
    }
}

/// Returns the depth of the subtree at `at`; `None` if it is too deep or a node is missing.
fn depth(tree: &[TreeNode], at: usize, above: u32) -> Option<u32> {
    if tree.is_empty() {
        return Some(0);
    }
    let node = tree.get(at)?;
    if node.is_leaf() {
        return Some(above);
    }
    if above >= MAX_DEPTH {
        return None;
    }
    let left = depth(tree, node.left, above + 1)?;
    Some(left.max(depth(tree, node.right, above + 1)?))
}
