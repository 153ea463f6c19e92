//! What a text costs that can only be counted as a whole: each try is rendered and counted.
//!
//! Lines that were counted before are remembered, so that a try costs little more than its
//! rendering. The work is bounded in bytes, not in time: the same request gives the same pack.

use crate::format::{self, Block, Compiled, Layout, Press, TemplateError};
use kitbag_tokens::Measure;
use rustc_hash::FxHashMap;

/// The bytes that are rendered for one pack, tries included, before nothing more is tried.
const MOST_BYTES: usize = 256 << 20;

/// A chunk that would cost more than what is left even at this share of what chunks have cost, by
/// their tokens, is not tried.
const SAFETY: f64 = 0.5;

enum Writer<'a> {
    Template(Box<Compiled<'a>>),
    Layout(Box<dyn Layout>),
}

/// Renders and counts.
pub struct Proofs<'a> {
    press: &'a Press<'a>,
    writer: Result<Writer<'a>, TemplateError>,
    known: FxHashMap<Box<str>, Measure>,
    rendered: usize,
    /// The least that a chunk has cost, as a share of its tokens.
    least: Option<f64>,
    /// The tokens of the smallest chunk that did not fit: there is never more room than there was.
    too_large: u32,
    /// Whether chunks are shown as they are, so that what they cost need not be learnt.
    pub shows_all: bool,
}

impl<'a> Proofs<'a> {
    pub fn new(press: &'a Press<'a>) -> Self {
        let writer = match press.formatting.made_by() {
            Some(template) => {
                let compiled = Compiled::new(template, press.cancel);
                compiled.map(|compiled| Writer::Template(Box::new(compiled)))
            }
            None => Ok(Writer::Layout(format::layout(press))),
        };
        Self {
            press,
            writer,
            known: FxHashMap::default(),
            rendered: 0,
            least: None,
            too_large: u32::MAX,
            shows_all: press.formatting.template.is_none() && press.formatting.made_by().is_some(),
        }
    }

    /// Why nothing can be rendered.
    pub fn failure(&self) -> Option<&TemplateError> {
        self.writer.as_ref().err()
    }

    /// Whether more may be tried.
    pub fn may_go_on(&self) -> bool {
        self.writer.is_ok() && self.rendered < MOST_BYTES
    }

    /// The tokens of a text; `None` where it cannot be rendered.
    pub fn tokens<'b>(&mut self, blocks: impl Iterator<Item = Block<'b>>) -> Option<usize> {
        let text = self.render(blocks)?;
        self.rendered += text.len();
        Some(self.count(&text))
    }

    /// The text; `None` where it cannot be rendered.
    pub fn render<'b>(&mut self, blocks: impl Iterator<Item = Block<'b>>) -> Option<String> {
        let rendered = match self.writer.as_ref().ok()? {
            Writer::Template(template) => template.render(self.press, blocks),
            Writer::Layout(layout) => Ok(format::write(&**layout, blocks)),
        };
        match rendered {
            Ok(text) => Some(text),
            Err(error) => {
                self.writer = Err(error);
                None
            }
        }
    }

    /// Learns from a chunk that went in.
    pub fn learn(&mut self, tokens: u32, added: usize) {
        let share = added as f64 / f64::from(tokens.max(1));
        self.least = Some(self.least.map_or(share, |least| least.min(share)));
    }

    /// Learns from a chunk that did not fit.
    pub fn learn_refusal(&mut self, tokens: u32) {
        self.too_large = self.too_large.min(tokens);
    }

    /// Whether it is not worth trying a chunk of so many tokens, as far as others tell.
    pub fn is_hopeless(&self, tokens: u32, room: usize) -> bool {
        let least = self.least.unwrap_or(0.0) * f64::from(tokens) * SAFETY;
        tokens >= self.too_large || least > room as f64
    }

    /// Counts a text by its segments, most of which were counted before.
    fn count(&mut self, text: &str) -> usize {
        if !self.press.counting.counter().sums_are_exact() {
            return self.press.counting.counter().count(text);
        }
        let counter = self.press.counting.counter();
        let (mut sum, mut start, mut at) = (Measure::default(), 0, 0);
        let mut previous = "";
        for line in text.split_inclusive('\n') {
            if at > start && counter.adds_between(previous, line) {
                sum += self.segment(&text[start..at]);
                start = at;
            }
            at += line.len();
            previous = line;
        }
        sum += self.segment(&text[start..]);
        counter.tokens(sum)
    }

    fn segment(&mut self, text: &str) -> Measure {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let measure = self.press.counting.counter().measure(text);
        self.known.insert(text.into(), measure);
        measure
    }
}
