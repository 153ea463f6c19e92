//! Every chunk is accounted for, and the budget is filled.

use super::case::{Case, Outcome, counting};
use kitbag_core::stages::{Press, Sheet, gather, render_forms};
use kitbag_core::{Cancel, Form, Overflow, Ranker, Ranking, Reason, Scored, WeightedRanker};
use kitbag_text::{Kind, Span};
use proptest::prelude::*;

/// How many of the chunks that were left out for the budget are tried again.
const SAMPLE: usize = 5;

type Line = (String, Option<Span>, Kind);

/// Each chunk of each source is reported exactly once, and a source without chunks once.
pub fn check_complete(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    let mut expected: Vec<Line> = Vec::new();
    for source in &case.sources {
        let chunks = case.chunks(source);
        let spans =
            if chunks.is_empty() { vec![None] } else { chunks.into_iter().map(Some).collect() };
        expected.extend(spans.into_iter().map(|span| (source.path.clone(), span, source.kind)));
    }
    let decision = &outcome.packed.decision;
    let included = decision.included.iter().map(|i| (i.path.clone(), Some(i.span), i.kind));
    let excluded = decision.excluded.iter().map(|e| (e.path.clone(), e.span, e.kind));
    let mut reported: Vec<Line> = included.chain(excluded).collect();
    expected.sort();
    reported.sort();
    prop_assert_eq!(reported, expected);
    Ok(())
}

/// Reasons are true as far as a report can tell: each fits its chunk, and whoever won over a
/// repeat was not dropped itself.
pub fn check_reasons(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    let decision = &outcome.packed.decision;
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
            Reason::Duplicate => case.settings.dedup.exact && won("the same content as "),
            Reason::Overlap => case.settings.dedup.overlap && won("overlaps "),
            Reason::Score => out.score < case.settings.min_score,
            Reason::LineTooLong => out.tokens > case.settings.chunking.max_chunk_tokens as usize,
            Reason::Budget => outcome.budget < usize::MAX,
            Reason::MaxChunks => case.settings.formatting.max_chunks.is_some(),
            Reason::Empty => out.span.is_none() && out.tokens == 0,
            _ => false,
        };
        prop_assert!(fits && !out.detail.is_empty(), "{out:?}");
    }
    Ok(())
}

/// Nothing that was left out for the budget would still fit, whole or in outline.
pub fn check_full(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    let cancel = Cancel::default();
    let job = case.job(outcome.budget, &cancel);
    let (sheets, candidates) = gather(&job).expect("nobody cancels");
    let settings = &case.settings;
    let ranking =
        Ranking { task: case.task, now: case.now, sheets: &sheets, settings, cancel: &cancel };
    let mut scored = WeightedRanker.score(candidates, &ranking).expect("nobody cancels");
    sort(&mut scored, &sheets);
    let Some((forms, left_out)) = forms(&scored, &sheets, outcome) else { return Ok(()) };
    let most = settings.formatting.max_chunks.unwrap_or(usize::MAX);
    let is_full = outcome.packed.decision.included.len() >= most;
    let press = Press {
        sheets: &sheets,
        counting: counting(case.counter),
        formatting: &settings.formatting,
        task: case.task,
        budget: outcome.budget,
    };
    let render = |forms: &[Option<Form>]| {
        render_forms(&scored, forms, &press).expect("no template can fail")
    };
    let text = render(&forms);
    if outcome.packed.text.is_empty() && !text.is_empty() {
        prop_assert!(case.recount(&text) > outcome.budget, "the frame would fit: {text}");
        return Ok(());
    }
    prop_assert_eq!(text, outcome.packed.text.as_str(), "the forms are read wrongly");
    if is_full {
        return Ok(());
    }
    let step = left_out.len().div_ceil(SAMPLE).max(1);
    let wanted = left_out.iter().step_by(step).chain(left_out.last());
    for &place in wanted {
        for form in [Form::Full, Form::Outline] {
            let chunk = &scored[place].candidate.chunk;
            let skip = settings.overflow == Overflow::Skip || chunk.outline.is_empty();
            if form == Form::Outline && (skip || forms[place].is_some()) {
                continue;
            }
            let mut more = forms.clone();
            more[place] = Some(form);
            let text = render(&more);
            let tokens = case.recount(&text);
            let fits = tokens <= outcome.budget;
            let budget = outcome.budget;
            prop_assert!(!fits, "{form:?} {} would fit: {tokens} of {budget}\n{text}", chunk.span);
        }
    }
    Ok(())
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

/// The form of each candidate, and those that could still come in: left out for the budget, or in
/// outline only. `None` where two candidates look the same in a report.
fn forms(
    scored: &[Scored],
    sheets: &[Sheet],
    outcome: &Outcome,
) -> Option<(Vec<Option<Form>>, Vec<usize>)> {
    let decision = &outcome.packed.decision;
    let mut included = decision.included.iter().peekable();
    let mut excluded = decision.excluded.iter().peekable();
    let (mut forms, mut left_out) = (Vec::new(), Vec::new());
    for (place, item) in scored.iter().enumerate() {
        let (path, span) = (&sheets[item.candidate.sheet].path, item.candidate.chunk.span);
        let key = (path, span, item.candidate.kind, item.score);
        let is_in = included.peek().is_some_and(|i| (&i.path, i.span, i.kind, i.score) == key);
        let is_out = excluded.peek().is_some_and(|e| {
            e.span.zip(e.score).is_some_and(|(span, score)| (&e.path, span, e.kind, score) == key)
        });
        let reported = match (is_in, is_out) {
            (true, false) => {
                included.next().map(|item| (Some(item.form), item.form == Form::Outline))
            }
            (false, true) => excluded.next().map(|out| (None, out.reason == Reason::Budget)),
            _ => None,
        };
        let (form, could) = reported?;
        forms.push(form);
        left_out.extend(could.then_some(place));
    }
    Some((forms, left_out))
}
