//! The outcome of each candidate, and its entry in the report.

use crate::dedup::Duplicates;
use crate::format::RenderContext;
use crate::rank::{Scored, compare_keys};
use crate::report::{ChunkForm, Excluded, Included, MergedOrigin, Reason, Stats};
use crate::select::{PackSelection, SelectInput};
use crate::sent::SentLines;
use crate::settings::{RankOrder, Settings, WEAK_RELEVANCE, WEAK_TOKENS};
use crate::source_file::SourceFile;
use kitbag_text::{ChunkKind, Source, Span};
use kitbag_tokens::CachedCounter;
use std::ops::Range;

/// The outcome of every candidate, by its index in the ranking.
#[derive(Clone)]
pub struct Outcomes(Vec<CandidateOutcome>);

#[derive(Clone, Default)]
struct CandidateOutcome {
    /// Reason and detail of an exclusion; `None` while the candidate may still be included.
    exclusion: Option<(Reason, String)>,
    merged_from: Vec<MergedOrigin>,
    /// Whether another candidate has taken over its lines.
    is_merged: bool,
    /// Index of the candidate that represents the same lines.
    copy_of: Option<usize>,
}

impl Outcomes {
    /// Creates undecided outcomes. `origins` are the origins merged into each source.
    pub fn new(scored: &[Scored], origins: &[Vec<MergedOrigin>]) -> Self {
        let mut index_of = vec![0; scored.len()];
        for (index, scored) in scored.iter().enumerate() {
            index_of[scored.candidate.id] = index;
        }
        let outcome = |scored: &Scored| CandidateOutcome {
            merged_from: origins[scored.candidate.source].clone(),
            copy_of: scored.candidate.copy_of.map(|id| index_of[id]),
            ..CandidateOutcome::default()
        };
        Self(scored.iter().map(outcome).collect())
    }

    /// Excludes lines that exceed the maximum chunk size, scores below the minimum, and search results
    /// that are not relevant enough.
    pub fn exclude_unfit(&mut self, scored: &[Scored], settings: &Settings) {
        let (min_score, stop_below) = (settings.min_score, settings.selection.stop_below);
        for (outcome, scored) in self.0.iter_mut().zip(scored) {
            let (candidate, relevance) = (&scored.candidate, scored.factors.relevance);
            if candidate.chunk.kind == ChunkKind::LongLine {
                let detail = "a single line exceeds the maximum chunk size".to_owned();
                outcome.exclusion = Some((Reason::LineTooLong, detail));
            } else if let Some(min) = min_score.filter(|min| scored.score < *min) {
                outcome.exclusion =
                    Some((Reason::Score, format!("below the minimum score of {min}")));
            } else if let Some(stop) = stop_below
                .filter(|stop| candidate.is_found && relevance < *stop && outcome.copy_of.is_none())
            {
                let detail = format!("its relevance of {} is below {stop}", below(relevance, stop));
                outcome.exclusion = Some((Reason::BelowStop, detail));
            }
        }
        if stop_below.is_some() {
            self.exclude_weak(scored);
        }
        self.release_copies();
    }

    /// If no candidate that the caller did not name is relevant, keeps only the first few search results, so that a
    /// task that has nothing to do with the repository gets a small pack.
    fn exclude_weak(&mut self, scored: &[Scored]) {
        let is_open = |(outcome, scored): &(&mut CandidateOutcome, &Scored)| {
            let is_undecided = outcome.exclusion.is_none() && outcome.copy_of.is_none();
            is_undecided && scored.candidate.is_found
        };
        let is_strong =
            |it: &Scored| !it.candidate.is_pinned && it.factors.relevance >= WEAK_RELEVANCE;
        if scored.iter().any(is_strong) {
            return;
        }
        let mut tokens = 0;
        for (outcome, scored) in self.0.iter_mut().zip(scored).filter(is_open) {
            let with_chunk = tokens + scored.candidate.chunk.tokens;
            if with_chunk <= WEAK_TOKENS {
                tokens = with_chunk;
            } else {
                let relevance = below(scored.factors.relevance, WEAK_RELEVANCE);
                let detail = format!(
                    "its relevance is {relevance}, and of results below {WEAK_RELEVANCE} at most {WEAK_TOKENS} tokens are included"
                );
                outcome.exclusion = Some((Reason::BelowStop, detail));
            }
        }
    }

    /// Excludes the candidates whose lines an earlier pack of the session has shown, and the outlines of those
    /// of which it has shown the outline. Returns the number of candidates.
    pub fn exclude_sent(
        &mut self,
        scored: &mut [Scored],
        files: &[SourceFile],
        sent: &SentLines,
    ) -> usize {
        let mut count = 0;
        for (outcome, scored) in self.0.iter_mut().zip(scored) {
            let candidate = &mut scored.candidate;
            let (chunk, file) = (&mut candidate.chunk, &files[candidate.file]);
            let is_sent = |span: Span| sent.contains(&file.path, file.slice(file.rows(span)));
            let is_open = matches!(outcome.exclusion, None | Some((Reason::BelowStop, _)));
            if is_open && is_sent(chunk.span) {
                count += 1;
                let detail = "an earlier pack of the session has the same lines".to_owned();
                outcome.exclusion = Some((Reason::AlreadySent, detail));
            } else if chunk.outline.iter().all(|&span| is_sent(span)) {
                chunk.outline.clear();
            }
        }
        count
    }

    /// Makes copies whose original has too low a score candidates of their own. Lines around a position
    /// may score higher than the document that they belong to.
    fn release_copies(&mut self) {
        for index in 0..self.0.len() {
            let original = self.0[index].copy_of.map(|original| &self.0[original].exclusion);
            if matches!(original, Some(Some((Reason::Score, _)))) {
                self.0[index].copy_of = None;
            }
        }
    }

    /// Admits the best search results that were not relevant enough, at most `count` of them. Returns
    /// `false` if there are none.
    pub fn restore_stopped(&mut self, count: usize) -> bool {
        let is_stopped =
            |it: &&mut CandidateOutcome| matches!(it.exclusion, Some((Reason::BelowStop, _)));
        let stopped = self.0.iter_mut().filter(is_stopped);
        let restored = stopped.take(count).map(|outcome| outcome.exclusion = None);
        restored.count() > 0
    }

    /// Excludes duplicates, extends the candidates that absorbed others, and counts both.
    pub fn exclude_duplicates(
        &mut self,
        duplicates: Duplicates,
        scored: &mut [Scored],
        files: &[SourceFile],
    ) -> Stats {
        let Duplicates { duplicates, extended } = duplicates;
        let mut stats = Stats::default();
        let merged = duplicates.iter().filter(|duplicate| duplicate.is_merged);
        let origins: Vec<(usize, MergedOrigin)> = merged
            .map(|duplicate| (duplicate.winner, origin(&scored[duplicate.index], files)))
            .collect();
        for (index, chunk) in extended {
            scored[index].candidate.chunk = chunk;
        }
        for duplicate in duplicates {
            let winner = &scored[duplicate.winner].candidate;
            let name = format!("{}:{}", files[winner.file].path, winner.chunk.span);
            let (count, words) = match duplicate.reason {
                Reason::Duplicate => (&mut stats.duplicates, "same content as"),
                Reason::NearDuplicate => (&mut stats.near_duplicates, "nearly the same words as"),
                _ => (&mut stats.overlaps, "overlaps"),
            };
            *count += 1;
            let outcome = &mut self.0[duplicate.index];
            outcome.is_merged = duplicate.is_merged;
            outcome.exclusion = Some((duplicate.reason, format!("{words} {name}")));
            if duplicate.is_merged {
                let merged_from = std::mem::take(&mut outcome.merged_from);
                self.0[duplicate.winner].merged_from.extend(merged_from);
            }
        }
        for (winner, origin) in origins {
            self.0[winner].merged_from.push(origin);
        }
        self.exclude_copies(scored, files, &mut stats);
        stats
    }

    /// Excludes the copies of candidates that represent the same lines, and counts them.
    fn exclude_copies(&mut self, scored: &[Scored], files: &[SourceFile], stats: &mut Stats) {
        for index in 0..self.0.len() {
            let Some(winner) = self.0[index].copy_of else { continue };
            if self.0[index].exclusion.is_some() {
                continue;
            }
            let candidate = &scored[winner].candidate;
            let name = format!("{}:{}", files[candidate.file].path, candidate.chunk.span);
            let is_same = candidate.chunk.span == scored[index].candidate.chunk.span;
            let own = match is_same {
                true => (Reason::Duplicate, format!("same content as {name}")),
                false => (Reason::Overlap, format!("overlaps {name}")),
            };
            // What repeats a candidate that was excluded shares its fate.
            let (reason, detail) = self.0[winner].exclusion.clone().unwrap_or(own);
            match reason {
                Reason::Duplicate => stats.duplicates += 1,
                Reason::Overlap => stats.overlaps += 1,
                Reason::NearDuplicate => stats.near_duplicates += 1,
                _ => {}
            }
            self.0[index].exclusion = Some((reason, detail));
        }
    }

    /// Returns the indices of the candidates that are not excluded.
    pub fn undecided(&self) -> Vec<usize> {
        let is_undecided = |it: &CandidateOutcome| it.exclusion.is_none() && it.copy_of.is_none();
        (0..self.0.len()).filter(|&index| is_undecided(&self.0[index])).collect()
    }

    /// Returns the included and the excluded chunks, each best first.
    pub fn report(
        self,
        input: SelectInput<'_>,
        selected: &PackSelection<'_>,
        order: RankOrder,
    ) -> (Vec<Included>, Vec<Excluded>) {
        let SelectInput { scored, context, .. } = input;
        let (mut included, mut excluded) = (Vec::new(), Vec::new());
        for (index, outcome) in self.0.into_iter().enumerate() {
            let CandidateOutcome { exclusion, merged_from, is_merged, .. } = outcome;
            let item = &scored[index];
            let file = &context.files[item.candidate.file];
            if let Some(view) = selected.views[index] {
                let shown = selected.ledger.rows_with_blank_rows(index, view);
                let included_item = include(item, file, context.counting, shown);
                let form = view.form();
                included.push(Included { form, merged_from, ..included_item });
            } else if !is_merged {
                let (reason, detail) =
                    exclusion.unwrap_or_else(|| not_selected(index, item, selected, context));
                let item = exclude(item, file, reason, detail);
                excluded.push(Excluded { merged_from, ..item });
            }
        }
        // Chunks that were extended may now start before others with the same score.
        included.sort_by(|a, b| {
            let key = |item: &Included| order.key(item.score, &item.factors);
            (b.is_pinned.cmp(&a.is_pinned))
                .then_with(|| compare_keys(key(a), key(b)))
                .then_with(|| (&a.path, a.span).cmp(&(&b.path, b.span)))
        });
        excluded.sort_by(|a, b| {
            let score = b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0));
            score.then_with(|| (&a.path, a.span).cmp(&(&b.path, b.span)))
        });
        (included, excluded)
    }
}

/// Formats a value below a limit with as many digits as it takes to tell them apart.
fn below(value: f64, limit: f64) -> String {
    let is_below = |text: &String| text.parse().is_ok_and(|shown: f64| shown < limit);
    let mut texts = (3..7).map(|digits| format!("{value:.digits$}"));
    texts.find(is_below).unwrap_or_else(|| value.to_string())
}

fn origin(scored: &Scored, files: &[SourceFile]) -> MergedOrigin {
    let candidate = &scored.candidate;
    let path = files[candidate.file].path.clone();
    let from = candidate.from.clone();
    MergedOrigin { path, span: candidate.chunk.span, kind: candidate.kind, from }
}

/// Explains why a candidate that was not excluded before selection is not in the pack.
fn not_selected(
    index: usize,
    scored: &Scored,
    selected: &PackSelection<'_>,
    context: &RenderContext<'_>,
) -> (Reason, String) {
    if selected.refused.contains(&index) {
        return (Reason::Budget, does_not_fit(scored, selected));
    }
    if selected.is_full() {
        let max = context.formatting.max_chunks.unwrap_or(usize::MAX);
        return (Reason::MaxChunks, format!("the pack already has {max} chunks"));
    }
    let detail = "not tried: the template is too slow to try every chunk";
    (Reason::Budget, detail.to_owned())
}

/// Names the limit that a candidate does not fit: the budget, or the share of its kind.
fn does_not_fit(scored: &Scored, selected: &PackSelection<'_>) -> String {
    let (kind, allocations) = (scored.candidate.kind, &selected.allocations);
    match allocations.limit_of(kind) {
        Some(limit) if allocations.remaining_for(kind) < allocations.remaining() => {
            format!(
                "does not fit in the remaining budget for `{kind}`, which is limited to {limit} tokens"
            )
        }
        _ => "does not fit in the remaining budget".to_owned(),
    }
}

fn include(
    scored: &Scored,
    file: &SourceFile,
    counting: &CachedCounter,
    shown: Vec<Range<usize>>,
) -> Included {
    let chunk = &scored.candidate.chunk;
    let tokens = |rows: &Range<usize>| {
        let measure = file.measure(counting, rows.clone());
        counting.counter().tokens(measure)
    };
    Included {
        path: file.path.clone(),
        span: chunk.span,
        symbol: chunk.symbol.clone(),
        defines: chunk.defines.clone(),
        kind: scored.candidate.kind,
        part: chunk.part,
        tokens: shown.iter().map(tokens).sum(),
        score: scored.score,
        factors: scored.factors,
        form: ChunkForm::Full,
        shown: shown.iter().map(|rows| file.span(rows)).collect(),
        text: shown.into_iter().map(|rows| file.slice(rows)).collect(),
        merged_from: Vec::new(),
        from: scored.candidate.from.clone(),
        is_pinned: scored.candidate.is_pinned,
    }
}

fn exclude(scored: &Scored, file: &SourceFile, reason: Reason, detail: String) -> Excluded {
    let chunk = &scored.candidate.chunk;
    Excluded {
        span: Some(chunk.span),
        symbol: chunk.symbol.clone(),
        tokens: chunk.tokens as usize,
        score: Some(scored.score),
        factors: Some(scored.factors),
        from: scored.candidate.from.clone(),
        is_pinned: scored.candidate.is_pinned,
        ..Excluded::unranked(&file.path, scored.candidate.kind, reason, detail)
    }
}

/// Returns the sources that have no chunks. `origins` are the origins merged into each source.
pub fn sources_without_chunks(
    sources: &[Source],
    origins: &[Vec<MergedOrigin>],
    scored: &[Scored],
) -> Vec<Excluded> {
    let mut has_chunks = vec![false; sources.len()];
    for scored in scored {
        has_chunks[scored.candidate.source] = true;
    }
    let without = sources.iter().zip(origins).zip(has_chunks).filter(|(_, has_chunks)| !has_chunks);
    without.map(|((source, origins), _)| exclude_source(source, origins)).collect()
}

fn exclude_source(source: &Source, origins: &[MergedOrigin]) -> Excluded {
    let is_empty = source.pieces.is_some() || source.text.content().trim().is_empty();
    let (reason, detail) = if is_empty {
        (Reason::Empty, "no content")
    } else {
        (Reason::Unparsed, "cannot be parsed, and splitting by lines is disabled")
    };
    Excluded {
        merged_from: origins.to_vec(),
        from: source.from.clone(),
        ..Excluded::unranked(&source.path, source.kind, reason, detail)
    }
}
