//! Every chunk is accounted for, and the budget is filled.

use super::case::{Case, Outcome, counting};
use kitbag_core::stages::{
    ChunkView, MIN_OUTLINE_TOKENS, MergedSources, RenderContext, SourceFile, gather,
    merge_identical, render_views,
};
use kitbag_core::{
    Cancel, ChunkForm, Included, Overflow, RankContext, Ranker, Reason, Scored, Share,
    WEAK_RELEVANCE, WeightedRanker,
};
use kitbag_text::{Kind, Source, Span};
use kitbag_tokens::Measure;
use proptest::prelude::*;

/// Maximum number of chunks excluded for the budget to try again.
const SAMPLE: usize = 5;

type Line = (String, Option<Span>, Kind);

/// Each chunk of each source is reported exactly once, and a source without chunks once. Identical
/// sources count as one.
pub fn check_complete(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    let MergedSources { sources, origins } = merge_identical(case.sources.clone(), &case.settings);
    let stats = outcome.packed.decision.stats;
    let merged = case.sources.len() - sources.len();
    prop_assert_eq!((stats.sources, stats.merged_sources), (case.sources.len(), merged));
    prop_assert_eq!(origins.iter().map(Vec::len).sum::<usize>(), merged);
    let mut expected: Vec<Line> = Vec::new();
    let mut merged_chunks = 0;
    let (scored, _) = candidates(case, outcome.budget);
    for (index, (source, origins)) in sources.iter().zip(&origins).enumerate() {
        let own = scored.iter().map(|it| &it.candidate).filter(|it| it.source == index);
        let own: Vec<(Span, Kind)> = own.map(|it| (it.chunk.span, it.kind)).collect();
        check_cut(case, source, &own)?;
        let lines = own.iter().map(|&(span, kind)| (source.path.clone(), Some(span), kind));
        expected.extend(lines);
        if own.is_empty() {
            expected.push((source.path.clone(), None, source.kind));
        }
        merged_chunks += own.len().max(1) * origins.len();
    }
    let decision = &outcome.packed.decision;
    let included = decision.included.iter().map(|i| (i.path.clone(), Some(i.span), i.kind));
    let excluded = decision.excluded.iter().map(|e| (e.path.clone(), e.span, e.kind));
    let mut reported: Vec<Line> = included.chain(excluded).collect();
    let origins = decision.included.iter().map(|item| item.merged_from.len());
    let origins: usize =
        origins.chain(decision.excluded.iter().map(|out| out.merged_from.len())).sum();
    prop_assert_eq!(reported.len() + origins, expected.len() + merged_chunks);
    if origins > merged_chunks {
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

/// The candidates of a source have the lines of its chunks, which may be cut at blank lines.
fn check_cut(case: &Case, source: &Source, own: &[(Span, Kind)]) -> Result<(), TestCaseError> {
    let chunks = case.chunks(source);
    let is_own = |line: u32| own.iter().any(|(span, _)| span.contains_line(line));
    for span in &chunks {
        for line in span.start..=span.end {
            let is_blank = source.text.line(line).trim().is_empty();
            prop_assert!(is_own(line) || is_blank, "line {line} of {} is lost", source.path);
        }
    }
    let is_in_chunk = |span: &Span| chunks.iter().any(|chunk| chunk.contains(*span));
    prop_assert!(own.iter().all(|(span, _)| is_in_chunk(span)), "{own:?} {chunks:?}");
    Ok(())
}

/// Each reason is consistent with its chunk, and the winner over a duplicate was not excluded as a
/// duplicate itself.
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
            // Copies of the same lines are duplicates whatever their content.
            Reason::Duplicate => {
                let is_copy = out.from.is_some() && dedup.overlap_detection_enabled;
                (dedup.content_hash_enabled || is_copy) && won("same content as ")
            }
            Reason::Overlap => dedup.overlap_detection_enabled && won("overlaps "),
            Reason::NearDuplicate => dedup.near_enabled && won("nearly the same words as "),
            Reason::Score => out.score < case.settings.min_score,
            Reason::BelowStop => {
                let relevance = out.factors.map(|factors| factors.relevance);
                // If all search results are weak, most of those above the stop are excluded too.
                let stop = case.settings.selection.stop_below.map(|stop| stop.max(WEAK_RELEVANCE));
                out.kind == Kind::SearchResult && relevance < stop
            }
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

/// Returns the candidates of a case, best first, and their files.
fn candidates(case: &Case, budget: usize) -> (Vec<Scored>, Vec<SourceFile>) {
    let cancel = Cancel::default();
    let mut job = case.job(budget, &cancel);
    job.sources = merge_identical(job.sources, &case.settings).sources;
    let (files, candidates) = gather(&job).expect("not cancelled");
    let settings = &case.settings;
    let ranking =
        RankContext { task: case.task, now: case.now, files: &files, settings, cancel: &cancel };
    let mut scored = WeightedRanker.score(candidates, &ranking).expect("not cancelled");
    sort(&mut scored, &files);
    (scored, files)
}

/// Renders views regardless of the budget.
fn render(
    case: &Case,
    scored: &[Scored],
    files: &[SourceFile],
    views: &[Option<ChunkView>],
) -> String {
    let context = RenderContext {
        files,
        counting: counting(case.counter),
        formatting: &case.settings.formatting,
        task: case.task,
        budget: usize::MAX,
        cancel: &Cancel::default(),
    };
    render_views(scored, views, &context).expect("no template is involved")
}

/// Nothing excluded for the budget would still fit as a whole, nor as an outline where outlines are
/// shown. Chunks limited by their kind are skipped, and cases with merged chunks cannot be checked.
pub fn check_full(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    let (scored, files) = candidates(case, outcome.budget);
    let Some((views, left_out)) = views(&scored, &files, outcome) else { return Ok(()) };
    let text = render(case, &scored, &files, &views);
    if outcome.packed.text.is_empty() && !text.is_empty() {
        prop_assert!(case.recount(&text) > outcome.budget, "header and footer would fit: {text}");
        return Ok(());
    }
    prop_assert_eq!(
        text,
        outcome.packed.text.as_str(),
        "the reported forms do not reproduce the text"
    );
    let max_chunks = case.settings.formatting.max_chunks.unwrap_or(usize::MAX);
    if outcome.packed.decision.included.len() >= max_chunks {
        return Ok(());
    }
    let step = left_out.len().div_ceil(SAMPLE).max(1);
    let sample = left_out.iter().step_by(step).chain(left_out.last());
    for &index in sample {
        let candidate = &scored[index].candidate;
        if limit_of(case, candidate.kind).is_some() {
            continue;
        }
        for view in [ChunkView::Full, ChunkView::Outline] {
            let chunk = &candidate.chunk;
            let outlines = case.settings.selection.overflow == Overflow::Outline;
            let file = &files[candidate.file];
            let counter = counting(case.counter);
            let lines = chunk.outline.iter().map(|&span| file.measure(counter, file.rows(span)));
            let measure = lines.fold(Measure::default(), |sum, one| sum + one);
            let tokens = counter.counter().tokens(measure);
            let skip = !outlines || tokens < MIN_OUTLINE_TOKENS;
            if view == ChunkView::Outline && (skip || views[index].is_some()) {
                continue;
            }
            let mut more = views.clone();
            more[index] = Some(view);
            let text = render(case, &scored, &files, &more);
            let tokens = case.recount(&text);
            let fits = tokens <= outcome.budget;
            let budget = outcome.budget;
            prop_assert!(!fits, "{view:?} {} would fit: {tokens} of {budget}\n{text}", chunk.span);
        }
    }
    Ok(())
}

/// The minimum number of chunks is reached if that many of the cheapest fit together. Cases with
/// limits by kind or merged chunks cannot be checked.
pub fn check_min_chunks(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    let (scored, files) = candidates(case, outcome.budget);
    let limited = case.settings.budget.categories.iter().any(Option::is_some);
    let Some((views, left_out)) = views(&scored, &files, outcome) else { return Ok(()) };
    let included = outcome.packed.decision.included.len();
    let min_chunks = case.settings.selection.min_chunks;
    if limited || included >= min_chunks {
        return Ok(());
    }
    let render = |views: &[Option<ChunkView>]| render(case, &scored, &files, views);
    let shown = (0..views.len()).filter(|&index| views[index].is_some());
    let mut fit: Vec<usize> = shown.chain(left_out.iter().copied()).collect();
    fit.sort_unstable();
    fit.dedup();
    let empty = vec![None; scored.len()];
    let mut alone: Vec<(usize, usize)> = Vec::new();
    for index in fit {
        let mut views = empty.clone();
        views[index] = Some(ChunkView::Full);
        alone.push((case.recount(&format!("{}\n", render(&views))), index));
    }
    alone.sort_unstable();
    let (mut views, mut count) = (empty, 0);
    for (_, index) in alone {
        views[index] = Some(ChunkView::Full);
        if case.recount(&render(&views)) <= outcome.budget {
            count += 1;
        } else {
            views[index] = None;
        }
    }
    prop_assert!(included >= count.min(min_chunks), "{included} of {min_chunks}, but {count} fit");
    Ok(())
}

/// The chunks of a kind stay within its limit.
pub fn check_categories(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    for kind in Kind::ALL {
        let limit = match limit_of(case, kind) {
            None => continue,
            Some(Share::Tokens(tokens)) => tokens,
            Some(Share::Fraction(part)) => (outcome.budget as f64 * part) as usize,
        };
        let items = outcome.packed.decision.included.iter().filter(|item| item.kind == kind);
        let items: Vec<_> = items.collect();
        let lone = items.len() == 1 && outcome.packed.decision.included.len() == 1;
        if lone {
            let total = outcome.packed.decision.total_tokens;
            prop_assert!(total <= limit, "{total} tokens of {kind}, {limit} allowed");
        }
        prop_assert!(limit > 0 || items.iter().all(|item| shares(item, outcome)), "{kind}");
    }
    Ok(())
}

/// Whether another chunk of the same file is in the pack, with which it may share costs.
fn shares(item: &Included, outcome: &Outcome) -> bool {
    let others = outcome.packed.decision.included.iter();
    others.filter(|other| other.path == item.path).count() > 1
}

/// Sorts best first, pinned candidates before all others; ties by path, lines and request order.
fn sort(scored: &mut [Scored], files: &[SourceFile]) {
    scored.sort_by(|a, b| {
        let key = |s: &Scored| {
            let path = files[s.candidate.file].path.clone();
            (path, s.candidate.chunk.span, s.candidate.source)
        };
        let is_pinned = |s: &Scored| s.candidate.is_pinned;
        (is_pinned(b).cmp(&is_pinned(a)))
            .then_with(|| b.score.total_cmp(&a.score))
            .then_with(|| key(a).cmp(&key(b)))
    });
}

/// Returns the view of each candidate, and the candidates that could still be added or expanded.
/// `None` if the report does not determine them.
fn views(
    scored: &[Scored],
    files: &[SourceFile],
    outcome: &Outcome,
) -> Option<(Vec<Option<ChunkView>>, Vec<usize>)> {
    let decision = &outcome.packed.decision;
    let mut included = decision.included.iter().peekable();
    let mut excluded = decision.excluded.iter().peekable();
    let (mut views, mut left_out) = (Vec::new(), Vec::new());
    for (index, item) in scored.iter().enumerate() {
        let (path, span) = (&files[item.candidate.file].path, item.candidate.chunk.span);
        let key = (path, span, item.candidate.kind, item.score);
        let is_in = included.peek().is_some_and(|i| (&i.path, i.span, i.kind, i.score) == key);
        let is_out = excluded.peek().is_some_and(|e| {
            e.span.zip(e.score).is_some_and(|(span, score)| (&e.path, span, e.kind, score) == key)
        });
        let reported = match (is_in, is_out) {
            (true, false) => {
                let view = |item: &Included| match item.form {
                    ChunkForm::Full => Some(ChunkView::Full),
                    ChunkForm::Outline => Some(ChunkView::Outline),
                    // An expanded context always reports its whole span.
                    ChunkForm::Truncated if item.shown[0] == item.span => None,
                    ChunkForm::Truncated => Some(ChunkView::First(item.shown[0].lines() as usize)),
                };
                let item = included.next()?;
                Some((Some(view(item)?), item.form != ChunkForm::Full))
            }
            (false, true) => excluded.next().map(|out| (None, out.reason == Reason::Budget)),
            _ => None,
        };
        let (view, could) = reported?;
        views.push(view);
        left_out.extend(could.then_some(index));
    }
    Some((views, left_out))
}
