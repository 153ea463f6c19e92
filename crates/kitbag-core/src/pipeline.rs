//! The pipeline: one readable function that calls its stages.

use crate::dedup::{Merged, Ranked, deduplicate, merge_identical};
use crate::fates::{Fates, sources_without_chunks};
use crate::format::{Press, TemplateError};
use crate::rank::{self, Candidate, Ranker, Ranking, WeightedRanker};
use crate::report::{Excluded, Included};
use crate::select::{Candidates, select};
use crate::settings::{Settings, SettingsError};
use crate::sheet::{Sheet, expansion};
use crate::{Cancel, Cancelled};
use kitbag_text::{Chunk, ChunkKind, Source, Span, Text, chunk_text_until};
use kitbag_tokens::Counting;
use rayon::prelude::*;

/// All that a decision depends on.
pub struct Job<'a> {
    /// What may go in, in the order of the request.
    pub sources: Vec<Source>,
    /// The task's text.
    pub task: &'a str,
    /// The time that ages are measured from, in seconds since 1970.
    pub now: Option<i64>,
    /// How many tokens the finished text may have.
    pub budget: usize,
    /// Everything that can be set.
    pub settings: &'a Settings,
    /// The model's counter.
    pub counting: &'a Counting,
    /// The flag that stops it.
    pub cancel: &'a Cancel,
}

/// What was decided, to the line and the token.
#[derive(Debug, Clone, Default)]
pub struct Decision {
    /// What is in, best first.
    pub included: Vec<Included>,
    /// What is out and why, best first.
    pub excluded: Vec<Excluded>,
    /// The tokens of the finished text, by the model's counter.
    pub total_tokens: usize,
    /// What the stages counted.
    pub stats: Stats,
    /// Characters of what is shown that the format cannot carry, and that were replaced.
    pub replaced: usize,
}

/// A decision and its text.
#[derive(Debug, Clone)]
pub struct Packed {
    /// What was decided.
    pub decision: Decision,
    /// The finished text.
    pub text: String,
}

/// What the stages counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Sources that came in.
    pub sources: usize,
    /// Sources that were the same as another, and merged with it.
    pub merged_sources: usize,
    /// Files that they belong to.
    pub files: usize,
    /// Chunks that they were cut into.
    pub chunks: usize,
    /// Chunks that repeated the content of another.
    pub duplicates: usize,
    /// Chunks that overlapped another.
    pub overlaps: usize,
    /// Chunks that had nearly the same words as another.
    pub near_duplicates: usize,
}

/// The stages, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Cutting sources into chunks.
    Chunk,
    /// Scoring and ordering them.
    Rank,
    /// Dropping what repeats.
    Deduplicate,
    /// Filling the budget.
    Select,
    /// Writing the text.
    Format,
    /// Counting the text.
    Verify,
}

impl Stage {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chunk => "chunk",
            Self::Rank => "rank",
            Self::Deduplicate => "deduplicate",
            Self::Select => "select",
            Self::Format => "format",
            Self::Verify => "verify",
        }
    }
}

/// Is told when a stage begins; whoever has a clock can time the stages by it.
pub trait Observer {
    /// `stage` begins now.
    fn begins(&mut self, stage: Stage);
}

impl Observer for () {
    fn begins(&mut self, _stage: Stage) {}
}

/// Why there is no pack.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PackError {
    /// The caller has cancelled it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The settings cannot be right.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The template cannot be rendered.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The finished text is over the budget. This is a defect of ours; no text leaves.
    #[error("the pack has {tokens} tokens, over the budget of {budget}")]
    ContextOverflow {
        /// The tokens that were counted.
        tokens: usize,
        /// The tokens that were allowed.
        budget: usize,
    },
}

/// Decides, without writing the text.
pub fn decide(job: Job<'_>, observer: &mut dyn Observer) -> Result<Decision, PackError> {
    run(job, &WeightedRanker, observer, false).map(|packed| packed.decision)
}

/// Decides, writes the text, and counts it.
pub fn pack(job: Job<'_>, observer: &mut dyn Observer) -> Result<Packed, PackError> {
    run(job, &WeightedRanker, observer, true)
}

/// The same with a ranker of the caller's own.
pub fn pack_with(
    job: Job<'_>,
    ranker: &dyn Ranker,
    observer: &mut dyn Observer,
) -> Result<Packed, PackError> {
    run(job, ranker, observer, true)
}

fn run(
    mut job: Job<'_>,
    ranker: &dyn Ranker,
    observer: &mut dyn Observer,
    write: bool,
) -> Result<Packed, PackError> {
    job.settings.check()?;
    observer.begins(Stage::Chunk);
    let sources = job.sources.len();
    let Merged { sources: unique, also } =
        merge_identical(std::mem::take(&mut job.sources), job.settings);
    job.sources = unique;
    let (sheets, candidates) = gather(&job)?;

    observer.begins(Stage::Rank);
    let Job { task, now, budget, settings, counting, cancel, .. } = job;
    let ranking = Ranking { task, now, sheets: &sheets, settings, cancel };
    let mut scored = ranker.score(candidates, &ranking)?;
    rank::sort(&mut scored, &sheets, settings.order);

    observer.begins(Stage::Deduplicate);
    let mut fates = Fates::new(&scored, &also);
    fates.drop_unfit(&scored, settings.min_score);
    let places = fates.undecided();
    let ranked = Ranked { scored: &scored, places: &places, sheets: &sheets, counting };
    let repeats = deduplicate(ranked, settings, cancel)?;
    let counts = fates.drop_repeats(repeats, &mut scored, &sheets);

    observer.begins(Stage::Select);
    let places = fates.undecided();
    let formatting = &settings.formatting;
    let press = Press { sheets: &sheets, counting, formatting, task, budget, cancel };
    let candidates = Candidates { scored: &scored, places: &places, press: &press };
    let selection = select(candidates, settings, cancel)?;
    // A template that was stopped has failed, but not by a fault of its own.
    cancel.check()?;
    selection.check()?;

    observer.begins(Stage::Format);
    let text = if write { selection.render() } else { Ok(String::new()) };
    cancel.check()?;
    let text = text?;

    observer.begins(Stage::Verify);
    let total_tokens = if write { verify(&text, &press)? } else { selection.tokens };
    let (files, chunks) = (sheets.len(), scored.len());
    let merged_sources = sources - job.sources.len();
    let stats = Stats { sources, merged_sources, files, chunks, ..counts };
    let replaced = selection.replaced();
    let (included, mut excluded) = fates.report(candidates, &selection, settings.order);
    excluded.extend(sources_without_chunks(&job.sources, &also, &scored));
    Ok(Packed { decision: Decision { included, excluded, total_tokens, stats, replaced }, text })
}

/// Counts the finished text.
fn verify(text: &str, press: &Press<'_>) -> Result<usize, PackError> {
    let (tokens, budget) = (press.counting.counter().count(text), press.budget);
    if tokens > budget { Err(PackError::ContextOverflow { tokens, budget }) } else { Ok(tokens) }
}

/// Cuts the sources into candidates, in the order of the request whatever the threads do.
pub fn gather(job: &Job<'_>) -> Result<(Vec<Sheet>, Vec<Candidate>), Cancelled> {
    let (sheets, places) = Sheet::gather(&job.sources);
    let cut = job
        .sources
        .par_iter()
        .map(|source| {
            job.cancel.check()?;
            pieces(source, job)
        })
        .collect::<Result<Vec<_>, Cancelled>>()?;
    let mut candidates = Vec::new();
    for (place, (source, pieces)) in job.sources.iter().zip(cut).enumerate() {
        for (chunk, relevance) in pieces {
            candidates.push(Candidate {
                chunk,
                sheet: places[place],
                source: place,
                kind: source.kind,
                relevance: relevance.or(source.relevance),
                timestamp: source.timestamp,
                from: source.from.clone(),
            });
        }
    }
    Ok((sheets, candidates))
}

fn pieces(source: &Source, job: &Job<'_>) -> Result<Vec<(Chunk, Option<f64>)>, Cancelled> {
    let text: &Text = &source.text;
    if let Some((shown, stands_for)) = expansion(source) {
        return Ok(vec![(expanded_chunk(shown, stands_for, job.counting), None)]);
    }
    if let Some(pieces) = &source.pieces {
        let inside = pieces.iter().filter_map(|piece| {
            let chunk = piece_within(text, &piece.chunk, job.counting)?;
            Some((chunk, piece.relevance))
        });
        return Ok(inside.collect());
    }
    let limits = &job.settings.chunking;
    let chunked = chunk_text_until(&source.path, text, limits, job.counting, job.cancel)?;
    Ok(chunked.chunks.into_iter().map(|chunk| (chunk, None)).collect())
}

/// The one chunk of a source that is shown expanded.
fn expanded_chunk(shown: &Text, stands_for: Span, counting: &Counting) -> Chunk {
    Chunk {
        span: stands_for,
        kind: ChunkKind::Lines,
        symbol: None,
        defines: Vec::new(),
        outline: Vec::new(),
        part: None,
        tokens: u32::try_from(counting.count(shown.content())).unwrap_or(u32::MAX),
    }
}

/// A chunk that came cut, as far as its lines are in `text`; `None` where those are all blank.
fn piece_within(text: &Text, chunk: &Chunk, counting: &Counting) -> Option<Chunk> {
    if text.slice(chunk.span).trim().is_empty() {
        return None;
    }
    let mut chunk = chunk.clone();
    let span = common(chunk.span, text.span()?)?;
    if span != chunk.span {
        chunk.span = span;
        chunk.tokens = u32::try_from(counting.count(text.slice(span))).unwrap_or(u32::MAX);
    }
    if chunk.outline.iter().any(|&outline| !span.contains(outline)) {
        chunk.outline = chunk.outline.iter().filter_map(|&outline| common(span, outline)).collect();
    }
    Some(chunk)
}

/// The lines that two spans share.
fn common(a: Span, b: Span) -> Option<Span> {
    let (start, end) = (a.start.max(b.start), a.end.min(b.end));
    (start <= end).then(|| Span::new(start, end))
}
