//! Fills the budget in rank order.
//!
//! Each candidate is tried at the exact cost that it adds to the text; if it does not fit, the next is
//! tried. Adding a chunk can make its neighbours cheaper, so the candidates that did not fit are tried
//! again until none fits. In the end nothing that was left out would still fit as a whole, nor as an
//! outline where outlines are shown. A truncated chunk has all the lines, or sections, that fitted
//! when it was added.

mod balance;
mod block;
mod builder;
mod ledger;
mod proportional;
mod rendered;
mod reserve;
mod runs;
mod summed;
mod truncate;
mod view;

use crate::budget::Allocations;
use crate::format::{RenderContext, TemplateError};
use crate::rank::Scored;
use crate::settings::Settings;
pub use balance::balanced_order;
use builder::PackBuilder;
use kitbag_text::Cancelled;
use ledger::Ledger;
use reserve::Reserve;
use rustc_hash::FxHashSet;
pub use view::ChunkView;

/// The result of selection.
pub struct PackSelection<'a> {
    /// The view of each candidate; `None` if it is not in the pack.
    pub views: Vec<Option<ChunkView>>,
    /// Tokens of the text by kind of source.
    pub allocations: Allocations,
    /// Tokens of the text.
    pub tokens: usize,
    /// Candidates that were tried and did not fit.
    pub refused: FxHashSet<usize>,
    /// Whether the maximum number of chunks is reached.
    pub is_full: bool,
    /// The contents of the pack.
    pub ledger: Ledger<'a>,
}

/// The candidates to select from, and the format of their text.
#[derive(Clone, Copy)]
pub struct SelectInput<'a> {
    /// All candidates, best first.
    pub scored: &'a [Scored],
    /// Indices of the candidates to select from, in the order in which they are tried.
    pub order: &'a [usize],
    pub context: &'a RenderContext<'a>,
}

/// Renders candidates, best first, in the given views, regardless of the budget.
pub fn render_views(
    scored: &[Scored],
    views: &[Option<ChunkView>],
    context: &RenderContext<'_>,
) -> Result<String, TemplateError> {
    let context = RenderContext { budget: usize::MAX, ..*context };
    let mut ledger = Ledger::new(scored, &context);
    for (index, view) in views.iter().enumerate() {
        let draft = view.and_then(|view| ledger.draft(index, view));
        if let Some(draft) = draft {
            ledger.commit(draft);
        }
    }
    ledger.render()
}

/// Selects the candidates that fit in the budget.
pub fn select<'a>(
    input: SelectInput<'a>,
    settings: &Settings,
) -> Result<PackSelection<'a>, Cancelled> {
    let min_chunks = settings.selection.min_chunks;
    let no_reserve = Reserve::default();
    let mut builder = PackBuilder::new(input, settings);
    let reserve = builder.reserve(min_chunks)?;
    builder.fill(&reserve)?;
    if builder.count() < min_chunks && builder.has_left_out() {
        let mut cheapest = PackBuilder::new(input, settings);
        cheapest.add_cheapest(&reserve, min_chunks)?;
        if cheapest.count() > builder.count() {
            cheapest.fill(&no_reserve)?;
            builder = cheapest;
        }
    }
    if builder.count() < min_chunks {
        // The minimum cannot be reached, so the reserve is free for larger chunks.
        builder.fill(&no_reserve)?;
        if builder.count() == 0 && builder.has_left_out() {
            builder.truncate_best()?;
            builder.fill(&no_reserve)?;
        }
    }
    Ok(builder.finish())
}
