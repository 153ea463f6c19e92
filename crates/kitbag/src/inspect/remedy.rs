//! Suggests changes that would include a chunk in full.
//!
//! Every suggested budget has been tested by replaying the decision. If a replay is not possible,
//! because files have changed or lines are not from a file, the suggestion is only an estimate.

use super::again::{Again, Naming};
use kitbag_record::{Record, RecordedChunk, RecordedOut};
use kitbag_text::Span;

/// Estimated tokens of headers and fences per chunk, for packs with no chunks to measure.
const FRAME: usize = 30;

/// A chunk that is excluded or shown only in part.
struct Wanted<'a> {
    path: &'a str,
    span: Span,
    score: f64,
    recency: f64,
    tokens: usize,
    is_found: bool,
}

/// Finds changes to the request that would include a chunk in full.
pub struct Remedies<'a> {
    pub record: &'a Record,
    pub again: Option<&'a Again<'a>>,
}

impl Remedies<'_> {
    /// Suggests how to show an included chunk in full.
    pub fn of_included(&self, item: &RecordedChunk) -> Vec<String> {
        if item.form == "full" {
            return Vec::new();
        }
        let wanted = Wanted {
            path: &item.path,
            span: Span::new(item.start_line, item.end_line),
            score: item.score,
            recency: item.factors.recency,
            tokens: 0,
            is_found: item.kind == "search_result",
        };
        let mut changes = vec!["it is shown in part for want of room".to_owned()];
        changes.extend(self.budget(&wanted));
        changes.extend(self.naming(&wanted));
        changes
    }

    /// Suggests how to include an excluded chunk.
    pub fn of_excluded(&self, item: &RecordedOut) -> Vec<String> {
        match &*item.reason {
            "budget" => self.for_budget(item),
            "max_chunks" => self.for_more_chunks(item),
            "score" => {
                let least = self.record.settings.min_score.unwrap_or_default();
                let score = item.score.unwrap_or_default();
                // Round down so that the displayed threshold does not exceed the actual score.
                let enough = (score * 1_000.0).floor() / 1_000.0;
                vec![format!("a least score of {enough:.3} or less: --min-score (it was {least})")]
            }
            "duplicate" | "overlap" | "near_duplicate" => {
                let key = match &*item.reason {
                    "duplicate" => "content_hash_enabled",
                    "overlap" => "overlap_detection_enabled",
                    _ => "near_enabled",
                };
                vec![format!(
                    "its lines are in by the other; to have both, \
                     --set context.deduplication.{key}=false"
                )]
            }
            "denied" => vec!["nothing: such files are never read (security.deny)".to_owned()],
            "outside_root" => vec!["nothing: it is outside the repository (--repo)".to_owned()],
            "too_many_sources" => vec!["a larger context.max_sources".to_owned()],
            "provider_limit" => vec!["a larger max_items or max_tokens of its provider".to_owned()],
            "line_too_long" => vec!["a larger context.chunking.max_chunk_tokens".to_owned()],
            "unparsed" => vec!["--set context.chunking.fallback_on_error=true".to_owned()],
            _ => Vec::new(),
        }
    }

    /// Suggests how to include a chunk that did not fit into the budget.
    fn for_budget(&self, item: &RecordedOut) -> Vec<String> {
        let Some(wanted) = wanted(item) else { return Vec::new() };
        let mut changes: Vec<String> = self.budget(&wanted).into_iter().collect();
        changes.extend(self.by_score(item, &wanted));
        changes.extend(self.naming(&wanted));
        changes
    }

    fn for_more_chunks(&self, item: &RecordedOut) -> Vec<String> {
        let most = self.record.settings.max_chunks.unwrap_or_default();
        let Some(wanted) = wanted(item) else { return Vec::new() };
        let place = self.again.and_then(|again| again.place(wanted.path, wanted.span));
        let mut changes = vec![match place {
            Some(place) => {
                format!(
                    "more chunks, as far as the budget goes: --max-chunks {place} (it was {most})"
                )
            }
            None => format!("more than {most} chunks: --max-chunks"),
        }];
        changes.extend(self.by_score(item, &wanted));
        changes
    }

    /// Suggests a sufficient budget.
    fn budget(&self, wanted: &Wanted<'_>) -> Option<String> {
        let was = self.record.budget;
        if let Some(again) = self.again {
            let enough = again.enough(wanted.path, wanted.span)?;
            return Some(format!(
                "a budget of {enough} tokens, as the ranking is: --budget {enough} (it was {was})"
            ));
        }
        let about = self.about(wanted);
        Some(format!(
            "a budget of about {about} tokens, as the ranking was: --budget {about} (it was {was})"
        ))
    }

    /// Estimates the tokens, including headers, of all chunks that did not fit and rank at least as
    /// high.
    fn about(&self, wanted: &Wanted<'_>) -> usize {
        let record = self.record;
        let lines: usize = record.included.iter().map(|it| it.tokens).sum();
        let frames = record.total_tokens.saturating_sub(lines);
        let frame = frames.div_ceil(record.included.len().max(1)).max(FRAME);
        let is_before = |out: &&RecordedOut| {
            &*out.reason == "budget" && out.score.is_some_and(|it| it >= wanted.score)
        };
        let before = record.excluded.iter().filter(is_before);
        let before: usize = before.map(|out| out.tokens + frame).sum();
        record.budget + before.max(wanted.tokens + frame)
    }

    /// Describes the effect of naming the lines of the chunk.
    fn naming(&self, wanted: &Wanted<'_>) -> Option<String> {
        let Wanted { path, span, recency, is_found, .. } = *wanted;
        if !is_found {
            return None;
        }
        let flag = format!("--file {path}:{}-{}", span.start, span.end);
        match self.again.map(|again| again.naming(path, span, recency)) {
            Some(Some(Naming::Enough)) => {
                Some(format!("naming it, for which there is room: {flag} has relevance 1"))
            }
            Some(Some(Naming::With(budget))) => Some(format!(
                "naming it, with more room: {flag} --budget {budget} (by itself it does not fit)"
            )),
            Some(_) => None,
            None => Some(format!("naming it, if there is room: {flag} has relevance 1")),
        }
    }

    /// Suggests the score that would beat the weakest chunk included in full, and the relevance
    /// needed to reach it.
    fn by_score(&self, item: &RecordedOut, wanted: &Wanted<'_>) -> Option<String> {
        let whole = self.record.included.iter();
        let whole = whole.filter(|it| it.form == "full" && it.tokens >= item.tokens);
        let weakest = whole.map(|it| it.score).min_by(f64::total_cmp)?;
        let (score, factors) = item.score.zip(item.factors)?;
        let is_enough =
            |again: &Again<'_>| again.would_do(wanted.path, wanted.span, weakest + 1e-6);
        if score > weakest || !self.again.is_none_or(is_enough) {
            return None;
        }
        let settings = &self.record.settings;
        let others =
            factors.recency * settings.recency_weight + factors.source * settings.source_weight;
        let needed = (weakest - others) / settings.relevance_weight.max(f64::EPSILON);
        let relevance = if needed <= 1.0 {
            format!("a relevance of {needed:.2} in place of {:.2} would do", factors.relevance)
        } else {
            "its relevance alone cannot bring it there".to_owned()
        };
        Some(format!(
            "a score above {weakest:.3}, that of the weakest chunk of its size that is in: {relevance}"
        ))
    }
}

fn wanted(item: &RecordedOut) -> Option<Wanted<'_>> {
    let (start, end) = item.lines()?;
    Some(Wanted {
        path: &item.path,
        span: Span::new(start, end),
        score: item.score.unwrap_or_default(),
        recency: item.factors.map(|it| it.recency).unwrap_or_default(),
        tokens: item.tokens,
        is_found: item.kind == "search_result",
    })
}
