//! Sources from random files: whole, partial, changed, copied, or already split into pieces.

use super::case::counting;
use super::generate::File;
use kitbag_core::Settings;
use kitbag_text::{
    Chunk, ChunkKind, ChunkPart, Kind, Piece, Provenance, Source, Span, Text, chunk_text,
};
use proptest::sample::Index;
use std::sync::Arc;

/// How to build a source.
#[derive(Debug, Clone)]
pub struct Plan {
    pub file: Index,
    pub how: How,
    pub kind: Kind,
    pub relevance: Option<f64>,
    pub timestamp: Option<i64>,
    pub provider: Option<&'static str>,
    pub is_given: bool,
}

/// The content of a source, relative to its file.
#[derive(Debug, Clone)]
pub enum How {
    Whole,
    /// The lines between two fractions of the file; `ended` keeps the last line ending.
    Part {
        from: f64,
        to: f64,
        ended: bool,
    },
    /// Another version of the file, with one different line.
    Changed(Index),
    /// A copy at another path with different whitespace.
    Reindented,
    /// Only whitespace.
    Blank,
    /// The chunks whose bits are set.
    Cut(u32),
    /// Arbitrary pieces.
    Pieces(Vec<PlannedPiece>),
}

/// An arbitrary piece.
#[derive(Debug, Clone)]
pub struct PlannedPiece {
    pub from: f64,
    /// Greater than 1 if the piece ends after the file.
    pub to: f64,
    pub part: Option<(u32, u32)>,
    pub outlined: bool,
}

pub fn sources(files: &[File], plans: &[Plan], settings: &Settings, counter: usize) -> Vec<Source> {
    plans.iter().map(|plan| source(plan, plan.file.get(files), settings, counter)).collect()
}

fn source(plan: &Plan, (path, content): &File, settings: &Settings, counter: usize) -> Source {
    let whole = Text::new(content.as_str());
    let from = plan.provider.map(|id| Provenance { provider: id.into(), ..Default::default() });
    let mut source = Source {
        relevance: plan.relevance,
        timestamp: plan.timestamp,
        from: from.map(Arc::new),
        is_given: plan.is_given,
        ..Source::new(path, plan.kind, Arc::new(whole.clone()))
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
            let kept = kept.filter(|(index, _)| keep >> (index % 32) & 1 == 1);
            let piece = |(index, chunk)| Piece { chunk, relevance: shade(index, plan.relevance) };
            source.pieces = Some(kept.map(piece).collect());
        }
        How::Pieces(pieces) => {
            let made = pieces.iter().filter_map(|piece| planned(&whole, piece, counter));
            source.pieces = Some(made.collect());
        }
    }
    source
}

/// Gives some pieces their own relevance.
fn shade(index: usize, relevance: Option<f64>) -> Option<f64> {
    relevance.filter(|_| !index.is_multiple_of(3)).map(|relevance| relevance / (index as f64))
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
    Text::with_first_line(content, span.start)
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
        part: piece.part.map(|(number, of)| ChunkPart { number: number.min(of), of }),
        tokens: tokens as u32,
    };
    Some(Piece { chunk, relevance: None })
}
