//! Blocks of a pack under construction: the rows shown of a file, or of a chunk, and their runs.
//!
//! A candidate affects only the runs that it meets and their neighbors. So a change is computed from
//! those alone, however many runs a file has.

use super::ChunkView;
use super::cost::{BlockCost, BlockTotals, RunCost};
use super::runs::{RowsKey, RunBuilder, ShownRows, join};
use crate::format::LineRun;
use crate::rank::Scored;
use crate::source_file::SourceFile;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// The rows shown in one block, and their cost.
#[derive(Default)]
pub struct PackBlock {
    /// Index of the file.
    pub file: usize,
    /// Index of the best candidate.
    pub best: usize,
    pub cost: BlockCost,
    pub totals: BlockTotals,
    shown: BTreeMap<RowsKey, ShownRows>,
    /// The rows of each candidate.
    keys: FxHashMap<usize, Vec<RowsKey>>,
    /// The runs by first row.
    runs: BTreeMap<usize, PricedRun>,
    /// The largest number of consecutive rows of a candidate.
    max_rows: usize,
}

/// A run with its cost, where costs are summed.
pub struct PricedRun {
    pub builder: RunBuilder,
    pub cost: RunCost,
}

/// A change to a block that is not applied yet.
pub struct BlockChange {
    /// Index of the file.
    pub file: usize,
    /// Index of the best candidate.
    pub best: usize,
    pub cost: BlockCost,
    pub totals: BlockTotals,
    candidate: usize,
    shown: Vec<ShownRows>,
    /// First rows of the runs that are replaced.
    replaced: Range<usize>,
    /// The runs that replace them, in order.
    pub runs: Vec<PricedRun>,
}

impl PackBlock {
    /// Computes the change that shows a candidate in `view`, in place of its current view.
    pub fn change(
        &self,
        index: usize,
        view: ChunkView,
        scored: &[Scored],
        files: &[SourceFile],
    ) -> BlockChange {
        let candidate = &scored[index].candidate;
        let file = &files[candidate.file];
        let shown = ShownRows::of(file, index, &scored[index], view);
        let old = self.keys.get(&index).map_or(&[][..], Vec::as_slice);
        let (replaced, after) = self.affected(&shown, old);
        let mut runs: Vec<RunBuilder> = if old.is_empty() {
            self.runs.range(replaced.clone()).map(|(_, run)| run.builder.clone()).collect()
        } else {
            let last = self.runs.range(replaced.clone()).next_back();
            let end = last.map_or(replaced.start, |(_, last)| last.builder.run.rows.end);
            let others = self.shown.range((replaced.start, 0, 0)..(end, 0, 0));
            let others = others.filter(|(_, shown)| shown.candidate != index);
            others.map(|(_, shown)| RunBuilder::new(shown, scored)).collect()
        };
        runs.extend(shown.iter().map(|shown| RunBuilder::new(shown, scored)));
        let runs = join(file, runs, after).into_iter();
        BlockChange {
            file: candidate.file,
            best: if self.keys.is_empty() { index } else { self.best.min(index) },
            cost: BlockCost::default(),
            totals: BlockTotals::default(),
            candidate: index,
            shown,
            replaced,
            runs: runs.map(|builder| PricedRun { builder, cost: RunCost::default() }).collect(),
        }
    }

    /// Applies a change that was computed from the block in its current state.
    pub fn apply(&mut self, change: BlockChange) {
        let BlockChange { file, best, cost, totals, candidate, shown, replaced, runs } = change;
        (self.file, self.best, self.cost, self.totals) = (file, best, cost, totals);
        let keys = shown.iter().map(ShownRows::key).collect();
        for key in self.keys.insert(candidate, keys).unwrap_or_default() {
            self.shown.remove(&key);
        }
        for shown in shown {
            self.max_rows = self.max_rows.max(shown.rows.len());
            self.shown.insert(shown.key(), shown);
        }
        let replaced: Vec<usize> = self.runs.range(replaced).map(|(&start, _)| start).collect();
        for start in replaced {
            self.runs.remove(&start);
        }
        self.runs.extend(runs.into_iter().map(|run| (run.builder.run.rows.start, run)));
    }

    /// Returns the shown rows that overlap `rows`.
    pub fn overlapping(&self, rows: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let start = rows.start;
        let near = (start.saturating_sub(self.max_rows), 0, 0)..(rows.end, 0, 0);
        let near = self.shown.range(near).map(|(_, shown)| shown.rows.clone());
        near.filter(move |rows| rows.end > start)
    }

    /// Returns the end of some rows that a candidate shows, with the blank rows between them and the
    /// next ones of the same run. Of several candidates that end at the same row, only the best one is
    /// extended, so that each blank row belongs to one candidate.
    pub fn end_with_blank_rows(&self, candidate: usize, rows: &Range<usize>) -> usize {
        let end = rows.end;
        let run = self.runs.range(..end).next_back();
        let run_end = run.map_or(end, |(_, run)| run.builder.run.rows.end);
        let near = (end.saturating_sub(self.max_rows), 0, 0)..(end, 0, 0);
        let is_last = |other: &ShownRows| {
            other.rows.end < end || (other.rows.end == end && other.candidate >= candidate)
        };
        if !self.shown.range(near).all(|(_, other)| is_last(other)) {
            return end;
        }
        let next = self.shown.range((end, 0, 0)..).next();
        next.map_or(end, |(&(start, ..), _)| start.min(run_end).max(end))
    }

    /// Returns the runs, in order.
    pub fn runs(&self) -> Vec<LineRun> {
        self.runs.values().map(|run| run.builder.run.clone()).collect()
    }

    /// Returns the runs before and after those that a change replaces.
    pub fn unchanged(
        &self,
        change: &BlockChange,
    ) -> (
        impl DoubleEndedIterator<Item = &PricedRun> + Clone,
        impl DoubleEndedIterator<Item = &PricedRun> + Clone,
    ) {
        let before = self.runs.range(..change.replaced.start);
        let after = self.runs.range(change.replaced.end..);
        (before.map(|(_, run)| run), after.map(|(_, run)| run))
    }

    /// Returns the runs that a change replaces.
    pub fn replaced(&self, change: &BlockChange) -> impl Iterator<Item = &PricedRun> {
        self.runs.range(change.replaced.clone()).map(|(_, run)| run)
    }

    /// Returns the first rows of the runs that a change affects, and the first row of the next run.
    /// Affected are the runs that the new or the old rows meet, the one before, which they may join,
    /// and the one after, because its gap changes.
    fn affected(&self, new: &[ShownRows], old: &[RowsKey]) -> (Range<usize>, usize) {
        let starts = new.iter().map(|shown| shown.rows.start);
        let ends = new.iter().map(|shown| shown.rows.end);
        let first = starts.chain(old.iter().map(|key| key.0)).min().unwrap_or(0);
        let last = ends.chain(old.iter().map(|key| key.1)).max().unwrap_or(0);
        let before = self.runs.range(..first).next_back();
        let mut after = self.runs.range(last..).map(|(&start, _)| start);
        let start = before.map_or(first, |(&start, _)| start);
        let end = after.next().map_or(last.max(first), |start| start + 1);
        (start..end, after.next().unwrap_or(usize::MAX))
    }
}

impl BlockChange {
    /// Returns the runs of the block after the change.
    pub fn runs_of(&self, block: &PackBlock) -> Vec<LineRun> {
        let (before, after) = block.unchanged(self);
        before.chain(&self.runs).chain(after).map(|run| run.builder.run.clone()).collect()
    }
}
