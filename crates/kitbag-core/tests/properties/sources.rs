//! Sources made of random files: whole, in part, changed, copied, and cut in advance.

use super::case::counting;
use super::generate::File;
use kitbag_core::Settings;
use kitbag_text::{Chunk, ChunkKind, Kind, Part, Piece, Source, Span, Text, chunk_text};
use proptest::sample::Index;
use std::sync::Arc;

/// How a source is made.
#[derive(Debug, Clone)]
pub struct Plan {
    pub file: Index,
    pub how: How,
    pub kind: Kind,
    pub relevance: Option<f64>,
    pub timestamp: Option<i64>,
}

/// What a source has of its file.
#[derive(Debug, Clone)]
pub enum How {
    Whole,
    /// The lines between two shares of the file, the last with or without its line ending.
    Part {
        from: f64,
        to: f64,
        ended: bool,
    },
    /// Another version of the file: one line differs.
    Changed(Index),
    /// A copy at another path that differs in white space only.
    Reindented,
    /// Nothing but white space.
    Blank,
    /// The chunker's own chunks, those whose bits are set.
    Cut(u32),
    /// Any lines.
    Pieces(Vec<PlannedPiece>),
}

/// A piece that no chunker made.
#[derive(Debug, Clone)]
pub struct PlannedPiece {
    pub from: f64,
    /// More than 1 where it ends after the file does.
    pub to: f64,
    pub part: Option<(u32, u32)>,
    pub outlined: bool,
}

/// The sources that `plans` make of `files`.
pub fn sources(files: &[File], plans: &[Plan], settings: &Settings, counter: usize) -> Vec<Source> {
    plans.iter().map(|plan| source(plan, plan.file.get(files), settings, counter)).collect()
}

fn source(plan: &Plan, (path, content): &File, settings: &Settings, counter: usize) -> Source {
    let whole = Text::new(content.as_str());
    let mut source = Source {
        path: path.clone(),
        kind: plan.kind,
        text: Arc::new(whole.clone()),
        relevance: plan.relevance,
        timestamp: plan.timestamp,
        expanded_context: None,
        pieces: None,
        tally: None,
        from: None,
    };
    match &plan.how {
        How::Whole => {}
        How::Part { from, to, ended } => source.text = Arc::new(part(&whole, *from, *to, *ended)),
        How::Changed(line) => source.text = Arc::new(changed(content, *line)),
        How::Reindented => {
            source.path = format!("copy/{path}");
            source.text = Arc::new(Text::new(content.replace('\n', "  \n")));
        }
        How::Blank => source.text = Arc::new(Text::new(" \n".repeat(content.len() % 3))),
        How::Cut(keep) => {
            let chunked = chunk_text(path, &whole, &settings.chunking, counting(counter));
            let kept = chunked.chunks.into_iter().enumerate();
            let kept = kept.filter(|(place, _)| keep >> (place % 32) & 1 == 1);
            let piece = |(place, chunk)| Piece { chunk, relevance: shade(place, plan.relevance) };
            source.pieces = Some(kept.map(piece).collect());
        }
        How::Pieces(pieces) => {
            let made = pieces.iter().filter_map(|piece| planned(&whole, piece, counter));
            source.pieces = Some(made.collect());
        }
    }
    source
}

/// A relevance of its own for some pieces.
fn shade(place: usize, relevance: Option<f64>) -> Option<f64> {
    relevance.filter(|_| !place.is_multiple_of(3)).map(|relevance| relevance / (place as f64))
}

fn line_at(text: &Text, share: f64) -> u32 {
    1 + (share * f64::from(text.line_count().saturating_sub(1))).round() as u32
}

fn part(whole: &Text, from: f64, to: f64, ended: bool) -> Text {
    let span = Span::new(line_at(whole, from), line_at(whole, to));
    let mut content = whole.slice(span);
    if !ended {
        content = content.trim_end_matches(['\r', '\n']);
    }
    Text::part(content, span.start)
}

fn changed(content: &str, line: Index) -> Text {
    let mut lines: Vec<&str> = content.split_inclusive('\n').collect();
    if !lines.is_empty() {
        let at = line.index(lines.len());
        lines[at] = "another = version;\n";
    }
    Text::new(lines.concat())
}

fn planned(whole: &Text, piece: &PlannedPiece, counter: usize) -> Option<Piece> {
    let span = Span::new(line_at(whole, piece.from), line_at(whole, piece.to));
    let span = if piece.to <= 1.0 { whole.trimmed(span)? } else { span };
    let tokens = counting(counter).count(&format!("{}\n", whole.slice(span).trim_end()));
    let outline = if piece.outlined && span.lines() > 3 {
        vec![Span::new(span.start, span.start), Span::new(span.end - 1, span.end - 1)]
    } else {
        Vec::new()
    };
    let chunk = Chunk {
        span,
        kind: ChunkKind::Lines,
        symbol: None,
        defines: Vec::new(),
        outline,
        part: piece.part.map(|(number, of)| Part { number: number.min(of), of }),
        tokens: tokens as u32,
    };
    Some(Piece { chunk, relevance: None })
}
