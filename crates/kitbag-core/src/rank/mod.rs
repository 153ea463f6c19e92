//! Which chunk matters more?
//!
//! `score = relevance * 0.5 + recency * 0.3 + source * 0.2`, each factor in \[0, 1\]. The weights
//! can be set; the factors are kept, so that every score can be explained.

mod keywords;

use crate::settings::{Order, Settings};
use crate::sheet::Sheet;
use crate::{Cancel, Cancelled};
pub use keywords::coverage;
use kitbag_text::{Chunk, Kind, Provenance};
use std::cmp::Ordering;
use std::sync::Arc;

/// A chunk that may go into the pack.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The chunk.
    pub chunk: Chunk,
    /// The place of its file's sheet.
    pub sheet: usize,
    /// The place of its source in the request.
    pub source: usize,
    /// The kind of its source.
    pub kind: Kind,
    /// How relevant its provider holds it, if the provider knows.
    pub relevance: Option<f64>,
    /// When it last changed, in seconds since 1970.
    pub timestamp: Option<i64>,
    /// Who gathered it.
    pub from: Option<Arc<Provenance>>,
}

/// What a score is made of, each in \[0, 1\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Factors {
    /// How well the chunk answers the task.
    pub relevance: f64,
    /// How lately it changed.
    pub recency: f64,
    /// The priority of its source.
    pub source: f64,
}

/// A candidate with its score.
#[derive(Debug, Clone)]
pub struct Scored {
    /// The candidate.
    pub candidate: Candidate,
    /// Its score, in \[0, 1\].
    pub score: f64,
    /// What the score is made of.
    pub factors: Factors,
}

/// What a ranker may look at.
pub struct Ranking<'a> {
    /// The task's text.
    pub task: &'a str,
    /// The time that ages are measured from, if one is known.
    pub now: Option<i64>,
    /// The files' lines.
    pub sheets: &'a [Sheet],
    /// Weights and priorities.
    pub settings: &'a Settings,
    /// The flag that stops it.
    pub cancel: &'a Cancel,
}

/// Gives every candidate its factors and its score, in the order that they came in.
pub trait Ranker: Send + Sync {
    /// Scores `candidates`.
    fn score(
        &self,
        candidates: Vec<Candidate>,
        ranking: &Ranking<'_>,
    ) -> Result<Vec<Scored>, Cancelled>;
}

/// The packer design's formula.
#[derive(Debug, Clone, Copy, Default)]
pub struct WeightedRanker;

impl Ranker for WeightedRanker {
    fn score(
        &self,
        candidates: Vec<Candidate>,
        ranking: &Ranking<'_>,
    ) -> Result<Vec<Scored>, Cancelled> {
        let found = keywords::relevance(&candidates, ranking)?;
        let scored = candidates.into_iter().zip(found).map(|(candidate, found)| {
            let relevance = candidate.relevance.unwrap_or(found);
            let own = candidate.from.as_ref().and_then(|from| from.priority);
            let priority = ranking.settings.priority(candidate.kind, own);
            let factors = Factors {
                relevance: if relevance.is_nan() { 0.0 } else { relevance.clamp(0.0, 1.0) },
                recency: recency(candidate.timestamp, ranking.now),
                source: f64::from(priority) / 100.0,
            };
            let weights = ranking.settings.weights;
            let score = factors.relevance * weights.relevance
                + factors.recency * weights.recency
                + factors.source * weights.source;
            // Weights sum to 1 only as closely as they were written.
            Scored { candidate, score: score.min(1.0), factors }
        });
        Ok(scored.collect())
    }
}

/// Puts the best first. Ties go by path, then line, then the order of the request.
pub(crate) fn sort(scored: &mut [Scored], sheets: &[Sheet], order: Order) {
    scored.sort_by(|a, b| {
        let path = |s: &Scored| sheets[s.candidate.sheet].path.as_str();
        better((a.score, &a.factors), (b.score, &b.factors), order)
            .then_with(|| path(a).cmp(path(b)))
            .then_with(|| a.candidate.chunk.span.cmp(&b.candidate.chunk.span))
            .then_with(|| a.candidate.source.cmp(&b.candidate.source))
    });
}

/// Which of two comes first, by their scores and what those are made of.
pub(crate) fn better(a: (f64, &Factors), b: (f64, &Factors), order: Order) -> Ordering {
    let by_score = b.0.total_cmp(&a.0);
    let by_source = || b.1.source.total_cmp(&a.1.source);
    let by_relevance = || b.1.relevance.total_cmp(&a.1.relevance);
    match order {
        Order::Score => by_score,
        Order::Priority => by_source().then_with(by_relevance).then(by_score),
    }
}

/// `exp(-age / 10 days)`: 0 without a timestamp, 1 for the future.
fn recency(timestamp: Option<i64>, now: Option<i64>) -> f64 {
    let (Some(timestamp), Some(now)) = (timestamp, now) else { return 0.0 };
    let age_days = now.saturating_sub(timestamp).max(0) as f64 / 86_400.0;
    (-age_days / 10.0).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;

    // Shows: AC-082 to AC-084
    #[test]
    fn recency_decays_from_one() {
        let at = |age_days: i64| recency(Some(1_000 * DAY - age_days * DAY), Some(1_000 * DAY));
        assert!((at(0) - 1.0).abs() < 1e-9);
        assert!(at(1) >= 0.9);
        assert!(at(30) <= 0.1);
        assert!((at(-5) - 1.0).abs() < 1e-9, "the future counts as now");
        assert!((at(10) - (-1.0f64).exp()).abs() < 1e-9);
    }

    // Shows: AC-085
    #[test]
    fn no_timestamp_is_no_recency() {
        assert_eq!(recency(None, Some(5)), 0.0);
        assert_eq!(recency(Some(5), None), 0.0);
        assert_eq!(recency(Some(i64::MIN), Some(i64::MAX)), 0.0);
    }
}
