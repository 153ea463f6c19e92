//! What the providers gave, put together in the order of registration and kept within bounds.

use super::plan::Planned;
use super::run::{Answer, Outcome};
use crate::indexes::Prepared;
use crate::inputs::{Inputs, reason_of, reject};
use crate::report::ProviderItem;
use crate::rules::RuleDecision;
use crate::why::Reasons;
use kitbag_core::{Excluded, Reason};
use kitbag_repo::Root;
use kitbag_text::{Provenance, Source, Text};
use kitbag_tokens::Counting;
use std::sync::Arc;

/// The bytes that one provider may give, with a deadline and without.
const MOST_BYTES: usize = 64 << 20;
const MOST_BYTES_IN_HASTE: usize = 1 << 20;

/// Everything that was gathered.
#[derive(Default)]
pub(crate) struct Collected {
    pub inputs: Inputs,
    pub warnings: Vec<String>,
    pub files_searched: usize,
    /// Which rules apply.
    pub rules: Vec<RuleDecision>,
    /// Why the search found what it found.
    pub reasons: Option<Box<Reasons>>,
    /// What became of each provider.
    pub providers: Vec<ProviderItem>,
    /// Whether the deadline cut something off.
    pub is_partial: bool,
}

/// What bounds an answer.
pub(crate) struct Bounds<'a> {
    pub root: &'a Root,
    pub counting: &'a Counting,
    pub prepared: Option<&'a Prepared>,
    pub is_in_haste: bool,
}

/// Puts the answers together.
pub(crate) fn gather_up(
    providers: &[Planned],
    answers: Vec<Answer>,
    bounds: &Bounds<'_>,
) -> Collected {
    let mut collected = Collected::default();
    for (planned, answer) in providers.iter().zip(answers) {
        collected.take(planned, answer, bounds);
    }
    collected
}

impl Collected {
    fn take(&mut self, planned: &Planned, answer: Answer, bounds: &Bounds<'_>) {
        let Answer { outcome, mut gathered, took } = answer;
        let id = planned.id();
        let (name, detail) = match &outcome {
            Outcome::Ok => ("ok", None),
            Outcome::Empty => ("empty", None),
            Outcome::TimedOut => {
                let limit = planned.timeout.as_millis();
                ("timed_out", Some(format!("no answer within {limit} ms")))
            }
            Outcome::Failed(why) => ("failed", Some(why.clone())),
            Outcome::Off => ("off", None),
            Outcome::Late => ("late", Some("no answer before the deadline".to_owned())),
        };
        if let Some(detail) = &detail {
            self.warnings.push(format!("provider `{id}`: {detail}"));
        }
        self.is_partial |= outcome == Outcome::Late;
        self.warnings.extend(std::mem::take(&mut gathered.warnings));
        self.rules.append(&mut gathered.rules);
        self.reasons = self.reasons.take().or(gathered.reasons.take());
        self.files_searched = self.files_searched.max(gathered.files_searched);
        let dated = gathered.is_undated;
        let (limited, mut inputs) = (gathered.is_limited, gathered.inputs);
        keep_in_bounds(&mut inputs, planned, limited, bounds);
        let from = Provenances::new(planned);
        for source in &mut inputs.sources {
            from.mark(source);
            if dated && source.timestamp.is_none() {
                source.timestamp =
                    bounds.prepared.and_then(|it| it.scene.timestamps.of(&source.path));
            }
        }
        self.providers.push(ProviderItem {
            id: id.to_owned(),
            outcome: name,
            detail,
            sources: inputs.sources.len(),
            chunks: 0,
            tokens: 0,
            ms: took.as_secs_f64() * 1_000.0,
        });
        self.inputs.sources.append(&mut inputs.sources);
        self.inputs.rejected.append(&mut inputs.rejected);
        self.inputs.redactions.append(&mut inputs.redactions);
    }
}

/// Who a provider's sources are from.
struct Provenances {
    code: Arc<Provenance>,
}

impl Provenances {
    fn new(planned: &Planned) -> Self {
        let provider = &planned.registered.provider;
        let code = Provenance {
            provider: provider.id().to_owned(),
            title: provider.title().to_owned(),
            priority: provider.priority(),
            prose: false,
        };
        Self { code: Arc::new(code) }
    }

    /// Says who a source is from, whatever it says itself; what it says of its text holds.
    fn mark(&self, source: &mut Source) {
        source.from = Some(match &source.from {
            Some(own) if own.prose => {
                let title =
                    if own.title.is_empty() { self.code.title.clone() } else { own.title.clone() };
                Arc::new(Provenance { title, prose: true, ..(*self.code).clone() })
            }
            _ => Arc::clone(&self.code),
        });
    }
}

/// Leaves out what a provider may not give: paths that lead out of the root or are denied, what is
/// not text, and what is more than it may give.
fn keep_in_bounds(inputs: &mut Inputs, planned: &Planned, limited: bool, bounds: &Bounds<'_>) {
    let most_bytes = if bounds.is_in_haste { MOST_BYTES_IN_HASTE } else { MOST_BYTES };
    let (mut bytes, mut items, mut tokens) = (0usize, 0usize, 0usize);
    let max_items = planned.limits.max_items.filter(|_| !limited).unwrap_or(usize::MAX);
    let id = planned.id();
    for mut source in std::mem::take(&mut inputs.sources) {
        if let Err(out) = admit(&mut source, bounds.root) {
            inputs.rejected.push(*out);
            continue;
        }
        let over = |limit: &str| {
            let detail = format!("more than `context.providers.{id}.{limit}` allows");
            reject(&source.path, source.kind, Reason::ProviderLimit, &detail)
        };
        let size = size(&source);
        let left = planned.limits.max_tokens.map(|most| most.saturating_sub(tokens));
        let (some_items, cost) = (items_of(&source), cost_of(&source, planned, bounds));
        if bytes.saturating_add(size) > most_bytes {
            let detail = format!("`{id}` gave more than {} MB", most_bytes >> 20);
            inputs.rejected.push(reject(&source.path, source.kind, Reason::TooLarge, &detail));
        } else if items.saturating_add(some_items) > max_items {
            inputs.rejected.push(over("max_items"));
        } else if let Some(left) = left.filter(|&left| cost > left) {
            inputs.rejected.push(over("max_tokens"));
            if shorten(&mut source, left, bounds.counting) {
                inputs.sources.push(source);
            }
            tokens = usize::MAX;
        } else {
            (bytes, items, tokens) = (bytes + size, items + some_items, tokens + cost);
            inputs.sources.push(source);
        }
    }
}

/// Checks a source's path and text.
fn admit(source: &mut Source, root: &Root) -> Result<(), Box<Excluded>> {
    match root.normalise(&source.path) {
        Ok(path) => source.path = path,
        Err(error) => {
            let reason = reason_of(error.code());
            return Err(Box::new(reject(&source.path, source.kind, reason, &error)));
        }
    }
    if source.text.content().contains('\0') {
        let detail = "it is not text: it has NUL bytes";
        return Err(Box::new(reject(&source.path, source.kind, Reason::Binary, &detail)));
    }
    Ok(())
}

fn items_of(source: &Source) -> usize {
    source.pieces.as_ref().map_or(1, Vec::len)
}

/// The bytes that may be shown of a source.
fn size(source: &Source) -> usize {
    match &source.pieces {
        Some(pieces) => pieces.iter().map(|it| source.text.slice(it.chunk.span).len()).sum(),
        None => source.text.content().len(),
    }
}

/// Cuts a source to so many tokens: to its first pieces, or its first lines; `false` where nothing
/// is left.
fn shorten(source: &mut Source, tokens: usize, counting: &Counting) -> bool {
    if let Some(pieces) = &mut source.pieces {
        let mut sum = 0usize;
        pieces.retain(|it| {
            sum = sum.saturating_add(it.chunk.tokens as usize);
            sum <= tokens
        });
        return !pieces.is_empty();
    }
    let text = &source.text;
    let fits = |rows: usize| counting.counter().count(text.row_slice(0..rows)) <= tokens;
    let (mut least, mut most) = (0, text.starts().len());
    while least < most {
        let middle = (least + most).div_ceil(2);
        if fits(middle) { least = middle } else { most = middle - 1 }
    }
    if least == 0 {
        return false;
    }
    source.text = Arc::new(Text::part(text.row_slice(0..least), text.first_line()));
    source.tally = None;
    true
}

/// The tokens of a source, where somebody asks for them.
fn cost_of(source: &Source, planned: &Planned, bounds: &Bounds<'_>) -> usize {
    if planned.limits.max_tokens.is_none() {
        return 0;
    }
    match &source.pieces {
        Some(pieces) => pieces.iter().map(|it| it.chunk.tokens as usize).sum(),
        None => bounds.counting.count(source.text.content()),
    }
}
