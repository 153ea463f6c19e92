//! Selects the chunks of a pack and writes its text, with a head if one is wanted.
//!
//! The length of a head is not known before the selection that it describes. So selection first leaves a
//! generous share of the budget, and is repeated with the length that the head then had, until what the
//! head leaves is of no use.

use crate::format::RenderContext;
use crate::head::{HeadInput, HeadWriter, head_reserve, render_with_head};
use crate::outcomes::Outcomes;
use crate::rank::Scored;
use crate::report::{Excluded, Included, Reason};
use crate::select::{ChunkView, SelectInput, select};
use crate::settings::Settings;
use crate::stage::{Observer, PackError, Stage};

/// Maximum number of further selections. Two are almost always enough.
const MAX_REFILLS: usize = 4;

/// The candidates of a pack, and how its text is written.
pub struct ComposeInput<'a> {
    /// All candidates, best first.
    pub scored: &'a [Scored],
    /// Indices of the candidates to select from, in the order in which they are tried.
    pub order: &'a [usize],
    pub outcomes: &'a Outcomes,
    pub settings: &'a Settings,
    /// The format, and the budget of the whole text.
    pub context: &'a RenderContext<'a>,
    pub head: Option<&'a dyn HeadWriter>,
    /// Whether the text is wanted. It is written for a head in any case.
    pub write: bool,
}

/// The text of a pack without its head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackBody {
    /// The text; `None` if no head fits, so that it is the text of the pack.
    pub text: Option<String>,
    /// Number of tokens of the body.
    pub tokens: usize,
    /// Number of tokens of the budget that the selection left for the head.
    pub reserve: usize,
}

/// A selection and its text.
pub struct Composed {
    pub included: Vec<Included>,
    pub excluded: Vec<Excluded>,
    pub text: String,
    pub body: Option<PackBody>,
    /// Number of tokens of the text.
    pub tokens: usize,
    /// Number of characters that the format cannot represent.
    pub replaced_chars: usize,
    views: Vec<Option<ChunkView>>,
}

/// Selects from the candidates and writes the text.
pub fn compose(
    input: &ComposeInput<'_>,
    observer: &mut dyn Observer,
) -> Result<Composed, PackError> {
    let reserve = input.head.map_or(0, |_| head_reserve(input.context.budget));
    let mut composed = attempt(input, reserve, observer)?;
    for _ in 0..MAX_REFILLS {
        let Some(reserve) = composed.unused_reserve() else { break };
        let refilled = attempt(input, reserve, observer)?;
        // The contents matter more than a few lines of code.
        let has_lost_head = composed.has_head() && !refilled.has_head();
        let is_same = refilled.views == composed.views;
        if !has_lost_head {
            composed = refilled;
        }
        if has_lost_head || is_same {
            break;
        }
    }
    Ok(composed)
}

impl Composed {
    fn has_head(&self) -> bool {
        self.body.as_ref().is_some_and(|body| body.text.is_some())
    }

    /// Returns the length of the head, in tokens, if it is less than its reserve and something was left out for
    /// the budget.
    fn unused_reserve(&self) -> Option<usize> {
        let body = self.body.as_ref()?;
        let head = self.tokens.saturating_sub(body.tokens);
        let is_useful = self.excluded.iter().any(|out| out.reason == Reason::Budget);
        (head < body.reserve && is_useful).then_some(head)
    }
}

/// Selects with `reserve` tokens less than the budget, and writes the text.
fn attempt(
    input: &ComposeInput<'_>,
    reserve: usize,
    observer: &mut dyn Observer,
) -> Result<Composed, PackError> {
    let ComposeInput { scored, order, outcomes, settings, context: whole, head, write } = *input;
    observer.stage_started(Stage::Select);
    let context = RenderContext { budget: whole.budget - reserve, ..*whole };
    let select_input = SelectInput { scored, order, context: &context };
    let selected = select(select_input, settings)?;
    // A cancelled template reports an error, but the cancellation is the cause.
    context.cancel.check()?;
    selected.ledger.check()?;

    observer.stage_started(Stage::Format);
    let is_rendered = write || head.is_some();
    let text = if is_rendered { selected.ledger.render() } else { Ok(String::new()) };
    context.cancel.check()?;
    let (included, excluded) = outcomes.clone().report(select_input, &selected, settings.order);
    let tokens = selected.ledger.tokens();
    let mut composed = Composed {
        included,
        excluded,
        text: text?,
        body: None,
        tokens,
        replaced_chars: selected.ledger.replaced_chars(),
        views: Vec::new(),
    };
    if let Some(writer) = head {
        let Composed { included, excluded, text, .. } = &composed;
        let described = HeadInput { included, excluded, body: text };
        let headed = render_with_head(writer, described, &selected, whole)?;
        let body = headed.map(|(text, tokens)| {
            composed.tokens = tokens;
            std::mem::replace(&mut composed.text, text)
        });
        composed.body = Some(PackBody { text: body, tokens, reserve });
    }
    composed.views = selected.views;
    Ok(composed)
}
