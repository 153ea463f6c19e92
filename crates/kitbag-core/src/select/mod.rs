//! Fills the budget in rank order.
//!
//! Each candidate is tried at the exact cost that it adds to the text; if it does not fit, the next is
//! tried. Adding a chunk can make its neighbors cheaper, so the candidates that did not fit are tried
//! again until none fits. Pinned candidates come first, as a whole or in part. In the end nothing that
//! was left out would still fit as a whole, nor as an outline where outlines are shown. A truncated chunk has all the lines, or sections, that fitted
//! when it was added.

mod balance;
mod block;
mod cost;
mod ledger;
mod proportional;
mod rendered;
mod reserve;
mod runs;
mod selection;
mod summed;
mod truncate;
mod view;

use crate::format::{RenderContext, TemplateError};
use crate::rank::Scored;
use crate::settings::Settings;
pub use balance::balanced_order;
use kitbag_text::Cancelled;
use ledger::Ledger;
use reserve::Reserve;
pub use selection::{MIN_OUTLINE_TOKENS, PackSelection};
pub use view::ChunkView;

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
    let mut selection = PackSelection::new(input, settings);
    let reserve = selection.reserve(min_chunks)?;
    selection.fill(&reserve)?;
    if selection.count < min_chunks && selection.has_left_out() {
        let mut cheapest = PackSelection::new(input, settings);
        cheapest.add_cheapest(&reserve, min_chunks)?;
        if cheapest.count > selection.count {
            cheapest.fill(&no_reserve)?;
            selection = cheapest;
        }
    }
    if selection.count < min_chunks {
        // The minimum cannot be reached, so the reserve is free for larger chunks.
        selection.fill(&no_reserve)?;
        if selection.count == 0 && selection.has_left_out() {
            selection.truncate_best()?;
            selection.fill(&no_reserve)?;
        }
    }
    Ok(selection)
}
