//! What do two ranges of lines share, and what would deduplication decide?
//!
//! The decision itself is asked: the two are packed alone, with all the room there is.

use super::reading::Reading;
use super::shape::{RECORD_VERSION, Record};
use crate::error::Error;
use crate::inputs::split_reference;
use kitbag_core::stages::similarity;
use kitbag_core::{Cancel, Formatting, Job, Reason, Settings, decide};
use kitbag_repo::{PathError, Root};
use kitbag_text::{Chunk, ChunkKind, Kind, Piece, Source, Span, Text};
use kitbag_tokens::Counting;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// More than any two ranges have.
const ALL_THE_ROOM: usize = 1_000_000_000;

/// Two ranges of lines, compared.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The version of this shape.
    pub version: u32,
    /// The one.
    pub a: Compared,
    /// The other.
    pub b: Compared,
    /// The lines that both have, where they are of one file.
    pub shared: Option<(u32, u32)>,
    /// How many those are.
    pub shared_lines: u32,
    /// Their share of the lines of `a`.
    pub share_of_a: f64,
    /// Their share of the lines of `b`.
    pub share_of_b: f64,
    /// Their share of the longer one's, which decides.
    pub share_of_longer: f64,
    /// The share from which two chunks overlap.
    pub overlap_threshold: f64,
    /// Whether the contents are the same, white space aside.
    pub same_content: bool,
    /// The share of words that they have in common.
    pub similarity: f64,
    /// The share from which two chunks are nearly the same, where that is looked at.
    pub near_threshold: Option<f64>,
    /// `both_stay`, `a_goes`, `b_goes` or `merged`.
    pub decision: &'static str,
    /// Why, as a code.
    pub reason: Option<&'static str>,
    /// Why, in words.
    pub detail: String,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// One of two ranges.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// The file.
    pub path: String,
    /// Its first line.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// Its tokens.
    pub tokens: usize,
    /// Its score in the last pack, where it was a chunk of it.
    pub score: Option<f64>,
}

/// What a comparison is made with.
pub(super) struct Comparing<'a> {
    pub root: &'a Root,
    pub reading: &'a Reading<'a>,
    pub settings: Settings,
    pub counting: &'a Counting,
    /// The last pack, which knows how chunks ranked.
    pub record: Option<&'a Record>,
    pub cancel: &'a Cancel,
}

struct Side {
    told: Compared,
    span: Span,
    text: Arc<Text>,
}

impl Comparing<'_> {
    /// Compares two places such as `src/a.rs:10-40`.
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
            reason: reason.map(Reason::code),
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

    /// What deduplication does with the two.
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

/// The scores of the chunks of a pack that have lines of a span.
fn scores<'a>(record: &'a Record, path: &'a str, span: Span) -> impl Iterator<Item = f64> + 'a {
    let shares = move |start: u32, end: u32| Span::new(start, end).shared_lines(span) > 0;
    let of = move |it: &str| it == path;
    let inside = record.included.iter().filter(move |it| of(&it.path));
    let inside = inside.filter(move |it| shares(it.start_line, it.end_line)).map(|it| it.score);
    let out = record.excluded.iter().filter(move |it| of(&it.path));
    let out = out.filter(move |it| it.lines().is_some_and(|(start, end)| shares(start, end)));
    inside.chain(out.filter_map(|it| it.score))
}

/// A source of one chunk, whose relevance is its score.
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
