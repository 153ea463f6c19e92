//! Exact costs of blocks in a built-in format, as sums of the costs of their pieces.
//!
//! Pieces start where token counts add up, so a text costs the sum of its pieces. The text after a
//! run is counted together with the end of the run, where counts might not add up.

use super::block::{BlockChange, PackBlock, PricedRun};
use super::cost::{BlockCost, BlockTotals, RunCost};
use crate::format::{self, EscapedRows, LineRun, RenderContext, Renderer, RunSummary, TokenSplit};
use crate::source_file::SourceFile;
use kitbag_text::ChunkPart;
use kitbag_tokens::{Measure, TokenCounter};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Everything that the cost of a run depends on. Most runs of a file stay the same when a chunk is
/// added, so their costs are cached.
#[derive(PartialEq, Eq, Hash)]
struct RunKey {
    file: usize,
    previous_end: Option<usize>,
    rows: Range<usize>,
    truncated_rows: usize,
    has_outline: bool,
    parts: Vec<ChunkPart>,
    relevance_bits: u64,
    score_bits: u64,
}

/// The costs of runs and blocks in one format.
pub struct SummedCosts<'a> {
    context: &'a RenderContext<'a>,
    renderer: Box<dyn Renderer>,
    escaped: FxHashMap<usize, EscapedRows>,
    run_costs: FxHashMap<RunKey, RunCost>,
    /// Whether counts add up between two labels in a heading.
    labels_add: bool,
}

impl<'a> SummedCosts<'a> {
    /// Returns `None` if costs cannot be summed: with a template, or if counts do not add up before
    /// the pieces of the format.
    pub fn new(context: &'a RenderContext<'a>) -> Option<Self> {
        let counter = context.counting.counter();
        if context.formatting.active_template().is_some() || !counter.has_exact_sums() {
            return None;
        }
        let renderer = format::renderer(context);
        let adds =
            |line: &str| ["};\n", "\n"].iter().all(|it| counter.is_additive_between(it, line));
        if !renderer.first_lines().iter().all(|line| adds(line)) {
            return None;
        }
        Some(Self {
            context,
            renderer,
            escaped: FxHashMap::default(),
            run_costs: FxHashMap::default(),
            labels_add: counter.is_additive_at(',', ' '),
        })
    }

    /// Returns the cost of the text before the first block.
    pub fn open(&self) -> Measure {
        self.counter().measure(&self.renderer.delimiters().open)
    }

    /// Returns the cost of a text without blocks.
    pub fn empty(&self) -> Measure {
        self.counter().measure(&self.renderer.delimiters().empty)
    }

    /// Whether rows are shown, and cost, the same as in the file.
    pub fn keeps_rows(&self) -> bool {
        !self.renderer.escapes()
    }

    /// Computes the cost of a block after a change.
    pub fn price(&mut self, block: &PackBlock, change: &mut BlockChange) {
        let file = &self.context.files[change.file];
        let mut totals = block.totals;
        for replaced in block.replaced(change) {
            totals.remove(&replaced.cost);
        }
        let mut previous = block.unchanged(change).0.next_back().map(|it| it.builder.run.clone());
        for PricedRun { builder, cost } in &mut change.runs {
            *cost = self.run_cost(change.file, previous.as_ref(), &builder.run);
            cost.label = self.label_cost(file, &builder.run);
            totals.add(cost, &builder.run);
            previous = Some(builder.run.clone());
        }
        let heading = self.heading_cost(block, change, totals);
        let (before, after) = block.unchanged(change);
        let last = before.chain(&change.runs).chain(after).next_back();
        let last = last.map(|run| run.cost).unwrap_or_default();
        let others = heading + (totals.before_run - last.before_run);
        let before_block = others + last.before_block;
        let before_close = others + last.before_close;
        let overhead = self.counter().tokens(before_block - totals.rows);
        change.cost = BlockCost { before_block, before_close, overhead };
        change.totals = totals;
    }

    fn label_cost(&self, file: &SourceFile, run: &LineRun) -> Option<Measure> {
        let label = self.renderer.run_label(file, run, false);
        (!label.is_empty()).then(|| self.counter().measure(&format!(" {label},")))
    }

    /// Computes the cost of a heading. Where counts add up between labels, only the first and the
    /// last label are measured.
    fn heading_cost(
        &self,
        block: &PackBlock,
        change: &BlockChange,
        totals: BlockTotals,
    ) -> Measure {
        let file = &self.context.files[change.file];
        let (before, after) = block.unchanged(change);
        let runs = before.chain(&change.runs).chain(after);
        let mut labeled = runs.filter(|run| run.cost.label.is_some());
        let first = labeled.clone().next();
        let is_single_line =
            |run: &PricedRun| totals.count == 1 && run.builder.run.is_single_line(file);
        let summary = RunSummary {
            has_labels: first.is_some(),
            is_single_line: first.is_some_and(is_single_line),
            relevance: totals.relevance,
        };
        let heading = self.renderer.heading(file, summary);
        let measure = |text: &str| self.counter().measure(text);
        if !self.labels_add {
            let runs = labeled.map(|run| &run.builder.run);
            return measure(&heading.with_labels(&*self.renderer, file, runs));
        }
        let Some(first) = first else { return measure(&(heading.prefix + &heading.suffix)) };
        let label =
            |run: &PricedRun, is_first| self.renderer.run_label(file, &run.builder.run, is_first);
        let (prefix, suffix) = (heading.prefix + &label(first, true), heading.suffix);
        match labeled.next_back().filter(|last| !std::ptr::eq(*last, first)) {
            None => measure(&(prefix + &suffix)),
            Some(last) => {
                let ends = [first, last].into_iter().filter_map(|run| run.cost.label);
                let others = ends.fold(totals.labels, |sum, label| sum - label);
                let last = format!(" {}{suffix}", label(last, false));
                measure(&format!("{prefix},")) + others + measure(&last)
            }
        }
    }

    fn run_cost(&mut self, file: usize, previous: Option<&LineRun>, run: &LineRun) -> RunCost {
        let key = RunKey {
            file,
            previous_end: previous.map(|previous| previous.rows.end),
            rows: run.rows.clone(),
            truncated_rows: run.truncated_rows,
            has_outline: run.has_outline,
            parts: run.parts.clone(),
            relevance_bits: run.relevance.to_bits(),
            score_bits: run.score.to_bits(),
        };
        if let Some(known) = self.run_costs.get(&key) {
            return *known;
        }
        let cost = self.measure_run(file, previous, run);
        self.run_costs.insert(key, cost);
        cost
    }

    fn measure_run(&mut self, index: usize, previous: Option<&LineRun>, run: &LineRun) -> RunCost {
        let RenderContext { files, counting, .. } = *self.context;
        let (file, renderer, counter) = (&files[index], &*self.renderer, counting.counter());
        let split = if renderer.escapes() {
            let escaped = self.escaped.entry(index);
            let escaped = escaped.or_insert_with(|| EscapedRows::new(renderer, file, counter));
            escaped.split(run.rows.clone(), counter)
        } else {
            TokenSplit::of_file(file, run.rows.clone(), counting)
        };
        let start = renderer.run_prefix(file, previous, run) + split.head;
        let (start_cost, mut end) = match split.tail {
            Some(tail) => (split.middle + counter.measure(&start), tail.to_owned()),
            None => (split.middle, start),
        };
        if renderer.ends_lines() && !end.ends_with('\n') {
            end.push('\n');
        }
        end.push_str(&renderer.run_suffix(file, run));
        let delimiters = renderer.delimiters();
        let before = |next: &str| start_cost + counter.measure(&format!("{end}{next}"));
        RunCost {
            before_run: before(&delimiters.between_runs),
            before_block: before(&delimiters.between_blocks),
            before_close: before(&delimiters.close),
            rows: file.measure(counting, run.rows.clone()),
            label: None,
        }
    }

    fn counter(&self) -> &'a dyn TokenCounter {
        self.context.counting.counter()
    }
}
