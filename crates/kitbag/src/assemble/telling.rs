//! What a report tells in words: what was left out, and why a pack is empty.

use crate::finding::why_nothing;
use crate::orchestrate::Plan;
use crate::report::ProviderItem;
use crate::request::Request;
use kitbag_core::{Decision, Excluded, Reason, Settings};
use kitbag_text::Kind;

/// Whether something was left out that nobody named: what a search passes over, and what providers
/// find beyond their limits, which profiles set for them.
fn is_unnamed(out: &Excluded) -> bool {
    let found = matches!(out.kind, Kind::History | Kind::Diagnostics | Kind::Style | Kind::Rule);
    out.kind == Kind::SearchResult || (found && out.reason == Reason::ProviderLimit)
}

/// What a person who named something should know of it.
pub(super) fn left_out(named: &[Excluded], gathered: &[Excluded]) -> Vec<String> {
    const MOST: usize = 10;
    let gathered = gathered.iter().filter(|it| !is_unnamed(it));
    let rejected: Vec<&Excluded> = named.iter().chain(gathered).collect();
    let told = rejected.iter().take(MOST).map(|it| {
        let named = it.detail.contains(&format!("`{}`", it.path));
        let path = if named { String::new() } else { format!(": `{}`", it.path) };
        format!("left out: {}{path}", it.detail)
    });
    let more = rejected.len().saturating_sub(MOST);
    told.chain((more > 0).then(|| format!("{more} more sources were left out"))).collect()
}

/// What the format could not carry.
pub(super) fn replaced(characters: usize) -> Option<String> {
    match characters {
        0 => None,
        1 => Some("1 character that XML cannot carry was replaced".to_owned()),
        _ => Some(format!("{characters} characters that XML cannot carry were replaced")),
    }
}

/// What is told of providers that are off though the request brings something for them.
pub(super) fn ignored<'a>(
    plan: &'a Plan,
    request: &'a Request,
) -> impl Iterator<Item = String> + 'a {
    plan.ignored(request)
        .map(|id| format!("the provider `{id}` is off: what was given for it is left out"))
}

/// What was gathered for a pack, and by whom.
pub(super) struct Gathered<'a> {
    plan: &'a Plan,
    providers: &'a [ProviderItem],
    rejected: &'a [Excluded],
    /// How many files were searched.
    files: usize,
}

/// What is told of a pack in which nothing is. `late` is the deadline that came first, in
/// milliseconds.
pub(super) fn emptiness(
    request: &Request,
    settings: &Settings,
    (budget, decision): (usize, &Decision),
    gathered: &Gathered<'_>,
    (late, is_partial): (Option<u128>, bool),
) -> Option<String> {
    if let Some(limit) = late {
        return Some(format!("the deadline of {limit} ms came before anything could be packed"));
    }
    let is_empty = decision.included.is_empty();
    is_empty.then(|| match is_partial && decision.stats.chunks == 0 {
        true => "the pack is empty: nothing arrived before the deadline".to_owned(),
        false => {
            let why = why_empty(request, settings, (budget, decision), gathered);
            format!("the pack is empty: {why}")
        }
    })
}

/// Why nothing is in the pack, and what to do about it.
fn why_empty(
    request: &Request,
    settings: &Settings,
    (budget, decision): (usize, &Decision),
    gathered: &Gathered<'_>,
) -> String {
    let counted =
        |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let chunks = decision.stats.chunks;
    if chunks > 0 && decision.excluded.iter().any(|out| out.reason == Reason::Budget) {
        let chunks = counted(chunks, "chunk");
        if let Some((kind, limit)) = share_in_the_way(settings, budget, decision) {
            let limit = counted(limit, "token");
            return format!(
                "none of {chunks} fits what there is for `{kind}`, {limit} of the budget; \
                 `context.budget.categories.{kind}` says how much"
            );
        }
        format!("none of {chunks} fits the budget of {}; give it more", counted(budget, "token"))
    } else if let Some(best) = decision.excluded.iter().find(|out| out.reason == Reason::Score) {
        let least = settings.min_score.unwrap_or_default();
        let (path, score) = (&best.path, best.score.unwrap_or_default());
        format!("nothing reaches the least score of {least}; the best is `{path}` with {score:.3}")
    } else if let Some(first) = decision.excluded.first() {
        format!("nothing that was found can go in; `{}`: {}", first.path, first.detail)
    } else if request.task.trim().is_empty() && gathered.is_nothing() {
        "no provider that was asked has anything".to_owned()
    } else if request.task.trim().is_empty() {
        "nothing that was named can go in".to_owned()
    } else {
        gathered.why_not_found(request)
    }
}

/// The kind of the best chunk that is out, and what it may have of the budget, where nothing but
/// such limits keeps chunks out that the budget itself has room for.
fn share_in_the_way(
    settings: &Settings,
    budget: usize,
    decision: &Decision,
) -> Option<(Kind, usize)> {
    let limit = |out: &Excluded| {
        let share = settings.budget.categories[out.kind.index()]?;
        let limit = share.of(budget);
        (limit < budget && out.tokens <= budget).then_some((out.kind, limit))
    };
    let mut out = decision.excluded.iter().filter(|out| out.reason == Reason::Budget);
    let first = limit(out.next()?)?;
    out.all(|out| limit(out).is_some()).then_some(first)
}

impl<'a> Gathered<'a> {
    pub fn new(
        plan: &'a Plan,
        providers: &'a [ProviderItem],
        rejected: &'a [Excluded],
        files: usize,
    ) -> Self {
        Self { plan, providers, rejected, files }
    }

    /// Whether nobody gave anything, not even what could not go in.
    fn is_nothing(&self) -> bool {
        self.rejected.is_empty() && self.providers.iter().all(|item| item.sources == 0)
    }

    /// Why the search, which most packs live on, gave nothing.
    fn why_not_found(&self, request: &Request) -> String {
        const SEARCH: &str = "search";
        let item = self.providers.iter().find(|item| item.id == SEARCH);
        match item.map(|item| (item.outcome, item.detail.as_deref())) {
            Some(("off", _)) => {
                return "the provider `search` is off, and no other that was asked has anything; \
                        `--provider search` switches it on"
                    .to_owned();
            }
            Some((_, Some(detail))) => return format!("the provider `search`: {detail}"),
            _ => {}
        }
        let limits = self.plan.providers.iter().find(|it| it.id() == SEARCH).map(|it| it.limits);
        if limits.is_some_and(|limits| limits.max_items == Some(0)) {
            return "the search may give nothing: `context.providers.search.max_items` is 0"
                .to_owned();
        }
        let is_limit = |out: &&Excluded| out.reason == Reason::ProviderLimit;
        if let Some(out) = self.rejected.iter().find(is_limit) {
            return format!("what was found is {}; `{}`", out.detail, out.path);
        }
        let has_globs = !(request.include.is_empty() && request.exclude.is_empty());
        why_nothing(&request.task, self.files, has_globs)
    }
}
