//! Merges the answers of providers, in order of registration and within bounds.

use super::plan::Planned;
use super::run::ProviderAnswer;
use crate::gather::inputs::{Inputs, reason_of};
use crate::gather::provider::{Gathered, Gathering};
use crate::gather::quotes::remove_quoted;
use crate::index::Prepared;
use crate::report::ProviderItem;
use crate::search::why::Reasons;
use kitbag_core::Reason;
use kitbag_record::ProviderOutcome;
use kitbag_repo::{PathError, Root};
use kitbag_rules::RuleDecision;
use kitbag_text::{Provenance, Source, Text};
use kitbag_tokens::CachedCounter;
use std::sync::Arc;

/// Maximum size of one provider's sources, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// Maximum size of one provider's sources under a deadline, in bytes.
const MAX_BYTES_WITH_DEADLINE: usize = 1 << 20;

/// The merged answers of all providers.
#[derive(Default)]
pub(crate) struct Collected {
    pub inputs: Inputs,
    pub warnings: Vec<String>,
    pub files_searched: usize,
    pub rules: Vec<RuleDecision>,
    pub reasons: Option<Box<Reasons>>,
    pub providers: Vec<ProviderItem>,
    /// Whether the deadline cut something off.
    pub is_partial: bool,
}

/// Merges the answers in the order of their providers.
pub(crate) fn merge_answers(
    providers: &[Planned],
    answers: Vec<ProviderAnswer>,
    gathering: &Gathering,
    prepared: Option<&Prepared>,
) -> Collected {
    let mut collected = Collected::default();
    let mut quotes = Vec::new();
    for (planned, mut answer) in providers.iter().zip(answers) {
        quotes.append(&mut answer.gathered.quotes);
        collected.take(planned, answer, gathering, prepared);
    }
    remove_quoted(&mut collected.inputs, &quotes);
    collected
}

impl Collected {
    fn take(
        &mut self,
        planned: &Planned,
        answer: ProviderAnswer,
        gathering: &Gathering,
        prepared: Option<&Prepared>,
    ) {
        let ProviderAnswer { outcome, failure, mut gathered, duration } = answer;
        let detail = match outcome {
            ProviderOutcome::Ok | ProviderOutcome::Empty | ProviderOutcome::Off => None,
            ProviderOutcome::TimedOut => {
                Some(format!("no answer within {} ms", planned.timeout.as_millis()))
            }
            ProviderOutcome::Failed => failure,
            ProviderOutcome::Late => Some("no answer before the deadline".to_owned()),
        };
        let warning = detail.iter().map(|detail| format!("provider `{}`: {detail}", planned.id()));
        self.warnings.extend(warning);
        self.is_partial |= outcome == ProviderOutcome::Late;
        self.warnings.append(&mut gathered.warnings);
        self.rules.append(&mut gathered.rules);
        self.reasons = self.reasons.take().or(gathered.reasons.take());
        self.files_searched = self.files_searched.max(gathered.files_searched);
        enforce_bounds(&mut gathered, planned, gathering);
        for source in &mut gathered.inputs.sources {
            source.from = Some(planned.provenance(source.from.take()));
            if gathered.is_undated && source.timestamp.is_none() {
                source.timestamp = prepared.and_then(|it| it.worktree.timestamps.of(&source.path));
            }
        }
        self.providers.push(ProviderItem {
            id: planned.id().to_owned(),
            outcome,
            detail,
            sources: gathered.inputs.sources.len(),
            chunks: 0,
            tokens: 0,
            ms: duration.as_secs_f64() * 1_000.0,
        });
        self.inputs.append(gathered.inputs);
    }
}

impl Planned {
    /// Returns the provenance of a source, which preserves whether it is prose and its title.
    fn provenance(&self, own: Option<Arc<Provenance>>) -> Arc<Provenance> {
        let own = own.filter(|own| own.is_prose);
        let title = own.as_ref().map(|own| own.title.as_str()).filter(|title| !title.is_empty());
        let provider = &self.registered.provider;
        Arc::new(Provenance {
            provider: provider.id().to_owned(),
            title: title.unwrap_or(provider.title()).to_owned(),
            priority: provider.priority(),
            is_prose: own.is_some(),
        })
    }
}

/// Rejects paths outside the root, denied paths, binary content, and sources that exceed the
/// limits.
fn enforce_bounds(gathered: &mut Gathered, planned: &Planned, gathering: &Gathering) {
    let max_bytes = if gathering.has_deadline { MAX_BYTES_WITH_DEADLINE } else { MAX_BYTES };
    let (mut bytes, mut items, mut tokens) = (0usize, 0usize, 0usize);
    let is_limited = |_: &usize| !gathered.is_limited;
    let max_items = planned.limits.max_items.filter(is_limited).unwrap_or(usize::MAX);
    let root = (!gathered.is_labeled).then_some(&*gathering.root);
    let (id, inputs) = (planned.id(), &mut gathered.inputs);
    for mut source in std::mem::take(&mut inputs.sources) {
        if let Err((reason, detail)) = admit(&mut source, root) {
            inputs.reject(&source.path, source.kind, reason, detail);
            continue;
        }
        let over = |limit: &str| format!("exceeds `context.providers.{id}.{limit}`");
        let (size, some_items) = (size(&source), items_of(&source));
        if bytes.saturating_add(size) > max_bytes {
            let detail = format!("`{id}` returned more than {} MB", max_bytes >> 20);
            inputs.reject(&source.path, source.kind, Reason::TooLarge, detail);
            continue;
        }
        if items.saturating_add(some_items) > max_items {
            inputs.reject(&source.path, source.kind, Reason::ProviderLimit, over("max_items"));
            continue;
        }
        // Tokens are counted last, because counting is slower than the other checks.
        let left = planned.limits.max_tokens.map(|max| max.saturating_sub(tokens));
        match left.map_or(SourceCost::Within(0), |left| cost_of(&source, left, &gathering.counting))
        {
            SourceCost::Within(cost) => {
                (bytes, items, tokens) = (bytes + size, items + some_items, tokens + cost);
                inputs.sources.push(source);
            }
            SourceCost::Over(first) => {
                let detail = over("max_tokens");
                inputs.reject(&source.path, source.kind, Reason::ProviderLimit, detail);
                if shorten(&mut source, first) {
                    inputs.sources.push(source);
                }
                tokens = usize::MAX;
            }
        }
    }
}

/// The tokens of a source or, if it exceeds a limit, the number of its first pieces or lines that
/// fit.
enum SourceCost {
    Within(usize),
    Over(usize),
}

/// Checks that the path is inside `root`, if there is one, and that the content is text.
fn admit(source: &mut Source, root: Option<&Root>) -> Result<(), (Reason, String)> {
    if let Some(root) = root {
        let rejected = |error: PathError| (reason_of(error.code()), error.reason());
        source.path = root.normalize(&source.path).map_err(rejected)?;
    }
    if source.text.content().contains('\0') {
        return Err((Reason::Binary, "binary content".to_owned()));
    }
    Ok(())
}

fn items_of(source: &Source) -> usize {
    source.pieces.as_ref().map_or(1, Vec::len)
}

/// Returns the number of bytes of a source that may be shown.
fn size(source: &Source) -> usize {
    match &source.pieces {
        Some(pieces) => pieces.iter().map(|it| source.text.slice(it.chunk.span).len()).sum(),
        None => source.text.content().len(),
    }
}

/// Truncates a source to its first pieces or lines. Returns `false` if nothing is left.
fn shorten(source: &mut Source, first: usize) -> bool {
    if let Some(pieces) = &mut source.pieces {
        pieces.truncate(first);
    } else {
        let text = &source.text;
        source.text = Arc::new(Text::with_first_line(text.row_slice(0..first), text.first_line()));
        source.tally = None;
    }
    first > 0
}

/// Counts the tokens of a source up to `most`, reading at most about twice as much text as fits.
fn cost_of(source: &Source, most: usize, counting: &CachedCounter) -> SourceCost {
    if let Some(pieces) = &source.pieces {
        let mut sum = 0usize;
        let within = pieces.iter().take_while(|it| {
            sum = sum.saturating_add(it.chunk.tokens as usize);
            sum <= most
        });
        let first = within.count();
        let is_whole = first == pieces.len();
        return if is_whole { SourceCost::Within(sum) } else { SourceCost::Over(first) };
    }
    let (text, counter) = (&source.text, counting.counter());
    let count = |rows: usize| counter.count(text.row_slice(0..rows));
    let (mut good, mut cost, mut step, all) = (0, 0, 16, text.row_starts().len());
    while good < all {
        let end = (good + step).min(all);
        let tokens = count(end);
        if tokens > most {
            return SourceCost::Over(last_within(good, end, &|rows| count(rows) <= most));
        }
        (good, cost, step) = (end, tokens, step * 2);
    }
    SourceCost::Within(cost)
}

/// Returns the largest number in `good..bad` that fits, by bisection.
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

    /// Counts one token per byte, and records the number of bytes counted.
    #[derive(Default)]
    struct ByteCounter(AtomicUsize);

    impl TokenCounter for ByteCounter {
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

        fn is_additive_between(&self, _: &str, _: &str) -> bool {
            true
        }
    }

    fn cost(content: &str, most: usize) -> (SourceCost, usize) {
        let counter = Arc::new(ByteCounter::default());
        let counting = CachedCounter::new(Arc::clone(&counter) as Arc<dyn TokenCounter>, 0);
        let source = Source::new("a.txt", Kind::Other, Arc::new(Text::new(content)));
        (cost_of(&source, most, &counting), counter.0.load(Ordering::Relaxed))
    }

    #[test]
    fn counting_stops_soon_after_the_limit() {
        let text = "123456789\n".repeat(100_000);
        for most in [0, 9, 10, 1_005] {
            let (cost, counted) = cost(&text, most);
            assert!(matches!(cost, SourceCost::Over(rows) if rows == most / 10), "{most}");
            assert!(counted < 50_000, "{counted} bytes were counted for {most} tokens");
        }
        let (whole, _) = cost(&text[..1_000], 1_000);
        assert!(matches!(whole, SourceCost::Within(1_000)));
    }
}
