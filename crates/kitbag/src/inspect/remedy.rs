//! Suggests changes that would include a chunk in full.
//!
//! Every suggested budget has been tested by replaying the decision. If a replay is not possible,
//! because files have changed or lines are not from a file, the suggestion is only an estimate.

use super::replay::{Naming, Replay};
use kitbag_core::{ChunkForm, Reason};
use kitbag_record::{Record, RecordedCandidate};
use kitbag_text::{Kind, Span};

/// Estimated tokens of headers and fences per chunk, for packs with no chunks to measure.
const FRAME_TOKENS: usize = 30;

/// Finds changes to the request that would include a chunk in full.
pub struct Remedies<'a> {
    pub record: &'a Record,
    /// The replayable pack; `None` if a replay does not reproduce the record.
    pub replay: Option<Replay<'a>>,
}

impl Remedies<'_> {
    /// Suggests how to include a chunk in full.
    pub fn of(&self, chunk: &RecordedCandidate<'_>) -> Vec<String> {
        let Some(reason) = chunk.reason else {
            return match chunk.form {
                Some(ChunkForm::Full) => Vec::new(),
                _ => [self.budget(chunk), self.naming(chunk)].into_iter().flatten().collect(),
            };
        };
        let remedy = match reason {
            Reason::Budget => {
                let remedies = [self.budget(chunk), self.score(chunk), self.naming(chunk)];
                return remedies.into_iter().flatten().collect();
            }
            Reason::MaxChunks => {
                return [self.max_chunks(chunk), self.score(chunk)].into_iter().flatten().collect();
            }
            Reason::Score => {
                let minimum = self.record.settings.min_score.unwrap_or_default();
                // Round down so that the displayed threshold does not exceed the actual score.
                let enough = (chunk.score.unwrap_or_default() * 1_000.0).floor() / 1_000.0;
                format!("lower the minimum score, which was {minimum}: --min-score {enough:.3}")
            }
            Reason::BelowStop => {
                let fill = "fill the budget with results of any relevance: --fill".to_owned();
                return std::iter::once(fill).chain(self.naming(chunk)).collect();
            }
            Reason::Duplicate => keep_both("content_hash_enabled"),
            Reason::Overlap => keep_both("overlap_detection_enabled"),
            Reason::NearDuplicate => keep_both("near_enabled"),
            Reason::AlreadySent => "`repeat: true`, or another `session`".to_owned(),
            Reason::Denied => "not possible: denied files are never read".to_owned(),
            Reason::OutsideRoot => "pack a folder that contains it: --repo".to_owned(),
            Reason::TooManySources => "raise `context.max_sources`".to_owned(),
            Reason::ProviderLimit => "raise `max_items` or `max_tokens` of its provider".to_owned(),
            Reason::LineTooLong => "raise `context.chunking.max_chunk_tokens`".to_owned(),
            Reason::Unparsed => "--set context.chunking.fallback_on_error=true".to_owned(),
            Reason::Empty | Reason::Binary | Reason::TooLarge | Reason::Unreadable => {
                return Vec::new();
            }
        };
        vec![remedy]
    }

    fn max_chunks(&self, chunk: &RecordedCandidate<'_>) -> Option<String> {
        let limit = self.record.settings.max_chunks.unwrap_or_default();
        let ranked = self.replay.as_ref().map(|it| it.ranked_up_to(chunk.path, chunk.span?));
        Some(match ranked.flatten() {
            Some(ranked) => format!(
                "raise the number of chunks, which was {limit}: --max-chunks {} (the budget still \
                 applies)",
                ranked.len()
            ),
            None => format!("allow more than {limit} chunks: --max-chunks"),
        })
    }

    /// Suggests a sufficient budget.
    fn budget(&self, chunk: &RecordedCandidate<'_>) -> Option<String> {
        let (span, previous) = (chunk.span?, self.record.budget);
        Some(match &self.replay {
            Some(replay) => {
                let budget = replay.sufficient_budget(chunk.path, span)?;
                format!("raise the budget, which was {previous} tokens: --budget {budget}")
            }
            None => {
                let budget = self.estimated_budget(chunk);
                format!(
                    "raise the budget, which was {previous} tokens, to about {budget}: --budget \
                     {budget}"
                )
            }
        })
    }

    /// Estimates the budget from the chunks that did not fit and rank at least as high, with their
    /// headers.
    fn estimated_budget(&self, chunk: &RecordedCandidate<'_>) -> usize {
        let record = self.record;
        let lines: usize = record.included.iter().map(|it| it.tokens).sum();
        let frames = record.total_tokens.saturating_sub(lines);
        let frame = frames.div_ceil(record.included.len().max(1)).max(FRAME_TOKENS);
        let score = chunk.score.unwrap_or_default();
        let before = record.excluded.iter().filter(|out| {
            out.reason == Reason::Budget && out.score.is_some_and(|other| other >= score)
        });
        let before: usize = before.map(|out| out.tokens + frame).sum();
        // The tokens of a chunk that is shown in part are those of the lines shown.
        let own = if chunk.form.is_some() { 0 } else { chunk.tokens };
        record.budget + before.max(own + frame)
    }

    /// Describes the effect of naming the lines of the chunk.
    fn naming(&self, chunk: &RecordedCandidate<'_>) -> Option<String> {
        let span = chunk.span.filter(|_| chunk.kind == Kind::SearchResult)?;
        let flag = format!("--file {}:{span}", chunk.path);
        let Some(replay) = &self.replay else {
            return Some(format!("name it, if it fits: {flag}"));
        };
        let recency = chunk.factors.map(|it| it.recency).unwrap_or_default();
        match replay.naming(chunk.path, span, recency) {
            None => Some(format!("name it, if it fits: {flag}")),
            Some(Naming::Fits) => Some(format!("name it: {flag}")),
            Some(Naming::NeedsBudget(budget)) => {
                Some(format!("name it and raise the budget: {flag} --budget {budget}"))
            }
            Some(Naming::NoEffect) => None,
        }
    }

    /// Suggests the score that would beat the weakest chunk included in full, and the relevance
    /// needed to reach it.
    fn score(&self, chunk: &RecordedCandidate<'_>) -> Option<String> {
        let is_larger = |it: &&kitbag_record::RecordedChunk| {
            it.form == ChunkForm::Full && it.tokens >= chunk.tokens
        };
        let scores = self.record.included.iter().filter(is_larger).map(|it| it.score);
        let weakest = scores.min_by(f64::total_cmp)?;
        let (span, factors): (Span, _) = (chunk.span?, chunk.factors?);
        let is_enough =
            |replay: &Replay<'_>| replay.fits_with_score(chunk.path, span, weakest + 1e-6);
        if chunk.score? > weakest || !self.replay.as_ref().is_none_or(is_enough) {
            return None;
        }
        let settings = &self.record.settings;
        let others =
            factors.recency * settings.recency_weight + factors.source * settings.source_weight;
        let needed = (weakest - others) / settings.relevance_weight.max(f64::EPSILON);
        let relevance = if needed <= 1.0 {
            format!("a relevance of {needed:.2} instead of {:.2} suffices", factors.relevance)
        } else {
            "relevance alone cannot reach it".to_owned()
        };
        Some(format!(
            "score above {weakest:.3}, the lowest score of an included chunk at least as large: \
             {relevance}"
        ))
    }
}

fn keep_both(setting: &str) -> String {
    format!(
        "its lines are in the other chunk; to keep both, --set context.deduplication.{setting}=false"
    )
}
