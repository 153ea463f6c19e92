//! What fits: the budget, filled in rank order.
//!
//! Each candidate is tried with the exact cost that it adds to what is in already, and the next is
//! tried when it does not fit. What a chunk adds can shrink when its neighbours come in, so the
//! candidates that did not fit are tried again until none does. Afterwards nothing that was left
//! out would still fit whole, nor in outline where outlines are shown; a chunk that was cut has all
//! the lines, or sections, that there was room for when it came in.

mod balance;
mod cost;
mod fill;
mod ledger;
mod proof;
mod proportional;
mod reserve;
mod strip;
mod truncate;
mod unit;
mod view;

use crate::budget::Allocations;
use crate::format::{Press, TemplateError};
use crate::rank::Scored;
use crate::settings::Settings;
use fill::Fill;
use kitbag_text::{Cancel, Cancelled};
use ledger::Ledger;
use reserve::Reserve;
use rustc_hash::FxHashSet;
pub use view::View;

/// What was selected.
pub struct Selection<'a> {
    /// How much of each candidate is shown, `None` for those that do not fit.
    pub views: Vec<Option<View>>,
    /// The tokens of the finished text, by the kinds of sources that they were given out to.
    pub allocations: Allocations,
    /// The tokens of the finished text.
    pub tokens: usize,
    /// Candidates that did not fit when they were tried.
    refused: FxHashSet<usize>,
    /// Whether as many chunks are in as may be.
    is_full: bool,
    ledger: Ledger<'a>,
}

impl Selection<'_> {
    /// The finished text.
    pub fn render(&self) -> Result<String, TemplateError> {
        self.ledger.render()
    }

    /// How many characters of what is shown the format cannot carry, and replaces.
    pub fn replaced(&self) -> usize {
        self.ledger.replaced()
    }

    /// Fails where a template could not be rendered.
    pub fn check(&self) -> Result<(), TemplateError> {
        self.ledger.failure().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Why a candidate that could have gone in did not.
    pub fn why_not(&self, place: usize) -> WhyNot {
        if self.refused.contains(&place) {
            WhyNot::Budget
        } else if self.is_full {
            WhyNot::MaxChunks
        } else {
            WhyNot::NotTried
        }
    }
}

/// Why a candidate that could have gone in did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyNot {
    /// It did not fit.
    Budget,
    /// As many chunks were in as may be.
    MaxChunks,
    /// The template had been tried as often as it may be.
    NotTried,
}

/// What a selection is made from: candidates, best first, and how they become text.
#[derive(Clone, Copy)]
pub struct Candidates<'a> {
    /// Everything that was scored.
    pub scored: &'a [Scored],
    /// The places of those that may go in.
    pub places: &'a [usize],
    /// How they become text.
    pub press: &'a Press<'a>,
}

/// The text of a selection that is given: each of `scored`, best first, in its view, whatever it
/// costs.
pub fn render_views(
    scored: &[Scored],
    views: &[Option<View>],
    press: &Press<'_>,
) -> Result<String, TemplateError> {
    let press = Press { budget: usize::MAX, ..*press };
    let mut ledger = Ledger::new(scored, &press);
    for (place, view) in views.iter().enumerate() {
        let draft = view.and_then(|view| ledger.draft(place, view));
        if let Some(draft) = draft {
            ledger.commit(draft);
        }
    }
    ledger.render()
}

/// Selects among `candidates` what goes into the budget.
pub fn select<'a>(
    candidates: Candidates<'a>,
    settings: &Settings,
    cancel: &Cancel,
) -> Result<Selection<'a>, Cancelled> {
    let Candidates { scored, places, .. } = candidates;
    let least = settings.selection.min_chunks;
    let overflow = settings.selection.overflow;
    let order = if settings.selection.balance {
        balance::in_turns(scored, places)
    } else {
        places.to_vec()
    };
    let mut fill = Fill::new(candidates, &settings.budget);
    let reserve = fill.reserve(least, cancel)?;
    fill.in_order(&order, overflow, &reserve, cancel)?;
    if fill.count() < least && fill.left_out(places) {
        let mut seeded = Fill::new(candidates, &settings.budget);
        seeded.seed(&reserve, least, cancel)?;
        if seeded.count() > fill.count() {
            seeded.in_order(&order, overflow, &Reserve::none(), cancel)?;
            fill = seeded;
        }
    }
    if fill.count() < least {
        // The room that was kept cannot be used for more chunks: it is for those that there are.
        fill.in_order(&order, overflow, &Reserve::none(), cancel)?;
        if fill.count() == 0 && fill.left_out(places) {
            fill.cut_best(&order, overflow, cancel)?;
            fill.in_order(&order, overflow, &Reserve::none(), cancel)?;
        }
    }
    Ok(fill.finish())
}
