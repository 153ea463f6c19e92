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
        let manner = Manner { limited: gathered.is_limited, labelled: gathered.is_labelled };
        let mut inputs = gathered.inputs;
        keep_in_bounds(&mut inputs, planned, manner, bounds);
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

/// What is known of an answer.
#[derive(Clone, Copy)]
struct Manner {
    /// Whether `max_items` is kept to already.
    limited: bool,
    /// Whether sources are called by labels, not by paths.
    labelled: bool,
}

/// Leaves out what a provider may not give: paths that lead out of the root or are denied, what is
/// not text, and what is more than it may give.
fn keep_in_bounds(inputs: &mut Inputs, planned: &Planned, manner: Manner, bounds: &Bounds<'_>) {
    let most_bytes = if bounds.is_in_haste { MOST_BYTES_IN_HASTE } else { MOST_BYTES };
    let (mut bytes, mut items, mut tokens) = (0usize, 0usize, 0usize);
    let max_items = planned.limits.max_items.filter(|_| !manner.limited).unwrap_or(usize::MAX);
    let id = planned.id();
    for mut source in std::mem::take(&mut inputs.sources) {
        let root = (!manner.labelled).then_some(bounds.root);
        if let Err(out) = admit(&mut source, root) {
            inputs.rejected.push(*out);
            continue;
        }
        let over = |limit: &str| {
            let detail = format!("more than `context.providers.{id}.{limit}` allows");
            reject(&source.path, source.kind, Reason::ProviderLimit, &detail)
        };
        let (size, some_items) = (size(&source), items_of(&source));
        // Tokens are counted last: what is out for its size is not worth it.
        let left = || planned.limits.max_tokens.map(|most| most.saturating_sub(tokens));
        let cost = || left().map_or(Cost::Within(0), |left| cost_of(&source, left, bounds));
        if bytes.saturating_add(size) > most_bytes {
            let detail = format!("`{id}` gave more than {} MB", most_bytes >> 20);
            inputs.rejected.push(reject(&source.path, source.kind, Reason::TooLarge, &detail));
        } else if items.saturating_add(some_items) > max_items {
            inputs.rejected.push(over("max_items"));
        } else {
            match cost() {
                Cost::Within(cost) => {
                    (bytes, items, tokens) = (bytes + size, items + some_items, tokens + cost);
                    inputs.sources.push(source);
                }
                Cost::Over(first) => {
                    inputs.rejected.push(over("max_tokens"));
                    if shorten(&mut source, first) {
                        inputs.sources.push(source);
                    }
                    tokens = usize::MAX;
                }
            }
        }
    }
}

/// What a source costs: its tokens, or so many of its first pieces or lines are within a limit.
enum Cost {
    Within(usize),
    Over(usize),
}

/// Checks a source's path, where it is one in this root, and its text.
fn admit(source: &mut Source, root: Option<&Root>) -> Result<(), Box<Excluded>> {
    match root.map(|root| root.normalise(&source.path)) {
        None => {}
        Some(Ok(path)) => source.path = path,
        Some(Err(error)) => {
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

/// Cuts a source to its first pieces, or its first lines; `false` where nothing is left.
fn shorten(source: &mut Source, first: usize) -> bool {
    if let Some(pieces) = &mut source.pieces {
        pieces.truncate(first);
    } else {
        let text = &source.text;
        source.text = Arc::new(Text::part(text.row_slice(0..first), text.first_line()));
        source.tally = None;
    }
    first > 0
}

/// What a source costs, held against `most` tokens. No more of it is counted than about twice what
/// is within.
fn cost_of(source: &Source, most: usize, bounds: &Bounds<'_>) -> Cost {
    if let Some(pieces) = &source.pieces {
        let mut sum = 0usize;
        let within = pieces.iter().take_while(|it| {
            sum = sum.saturating_add(it.chunk.tokens as usize);
            sum <= most
        });
        let first = within.count();
        return if first == pieces.len() { Cost::Within(sum) } else { Cost::Over(first) };
    }
    let (text, counter) = (&source.text, bounds.counting.counter());
    let count = |rows: usize| counter.count(text.row_slice(0..rows));
    let (mut good, mut cost, mut step, all) = (0, 0, 16, text.starts().len());
    while good < all {
        let end = (good + step).min(all);
        let tokens = count(end);
        if tokens > most {
            return Cost::Over(last_within(good, end, &|rows| count(rows) <= most));
        }
        (good, cost, step) = (end, tokens, step * 2);
    }
    Cost::Within(cost)
}

/// The last number from `good` on, and before `bad`, that fits.
fn last_within(mut good: usize, mut bad: usize, fits: &dyn Fn(usize) -> bool) -> usize {
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fits(middle) { good = middle } else { bad = middle }
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_text::Kind;
    use kitbag_tokens::{Measure, TokenCounter};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A token a byte, and how many bytes were counted.
    #[derive(Default)]
    struct Bytes(AtomicUsize);

    impl TokenCounter for Bytes {
        fn name(&self) -> &str {
            "bytes"
        }

        fn is_exact(&self) -> bool {
            true
        }

        fn measure(&self, text: &str) -> Measure {
            self.0.fetch_add(text.len(), Ordering::Relaxed);
            Measure { main: text.len() as u32, extra: 0 }
        }

        fn tokens(&self, measure: Measure) -> usize {
            measure.main as usize
        }

        fn adds_between(&self, _: &str, _: &str) -> bool {
            true
        }
    }

    fn cost(content: &str, most: usize) -> (Cost, usize) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = Root::open(folder.path()).expect("a root");
        let counter = Arc::new(Bytes::default());
        let counting = Counting::new(Arc::clone(&counter) as Arc<dyn TokenCounter>, 0);
        let bounds = Bounds { root: &root, counting: &counting, prepared: None, is_in_haste: true };
        let source = Source::new("a.txt", Kind::Other, Arc::new(Text::new(content)));
        (cost_of(&source, most, &bounds), counter.0.load(Ordering::Relaxed))
    }

    #[test]
    fn of_a_text_that_is_too_long_little_more_is_counted_than_fits() {
        let text = "123456789\n".repeat(100_000);
        for most in [0, 9, 10, 1_005] {
            let (cost, counted) = cost(&text, most);
            assert!(matches!(cost, Cost::Over(rows) if rows == most / 10), "{most}");
            assert!(counted < 50_000, "{counted} bytes were counted for {most} tokens");
        }
        let (whole, _) = cost(&text[..1_000], 1_000);
        assert!(matches!(whole, Cost::Within(1_000)));
    }
}
