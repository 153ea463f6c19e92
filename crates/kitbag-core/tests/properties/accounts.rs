//! Every chunk is accounted for, and the budget is filled.

use super::case::{Case, Outcome, counting};
use kitbag_core::stages::{Merged, Press, Sheet, View, gather, merge_identical, render_views};
use kitbag_core::{
    Cancel, Form, Included, Overflow, Ranker, Ranking, Reason, Scored, Share, WeightedRanker,
};
use kitbag_text::{Kind, Span};
use proptest::prelude::*;

/// How many of the chunks that were left out for the budget are tried again.
const SAMPLE: usize = 5;

type Line = (String, Option<Span>, Kind);

/// Each chunk of each source is reported exactly once, and a source without chunks once. Sources
/// that are the same are one, and its chunks stand for them all.
pub fn check_complete(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    let Merged { sources, also } = merge_identical(case.sources.clone(), &case.settings);
    let stats = outcome.packed.decision.stats;
    let gone = case.sources.len() - sources.len();
    prop_assert_eq!((stats.sources, stats.merged_sources), (case.sources.len(), gone));
    prop_assert_eq!(also.iter().map(Vec::len).sum::<usize>(), gone);
    let mut expected: Vec<Line> = Vec::new();
    let mut stand_ins = 0;
    for (source, also) in sources.iter().zip(&also) {
        let chunks = case.chunks(source);
        let spans =
            if chunks.is_empty() { vec![None] } else { chunks.into_iter().map(Some).collect() };
        stand_ins += spans.len() * also.len();
        expected.extend(spans.into_iter().map(|span| (source.path.clone(), span, source.kind)));
    }
    let decision = &outcome.packed.decision;
    let included = decision.included.iter().map(|i| (i.path.clone(), Some(i.span), i.kind));
    let excluded = decision.excluded.iter().map(|e| (e.path.clone(), e.span, e.kind));
    let mut reported: Vec<Line> = included.chain(excluded).collect();
    let origins = decision.included.iter().map(|item| item.also.len());
    let origins: usize = origins.chain(decision.excluded.iter().map(|out| out.also.len())).sum();
    prop_assert_eq!(reported.len() + origins, expected.len() + stand_ins);
    if origins > stand_ins {
        let within = |line: &&Line| {
            let mut same = reported.iter().filter(|other| other.0 == line.0);
            same.any(|other| other.1.zip(line.1).is_none_or(|(all, one)| all.contains(one)))
        };
        prop_assert_eq!(expected.iter().find(|line| !within(line)), None);
        return Ok(());
    }
    expected.sort();
    reported.sort();
    prop_assert_eq!(reported, expected);
    Ok(())
}

/// Reasons are true as far as a report can tell: each fits its chunk, and whoever won over a
/// repeat was not dropped itself.
pub fn check_reasons(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    let decision = &outcome.packed.decision;
    let dedup = &case.settings.deduplication;
    let budget = decision
        .excluded
        .iter()
        .filter(|out| matches!(out.reason, Reason::Budget | Reason::MaxChunks));
    let mut winners: Vec<String> =
        decision.included.iter().map(|item| format!("{}:{}", item.path, item.span)).collect();
    winners.extend(budget.filter_map(|out| Some(format!("{}:{}", out.path, out.span?))));
    for out in &decision.excluded {
        let won = |words: &str| {
            let winner = out.detail.strip_prefix(words);
            winner.is_some_and(|winner| winners.iter().any(|known| known == winner))
        };
        let fits = match out.reason {
            Reason::Duplicate => dedup.content_hash_enabled && won("the same content as "),
            Reason::Overlap => dedup.overlap_detection_enabled && won("overlaps "),
            Reason::NearDuplicate => dedup.near_enabled && won("nearly the same words as "),
            Reason::Score => out.score < case.settings.min_score,
            Reason::LineTooLong => out.tokens > case.settings.chunking.max_chunk_tokens as usize,
            Reason::Budget => outcome.budget < usize::MAX || limit_of(case, out.kind).is_some(),
            Reason::MaxChunks => case.settings.formatting.max_chunks.is_some(),
            Reason::Empty => out.span.is_none() && out.tokens == 0,
            _ => false,
        };
        prop_assert!(fits && !out.detail.is_empty(), "{out:?}");
    }
    Ok(())
}

fn limit_of(case: &Case, kind: Kind) -> Option<Share> {
    case.settings.budget.categories[kind.index()]
}

/// The candidates of a case, best first, and their files.
fn candidates(case: &Case, budget: usize) -> (Vec<Scored>, Vec<Sheet>) {
    let cancel = Cancel::default();
    let mut job = case.job(budget, &cancel);
    job.sources = merge_identical(job.sources, &case.settings).sources;
    let (sheets, candidates) = gather(&job).expect("nobody cancels");
    let settings = &case.settings;
    let ranking =
        Ranking { task: case.task, now: case.now, sheets: &sheets, settings, cancel: &cancel };
    let mut scored = WeightedRanker.score(candidates, &ranking).expect("nobody cancels");
    sort(&mut scored, &sheets);
    (scored, sheets)
}

/// The text of some views, whatever it costs.
fn render(case: &Case, scored: &[Scored], sheets: &[Sheet], views: &[Option<View>]) -> String {
    let press = Press {
        sheets,
        counting: counting(case.counter),
        formatting: &case.settings.formatting,
        task: case.task,
        budget: usize::MAX,
        cancel: &Cancel::default(),
    };
    render_views(scored, views, &press).expect("no template can fail")
}

/// Nothing that was left out for the budget would still fit whole, whatever the policy, nor in
/// outline where outlines are shown. What its kind's limit keeps out is not tried, and chunks that
/// have grown cannot be told here.
pub fn check_full(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    let (scored, sheets) = candidates(case, outcome.budget);
    let Some((views, left_out)) = views(&scored, &sheets, outcome) else { return Ok(()) };
    let text = render(case, &scored, &sheets, &views);
    if outcome.packed.text.is_empty() && !text.is_empty() {
        prop_assert!(case.recount(&text) > outcome.budget, "the frame would fit: {text}");
        return Ok(());
    }
    prop_assert_eq!(text, outcome.packed.text.as_str(), "the forms are read wrongly");
    let most = case.settings.formatting.max_chunks.unwrap_or(usize::MAX);
    if outcome.packed.decision.included.len() >= most {
        return Ok(());
    }
    let step = left_out.len().div_ceil(SAMPLE).max(1);
    let wanted = left_out.iter().step_by(step).chain(left_out.last());
    for &place in wanted {
        let candidate = &scored[place].candidate;
        if limit_of(case, candidate.kind).is_some() {
            continue;
        }
        for view in [View::Full, View::Outline] {
            let chunk = &candidate.chunk;
            let outlines = case.settings.selection.overflow == Overflow::Outline;
            let skip = !outlines || chunk.outline.is_empty();
            if view == View::Outline && (skip || views[place].is_some()) {
                continue;
            }
            let mut more = views.clone();
            more[place] = Some(view);
            let text = render(case, &scored, &sheets, &more);
            let tokens = case.recount(&text);
            let fits = tokens <= outcome.budget;
            let budget = outcome.budget;
            prop_assert!(!fits, "{view:?} {} would fit: {tokens} of {budget}\n{text}", chunk.span);
        }
    }
    Ok(())
}

/// There are as many chunks as asked for, if as many of the cheapest fit together. Only where no
/// kind has a limit and nothing has grown.
pub fn check_least(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    let (scored, sheets) = candidates(case, outcome.budget);
    let limited = case.settings.budget.categories.iter().any(Option::is_some);
    let Some((views, left_out)) = views(&scored, &sheets, outcome) else { return Ok(()) };
    let included = outcome.packed.decision.included.len();
    let least = case.settings.selection.min_chunks;
    if limited || included >= least {
        return Ok(());
    }
    let render = |views: &[Option<View>]| render(case, &scored, &sheets, views);
    let shown = (0..views.len()).filter(|&place| views[place].is_some());
    let mut fit: Vec<usize> = shown.chain(left_out.iter().copied()).collect();
    fit.sort_unstable();
    fit.dedup();
    let empty = vec![None; scored.len()];
    let mut alone: Vec<(usize, usize)> = Vec::new();
    for place in fit {
        let mut views = empty.clone();
        views[place] = Some(View::Full);
        alone.push((case.recount(&format!("{}\n", render(&views))), place));
    }
    alone.sort_unstable();
    let (mut views, mut count) = (empty, 0);
    for (_, place) in alone {
        views[place] = Some(View::Full);
        if case.recount(&render(&views)) <= outcome.budget {
            count += 1;
        } else {
            views[place] = None;
        }
    }
    prop_assert!(included >= count.min(least), "{included} of {least}, but {count} fit");
    Ok(())
}

/// The chunks of a kind cost no more than its limit, their frame aside.
pub fn check_categories(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    for (kind, name, _) in Kind::ALL {
        let limit = match limit_of(case, kind) {
            None => continue,
            Some(Share::Tokens(tokens)) => tokens,
            Some(Share::Part(part)) => (outcome.budget as f64 * part) as usize,
        };
        let items = outcome.packed.decision.included.iter().filter(|item| item.kind == kind);
        let items: Vec<_> = items.collect();
        let lone = items.len() == 1 && outcome.packed.decision.included.len() == 1;
        if lone {
            let total = outcome.packed.decision.total_tokens;
            prop_assert!(total <= limit, "{total} tokens of {name}, {limit} allowed");
        }
        prop_assert!(limit > 0 || items.iter().all(|item| shares(item, outcome)), "{name}");
    }
    Ok(())
}

/// Whether lines of a chunk stand in the pack for another one as well, or next to those of one.
fn shares(item: &Included, outcome: &Outcome) -> bool {
    let others = outcome.packed.decision.included.iter();
    others.filter(|other| other.path == item.path).count() > 1
}

/// Best first; ties by path, line, and the order of the request.
fn sort(scored: &mut [Scored], sheets: &[Sheet]) {
    scored.sort_by(|a, b| {
        let key = |s: &Scored| {
            let path = sheets[s.candidate.sheet].path.clone();
            (path, s.candidate.chunk.span, s.candidate.source)
        };
        b.score.total_cmp(&a.score).then_with(|| key(a).cmp(&key(b)))
    });
}

/// The view of each candidate, and those that could still come in: left out for the budget, or in
/// outline only. `None` where a report does not tell.
fn views(
    scored: &[Scored],
    sheets: &[Sheet],
    outcome: &Outcome,
) -> Option<(Vec<Option<View>>, Vec<usize>)> {
    let decision = &outcome.packed.decision;
    let mut included = decision.included.iter().peekable();
    let mut excluded = decision.excluded.iter().peekable();
    let (mut views, mut left_out) = (Vec::new(), Vec::new());
    for (place, item) in scored.iter().enumerate() {
        let (path, span) = (&sheets[item.candidate.sheet].path, item.candidate.chunk.span);
        let key = (path, span, item.candidate.kind, item.score);
        let is_in = included.peek().is_some_and(|i| (&i.path, i.span, i.kind, i.score) == key);
        let is_out = excluded.peek().is_some_and(|e| {
            e.span.zip(e.score).is_some_and(|(span, score)| (&e.path, span, e.kind, score) == key)
        });
        let reported = match (is_in, is_out) {
            (true, false) => {
                let view = |item: &Included| match item.form {
                    Form::Full => Some(View::Full),
                    Form::Outline => Some(View::Outline),
                    // What stands for all of its lines does not tell how many of its own it has.
                    Form::Truncated if item.shown[0] == item.span => None,
                    Form::Truncated => Some(View::First(item.shown[0].lines() as usize)),
                };
                let item = included.next()?;
                Some((Some(view(item)?), item.form != Form::Full))
            }
            (false, true) => excluded.next().map(|out| (None, out.reason == Reason::Budget)),
            _ => None,
        };
        let (view, could) = reported?;
        views.push(view);
        left_out.extend(could.then_some(place));
    }
    Some((views, left_out))
}
