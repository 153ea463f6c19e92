//! What fits: the budget, filled in rank order.
//!
//! Each candidate is tried with the exact cost that it adds to what is in already, and the next is
//! tried when it does not fit. What a chunk adds can shrink when its neighbours come in, so the
//! candidates that did not fit are tried again until none does. Afterwards nothing that was left
//! out would still fit whole, nor in outline where outlines are shown; a chunk that was cut has all
//! the lines, or sections, that there was room for when it came in.

mod balance;
mod fill;
mod ledger;
mod proportional;
mod reserve;
mod truncate;
mod view;

use crate::budget::Allocations;
use crate::cancel::{Cancel, Cancelled};
use crate::format;
use crate::rank::Scored;
use crate::settings::Settings;
use crate::sheet::Sheet;
use fill::Fill;
use kitbag_tokens::Counting;
use ledger::Ledger;
use reserve::Reserve;
pub use view::View;

/// What was selected.
pub struct Selection<'a> {
    /// How much of each candidate is shown, `None` for those that do not fit.
    pub views: Vec<Option<View>>,
    /// The tokens of the finished text, by the kinds of sources that they were given out to.
    pub allocations: Allocations,
    /// The tokens of the finished text.
    pub tokens: usize,
    ledger: Ledger<'a>,
}

impl Selection<'_> {
    /// The finished text: files by their best chunk, a blank line between them.
    pub fn render(&self, sheets: &[Sheet]) -> String {
        let mut text = String::new();
        for (sheet, runs) in self.ledger.files() {
            if !text.is_empty() {
                text.push('\n');
            }
            format::render(&sheets[sheet], &format::block(&sheets[sheet], runs), &mut text);
        }
        text
    }
}

/// What a selection is made from: candidates, best first, their files, and how they are counted.
#[derive(Clone, Copy)]
pub struct Candidates<'a> {
    /// Everything that was scored.
    pub scored: &'a [Scored],
    /// The places of those that may go in.
    pub places: &'a [usize],
    /// The files' lines.
    pub sheets: &'a [Sheet],
    /// The model's counter.
    pub counting: &'a Counting,
}

/// The text of a selection that is given: each of `scored`, best first, in its view, whatever it
/// costs.
pub fn render_views(
    scored: &[Scored],
    views: &[Option<View>],
    sheets: &[Sheet],
    counting: &Counting,
) -> String {
    let mut ledger = Ledger::new(sheets, counting);
    for (place, (scored, view)) in scored.iter().zip(views).enumerate() {
        if let Some(view) = *view {
            let draft = ledger.draft(place, &scored.candidate, view);
            ledger.commit(draft);
        }
    }
    let allocations = Allocations::new(usize::MAX, &Default::default());
    let tokens = ledger.tokens();
    Selection { views: views.to_vec(), allocations, tokens, ledger }.render(sheets)
}

/// Selects among `candidates` what goes into `budget` tokens.
pub fn select<'a>(
    candidates: Candidates<'a>,
    budget: usize,
    settings: &Settings,
    cancel: &Cancel,
) -> Result<Selection<'a>, Cancelled> {
    let Candidates { scored, places, sheets, counting } = candidates;
    let least = settings.selection.min_chunks;
    let overflow = settings.selection.overflow;
    let empty = Allocations::new(budget, &settings.budget.categories);
    let order = if settings.selection.balance {
        balance::in_turns(scored, places)
    } else {
        places.to_vec()
    };
    let reserve = Reserve::new(least, (scored, places), sheets, counting, &empty);
    let mut fill = Fill::new(candidates, empty.clone());
    fill.in_order(&order, overflow, &reserve, cancel)?;
    if fill.count() < least && fill.left_out(places) {
        let mut seeded = Fill::new(candidates, empty);
        seeded.seed(&reserve, least, cancel)?;
        if seeded.count() > fill.count() {
            seeded.in_order(&order, overflow, &Reserve::none(), cancel)?;
            fill = seeded;
        }
        if fill.count() == 0 {
            fill.cut_best(&order, overflow, cancel)?;
        }
    }
    Ok(fill.finish())
}
