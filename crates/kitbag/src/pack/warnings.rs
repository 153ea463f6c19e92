//! Warnings of a report: what was left out, and why a pack is empty.

use super::Draft;
use crate::gather::orchestrate::{Collected, Plan};
use crate::request::Request;
use crate::search::why_nothing;
use kitbag_core::{ChunkForm, Decision, Excluded, Reason, WEAK_RELEVANCE};
use kitbag_record::ProviderOutcome;
use kitbag_text::{Kind, plural};
use std::collections::BTreeMap;

/// Maximum number of rejected inputs listed individually.
const MAX_LISTED: usize = 10;

/// What to do if the search ended before anything was found.
const UNRELATED_HINT: &str =
    "use words from the code, or fill the budget anyway with `--fill` or `fill: true`";

/// Warns about each rejected input that the caller named or supplied.
pub(super) fn rejected_inputs(opened: &[Excluded], gathered: &[Excluded]) -> Vec<String> {
    let gathered = gathered.iter().filter(|it| !is_incidental(it));
    let rejected: Vec<&Excluded> = opened.iter().chain(gathered).collect();
    let listed = rejected.iter().take(MAX_LISTED);
    let listed = listed.map(|it| format!("`{}` was left out: {}", it.path, it.detail));
    let more = rejected.len().saturating_sub(MAX_LISTED);
    listed.chain((more > 0).then(|| format!("{more} more sources were left out"))).collect()
}

/// Whether the caller did not name this: what a search skips, what rules already quote, and what
/// providers find beyond the limits of their profile.
fn is_incidental(out: &Excluded) -> bool {
    let found = matches!(out.kind, Kind::History | Kind::Diagnostics | Kind::Style | Kind::Rule);
    // The provider of rules warns about those that do not fit.
    let is_warned = out.kind == Kind::Rule && out.reason == Reason::Budget;
    let is_reported = matches!(out.reason, Reason::ProviderLimit | Reason::Duplicate);
    out.kind == Kind::SearchResult || (found && is_reported) || is_warned
}

/// Warns about each file, tool result or source that the caller named or supplied and that is not in
/// the pack as a whole.
pub(super) fn missing_pins(decision: &Decision) -> Vec<String> {
    // Copies of other chunks and blank sources are not missing.
    let is_missing = |out: &&Excluded| {
        let reason = out.reason;
        out.is_pinned && matches!(reason, Reason::Budget | Reason::MaxChunks | Reason::Score)
    };
    let mut missing: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for out in decision.excluded.iter().filter(is_missing) {
        missing.entry(&out.path).or_default().0 += 1;
    }
    let pinned = decision.included.iter().filter(|item| item.is_pinned);
    for item in pinned.filter(|item| item.form != ChunkForm::Full) {
        missing.entry(&item.path).or_default().1 += 1;
    }
    let warning = |(path, (out, shortened)): (&&str, &(usize, usize))| {
        let left_out = (*out > 0).then(|| format!("{} left out", plural(*out, "chunk")));
        let shortened = (*shortened > 0).then(|| match out {
            0 => format!("{} shortened", plural(*shortened, "chunk")),
            _ => format!("{shortened} shortened"),
        });
        let what: Vec<String> = left_out.into_iter().chain(shortened).collect();
        format!("`{path}` is not in the pack as a whole: {}", what.join(", "))
    };
    let listed = missing.iter().take(MAX_LISTED).map(warning);
    let more = missing.len().saturating_sub(MAX_LISTED);
    let more = (more > 0).then(|| format!("{more} more sources are not in the pack as a whole"));
    listed.chain(more).collect()
}

/// Warns if hardly any search result is relevant enough, and the pack has other content.
pub(super) fn unrelated_task(decision: &Decision) -> Option<String> {
    let gathered = || decision.included.iter().filter(|item| !item.is_pinned);
    let is_stopped = decision.excluded.iter().any(|out| out.reason == Reason::BelowStop);
    let is_weak = gathered().all(|item| item.factors.relevance < WEAK_RELEVANCE);
    (is_stopped && is_weak && !decision.included.is_empty()).then(|| {
        let what = match gathered().any(|item| item.kind == Kind::SearchResult) {
            true => "hardly anything in this repository",
            false => "nothing in this repository",
        };
        format!("{what} seems related to the task; {UNRELATED_HINT}")
    })
}

/// Warns about characters that the format cannot represent.
pub(super) fn replaced_characters(count: usize) -> Option<String> {
    let verb = if count == 1 { "was" } else { "were" };
    let characters = plural(count, "character");
    (count > 0).then(|| format!("{characters} that XML cannot represent {verb} replaced"))
}

/// Warns about inputs for providers that are off.
pub(super) fn ignored_inputs<'a>(
    plan: &'a Plan,
    request: &'a Request,
) -> impl Iterator<Item = String> + 'a {
    plan.ignored(request).map(|id| format!("the provider `{id}` is off; its input is ignored"))
}

/// A pack without chunks.
pub(super) struct EmptyPack<'a> {
    pub draft: &'a Draft<'a>,
    pub decision: &'a Decision,
    pub collected: &'a Collected,
}

impl EmptyPack<'_> {
    /// Returns the reason why nothing is in the pack.
    pub fn reason(&self) -> String {
        let Decision { excluded, stats, .. } = self.decision;
        let has_task = !self.draft.job.request.task.trim().is_empty();
        let has_sources = || self.collected.providers.iter().any(|item| item.sources > 0);
        if self.collected.is_partial && stats.chunks == 0 {
            return "nothing arrived before the deadline".to_owned();
        }
        if stats.chunks > 0 && excluded.iter().any(|out| out.reason == Reason::Budget) {
            self.nothing_fits()
        } else if let Some(best) = excluded.iter().find(|out| out.reason == Reason::Score) {
            let min_score = self.draft.frame.settings.min_score.unwrap_or_default();
            let (path, score) = (&best.path, best.score.unwrap_or_default());
            format!(
                "no chunk reaches the minimum score of {min_score}; the best is `{path}` with {score:.3}"
            )
        } else if excluded.iter().any(|out| out.reason == Reason::AlreadySent) {
            "everything that matters was already sent in this session; `repeat: true` sends it again"
                .to_owned()
        } else if let Some(best) = excluded.iter().find(|out| out.reason == Reason::BelowStop) {
            let (path, factors) = (&best.path, best.factors.unwrap_or_default());
            format!(
                "nothing in this repository seems related to the task; the best match is `{path}` with \
                 a relevance of {:.3}; {UNRELATED_HINT}",
                factors.relevance
            )
        } else if let Some(first) = excluded.first() {
            format!("all sources were excluded, such as `{}`: {}", first.path, first.detail)
        } else if self.draft.job.request.diff.is_some() && !has_task {
            "the diff has nothing to show".to_owned()
        } else if has_task {
            self.nothing_found()
        } else if self.draft.context.rejected.is_empty() && !has_sources() {
            "no provider returned anything".to_owned()
        } else {
            "none of the named sources can be packed".to_owned()
        }
    }

    fn nothing_fits(&self) -> String {
        let chunks = plural(self.decision.stats.chunks, "chunk");
        match self.limiting_category() {
            Some((kind, limit)) => format!(
                "no chunk fits in the {} that `context.budget.categories.{kind}` allows ({chunks} tried)",
                plural(limit, "token")
            ),
            None => {
                let budget = plural(self.draft.context.gathering.budget, "token");
                format!("no chunk fits in {budget} ({chunks} tried); raise the budget")
            }
        }
    }

    /// Returns the kind of the best excluded chunk and its share of the budget, if only such shares
    /// keep out chunks that the budget itself has room for.
    fn limiting_category(&self) -> Option<(Kind, usize)> {
        let limit = |out: &Excluded| {
            let share = self.draft.frame.settings.budget.categories[out.kind.index()]?;
            let limit = share.of(self.draft.context.gathering.budget);
            (limit < self.draft.context.gathering.budget
                && out.tokens <= self.draft.context.gathering.budget)
                .then_some((out.kind, limit))
        };
        let mut out = self.decision.excluded.iter().filter(|out| out.reason == Reason::Budget);
        let first = limit(out.next()?)?;
        out.all(|out| limit(out).is_some()).then_some(first)
    }

    /// Explains why the search, on which most packs depend, found nothing.
    fn nothing_found(&self) -> String {
        const SEARCH: &str = "search";
        let item = self.collected.providers.iter().find(|item| item.id == SEARCH);
        match item.map(|item| (item.outcome, item.detail.as_deref())) {
            Some((ProviderOutcome::Off, _)) => {
                return "the provider `search` is off and no other returned anything; \
                        `--provider search` switches it on"
                    .to_owned();
            }
            Some((ProviderOutcome::Failed, Some(detail))) => {
                return format!("the provider `search` failed: {detail}");
            }
            Some((_, Some(detail))) => return format!("the provider `search`: {detail}"),
            _ => {}
        }
        let limits =
            self.draft.plan.providers.iter().find(|it| it.id() == SEARCH).map(|it| it.limits);
        if limits.is_some_and(|limits| limits.max_items == Some(0)) {
            return "`context.providers.search.max_items` is 0".to_owned();
        }
        let is_limit = |out: &&Excluded| out.reason == Reason::ProviderLimit;
        if let Some(out) = self.draft.context.rejected.iter().find(is_limit) {
            return format!(
                "every search result was left out, such as `{}`: {}",
                out.path, out.detail
            );
        }
        let has_globs = !(self.draft.job.request.include.is_empty()
            && self.draft.job.request.exclude.is_empty());
        why_nothing(&self.draft.job.request.task, self.collected.files_searched, has_globs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_core::{Factors, Included, Stats};
    use kitbag_text::Span;

    fn included(path: &str, kind: Kind, relevance: f64, is_pinned: bool) -> Included {
        Included {
            path: path.to_owned(),
            span: Span::new(1, 2),
            symbol: None,
            defines: Vec::new(),
            kind,
            part: None,
            tokens: 10,
            score: relevance,
            factors: Factors { relevance, ..Factors::default() },
            form: ChunkForm::Full,
            shown: vec![Span::new(1, 2)],
            text: String::new(),
            merged_from: Vec::new(),
            from: None,
            is_pinned,
        }
    }

    fn excluded(path: &str, reason: Reason, is_pinned: bool) -> Excluded {
        Excluded { is_pinned, ..Excluded::unranked(path, Kind::SearchResult, reason, "") }
    }

    fn decision(included: Vec<Included>, excluded: Vec<Excluded>) -> Decision {
        Decision { included, excluded, stats: Stats::default(), ..Decision::default() }
    }

    #[test]
    fn what_is_missing_of_a_named_file_is_counted() {
        let shortened =
            Included { form: ChunkForm::Outline, ..included("b", Kind::Reference, 0.1, true) };
        let out = vec![
            excluded("a", Reason::Budget, true),
            excluded("a", Reason::Budget, true),
            excluded("b", Reason::MaxChunks, true),
            excluded("c", Reason::Duplicate, true),
            excluded("d", Reason::Budget, false),
        ];
        let warnings = missing_pins(&decision(vec![shortened], out));
        let expected = [
            "`a` is not in the pack as a whole: 2 chunks left out",
            "`b` is not in the pack as a whole: 1 chunk left out, 1 shortened",
        ];
        assert_eq!(warnings, expected);
        let whole = included("a", Kind::Reference, 0.1, true);
        assert_eq!(missing_pins(&decision(vec![whole], Vec::new())), Vec::<String>::new());
    }

    #[test]
    fn a_task_without_related_code_is_reported() {
        let stopped = || vec![excluded("a", Reason::BelowStop, false)];
        let warning = |included: Vec<Included>| {
            let warning = unrelated_task(&decision(included, stopped()));
            warning.map(|it| it.split(';').next().unwrap_or_default().to_owned())
        };
        let open = || included("open", Kind::OpenFile, 0.0, false);
        let nothing = "nothing in this repository seems related to the task";
        assert_eq!(warning(vec![open()]).as_deref(), Some(nothing));
        let weak = included("b", Kind::SearchResult, 0.04, false);
        let hardly = "hardly anything in this repository seems related to the task";
        assert_eq!(warning(vec![open(), weak]).as_deref(), Some(hardly));
        let good = included("b", Kind::SearchResult, 0.5, false);
        assert_eq!(warning(vec![good]), None);
        assert_eq!(warning(Vec::new()), None, "the reason of an empty pack says so");
        assert_eq!(unrelated_task(&decision(vec![open()], Vec::new())), None, "no stop");
    }
}
