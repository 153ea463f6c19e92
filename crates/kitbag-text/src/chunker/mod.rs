//! The chunker: splits a text of any language into functions, classes and sections.
//!
//! Languages differ only in their tables. A syntax tree or the headings give the *units* of a text;
//! their sizes decide which are kept whole, split or merged. Texts without structure are split by
//! lines.

mod components;
mod context;
mod embedded;
mod embedded_code;
mod headings;
mod invariants;
mod notebook;
mod sizer;
mod split;
#[cfg(test)]
mod tests;

pub use invariants::check_invariants;

use crate::cancel::{Cancel, Cancelled};
use crate::chunk::{Chunk, ChunkKind, ChunkLimits, ChunkStrategy, ChunkedText, Fallback};
use crate::language::{EmbeddingStyle, HeadingStyle, Language, LanguageStructure};
use crate::span::Span;
use crate::syntax::{
    Definition, FindSplitPoints, ParseFailure, ParseRequest, Rows, SyntaxUnit, TextStructure,
    parser,
};
use crate::text::Text;
use context::ChunkContext;
use kitbag_tokens::{CachedCounter, Tally};
use sizer::{ChunkDraft, Sizer};
use std::cell::OnceCell;

/// Maximum share of a chunk's lines in its outline, in percent. A larger outline saves too little.
const MAX_OUTLINE_PERCENT: u64 = 60;

/// Last row at which the license at the top of a file may begin.
const MAX_LICENSE_ROW: u32 = 5;
/// Words of a license at the top of a file.
const LICENSE_WORDS: [&str; 3] = ["license", "copyright", "spdx-"];

/// Splits `text`, which is in `language`, into chunks, checking `cancel` during parsing and splitting.
/// `tally` must be the tally of `text` by `counter`.
///
/// ```
/// use kitbag_text::{Cancel, ChunkLimits, Language, Text, chunk};
/// let counter = kitbag_tokens::CachedCounter::named("o200k_base").unwrap();
/// let text = Text::new("def f():\n    return 1\n");
/// let tally = counter.tally(text.content(), text.row_starts());
/// let (python, limits) = (Language::for_path("a.py", None), ChunkLimits::default());
/// let chunked = chunk(&text, python, &limits, &counter, &tally, &Cancel::default()).unwrap();
/// assert_eq!(chunked.chunks[0].symbol.as_deref(), Some("f"));
/// ```
pub fn chunk(
    text: &Text,
    language: Option<&Language>,
    limits: &ChunkLimits,
    counter: &CachedCounter,
    tally: &Tally,
    cancel: &Cancel,
) -> Result<ChunkedText, Cancelled> {
    let max_tokens = limits.max_chunk_tokens.max(1);
    let min_tokens = limits.min_chunk_tokens.min(max_tokens);
    let context = ChunkContext { text, counter, tally, max_tokens, min_tokens, cancel };
    let result = match limits.strategy_for(language) {
        ChunkStrategy::Structure => chunk_structure(&context, language, limits),
        ChunkStrategy::Lines => Ok(chunk_lines(&context, limits.lines_per_chunk)),
        ChunkStrategy::Tokens => Ok(chunk_lines(&context, u32::MAX)),
    };
    let (chunks, fallback) = match result {
        Ok(chunks) => (chunks, None),
        Err(ParseFailure::Cancelled(cancelled)) => return Err(cancelled),
        Err(ParseFailure::Fallback(fallback)) if !limits.fallback_on_error => {
            (Vec::new(), Some(fallback))
        }
        Err(ParseFailure::Fallback(fallback)) => {
            (chunk_lines(&context, limits.lines_per_chunk), Some(fallback))
        }
    };
    // Splitting stops early when cancelled, which leaves the chunks incomplete.
    cancel.check()?;
    Ok(ChunkedText { chunks, fallback })
}

/// Splits the text of the file at `path`, from which the language is detected.
pub fn chunk_text(
    path: &str,
    text: &Text,
    limits: &ChunkLimits,
    counter: &CachedCounter,
) -> ChunkedText {
    chunk_text_until_cancelled(path, text, limits, counter, &Cancel::default())
        .expect("a token that is not shared is never cancelled")
}

/// Splits the text of a file like [`chunk_text`], checking `cancel` during counting, parsing and
/// splitting.
pub fn chunk_text_until_cancelled(
    path: &str,
    text: &Text,
    limits: &ChunkLimits,
    counter: &CachedCounter,
    cancel: &Cancel,
) -> Result<ChunkedText, Cancelled> {
    let is_cancelled = || cancel.is_cancelled();
    let tally = counter.tally_until(text.content(), text.row_starts(), &is_cancelled);
    let tally = tally.ok_or(Cancelled)?;
    let language = Language::for_text(path, text);
    chunk(text, language, limits, counter, &tally, cancel)
}

/// Splits a text along its items or sections, or by lines if its language has neither.
fn chunk_structure(
    context: &ChunkContext<'_>,
    language: Option<&Language>,
    limits: &ChunkLimits,
) -> Result<Vec<Chunk>, ParseFailure> {
    let by_lines = || Ok(chunk_lines(context, limits.lines_per_chunk));
    let Some(language) = language else { return by_lines() };
    match language.structure() {
        LanguageStructure::Items(_) => chunk_items(context, language, limits),
        LanguageStructure::Sections(style) => chunk_sections(context, style, limits),
        LanguageStructure::Embedded(style) => {
            match (embedded::chunk_embedded(context, style, limits)?, Language::named("json")) {
                (Some(chunks), _) => Ok(chunks),
                (None, Some(json)) if style == EmbeddingStyle::Cells => {
                    chunk_items(context, json, limits)
                }
                (None, _) => by_lines(),
            }
        }
        LanguageStructure::Lines => by_lines(),
    }
}

/// Splits a text along the items that a grammar finds.
fn chunk_items(
    context: &ChunkContext<'_>,
    language: &Language,
    limits: &ChunkLimits,
) -> Result<Vec<Chunk>, ParseFailure> {
    let (content, cancel) = (context.text.content(), context.cancel);
    // Empty files, such as most of Python's `__init__.py`, are not worth a call to a worker.
    if content.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    let request = ParseRequest { language, content, limits: limits.into(), cancel };
    let mut chunks = Vec::new();
    parser().parse(&request, &mut |structure, find_split_points| {
        chunks = assemble(context, &structure, limits, language.is_data(), find_split_points);
    })?;
    Ok(chunks)
}

/// Splits a text along its sections.
fn chunk_sections(
    context: &ChunkContext<'_>,
    style: HeadingStyle,
    limits: &ChunkLimits,
) -> Result<Vec<Chunk>, ParseFailure> {
    if context.text.content().len() > limits.max_file_bytes {
        return Err(Fallback::FileTooLarge.into());
    }
    let structure = headings::sections(style, context.text, context.cancel);
    context.cancel.check()?;
    let all = OnceCell::new();
    let mut find_split_points =
        |rows| all.get_or_init(|| headings::split_points(style, context.text)).within(rows);
    Ok(assemble(context, &structure, limits, false, &mut find_split_points))
}

/// Splits a text by lines; [`u32::MAX`] lines per chunk means as many as fit.
fn chunk_lines(context: &ChunkContext<'_>, lines_per_chunk: u32) -> Vec<Chunk> {
    let parts = split::by_lines(context, 0..context.text.line_count(), lines_per_chunk);
    let chunk = |rows: Rows| {
        let tokens = context.tokens(rows.clone());
        let is_long = tokens > context.max_tokens;
        let kind = if is_long { ChunkKind::LongLine } else { ChunkKind::Lines };
        Chunk { kind, ..Chunk::lines(context.span(rows), tokens) }
    };
    parts.into_iter().map(chunk).collect()
}

/// Turns the units of a text into chunks with definitions and outlines.
fn assemble(
    context: &ChunkContext<'_>,
    structure: &TextStructure,
    limits: &ChunkLimits,
    is_data: bool,
    find_split_points: &mut FindSplitPoints<'_>,
) -> Vec<Chunk> {
    let max = context.max_tokens;
    let mut sizer = Sizer {
        context: *context,
        max_class_tokens: limits.max_class_tokens,
        max_code_tokens: if is_data { max } else { (max / 4).max(context.min_tokens) },
        find_split_points,
    };
    let rows = 0..context.text.line_count();
    // A text without named nodes, such as a lone bracket, is a single unit of code.
    let whole_text = [SyntaxUnit::code(0, rows.end.saturating_sub(1))];
    let units = if structure.units.is_empty() { &whole_text[..] } else { &structure.units };
    let drafts = sizer.level(units, rows, None, None);
    drafts.into_iter().map(|draft| finish(context, draft, &structure.definitions)).collect()
}

/// Adds the definitions and the outline to a draft.
fn finish(context: &ChunkContext<'_>, draft: ChunkDraft, definitions: &[Definition]) -> Chunk {
    let ChunkDraft { rows, kind, symbol, part, tokens, .. } = draft;
    let start = definitions.partition_point(|definition| definition.row < rows.start);
    let inside = || definitions[start..].iter().take_while(|d| d.row < rows.end);
    let mut defines: Vec<String> = inside().filter_map(|d| d.symbol.clone()).collect();
    defines.dedup();
    let outline = match kind {
        ChunkKind::LongLine => Vec::new(),
        _ => outline(context, &rows, inside()),
    };
    let outline = outline.into_iter().map(|rows| context.span(rows)).collect::<Vec<Span>>();
    Chunk { span: context.span(rows), kind, symbol, defines, outline, part, tokens }
}

/// Returns the first row of a definition after the license of the file, which a parser takes for its
/// documentation if nothing else is between them.
fn after_license(text: &Text, definition: &Definition) -> u32 {
    let leading = definition.first..definition.row;
    let line = |row: u32| text.line(row + text.first_line());
    let says_license = |row: u32| {
        let line = line(row).to_ascii_lowercase();
        LICENSE_WORDS.iter().any(|word| line.contains(word))
    };
    if definition.first > MAX_LICENSE_ROW || !leading.clone().any(says_license) {
        return definition.first;
    }
    leading.rev().find(|&row| line(row).trim().is_empty()).map_or(definition.row, |row| row + 1)
}

/// Returns the signatures within `rows`, or nothing if they are most of the rows.
fn outline<'a>(
    context: &ChunkContext<'_>,
    rows: &Rows,
    definitions: impl Iterator<Item = &'a Definition>,
) -> Vec<Rows> {
    let mut outline: Vec<Rows> = Vec::new();
    for definition in definitions.filter(|definition| definition.is_outlined) {
        let first = after_license(context.text, definition).max(rows.start);
        let end = (definition.signature_end + 1).min(rows.end).max(first + 1);
        match outline.last_mut() {
            Some(last) if first <= last.end => last.end = last.end.max(end),
            _ => outline.push(first..end),
        }
    }
    let shown: u64 = outline.iter().map(|rows| rows.len() as u64).sum();
    if shown * 100 > rows.len() as u64 * MAX_OUTLINE_PERCENT {
        outline.clear();
    }
    outline
}
