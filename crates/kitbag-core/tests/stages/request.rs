//! Builders for small requests, and the text form of decisions in snapshots.

use kitbag_core::{Cancel, Decision, Job, PackError, Packed, Settings, pack};
use kitbag_text::{Chunk, ChunkKind, ChunkPart, Kind, Piece, Source, Span, Text};
use kitbag_tokens::CachedCounter;
use std::sync::{Arc, LazyLock};

pub static COUNTING: LazyLock<CachedCounter> =
    LazyLock::new(|| CachedCounter::named("o200k_base").expect("a built-in counter"));

pub const NOW: i64 = 1_700_000_000;
pub const DAY: i64 = 86_400;

/// An open file with a relevance.
pub fn file(path: &str, content: &str, relevance: f64) -> Source {
    let source = Source::new(path, Kind::OpenFile, Arc::new(Text::new(content)));
    Source { relevance: Some(relevance), ..source }
}

/// An open file split into pieces: first line, last line, relevance.
pub fn cut(path: &str, content: &str, pieces: &[(u32, u32, f64)]) -> Source {
    let mut source = file(path, content, 0.0);
    let text = Arc::clone(&source.text);
    let piece = |&(start, end, relevance): &(u32, u32, f64)| Piece {
        chunk: chunk(&text, start, end),
        relevance: Some(relevance),
    };
    source.pieces = Some(pieces.iter().map(piece).collect());
    source
}

fn chunk(text: &Text, start: u32, end: u32) -> Chunk {
    let span = Span::new(start, end);
    Chunk {
        span,
        kind: ChunkKind::Lines,
        symbol: None,
        defines: Vec::new(),
        outline: Vec::new(),
        part: None,
        tokens: COUNTING.count(text.slice(span)) as u32,
    }
}

/// The part of a piece, and the lines of its outline.
type Mark<'a> = (Option<(u32, u32)>, &'a [(u32, u32)]);

/// Sets the parts and outlines of a source's pieces, in order.
pub fn with(mut source: Source, marks: &[Mark<'_>]) -> Source {
    for (piece, (part, outline)) in source.pieces.iter_mut().flatten().zip(marks) {
        piece.chunk.part = part.map(|(number, of)| ChunkPart { number, of });
        piece.chunk.outline = outline.iter().map(|&(start, end)| Span::new(start, end)).collect();
    }
    source
}

/// Distinct numbered lines: `one 1`, `one 2`, ...
pub fn lines(word: &str, count: u32) -> String {
    (1..=count).map(|line| format!("{word} {line}\n")).collect()
}

pub fn try_pack(
    sources: Vec<Source>,
    budget: usize,
    settings: &Settings,
    cancel: &Cancel,
) -> Result<Packed, PackError> {
    let (task, now, counting) = ("why does login fail?", Some(NOW), &*COUNTING);
    pack(Job { sources, task, now, budget, settings, counting, cancel }, &mut ())
}

pub fn pack_with(sources: Vec<Source>, budget: usize, settings: &Settings) -> Packed {
    try_pack(sources, budget, settings, &Cancel::default()).expect("it can be packed")
}

pub fn pack_within(sources: Vec<Source>, budget: usize) -> Packed {
    pack_with(sources, budget, &Settings::default())
}

/// Packs everything and returns the text.
pub fn text(sources: Vec<Source>) -> String {
    pack_within(sources, 100_000).text
}

/// One line per chunk: the included ones, best first, then the excluded ones with their reasons.
pub fn outcome(decision: &Decision) -> String {
    let included = decision.included.iter().map(|item| {
        let shown: Vec<String> = item.shown.iter().map(Span::to_string).collect();
        format!("in  {} {} {}\n", item.path, item.form.as_str(), shown.join(", "))
    });
    let excluded = decision.excluded.iter().map(|out| {
        let span = out.span.map_or("-".to_owned(), |span| span.to_string());
        format!("out {} {span} {}: {}\n", out.path, out.reason.as_str(), out.detail)
    });
    included.chain(excluded).collect()
}
