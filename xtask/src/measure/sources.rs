//! What the packer is given: sources made of the corpus, whole or already cut.

use super::corpus::{Corpus, File};
use anyhow::{Result, bail, ensure};
use kitbag_core::{Cancel, Job, Observer, Settings, Stage};
use kitbag_text::{ChunkLimits, Kind, Piece, Source, Span, Text, chunk_text};
use kitbag_tokens::Counting;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a person might ask for.
pub const TASK: &str = "Requests that carry an empty header fail: the parser raises a value error \
    when the name of a field is followed by white space only. It should skip such lines, keep the \
    message open, and report the position of the first byte. See `parse_header` and the tests of \
    the encoder; the cache must not remember the broken state.";

/// The time that ages are measured from.
const NOW: i64 = 1_800_000_000;

/// The bytes of a source file of typical size.
const TYPICAL_FILE: RangeInclusive<usize> = 5_000..=10_000;

/// The tokens of a chunk of typical size; their mean is about 200.
const TYPICAL_CHUNK: RangeInclusive<u32> = 100..=320;

/// A job over `sources`.
pub fn job<'a>(
    sources: Vec<Source>,
    settings: &'a Settings,
    counting: &'a Counting,
    cancel: &'a Cancel,
) -> Job<'a> {
    Job { sources, task: TASK, now: Some(NOW), budget: 32_000, settings, counting, cancel }
}

/// Files of typical size, in many languages.
pub fn typical(corpus: &Corpus, count: usize) -> Result<Vec<&File>> {
    let typical = corpus.mixed().filter(|file| TYPICAL_FILE.contains(&file.content.len()));
    let files: Vec<&File> = typical.take(count).collect();
    ensure!(files.len() == count, "only {} files of typical size", files.len());
    Ok(files)
}

/// Whole files as sources.
pub fn whole<'a>(files: impl IntoIterator<Item = &'a File>) -> Vec<Source> {
    files.into_iter().enumerate().map(source).collect()
}

/// Files that come cut into `count` chunks of typical size.
pub fn cut(corpus: &Corpus, count: usize, counting: &Counting) -> Result<Vec<Source>> {
    let most = *TYPICAL_CHUNK.end();
    let limits =
        ChunkLimits { max_chunk_tokens: most, max_class_tokens: most, ..ChunkLimits::default() };
    let mut sources = Vec::new();
    let mut left = count;
    for numbered in corpus.mixed().enumerate() {
        let mut source = source(numbered);
        let chunked = chunk_text(&source.path, &source.text, &limits, counting);
        let fit = chunked.chunks.into_iter().filter(|chunk| TYPICAL_CHUNK.contains(&chunk.tokens));
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

/// The sources with `share` of their chunks brought a second time by files of other names.
pub fn with_copies(mut sources: Vec<Source>, share: f64) -> Vec<Source> {
    let mut wanted = (pieces(&sources).count() as f64 * share) as usize;
    for place in 0..sources.len() {
        let mut copy = sources[place].clone();
        copy.path = format!("copies/{}", copy.path);
        copy.text = Arc::new(Text::clone(&copy.text));
        let pieces = copy.pieces.get_or_insert_default();
        pieces.truncate(wanted);
        wanted -= pieces.len();
        sources.push(copy);
    }
    sources
}

/// The sources with `share` of their chunks brought a second time, from half of their lines on.
pub fn with_overlaps(mut sources: Vec<Source>, share: f64) -> Vec<Source> {
    let mut wanted = (pieces(&sources).count() as f64 * share) as usize;
    for place in 0..sources.len() {
        let mut shifted = sources[place].clone();
        let pieces = shifted.pieces.get_or_insert_default();
        pieces.truncate(wanted);
        wanted -= pieces.len();
        for Piece { chunk, .. } in pieces {
            let Span { start, end } = chunk.span;
            chunk.span = Span::new(start + (end - start) / 2, end);
            chunk.outline.clear();
        }
        sources.push(shifted);
    }
    sources
}

/// The pieces of sources that came cut.
pub fn pieces(sources: &[Source]) -> impl Iterator<Item = &Piece> {
    sources.iter().flat_map(|source| source.pieces.iter().flatten())
}

/// A whole file. Ages, kinds and paths differ, as they do in a real request.
fn source((number, file): (usize, &File)) -> Source {
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

/// Times the stages of one job.
#[derive(Debug, Default)]
pub struct Stopwatch(Vec<(Stage, Instant)>);

impl Observer for Stopwatch {
    fn begins(&mut self, stage: Stage) {
        self.0.push((stage, Instant::now()));
    }
}

impl Stopwatch {
    /// How long each stage took, the last until now.
    pub fn stop(self) -> Vec<(Stage, Duration)> {
        let end = Instant::now();
        let ends = self.0.iter().skip(1).map(|(_, begin)| *begin).chain([end]);
        self.0.iter().zip(ends).map(|((stage, begin), end)| (*stage, end - *begin)).collect()
    }
}
