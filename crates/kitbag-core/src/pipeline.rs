//! The pipeline: one function that calls each stage in order.

use crate::compose::{ComposeInput, Composed, PackBody, compose};
use crate::dedup::{DedupInput, MergedSources, deduplicate, merge_identical};
use crate::format::RenderContext;
use crate::head::HeadWriter;
use crate::outcomes::{Outcomes, sources_without_chunks};
use crate::places::merge_places;
use crate::rank::{self, Candidate, RankContext, Ranker, WeightedRanker};
use crate::report::{Decision, Stats};
use crate::select::balanced_order;
use crate::sent::SentLines;
use crate::settings::Settings;
use crate::source_file::{SourceFile, expansion};
use crate::stage::{Observer, PackError, Stage};
use kitbag_text::{Cancel, Cancelled, Chunk, Kind, Source, Span, Text, chunk_text_until_cancelled};
use kitbag_tokens::CachedCounter;
use rayon::prelude::*;

/// The complete input of a decision.
pub struct Job<'a> {
    /// Sources to choose from, in request order.
    pub sources: Vec<Source>,
    /// Text of the task.
    pub task: &'a str,
    /// Time from which ages are measured, in seconds since 1970.
    pub now: Option<i64>,
    /// Maximum number of tokens of the finished text.
    pub budget: usize,
    /// Settings of every stage.
    pub settings: &'a Settings,
    /// Token counter of the model.
    pub counting: &'a CachedCounter,
    /// Flag that stops the decision.
    pub cancel: &'a Cancel,
}

/// A decision and its text.
#[derive(Debug, Clone)]
pub struct Packed {
    /// Included and excluded chunks.
    pub decision: Decision,
    /// The finished text; empty if only a decision was requested.
    pub text: String,
    /// The text without its head; `None` if it has no writer of a head.
    pub body: Option<PackBody>,
}

/// Options of a pack that only some callers need.
#[derive(Clone, Copy, Default)]
pub struct PackOptions<'a> {
    /// Lines that the reader already has. Chunks that consist of them are excluded.
    pub sent: Option<&'a SentLines>,
    /// Writer of the lines before the code, for which a small share of the budget is kept free.
    pub head: Option<&'a dyn HeadWriter>,
}

/// Decides without writing the text.
pub fn decide(job: Job<'_>, observer: &mut dyn Observer) -> Result<Decision, PackError> {
    let options = PackOptions::default();
    run(job, options, &WeightedRanker, observer, false).map(|packed| packed.decision)
}

/// Decides, writes the text and counts it.
pub fn pack(job: Job<'_>, observer: &mut dyn Observer) -> Result<Packed, PackError> {
    run(job, PackOptions::default(), &WeightedRanker, observer, true)
}

/// Packs like [`pack`], or decides like [`decide`] unless `write` is set, with options.
pub fn pack_with_options(
    job: Job<'_>,
    options: PackOptions<'_>,
    write: bool,
    observer: &mut dyn Observer,
) -> Result<Packed, PackError> {
    run(job, options, &WeightedRanker, observer, write)
}

/// Packs like [`pack`], with a custom ranker.
pub fn pack_with(
    job: Job<'_>,
    ranker: &dyn Ranker,
    observer: &mut dyn Observer,
) -> Result<Packed, PackError> {
    run(job, PackOptions::default(), ranker, observer, true)
}

fn run(
    mut job: Job<'_>,
    options: PackOptions<'_>,
    ranker: &dyn Ranker,
    observer: &mut dyn Observer,
    write: bool,
) -> Result<Packed, PackError> {
    job.settings.check()?;
    observer.stage_started(Stage::Chunk);
    let source_count = job.sources.len();
    let MergedSources { sources, origins } =
        merge_identical(std::mem::take(&mut job.sources), job.settings);
    job.sources = sources;
    let (files, candidates) = gather(&job)?;

    observer.stage_started(Stage::Rank);
    let Job { task, now, budget, settings, counting, cancel, .. } = job;
    let ranking = RankContext { task, now, files: &files, settings, cancel };
    let mut scored = ranker.score(candidates, &ranking)?;
    rank::sort(&mut scored, &files, settings.order);

    observer.stage_started(Stage::Deduplicate);
    let mut outcomes = Outcomes::new(&scored, &origins);
    outcomes.exclude_unfit(&scored, settings);
    let sent = options.sent.map_or(0, |sent| outcomes.exclude_sent(&mut scored, &files, sent));
    let duplicates = loop {
        let indices = outcomes.undecided();
        let input = DedupInput { scored: &scored, indices: &indices, files: &files, counting };
        let duplicates = deduplicate(input, settings, cancel)?;
        let missing = (settings.selection.min_chunks + duplicates.duplicates.len())
            .saturating_sub(indices.len() + sent);
        if !outcomes.restore_stopped(missing) {
            break duplicates;
        }
    };
    let counts = outcomes.exclude_duplicates(duplicates, &mut scored, &files);

    let mut order = outcomes.undecided();
    if settings.selection.balance {
        order = balanced_order(&scored, &order);
    }
    let formatting = &settings.formatting;
    let context = RenderContext { files: &files, counting, formatting, task, budget, cancel };
    let input = ComposeInput {
        scored: &scored,
        order: &order,
        outcomes: &outcomes,
        settings,
        context: &context,
        head: options.head,
        write,
    };
    let Composed { included, mut excluded, text, body, tokens, replaced_chars, .. } =
        compose(&input, observer)?;
    excluded.extend(sources_without_chunks(&job.sources, &origins, &scored));

    observer.stage_started(Stage::Verify);
    let is_rendered = write || options.head.is_some();
    let total_tokens = if is_rendered { verify(&text, &context)? } else { tokens };
    let stats = Stats {
        sources: source_count,
        merged_sources: source_count - job.sources.len(),
        files: files.len(),
        chunks: scored.len(),
        ..counts
    };
    let decision = Decision { included, excluded, total_tokens, stats, replaced_chars };
    let text = if write { text } else { String::new() };
    Ok(Packed { decision, text, body })
}

/// Counts the finished text.
fn verify(text: &str, context: &RenderContext<'_>) -> Result<usize, PackError> {
    let (tokens, budget) = (context.counting.counter().count(text), context.budget);
    if tokens > budget { Err(PackError::ContextOverflow { tokens, budget }) } else { Ok(tokens) }
}

/// Splits the sources into candidates, in request order.
pub fn gather(job: &Job<'_>) -> Result<(Vec<SourceFile>, Vec<Candidate>), Cancelled> {
    let (files, file_of_source) = SourceFile::gather(&job.sources);
    let chunked = job
        .sources
        .par_iter()
        .map(|source| {
            job.cancel.check()?;
            chunks(source, job)
        })
        .collect::<Result<Vec<_>, Cancelled>>()?;
    let mut candidates = Vec::new();
    for (index, (source, chunks)) in job.sources.iter().zip(chunked).enumerate() {
        candidates.extend(chunks.into_iter().map(|(chunk, relevance)| Candidate {
            chunk,
            file: file_of_source[index],
            source: index,
            kind: source.kind,
            relevance: relevance.or(source.relevance),
            timestamp: source.timestamp,
            from: source.from.clone(),
            max_relevance: None,
            id: 0,
            copy_of: None,
            is_found: source.kind == Kind::SearchResult && !source.is_given,
            is_pinned: source.is_given && job.settings.selection.pin,
        }));
    }
    let candidates = merge_places(candidates, &files, job.settings, job.counting);
    Ok((files, candidates))
}

/// Returns the chunks of a source with their own relevance, if they have one.
fn chunks(source: &Source, job: &Job<'_>) -> Result<Vec<(Chunk, Option<f64>)>, Cancelled> {
    let text: &Text = &source.text;
    if let Some((shown, represents)) = expansion(source) {
        let tokens = count_u32(job.counting, shown.content());
        return Ok(vec![(Chunk::lines(represents, tokens), None)]);
    }
    if let Some(pieces) = &source.pieces {
        let inside = pieces.iter().filter_map(|piece| {
            let chunk = clip_to_text(text, &piece.chunk, job.counting)?;
            Some((chunk, piece.relevance))
        });
        return Ok(inside.collect());
    }
    let limits = &job.settings.chunking;
    let chunked = chunk_text_until_cancelled(&source.path, text, limits, job.counting, job.cancel)?;
    Ok(chunked.chunks.into_iter().map(|chunk| (chunk, None)).collect())
}

/// Clips a chunk that its provider already split off to the lines of `text`; `None` if those are blank.
fn clip_to_text(text: &Text, chunk: &Chunk, counting: &CachedCounter) -> Option<Chunk> {
    if text.slice(chunk.span).trim().is_empty() {
        return None;
    }
    let mut chunk = chunk.clone();
    let span = intersection(chunk.span, text.span()?)?;
    if span != chunk.span {
        chunk.span = span;
        chunk.tokens = count_u32(counting, text.slice(span));
    }
    chunk.outline = chunk.outline.iter().filter_map(|&lines| intersection(span, lines)).collect();
    Some(chunk)
}

fn count_u32(counting: &CachedCounter, text: &str) -> u32 {
    u32::try_from(counting.count(text)).unwrap_or(u32::MAX)
}

fn intersection(a: Span, b: Span) -> Option<Span> {
    let (start, end) = (a.start.max(b.start), a.end.min(b.end));
    (start <= end).then(|| Span::new(start, end))
}
