//! PageRank of a weighted graph.

/// Share of the rank that follows edges; the rest is spread evenly.
const DAMPING: f64 = 0.85;
/// Iterations after which the order of the ranks no longer changes in practice.
const ITERATIONS: usize = 30;

/// A weighted edge between nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    pub weight: f64,
}

/// Returns the rank of each node; together they are 1. Edges are summed in the given order, which must
/// not depend on how the graph was built.
pub fn pagerank(nodes: usize, edges: &[Edge]) -> Vec<f64> {
    if nodes == 0 {
        return Vec::new();
    }
    let even = 1.0 / nodes as f64;
    let mut out = vec![0.0; nodes];
    for edge in edges {
        out[edge.from as usize] += edge.weight;
    }
    let mut ranks = vec![even; nodes];
    for _ in 0..ITERATIONS {
        // Nodes without edges pass their rank on to all.
        let stuck: f64 =
            ranks.iter().zip(&out).filter(|(_, out)| **out <= 0.0).map(|(it, _)| it).sum();
        let base = (1.0 - DAMPING + DAMPING * stuck) * even;
        let mut next = vec![base; nodes];
        for edge in edges {
            let from = edge.from as usize;
            next[edge.to as usize] += DAMPING * ranks[from] * edge.weight / out[from];
        }
        ranks = next;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_important_nodes_refer_to_rank_first() {
        let edge = |from, to| Edge { from, to, weight: 1.0 };
        let ranks = pagerank(4, &[edge(0, 1), edge(2, 1), edge(1, 3)]);
        assert!(ranks[3] > ranks[1] && ranks[1] > ranks[0], "{ranks:?}");
        assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(pagerank(0, &[]), Vec::<f64>::new());
        assert_eq!(pagerank(2, &[]), [0.5, 0.5]);
    }
}
