//! Scores and orders candidates.
//!
//! `score = 0.5 * relevance + 0.3 * recency + 0.2 * source` by default, with each factor in
//! \[0, 1\]. The factors are kept, so that every score can be explained.

mod keywords;

use crate::settings::{RankOrder, Settings};
use crate::source_file::SourceFile;
pub use keywords::coverage;
use kitbag_text::{Cancel, Cancelled, Chunk, Kind, Provenance};
use std::cmp::Ordering;
use std::sync::Arc;

/// Age in days at which recency has decayed to 1/e.
const RECENCY_DECAY_DAYS: f64 = 10.0;

/// A chunk that may go into the pack.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The chunk.
    pub chunk: Chunk,
    /// Index of its file.
    pub file: usize,
    /// Index of its source in the request.
    pub source: usize,
    /// Kind of its source.
    pub kind: Kind,
    /// Relevance according to its provider, if known.
    pub relevance: Option<f64>,
    /// Time of the last change, in seconds since 1970.
    pub timestamp: Option<i64>,
    /// Provider that gathered the source.
    pub from: Option<Arc<Provenance>>,
    /// Upper bound for keyword relevance: that of a chunk whose lines the search did not find, although
    /// it found others of the file.
    pub max_relevance: Option<f64>,
    /// Position among all candidates before they are ranked.
    pub id: usize,
    /// Position of the candidate that represents the same lines, if this one is a copy of it.
    pub copy_of: Option<usize>,
    /// Whether nothing but a search brought it, so that the search may end before it.
    pub is_found: bool,
    /// Whether it is selected before all candidates that are not pinned.
    pub is_pinned: bool,
}

/// Factors of a score, each in \[0, 1\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Factors {
    /// Relevance to the task.
    pub relevance: f64,
    /// Recency of the last change; 1 for now.
    pub recency: f64,
    /// Priority of the source.
    pub source: f64,
}

/// A candidate with its score.
#[derive(Debug, Clone)]
pub struct Scored {
    /// The candidate.
    pub candidate: Candidate,
    /// Score in \[0, 1\].
    pub score: f64,
    /// Factors of the score.
    pub factors: Factors,
}

/// The information available to a ranker.
pub struct RankContext<'a> {
    /// Text of the task.
    pub task: &'a str,
    /// Time from which ages are measured, in seconds since 1970.
    pub now: Option<i64>,
    /// Files of the candidates.
    pub files: &'a [SourceFile],
    /// Weights and priorities.
    pub settings: &'a Settings,
    /// Flag that stops ranking.
    pub cancel: &'a Cancel,
}

/// Scores candidates.
pub trait Ranker: Send + Sync {
    /// Scores `candidates`, without changing their order.
    fn score(
        &self,
        candidates: Vec<Candidate>,
        context: &RankContext<'_>,
    ) -> Result<Vec<Scored>, Cancelled>;
}

/// The default ranker: the weighted sum of the factors.
#[derive(Debug, Clone, Copy, Default)]
pub struct WeightedRanker;

impl Ranker for WeightedRanker {
    fn score(
        &self,
        candidates: Vec<Candidate>,
        context: &RankContext<'_>,
    ) -> Result<Vec<Scored>, Cancelled> {
        let coverage = keywords::relevance(&candidates, context)?;
        let scored = candidates.into_iter().zip(coverage).map(|(candidate, coverage)| {
            let coverage = coverage.min(candidate.max_relevance.unwrap_or(1.0));
            let relevance = candidate.relevance.unwrap_or(coverage);
            let own_priority = candidate.from.as_ref().and_then(|from| from.priority);
            let priority = context.settings.priority(candidate.kind, own_priority);
            let factors = Factors {
                relevance: if relevance.is_nan() { 0.0 } else { relevance.clamp(0.0, 1.0) },
                recency: recency(candidate.timestamp, context.now),
                source: f64::from(priority) / 100.0,
            };
            let weights = context.settings.weights;
            let score = factors.relevance * weights.relevance
                + factors.recency * weights.recency
                + factors.source * weights.source;
            // Rounding may take the sum of the weights slightly above 1.
            Scored { candidate, score: score.min(1.0), factors }
        });
        Ok(scored.collect())
    }
}

/// Sorts best first, pinned candidates before all others. Ties are broken by path, then lines, then
/// request order.
pub(crate) fn sort(scored: &mut [Scored], files: &[SourceFile], order: RankOrder) {
    scored.sort_by(|a, b| {
        let path = |s: &Scored| files[s.candidate.file].path.as_str();
        let key = |s: &Scored| order.key(s.score, &s.factors);
        let is_pinned = |s: &Scored| s.candidate.is_pinned;
        (is_pinned(b).cmp(&is_pinned(a)))
            .then_with(|| compare_keys(key(a), key(b)))
            .then_with(|| path(a).cmp(path(b)))
            .then_with(|| a.candidate.chunk.span.cmp(&b.candidate.chunk.span))
            .then_with(|| a.candidate.source.cmp(&b.candidate.source))
    });
}

impl RankOrder {
    /// Returns the values by which candidates are compared, the most important first.
    pub(crate) fn key(self, score: f64, factors: &Factors) -> [f64; 3] {
        match self {
            Self::Score => [score, 0.0, 0.0],
            Self::Priority => [factors.source, factors.relevance, score],
        }
    }
}

/// Compares two keys; the better one is `Less`.
pub(crate) fn compare_keys(a: [f64; 3], b: [f64; 3]) -> Ordering {
    b.iter()
        .zip(&a)
        .map(|(b, a)| b.total_cmp(a))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Returns `exp(-age / 10 days)`: 0 without a timestamp, 1 for timestamps in the future.
fn recency(timestamp: Option<i64>, now: Option<i64>) -> f64 {
    let (Some(timestamp), Some(now)) = (timestamp, now) else { return 0.0 };
    let age_days = now.saturating_sub(timestamp).max(0) as f64 / 86_400.0;
    (-age_days / RECENCY_DECAY_DAYS).exp()
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
    fn recency_is_zero_without_a_timestamp() {
        assert_eq!(recency(None, Some(5)), 0.0);
        assert_eq!(recency(Some(5), None), 0.0);
        assert_eq!(recency(Some(i64::MIN), Some(i64::MAX)), 0.0);
    }
}
