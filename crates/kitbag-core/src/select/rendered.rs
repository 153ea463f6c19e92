//! Costs of a text that can only be counted as a whole: each attempt is rendered and counted.
//!
//! The counts of lines are cached, so counting costs little more than rendering. The work is limited
//! in bytes rather than time, so that the same request always gives the same pack.

use crate::format::{FileBlock, RenderContext, TemplateError, TextWriter};
use kitbag_tokens::Measure;
use rustc_hash::FxHashMap;

/// Maximum number of bytes rendered for one pack; then no further chunks are tried.
const MAX_RENDERED_BYTES: usize = 256 << 20;

/// A chunk is not tried if it would not fit even at this fraction of the lowest cost per token seen so
/// far.
const SAFETY_FACTOR: f64 = 0.5;

/// Renders and counts whole texts.
pub struct RenderedCosts<'a> {
    context: &'a RenderContext<'a>,
    writer: Result<TextWriter<'a>, TemplateError>,
    known: FxHashMap<Box<str>, Measure>,
    rendered_bytes: usize,
    /// The lowest cost of a chunk so far, per token of the chunk.
    min_cost_ratio: Option<f64>,
    /// Tokens of the smallest chunk that did not fit; the remaining budget never grows.
    smallest_refused: u32,
    /// Whether chunks are shown unchanged, so that their cost is at least their tokens.
    pub shows_all: bool,
}

impl<'a> RenderedCosts<'a> {
    pub fn new(context: &'a RenderContext<'a>) -> Self {
        Self {
            context,
            writer: TextWriter::new(context),
            known: FxHashMap::default(),
            rendered_bytes: 0,
            min_cost_ratio: None,
            smallest_refused: u32::MAX,
            shows_all: context.formatting.template.is_none()
                && context.formatting.active_template().is_some(),
        }
    }

    /// Fails if rendering failed before.
    pub fn check(&self) -> Result<(), TemplateError> {
        self.writer.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    /// Whether further chunks may be tried.
    pub fn can_continue(&self) -> bool {
        self.writer.is_ok() && self.rendered_bytes < MAX_RENDERED_BYTES
    }

    /// Returns the tokens of a text; `None` if it cannot be rendered.
    pub fn tokens<'b>(&mut self, blocks: impl Iterator<Item = FileBlock<'b>>) -> Option<usize> {
        match self.writer.as_ref().ok()?.write(self.context, blocks) {
            Ok(text) => {
                self.rendered_bytes += text.len();
                Some(self.count(&text))
            }
            Err(error) => {
                self.writer = Err(error);
                None
            }
        }
    }

    /// Records that a chunk of `tokens` tokens cost `added` tokens.
    pub fn record_cost(&mut self, tokens: u32, added: usize) {
        let ratio = added as f64 / f64::from(tokens.max(1));
        self.min_cost_ratio = Some(self.min_cost_ratio.map_or(ratio, |min| min.min(ratio)));
    }

    /// Records that a chunk of `tokens` tokens did not fit.
    pub fn record_refusal(&mut self, tokens: u32) {
        self.smallest_refused = self.smallest_refused.min(tokens);
    }

    /// Whether a chunk of `tokens` tokens is too large to try, judging by the chunks before.
    pub fn is_too_large(&self, tokens: u32, remaining: usize) -> bool {
        let min_cost = self.min_cost_ratio.unwrap_or(0.0) * f64::from(tokens) * SAFETY_FACTOR;
        tokens >= self.smallest_refused || min_cost > remaining as f64
    }

    /// Counts a text segment by segment, using cached counts.
    fn count(&mut self, text: &str) -> usize {
        let counter = self.context.counting.counter();
        if !counter.has_exact_sums() {
            return counter.count(text);
        }
        let (mut sum, mut start, mut at) = (Measure::default(), 0, 0);
        let mut previous = "";
        for line in text.split_inclusive('\n') {
            if at > start && counter.is_additive_between(previous, line) {
                sum += self.measure_segment(&text[start..at]);
                start = at;
            }
            at += line.len();
            previous = line;
        }
        sum += self.measure_segment(&text[start..]);
        counter.tokens(sum)
    }

    fn measure_segment(&mut self, text: &str) -> Measure {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let measure = self.context.counting.counter().measure(text);
        self.known.insert(text.into(), measure);
        measure
    }
}
