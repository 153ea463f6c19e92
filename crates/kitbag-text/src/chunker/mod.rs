//! The one chunker: cuts a text of any language into whole functions, classes and sections.
//!
//! Languages differ only in their tables. A syntax tree or the headings give the *units* of a
//! text; sizes then decide which stay whole, which are taken apart and which join; what no
//! structure is to be had of is cut by lines.

mod collect;
mod comments;
mod cut;
mod headings;
mod invariants;
mod names;
mod parse;
mod ruler;
mod sample;
mod seams;
mod shape;
mod split;
#[cfg(test)]
mod tests;
mod units;

pub use comments::{comment_ranges, comment_ranges_until};
pub use invariants::check_invariants;

use crate::language::{Grammar, Headings, Structure as Known};
use crate::{
    Cancel, Cancelled, Chunk, ChunkKind, ChunkLimits, Chunked, Cut, Fallback, Language, Span, Text,
};
use cut::{Cutter, Piece};
use kitbag_tokens::{Counting, Tally};
use ruler::{Rows, Ruler};
use seams::{SeamFinder, Seams};
use std::cell::OnceCell;
use units::{Definition, Structure};

/// An outline that shows more than this many hundredths of a chunk's lines is none.
const LARGEST_OUTLINE: u64 = 60;

/// Cuts `text`, which is in `language`, into chunks. `tally` is the text's own, as `counting`
/// made it.
///
/// ```
/// use kitbag_text::{ChunkLimits, Language, Text, chunk};
/// let counting = kitbag_tokens::Counting::named("o200k_base").unwrap();
/// let text = Text::new("def f():\n    return 1\n");
/// let tally = counting.tally(text.content(), text.starts());
/// let python = Language::of("a.py", None);
/// let chunked = chunk(&text, python, &ChunkLimits::default(), &counting, &tally);
/// assert_eq!(chunked.chunks[0].symbol.as_deref(), Some("f"));
/// ```
pub fn chunk(
    text: &Text,
    language: Option<&Language>,
    limits: &ChunkLimits,
    counting: &Counting,
    tally: &Tally,
) -> Chunked {
    let nobody = Cancel::default();
    // A flag that nobody has cannot be raised.
    let whole = chunk_until(text, language, limits, (counting, tally), &nobody);
    whole.unwrap_or(Chunked { chunks: Vec::new(), fallback: None })
}

/// The same, unless `cancel` says that nobody wants it any more: it is looked at while parsing and
/// while cutting.
pub fn chunk_until(
    text: &Text,
    language: Option<&Language>,
    limits: &ChunkLimits,
    (counting, tally): (&Counting, &Tally),
    cancel: &Cancel,
) -> Result<Chunked, Cancelled> {
    let max = limits.max_chunk_tokens.max(1);
    let min = limits.min_chunk_tokens.min(max);
    let ruler = Ruler { text, counting, tally, max, min, cancel };
    let structure = language.map_or(Known::Lines, Language::structure);
    let known = match (limits.cut_of(language), structure) {
        (Cut::Structure, Known::Items(grammar)) => items(&ruler, grammar, limits),
        (Cut::Structure, Known::Sections(style)) => sections(&ruler, style, limits),
        (Cut::Tokens, _) => Ok(plain(&ruler, u32::MAX)),
        _ => Ok(plain(&ruler, limits.lines_per_chunk)),
    };
    let chunked = match known {
        Ok(chunks) => Chunked { chunks, fallback: None },
        Err(Unparsed::Stopped(cancelled)) => return Err(cancelled),
        Err(Unparsed::Guard(fallback)) if !limits.fallback_on_error => {
            Chunked { chunks: Vec::new(), fallback: Some(fallback) }
        }
        Err(Unparsed::Guard(fallback)) => {
            let chunks = plain(&ruler, limits.lines_per_chunk);
            Chunked { chunks, fallback: Some(fallback) }
        }
    };
    // Cutting breaks off where the flag is up: what came of it is of no use.
    cancel.check().map(|()| chunked)
}

/// Why a text has no syntax tree.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Unparsed {
    #[error("{0}")]
    Guard(Fallback),
    #[error(transparent)]
    Stopped(#[from] Cancelled),
}

impl From<Fallback> for Unparsed {
    fn from(fallback: Fallback) -> Self {
        Self::Guard(fallback)
    }
}

/// Cuts the text of the file at `path`, whose language is found out.
pub fn chunk_text(path: &str, text: &Text, limits: &ChunkLimits, counting: &Counting) -> Chunked {
    let tally = counting.tally(text.content(), text.starts());
    chunk(text, Language::of_text(path, text), limits, counting, &tally)
}

/// The same, unless `cancel` says that nobody wants it any more.
pub fn chunk_text_until(
    path: &str,
    text: &Text,
    limits: &ChunkLimits,
    counting: &Counting,
    cancel: &Cancel,
) -> Result<Chunked, Cancelled> {
    let stop = || cancel.is_cancelled();
    let tally = counting.tally_until(text.content(), text.starts(), &stop).ok_or(Cancelled)?;
    let language = Language::of_text(path, text);
    chunk_until(text, language, limits, (counting, &tally), cancel)
}

/// Chunks along the items that a grammar finds.
fn items(
    ruler: &Ruler<'_>,
    grammar: &Grammar,
    limits: &ChunkLimits,
) -> Result<Vec<Chunk>, Unparsed> {
    let grammar = grammar.compiled();
    let content = ruler.text.content();
    let tree = parse::parse(grammar, content, limits, ruler.cancel)?;
    let structure = collect::collect(grammar, &tree, content, limits.max_nesting_depth)?;
    ruler.cancel.check()?;
    let mut finder = SeamFinder::new(grammar, &tree, content);
    Ok(assemble(ruler, &structure, limits, grammar.traits.data, &mut |rows| finder.find(rows)))
}

/// Chunks along the sections of a headed text.
fn sections(
    ruler: &Ruler<'_>,
    style: Headings,
    limits: &ChunkLimits,
) -> Result<Vec<Chunk>, Unparsed> {
    if ruler.text.content().len() > limits.max_file_bytes {
        return Err(Fallback::FileTooLarge.into());
    }
    let structure = headings::sections(style, ruler.text, ruler.cancel);
    ruler.cancel.check()?;
    let all = OnceCell::new();
    let mut seams = |rows| all.get_or_init(|| headings::seams(style, ruler.text)).among(rows);
    Ok(assemble(ruler, &structure, limits, false, &mut seams))
}

/// Chunks of lines. [`u32::MAX`] lines are as many as fit.
fn plain(ruler: &Ruler<'_>, lines: u32) -> Vec<Chunk> {
    let runs = split::by_lines(ruler, 0..ruler.text.line_count(), lines);
    let chunk = |rows: Rows| {
        let tokens = ruler.tokens(rows.clone());
        let kind = if tokens > ruler.max { ChunkKind::LongLine } else { ChunkKind::Lines };
        let (defines, outline) = (Vec::new(), Vec::new());
        Chunk { span: ruler.span(rows), kind, symbol: None, defines, outline, part: None, tokens }
    };
    runs.into_iter().map(chunk).collect()
}

/// Cuts a structure to size, and gives each chunk its definitions and its outline.
fn assemble(
    ruler: &Ruler<'_>,
    structure: &Structure,
    limits: &ChunkLimits,
    is_data: bool,
    find_seams: &mut dyn FnMut(Rows) -> Seams,
) -> Vec<Chunk> {
    let min = ruler.min;
    let code = if is_data { ruler.max } else { (ruler.max / 4).max(min) };
    let class = limits.max_class_tokens;
    let mut cutter = Cutter { ruler: *ruler, class, min, code, find_seams };
    let rows = 0..ruler.text.line_count();
    // A text of nothing that the grammar names, such as a lone bracket, is one piece of code.
    let lone = [units::Unit::code(0, rows.end.saturating_sub(1))];
    let units = if structure.units.is_empty() { &lone[..] } else { &structure.units };
    let pieces = cutter.level(units, rows, None, None);
    pieces.into_iter().map(|piece| finish(ruler, piece, &structure.definitions)).collect()
}

/// A chunk of a piece.
fn finish(ruler: &Ruler<'_>, piece: Piece, definitions: &[Definition]) -> Chunk {
    let Piece { rows, kind, symbol, part, tokens, .. } = piece;
    let start = definitions.partition_point(|definition| definition.row < rows.start);
    let inside = || definitions[start..].iter().take_while(|d| d.row < rows.end);
    let mut defines: Vec<String> = inside().filter_map(|d| d.symbol.clone()).collect();
    defines.dedup();
    let outline = if kind == ChunkKind::LongLine { Vec::new() } else { outline(&rows, inside()) };
    let outline = outline.into_iter().map(|rows| ruler.span(rows)).collect::<Vec<Span>>();
    Chunk { span: ruler.span(rows), kind, symbol, defines, outline, part, tokens }
}

/// The rows of the signatures among `rows`; none if they are most of the rows.
fn outline<'a>(rows: &Rows, definitions: impl Iterator<Item = &'a Definition>) -> Vec<Rows> {
    let mut outline: Vec<Rows> = Vec::new();
    for definition in definitions.filter(|definition| definition.outlined) {
        let first = definition.first.max(rows.start);
        let end = (definition.signature + 1).min(rows.end).max(first + 1);
        match outline.last_mut() {
            Some(last) if first <= last.end => last.end = last.end.max(end),
            _ => outline.push(first..end),
        }
    }
    let shown: u64 = outline.iter().map(|rows| rows.len() as u64).sum();
    if shown * 100 > rows.len() as u64 * LARGEST_OUTLINE {
        outline.clear();
    }
    outline
}
