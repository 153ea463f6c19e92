//! Sources for the packer, made from the corpus.

use super::corpus::{Corpus, CorpusFile};
use anyhow::{Result, bail, ensure};
use kitbag_core::{Cancel, Job, Observer, Settings, Stage};
use kitbag_text::{ChunkLimits, Kind, Piece, Source, Span, Text, chunk_text};
use kitbag_tokens::CachedCounter;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A realistic task.
pub const TASK: &str = "Requests that carry an empty header fail: the parser raises a value error \
    when the name of a field is followed by white space only. It should skip such lines, keep the \
    message open, and report the position of the first byte. See `parse_header` and the tests of \
    the encoder; the cache must not remember the broken state.";

/// Reference time for ages.
const NOW: i64 = 1_800_000_000;

/// Size of a typical source file.
const TYPICAL_FILE_BYTES: RangeInclusive<usize> = 5_000..=10_000;

/// Size of a typical chunk; the mean is about 200.
const TYPICAL_CHUNK_TOKENS: RangeInclusive<u32> = 100..=320;

pub fn job<'a>(
    sources: Vec<Source>,
    settings: &'a Settings,
    counting: &'a CachedCounter,
    cancel: &'a Cancel,
) -> Job<'a> {
    Job { sources, task: TASK, now: Some(NOW), budget: 32_000, settings, counting, cancel }
}

/// Files of typical size in many languages.
pub fn typical(corpus: &Corpus, count: usize) -> Result<Vec<&CorpusFile>> {
    let typical = corpus.mixed().filter(|file| TYPICAL_FILE_BYTES.contains(&file.content.len()));
    let files: Vec<&CorpusFile> = typical.take(count).collect();
    ensure!(files.len() == count, "only {} files of typical size", files.len());
    Ok(files)
}

/// Whole files as sources.
pub fn whole<'a>(files: impl IntoIterator<Item = &'a CorpusFile>) -> Vec<Source> {
    files.into_iter().enumerate().map(source).collect()
}

/// Files split into `count` chunks of typical size.
pub fn cut(corpus: &Corpus, count: usize, counting: &CachedCounter) -> Result<Vec<Source>> {
    let max = *TYPICAL_CHUNK_TOKENS.end();
    let limits =
        ChunkLimits { max_chunk_tokens: max, max_class_tokens: max, ..ChunkLimits::default() };
    let mut sources = Vec::new();
    let mut left = count;
    for numbered in corpus.mixed().enumerate() {
        let mut source = source(numbered);
        let chunked = chunk_text(&source.path, &source.text, &limits, counting);
        let fit =
            chunked.chunks.into_iter().filter(|chunk| TYPICAL_CHUNK_TOKENS.contains(&chunk.tokens));
        let pieces: Vec<Piece> =
            fit.take(left).map(|chunk| Piece { chunk, relevance: None }).collect();
        left -= pieces.len();
        source.pieces = Some(pieces);
        sources.push(source);
        if left == 0 {
            return Ok(sources);
        }
    }
    bail!("only {} chunks of typical size", count - left)
}

/// Adds copies of `share` of the chunks under other paths.
pub fn with_copies(mut sources: Vec<Source>, share: f64) -> Vec<Source> {
    let mut remaining = (pieces(&sources).count() as f64 * share) as usize;
    for place in 0..sources.len() {
        let mut copy = sources[place].clone();
        copy.path = format!("copies/{}", copy.path);
        copy.text = Arc::new(Text::clone(&copy.text));
        let pieces = copy.pieces.get_or_insert_default();
        pieces.truncate(remaining);
        remaining -= pieces.len();
        sources.push(copy);
    }
    sources
}

/// Adds the second half of the lines of `share` of the chunks.
pub fn with_overlaps(mut sources: Vec<Source>, share: f64) -> Vec<Source> {
    let mut remaining = (pieces(&sources).count() as f64 * share) as usize;
    for place in 0..sources.len() {
        let mut shifted = sources[place].clone();
        let pieces = shifted.pieces.get_or_insert_default();
        pieces.truncate(remaining);
        remaining -= pieces.len();
        for Piece { chunk, .. } in pieces {
            let Span { start, end } = chunk.span;
            chunk.span = Span::new(start + (end - start) / 2, end);
            chunk.outline.clear();
        }
        sources.push(shifted);
    }
    sources
}

/// The chunks of sources that are already split.
pub fn pieces(sources: &[Source]) -> impl Iterator<Item = &Piece> {
    sources.iter().flat_map(|source| source.pieces.iter().flatten())
}

/// A whole file. Age, kind and path vary, as in a real request.
fn source((number, file): (usize, &CorpusFile)) -> Source {
    Source {
        path: file.path.clone(),
        kind: Kind::ALL[number % Kind::ALL.len()].0,
        text: Arc::new(Text::new(file.content.as_str())),
        relevance: None,
        timestamp: Some(NOW - number as i64 * 20_000),
        expanded_context: None,
        pieces: None,
        tally: None,
        from: None,
    }
}

/// Measures the stages of one job.
#[derive(Debug, Default)]
pub struct Stopwatch(Vec<(Stage, Instant)>);

impl Observer for Stopwatch {
    fn stage_started(&mut self, stage: Stage) {
        self.0.push((stage, Instant::now()));
    }
}

impl Stopwatch {
    /// Durations of the stages. The last one ends now.
    pub fn stop(self) -> Vec<(Stage, Duration)> {
        let end = Instant::now();
        let ends = self.0.iter().skip(1).map(|(_, begin)| *begin).chain([end]);
        self.0.iter().zip(ends).map(|((stage, begin), end)| (*stage, end - *begin)).collect()
    }
}
