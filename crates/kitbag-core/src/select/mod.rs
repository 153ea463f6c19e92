//! What fits: the budget, filled in rank order.
//!
//! Each candidate is tried with the exact cost that it adds to what is in already, and the next is
//! tried when it does not fit. What a chunk adds can shrink when its neighbours come in, so the
//! candidates that did not fit are tried again until none does.

mod cost;
mod ledger;
mod proof;

use crate::cancel::{Cancel, Cancelled};
use crate::format::{Press, TemplateError};
use crate::rank::Scored;
use crate::report::Form;
use crate::settings::Overflow;
use ledger::Ledger;

/// What was selected.
pub struct Selection<'a> {
    /// The form that each candidate is in, `None` for those that do not fit.
    pub forms: Vec<Option<Form>>,
    /// The tokens of the finished text.
    pub tokens: usize,
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
        if self.ledger.has_refused(place) {
            WhyNot::Budget
        } else if self.ledger.is_full() {
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

/// The text of a selection that is given: each of `scored`, best first, in its form, whatever it
/// costs.
pub fn render_forms(
    scored: &[Scored],
    forms: &[Option<Form>],
    press: &Press<'_>,
) -> Result<String, TemplateError> {
    let press = Press { budget: usize::MAX, ..*press };
    let mut ledger = Ledger::new(scored, &press);
    for (place, (scored, form)) in scored.iter().zip(forms).enumerate() {
        if let Some(form) = form {
            ledger.try_add(place, &scored.candidate, *form);
        }
    }
    ledger.render()
}

/// Selects among `scored`, best first, those whose place is in `places`.
pub fn select<'a>(
    scored: &'a [Scored],
    places: &[usize],
    press: &'a Press<'a>,
    overflow: Overflow,
    cancel: &Cancel,
) -> Result<Selection<'a>, Cancelled> {
    let mut ledger = Ledger::new(scored, press);
    let mut forms: Vec<Option<Form>> = vec![None; scored.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for form in [Form::Full, Form::Outline] {
            if form == Form::Outline && overflow == Overflow::Skip {
                continue;
            }
            for &place in places {
                cancel.check()?;
                let wanted = match form {
                    Form::Full => forms[place] != Some(Form::Full),
                    Form::Outline => forms[place].is_none(),
                };
                if wanted && ledger.try_add(place, &scored[place].candidate, form) {
                    forms[place] = Some(form);
                    changed = true;
                }
            }
        }
    }
    Ok(Selection { forms, tokens: ledger.tokens(), ledger })
}
