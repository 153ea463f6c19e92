//! Compares two ranges of lines and shows how deduplication would treat them.
//!
//! The real pipeline decides: the two ranges are packed alone, with an unlimited budget.

use super::replay::UNLIMITED;
use crate::error::Error;
use crate::gather::inputs::split_reference;
use kitbag_core::stages::similarity;
use kitbag_core::{Cancel, Formatting, Job, Reason, Settings, decide};
use kitbag_record::{RECORD_VERSION, Reading, Record};
use kitbag_repo::{PathError, Root};
use kitbag_text::{Chunk, ChunkKind, Kind, Piece, Source, Span, Text};
use kitbag_tokens::CachedCounter;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// The result of comparing two ranges of lines.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The schema version.
    pub version: u32,
    /// The first range.
    pub a: Compared,
    /// The second range.
    pub b: Compared,
    /// The first and last line of the overlap, if both ranges are in the same file.
    pub shared: Option<(u32, u32)>,
    /// Number of lines in the overlap.
    pub shared_lines: u32,
    /// Overlap as a fraction of the lines of `a`.
    pub share_of_a: f64,
    /// Overlap as a fraction of the lines of `b`.
    pub share_of_b: f64,
    /// Overlap as a fraction of the longer range. Deduplication uses this value.
    pub share_of_longer: f64,
    /// Minimum value of `share_of_longer` at which two chunks count as overlapping.
    pub overlap_threshold: f64,
    /// Whether the contents are equal, ignoring whitespace.
    pub same_content: bool,
    /// Fraction of words that the ranges have in common.
    pub similarity: f64,
    /// Minimum similarity of near duplicates; `None` if near-duplicate detection is disabled.
    pub near_threshold: Option<f64>,
    /// What deduplication does with the ranges.
    pub decision: DedupDecision,
    /// Machine-readable reason for the decision.
    pub reason: Option<Reason>,
    /// Human-readable reason for the decision.
    pub detail: String,
    /// Problems that did not prevent the comparison.
    pub warnings: Vec<String>,
}

/// What deduplication does with two ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DedupDecision {
    /// Both are kept.
    KeepBoth,
    /// The first is left out.
    ExcludeA,
    /// The second is left out.
    ExcludeB,
    /// They become one chunk.
    Merge,
}

/// One of the two compared ranges.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// The path relative to the repository root.
    pub path: String,
    /// The first line, counted from 1.
    pub start_line: u32,
    /// The last line, inclusive.
    pub end_line: u32,
    /// Number of tokens in the range.
    pub tokens: usize,
    /// The highest score among overlapping chunks of the last pack, if there are any.
    pub score: Option<f64>,
}

/// Inputs of a comparison.
pub(crate) struct Comparing<'a> {
    pub root: &'a Root,
    pub reading: &'a Reading<'a>,
    pub settings: Settings,
    pub counting: &'a CachedCounter,
    /// The last pack, from which scores are taken.
    pub record: Option<&'a Record>,
    pub cancel: &'a Cancel,
}

/// A decision of deduplication, with its reason and a description.
struct DedupVerdict {
    decision: DedupDecision,
    reason: Option<Reason>,
    detail: String,
}

struct Side {
    compared: Compared,
    span: Span,
    text: Arc<Text>,
}

impl Comparing<'_> {
    /// Compares two references such as `src/a.rs:10-40`.
    pub fn compare(self, a: &str, b: &str, warnings: Vec<String>) -> Result<Comparison, Error> {
        let (a, b) = (self.side(a)?, self.side(b)?);
        let is_same_file = a.compared.path == b.compared.path;
        let shared_lines = if is_same_file { a.span.shared_lines(b.span) } else { 0 };
        let share = |lines: u32| f64::from(shared_lines) / f64::from(lines);
        let shared = (shared_lines > 0)
            .then(|| (a.span.start.max(b.span.start), a.span.end.min(b.span.end)));
        let (one, other) = (a.text.slice(a.span), b.text.slice(b.span));
        let words = |text: &str| text.split_whitespace().collect::<String>();
        let rules = self.settings.deduplication;
        let (same_content, similarity) = (words(one) == words(other), similarity(one, other));
        let DedupVerdict { decision, reason, detail } = self.decide(&a, &b)?;
        Ok(Comparison {
            version: RECORD_VERSION,
            shared,
            shared_lines,
            share_of_a: share(a.span.lines()),
            share_of_b: share(b.span.lines()),
            share_of_longer: share(a.span.lines().max(b.span.lines())),
            overlap_threshold: rules.overlap_threshold,
            same_content,
            similarity,
            near_threshold: rules.near_enabled.then_some(rules.near_threshold),
            decision,
            reason,
            detail,
            a: a.compared,
            b: b.compared,
            warnings,
        })
    }

    fn side(&self, place: &str) -> Result<Side, Error> {
        let (path, span) = split_reference(place)?;
        let path = self.root.resolve(Path::new(path))?;
        let not_a_file = || Error::Path(PathError::NotAFile { path: path.clone() });
        let text = self.reading.shown(&path).ok_or_else(not_a_file)?;
        let past_end = |lines| Error::PastEnd { place: place.to_owned(), lines };
        let all = text.span().ok_or_else(|| past_end(0))?;
        let span = span.unwrap_or(all);
        if span.start > all.end {
            return Err(past_end(all.end));
        }
        let span = Span::new(span.start, span.end.min(all.end));
        let candidates = self.record.into_iter().flat_map(Record::candidates);
        let own = candidates
            .filter(|it| it.path == path && it.span.is_some_and(|own| own.shared_lines(span) > 0));
        let compared = Compared {
            start_line: span.start,
            end_line: span.end,
            tokens: self.counting.count(text.slice(span)),
            score: own.filter_map(|it| it.score).max_by(f64::total_cmp),
            path: path.clone(),
        };
        Ok(Side { compared, span, text })
    }

    /// Runs deduplication on the two ranges.
    fn decide(self, a: &Side, b: &Side) -> Result<DedupVerdict, Error> {
        let keep_both = |why: &str| DedupVerdict {
            decision: DedupDecision::KeepBoth,
            reason: None,
            detail: why.to_owned(),
        };
        if a.compared.path == b.compared.path && a.span == b.span {
            return Ok(keep_both("they are the same lines"));
        }
        let mut settings = self.settings;
        (settings.min_score, settings.formatting) = (None, Formatting::default());
        let job = Job {
            sources: vec![source(a), source(b)],
            task: "",
            now: None,
            budget: UNLIMITED,
            settings: &settings,
            counting: self.counting,
            cancel: self.cancel,
        };
        let decided = decide(job, &mut ())?;
        Ok(match decided.excluded.first() {
            Some(out) => {
                let is_a = out.path == a.compared.path && out.span == Some(a.span);
                let decision = if is_a { DedupDecision::ExcludeA } else { DedupDecision::ExcludeB };
                DedupVerdict { decision, reason: Some(out.reason), detail: out.detail.clone() }
            }
            None if decided.included.len() == 1 => DedupVerdict {
                decision: DedupDecision::Merge,
                reason: Some(Reason::Overlap),
                detail: "they become one chunk".to_owned(),
            },
            None => keep_both("they do not repeat each other"),
        })
    }
}

/// Wraps a range in a source with a single chunk whose relevance is the recorded score.
fn source(side: &Side) -> Source {
    let chunk = Chunk {
        span: side.span,
        kind: ChunkKind::Lines,
        symbol: None,
        defines: Vec::new(),
        outline: Vec::new(),
        part: None,
        tokens: u32::try_from(side.compared.tokens).unwrap_or(u32::MAX),
    };
    let piece = Piece { chunk, relevance: Some(side.compared.score.unwrap_or(0.0)) };
    Source {
        pieces: Some(vec![piece]),
        ..Source::new(&side.compared.path, Kind::Reference, Arc::clone(&side.text))
    }
}
