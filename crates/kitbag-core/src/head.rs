//! The head of a pack: a few lines before the code that say what the pack contains and what it lacks.
//!
//! They depend on the decision, so selection leaves a small share of the budget for them, and they are
//! written last, with as many items as fit. `compose` then uses what they leave of their share.

use crate::format::{Formatting, RenderContext, TemplateError};
use crate::report::{Excluded, Included};
use crate::select::PackSelection;

/// Largest share of the budget that is kept free for the head, as a divisor.
const RESERVE_DIVISOR: usize = 12;
/// Maximum number of tokens that are kept free for the head.
const MAX_RESERVE_TOKENS: usize = 500;
/// Number of tokens without which a head says nothing useful.
const MIN_RESERVE_TOKENS: usize = 120;
/// Smallest budget of which a head may take that many.
const MIN_BUDGET_TOKENS: usize = 800;

/// Maximum number of items in a head.
const MAX_ITEMS: usize = 40;

/// The decision that a head describes.
#[derive(Clone, Copy)]
pub struct HeadInput<'a> {
    /// Included chunks, best first.
    pub included: &'a [Included],
    /// Excluded chunks and sources, best first.
    pub excluded: &'a [Excluded],
    /// The text of the pack without the head.
    pub body: &'a str,
}

/// Writes the head of a pack.
pub trait HeadWriter {
    /// Returns the head with at most `max_items` items; empty if there is nothing to say.
    fn write(&self, input: HeadInput<'_>, max_items: usize) -> String;
}

/// Returns the tokens that selection leaves for a head at first, before its length is known.
pub fn head_reserve(budget: usize) -> usize {
    let min = if budget < MIN_BUDGET_TOKENS { 0 } else { MIN_RESERVE_TOKENS };
    (budget / RESERVE_DIVISOR).clamp(min, MAX_RESERVE_TOKENS)
}

/// Renders the pack with the longest head that fits in the budget of `context`, and counts it; `None` if there
/// is nothing to say or no head fits.
pub fn render_with_head(
    writer: &dyn HeadWriter,
    input: HeadInput<'_>,
    selected: &PackSelection<'_>,
    context: &RenderContext<'_>,
) -> Result<Option<(String, usize)>, TemplateError> {
    let attempt = |items: usize| -> Result<Option<(String, usize)>, TemplateError> {
        let head = writer.write(input, items);
        if head.is_empty() {
            return Ok(None);
        }
        let header = match &context.formatting.header {
            Some(header) => format!("{}\n\n{head}", header.trim_end()),
            None => head,
        };
        let formatting = Formatting { header: Some(header), ..context.formatting.clone() };
        let context = RenderContext { formatting: &formatting, ..*context };
        let text = selected.ledger.render_in(&context)?;
        let tokens = context.counting.counter().count(&text);
        Ok((tokens <= context.budget).then_some((text, tokens)))
    };
    // More items never make the text shorter, so the largest number that fits is found by bisection.
    let (mut fitting, mut above) = (None, input.included.len().min(MAX_ITEMS) + 1);
    let mut below = 0;
    while below < above {
        let items = below + (above - below) / 2;
        match attempt(items)? {
            Some(text) => (fitting, below) = (Some(text), items + 1),
            None => above = items,
        }
    }
    Ok(fitting)
}
