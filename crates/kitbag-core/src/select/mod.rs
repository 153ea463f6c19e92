//! What fits: the budget, filled in rank order.
//!
//! Each candidate is tried with the exact cost that it adds to what is in already, and the next is
//! tried when it does not fit. What a chunk adds can shrink when its neighbours come in, so the
//! candidates that did not fit are tried again until none does.

mod ledger;

use crate::cancel::{Cancel, Cancelled};
use crate::format;
use crate::rank::Scored;
use crate::report::Form;
use crate::settings::Overflow;
use crate::sheet::Sheet;
use kitbag_tokens::Counting;
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

/// The text of a selection that is given: each of `scored`, best first, in its form, whatever it
/// costs.
pub fn render_forms(
    scored: &[Scored],
    forms: &[Option<Form>],
    sheets: &[Sheet],
    counting: &Counting,
) -> String {
    let mut ledger = Ledger::new(sheets, counting, usize::MAX);
    for (place, (scored, form)) in scored.iter().zip(forms).enumerate() {
        if let Some(form) = form {
            ledger.try_add(place, &scored.candidate, *form);
        }
    }
    Selection { forms: forms.to_vec(), tokens: ledger.tokens(), ledger }.render(sheets)
}

/// Selects among `scored`, best first, those whose place is in `places`.
pub fn select<'a>(
    scored: &'a [Scored],
    places: &[usize],
    sheets: &'a [Sheet],
    counting: &'a Counting,
    budget: usize,
    overflow: Overflow,
    cancel: &Cancel,
) -> Result<Selection<'a>, Cancelled> {
    let mut ledger = Ledger::new(sheets, counting, budget);
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
