//! Trees laid out for speed: every path has the same number of questions, so that a walk is
//! arithmetic without branches.

use super::model::Node;

/// Deeper trees would be laid out too widely; nothing of the sort is learnt.
const MOST_QUESTIONS: u32 = 8;

/// Trees whose paths all have as many questions as the longest.
pub(super) struct Forest {
    questions: u32,
    /// Feature and threshold, tree by tree, level by level.
    asked: Vec<(usize, f32)>,
    /// What each path leads to, tree by tree.
    leaves: Vec<f32>,
}

impl Forest {
    /// Lays out trees; `None` where one of them is too deep, or is no tree at all. `place` tells
    /// where a tree's feature stands among the values.
    pub fn of<'t>(
        trees: impl Iterator<Item = &'t [Node]> + Clone,
        place: impl Fn(u16) -> usize,
    ) -> Option<Self> {
        let depths = trees.clone().map(|tree| depth(tree, 0, 0));
        let questions = depths.collect::<Option<Vec<u32>>>()?.into_iter().max().unwrap_or(0);
        let mut forest = Self { questions, asked: Vec::new(), leaves: Vec::new() };
        for tree in trees {
            forest.add(tree, &place);
        }
        Some(forest)
    }

    fn add(&mut self, tree: &[Node], place: &impl Fn(u16) -> usize) {
        let mut level: Vec<&Node> = tree.first().into_iter().collect();
        if level.is_empty() {
            return;
        }
        for _ in 0..self.questions {
            let mut next = Vec::with_capacity(2 * level.len());
            for node in level {
                if node.is_leaf() {
                    self.asked.push((0, f32::INFINITY));
                    next.extend([node, node]);
                } else {
                    self.asked.push((place(node.feature()), node.threshold()));
                    next.extend([&tree[node.left()], &tree[node.right()]]);
                }
            }
            level = next;
        }
        self.leaves.extend(level.iter().map(|leaf| leaf.value()));
    }

    /// The sum of what the trees lead to.
    pub fn score(&self, values: &[f32]) -> f32 {
        let width = 1usize << self.questions;
        if width == 1 {
            return self.leaves.iter().sum();
        }
        let trees = self.asked.chunks_exact(width - 1).zip(self.leaves.chunks_exact(width));
        trees.map(|(asked, leaves)| leaves[self.leaf(asked, values)]).sum()
    }

    fn leaf(&self, asked: &[(usize, f32)], values: &[f32]) -> usize {
        let mut at = 0;
        for _ in 0..self.questions {
            let (feature, threshold) = asked[at];
            let left = values[feature] <= threshold;
            at = 2 * at + 2 - usize::from(left);
        }
        at - asked.len()
    }
}

/// The most questions on a path; `None` where there are too many, or a node is not there.
fn depth(tree: &[Node], at: usize, above: u32) -> Option<u32> {
    if tree.is_empty() {
        return Some(0);
    }
    let node = tree.get(at)?;
    if node.is_leaf() {
        return Some(above);
    }
    if above >= MOST_QUESTIONS {
        return None;
    }
    let left = depth(tree, node.left(), above + 1)?;
    Some(left.max(depth(tree, node.right(), above + 1)?))
}
