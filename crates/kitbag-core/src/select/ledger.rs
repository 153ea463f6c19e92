//! The contents of the pack so far, and their exact cost.
//!
//! A change is first drafted, which gives the cost of the whole text, and then committed or dropped.
//! Drafts are priced piece by piece where token counts add up, and by rendering the whole text
//! otherwise.

use super::ChunkView;
use super::block::{BlockChange, PackBlock};
use super::rendered::RenderedCosts;
use super::summed::SummedCosts;
use crate::format::{self, FileBlock, LineRun, RenderContext, TemplateError, TextWriter};
use crate::rank::Scored;
use crate::source_file::SourceFile;
use kitbag_text::Span;
use kitbag_tokens::Measure;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Maximum number of tokens that joining a chunk to its neighbors can save, apart from their headers,
/// fences and shared lines: merged whitespace, and the rounding of estimates.
const JOIN_SLACK_TOKENS: usize = 8;

/// The blocks of the pack, and the exact cost of its text.
pub struct Ledger<'a> {
    scored: &'a [Scored],
    context: &'a RenderContext<'a>,
    /// Blocks by id: the index of the file, or of the candidate if chunks are not grouped by file.
    blocks: BTreeMap<usize, PackBlock>,
    /// The best candidate and the id of each block, in the order in which they are shown.
    order: BTreeSet<(usize, usize)>,
    method: CostMethod<'a>,
    /// Tokens of the text without chunks.
    empty_tokens: usize,
    /// Tokens of the current text; `None` if not even a text without chunks fits.
    tokens: Option<usize>,
}

/// How costs are determined.
enum CostMethod<'a> {
    Summed {
        costs: SummedCosts<'a>,
        /// The sum of all blocks, each with the delimiter between it and the next.
        sum: Measure,
    },
    Rendered(Box<RenderedCosts<'a>>),
}

/// A change to the ledger that is not committed yet.
pub struct PackDraft {
    /// Tokens of the text after the change.
    pub tokens: usize,
    id: usize,
    change: BlockChange,
    /// The sum of all blocks after the change, where costs are summed.
    sum: Measure,
    /// Tokens of the chunk, if it is shown completely in a new block.
    whole_chunk_tokens: Option<u32>,
}

impl<'a> Ledger<'a> {
    pub fn new(scored: &'a [Scored], context: &'a RenderContext<'a>) -> Self {
        let counter = context.counting.counter();
        let (method, empty) = match SummedCosts::new(context) {
            Some(costs) => {
                let empty = counter.tokens(costs.empty());
                (CostMethod::Summed { sum: costs.open(), costs }, Some(empty))
            }
            None => {
                let mut costs = Box::new(RenderedCosts::new(context));
                let empty = costs.tokens(std::iter::empty());
                (CostMethod::Rendered(costs), empty)
            }
        };
        Self {
            scored,
            context,
            blocks: BTreeMap::new(),
            order: BTreeSet::new(),
            method,
            empty_tokens: empty.unwrap_or(0),
            tokens: empty.filter(|&tokens| tokens <= context.budget),
        }
    }

    /// Returns the tokens of the current text.
    pub fn tokens(&self) -> usize {
        self.tokens.unwrap_or(0)
    }

    /// Renders the text; empty if not even a text without chunks fits.
    pub fn render(&self) -> Result<String, TemplateError> {
        self.render_in(self.context)
    }

    /// Renders the text with other formatting.
    pub fn render_in(&self, context: &RenderContext<'_>) -> Result<String, TemplateError> {
        if self.tokens.is_none() {
            return Ok(String::new());
        }
        let blocks = self.shown();
        let blocks = file_blocks(context.files, &blocks);
        TextWriter::new(context)?.write(context, blocks)
    }

    /// Returns the number of characters in the text that the format cannot represent.
    pub fn replaced_chars(&self) -> usize {
        if self.tokens.is_none() {
            return 0;
        }
        format::replaced_chars(self.context, file_blocks(self.context.files, &self.shown()))
    }

    /// Fails if the template could not be rendered.
    pub fn check(&self) -> Result<(), TemplateError> {
        match &self.method {
            CostMethod::Summed { .. } => Ok(()),
            CostMethod::Rendered(costs) => costs.check(),
        }
    }

    /// Whether further chunks may be tried.
    pub fn can_continue(&self) -> bool {
        match &self.method {
            CostMethod::Summed { .. } => true,
            CostMethod::Rendered(costs) => costs.can_continue(),
        }
    }

    /// Drafts a change that shows a candidate in `view`, in place of its current view; `None` if the
    /// text would exceed the budget.
    pub fn draft(&mut self, index: usize, view: ChunkView) -> Option<PackDraft> {
        self.tokens?;
        let id = self.block_id(index);
        let is_new = !self.blocks.contains_key(&id);
        let empty = PackBlock::default();
        let block = self.blocks.get(&id).unwrap_or(&empty);
        let mut change = block.change(index, view, self.scored, self.context.files);
        let (tokens, sum) = self.price(id, &mut change)?;
        let chunk_tokens = self.scored[index].candidate.chunk.tokens;
        let whole = (view == ChunkView::Full).then_some(chunk_tokens);
        if tokens <= self.context.budget {
            let whole_chunk_tokens = whole.filter(|_| is_new);
            return Some(PackDraft { tokens, id, change, sum, whole_chunk_tokens });
        }
        if let (CostMethod::Rendered(costs), Some(whole)) = (&mut self.method, whole) {
            costs.record_refusal(whole);
        }
        None
    }

    /// Applies a change that was drafted from the ledger in its current state.
    pub fn commit(&mut self, draft: PackDraft) {
        let PackDraft { tokens, id, change, sum: new_sum, whole_chunk_tokens } = draft;
        let added = tokens.saturating_sub(self.tokens());
        let best = change.best;
        let block = self.blocks.entry(id).or_default();
        self.order.remove(&(block.best, id));
        block.apply(change);
        self.order.insert((best, id));
        self.tokens = Some(tokens);
        match &mut self.method {
            CostMethod::Summed { sum, .. } => *sum = new_sum,
            CostMethod::Rendered(costs) => {
                if let Some(whole) = whole_chunk_tokens {
                    costs.record_cost(whole, added);
                }
            }
        }
    }

    /// Returns the cost of a candidate in its own block, with the delimiter after it.
    pub fn cost_alone(&mut self, index: usize) -> usize {
        let RenderContext { files, counting, .. } = *self.context;
        let block = PackBlock::default();
        let mut change = block.change(index, ChunkView::Full, self.scored, files);
        match &mut self.method {
            CostMethod::Summed { costs, .. } => {
                costs.price(&block, &mut change);
                counting.counter().tokens(change.cost.before_block)
            }
            CostMethod::Rendered(costs) => {
                let runs = change.runs_of(&block);
                let block = FileBlock { file: &files[change.file], runs: &runs };
                let tokens = costs.tokens(std::iter::once(block));
                tokens.map_or(usize::MAX, |tokens| tokens.saturating_sub(self.empty_tokens))
            }
        }
    }

    /// Whether a candidate certainly exceeds `remaining` tokens. This is a cheap lower bound, except
    /// with templates, where it is estimated from the chunks before.
    ///
    /// In its own block, a chunk costs its tokens plus a header and fences. In an existing block it
    /// may save all of that block's headers and fences, and the lines that are already shown.
    pub fn is_too_large(&self, index: usize, view: ChunkView, remaining: usize) -> bool {
        if self.tokens.is_none() {
            return true;
        }
        let candidate = &self.scored[index].candidate;
        let (chunk, file) = (&candidate.chunk, &self.context.files[candidate.file]);
        let size = match view {
            ChunkView::Full => chunk.tokens as usize,
            ChunkView::Outline if chunk.outline.is_empty() => return true,
            ChunkView::Outline => min_outline_tokens(file, &chunk.outline),
            ChunkView::First(_) => 0,
        };
        let counter = self.context.counting.counter();
        let block = self.blocks.get(&self.block_id(index));
        match &self.method {
            CostMethod::Rendered(costs) if costs.shows_all => {
                block.is_none() && size > remaining.saturating_add(JOIN_SLACK_TOKENS)
            }
            CostMethod::Rendered(costs) => {
                view == ChunkView::Full && costs.is_too_large(chunk.tokens, remaining)
            }
            // Escaped lines never cost less than half of the original, but estimates may.
            CostMethod::Summed { costs, .. } if !costs.keeps_rows() => {
                let min_size = if counter.is_exact() { size / 2 } else { 0 };
                let max_saved = block
                    .map_or(0, |block| counter.tokens(block.cost.before_block) + JOIN_SLACK_TOKENS);
                min_size > remaining.saturating_add(max_saved)
            }
            CostMethod::Summed { .. } => {
                let rows = file.rows(chunk.span);
                let max_saved = block.map_or(0, |block| self.max_saved(block, file, &rows));
                size > remaining.saturating_add(max_saved)
            }
        }
    }

    /// Returns the maximum number of tokens that adding `rows` to an existing block can save.
    fn max_saved(&self, block: &PackBlock, file: &SourceFile, rows: &Range<usize>) -> usize {
        let shared = block
            .overlapping(rows)
            .map(|rows| file.measure(self.context.counting, rows))
            .fold(Measure::default(), |sum, measure| sum + measure);
        let shared = self.context.counting.counter().tokens(shared);
        block.cost.overhead + shared + JOIN_SLACK_TOKENS
    }

    /// Returns the rows of a candidate in `view`, with the blank rows that are shown after them.
    pub fn rows_with_blank_rows(&self, index: usize, view: ChunkView) -> Vec<Range<usize>> {
        let candidate = &self.scored[index].candidate;
        let rows = view.rows(&candidate.chunk, &self.context.files[candidate.file]);
        let rows = rows.into_iter().filter(|rows| !rows.is_empty());
        let block = self.blocks.get(&self.block_id(index));
        let extend = |rows: Range<usize>| {
            let end = block.map_or(rows.end, |block| block.end_with_blank_rows(index, &rows));
            rows.start..end
        };
        rows.map(extend).collect()
    }

    /// Returns the file and the runs of each block, in order.
    fn shown(&self) -> Vec<(usize, Vec<LineRun>)> {
        let blocks = self.order.iter().map(|(_, id)| &self.blocks[id]);
        blocks.map(|block| (block.file, block.runs())).collect()
    }

    /// Returns the id of a candidate's block.
    fn block_id(&self, index: usize) -> usize {
        if self.context.formatting.group_by_file {
            self.scored[index].candidate.file
        } else {
            index
        }
    }

    /// Returns the tokens of the text after a change and, where costs are summed, the sum of all
    /// blocks.
    fn price(&mut self, id: usize, change: &mut BlockChange) -> Option<(usize, Measure)> {
        let empty = PackBlock::default();
        let block = self.blocks.get(&id).unwrap_or(&empty);
        let mut others = self.order.iter().filter(|(_, other)| *other != id);
        match &mut self.method {
            CostMethod::Summed { costs, sum } => {
                costs.price(block, change);
                let new_sum = *sum - block.cost.before_block + change.cost.before_block;
                let last = match others.next_back() {
                    Some(other) if *other > (change.best, id) => self.blocks[&other.1].cost,
                    _ => change.cost,
                };
                let total = new_sum - last.before_block + last.before_close;
                Some((self.context.counting.counter().tokens(total), new_sum))
            }
            CostMethod::Rendered(costs) => {
                let changed = (change.file, change.runs_of(block));
                let position =
                    others.clone().take_while(|other| **other < (change.best, id)).count();
                let others = others.map(|(_, id)| &self.blocks[id]);
                let mut shown: Vec<_> = others.map(|block| (block.file, block.runs())).collect();
                shown.insert(position, changed);
                let tokens = costs.tokens(file_blocks(self.context.files, &shown))?;
                Some((tokens, Measure::default()))
            }
        }
    }
}

fn file_blocks<'b>(
    files: &'b [SourceFile],
    shown: &'b [(usize, Vec<LineRun>)],
) -> impl Iterator<Item = FileBlock<'b>> {
    shown.iter().map(|(file, runs)| FileBlock { file: &files[*file], runs })
}

/// Returns a lower bound on the tokens of an outline: no counter has more than two lines per token,
/// and blank lines may cost nothing.
fn min_outline_tokens(file: &SourceFile, outline: &[Span]) -> usize {
    let lines = outline.iter().flat_map(|&span| file.slice(file.rows(span)).lines());
    lines.filter(|line| !line.trim().is_empty()).count() / 2
}
