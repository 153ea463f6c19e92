//! Compares two ranges of lines and shows how deduplication would treat them.
//!
//! The real pipeline decides: the two ranges are packed alone, with an unlimited budget.

use crate::error::Error;
use crate::gather::inputs::split_reference;
use kitbag_core::stages::similarity;
use kitbag_core::{Cancel, Formatting, Job, Reason, Settings, decide};
use kitbag_record::Reading;
use kitbag_record::{RECORD_VERSION, Record};
use kitbag_repo::{PathError, Root};
use kitbag_text::{Chunk, ChunkKind, Kind, Piece, Source, Span, Text};
use kitbag_tokens::CachedCounter;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// A budget that two ranges cannot exceed, in tokens.
const ALL_THE_ROOM: usize = 1_000_000_000;

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
    /// `both_stay`, `a_goes`, `b_goes` or `merged`.
    pub decision: &'static str,
    /// Machine-readable reason for the decision.
    pub reason: Option<&'static str>,
    /// Human-readable reason for the decision.
    pub detail: String,
    /// Problems that did not prevent the comparison.
    pub warnings: Vec<String>,
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

struct Side {
    told: Compared,
    span: Span,
    text: Arc<Text>,
}

impl Comparing<'_> {
    /// Compares two references such as `src/a.rs:10-40`.
    pub fn compare(self, a: &str, b: &str, warnings: Vec<String>) -> Result<Comparison, Error> {
        let (a, b) = (self.side(a)?, self.side(b)?);
        let same_file = a.told.path == b.told.path;
        let shared_lines = if same_file { a.span.shared_lines(b.span) } else { 0 };
        let share = |lines: u32| f64::from(shared_lines) / f64::from(lines);
        let shared = (shared_lines > 0)
            .then(|| (a.span.start.max(b.span.start), a.span.end.min(b.span.end)));
        let (one, other) = (a.text.slice(a.span), b.text.slice(b.span));
        let words = |text: &str| text.split_whitespace().collect::<String>();
        let rules = self.settings.deduplication;
        let (same_content, similarity) = (words(one) == words(other), similarity(one, other));
        let (decision, reason, detail) = self.decision(&a, &b)?;
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
            reason: reason.map(Reason::as_str),
            detail,
            a: a.told,
            b: b.told,
            warnings,
        })
    }

    fn side(&self, place: &str) -> Result<Side, Error> {
        let (path, span) = split_reference(place)?;
        let path = self.root.resolve(Path::new(path))?;
        let gone = || Error::Path(PathError::NotAFile { path: path.clone() });
        let text = self.reading.shown(&path).ok_or_else(gone)?;
        let all = text.span().ok_or_else(|| Error::Reference { reference: place.to_owned() })?;
        let span = span.unwrap_or(all);
        if span.start > all.end {
            return Err(Error::Reference { reference: format!("{place}, past line {}", all.end) });
        }
        let span = Span::new(span.start, span.end.min(all.end));
        let scores = self.record.into_iter().flat_map(|record| scores(record, &path, span));
        let told = Compared {
            start_line: span.start,
            end_line: span.end,
            tokens: self.counting.count(text.slice(span)),
            score: scores.max_by(f64::total_cmp),
            path,
        };
        Ok(Side { told, span, text })
    }

    /// Runs deduplication on the two ranges and returns the decision, its reason and a description.
    fn decision(self, a: &Side, b: &Side) -> Result<(&'static str, Option<Reason>, String), Error> {
        if a.told.path == b.told.path && a.span == b.span {
            return Ok(("both_stay", None, "they are the same lines".to_owned()));
        }
        let mut settings = self.settings;
        (settings.min_score, settings.formatting) = (None, Formatting::default());
        let sources = vec![source(a), source(b)];
        let job = Job {
            sources,
            task: "",
            now: None,
            budget: ALL_THE_ROOM,
            settings: &settings,
            counting: self.counting,
            cancel: self.cancel,
        };
        let decided = decide(job, &mut ())?;
        let Some(out) = decided.excluded.first() else {
            return Ok(match decided.included.len() {
                1 => ("merged", Some(Reason::Overlap), "they become one chunk".to_owned()),
                _ => ("both_stay", None, "they do not repeat each other".to_owned()),
            });
        };
        let is_a = out.path == a.told.path && out.span == Some(a.span);
        let goes = if is_a { "a_goes" } else { "b_goes" };
        Ok((goes, Some(out.reason), out.detail.clone()))
    }
}

/// Returns the scores of the recorded chunks that overlap a span.
fn scores<'a>(record: &'a Record, path: &'a str, span: Span) -> impl Iterator<Item = f64> + 'a {
    let shares = move |start: u32, end: u32| Span::new(start, end).shared_lines(span) > 0;
    let of = move |it: &str| it == path;
    let inside = record.included.iter().filter(move |it| of(&it.path));
    let inside = inside.filter(move |it| shares(it.start_line, it.end_line)).map(|it| it.score);
    let out = record.excluded.iter().filter(move |it| of(&it.path));
    let out = out.filter(move |it| it.lines().is_some_and(|(start, end)| shares(start, end)));
    inside.chain(out.filter_map(|it| it.score))
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
        tokens: u32::try_from(side.told.tokens).unwrap_or(u32::MAX),
    };
    let piece = Piece { chunk, relevance: Some(side.told.score.unwrap_or(0.0)) };
    Source {
        pieces: Some(vec![piece]),
        ..Source::new(&side.told.path, Kind::Reference, Arc::clone(&side.text))
    }
}
