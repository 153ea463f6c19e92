//! Costs of runs and blocks, where the costs of their pieces are summed.

use crate::format::LineRun;
use kitbag_tokens::Measure;

#[derive(Default, Clone, Copy)]
pub struct BlockCost {
    /// With the delimiter between it and the next block.
    pub before_block: Measure,
    /// With the delimiter that closes the text.
    pub before_close: Measure,
    /// Tokens of everything except the rows.
    pub overhead: usize,
}

/// Sums over the runs of a block.
#[derive(Default, Clone, Copy)]
pub struct BlockTotals {
    /// All runs, each with the delimiter between it and the next run.
    pub before_run: Measure,
    /// The rows alone.
    pub rows: Measure,
    /// The labels in the heading, each with the separators on both sides.
    pub labels: Measure,
    /// The best relevance.
    pub relevance: f64,
    pub count: usize,
}

/// Cost of a run with its prefix and suffix.
#[derive(Default, Clone, Copy)]
pub struct RunCost {
    /// With the delimiter between it and the next run of its block.
    pub before_run: Measure,
    /// With the delimiter between its block and the next.
    pub before_block: Measure,
    /// With the delimiter that closes the text.
    pub before_close: Measure,
    /// The rows alone, as they are in the file.
    pub rows: Measure,
    /// The label in the heading, with the separators on both sides; `None` without a label.
    pub label: Option<Measure>,
}

impl BlockTotals {
    pub fn add(&mut self, cost: &RunCost, run: &LineRun) {
        self.before_run += cost.before_run;
        self.rows += cost.rows;
        self.labels += cost.label.unwrap_or_default();
        // Candidates are never removed, so the best relevance only grows.
        self.relevance = self.relevance.max(run.relevance);
        self.count += 1;
    }

    pub fn remove(&mut self, cost: &RunCost) {
        self.before_run = self.before_run - cost.before_run;
        self.rows = self.rows - cost.rows;
        self.labels = self.labels - cost.label.unwrap_or_default();
        self.count -= 1;
    }
}
