//! The definitions that the rest of the code depends on most, each by its signature.

use super::{Repository, SYMBOLS};
use crate::gather::definition_line::definition_line;
use kitbag_core::escape_path;
use kitbag_index::{CentralSymbol, Centrality, is_within, last_name};
use kitbag_text::{Chunk, ChunkKind, Kind, Piece, Source, Span, Text};
use kitbag_tokens::CachedCounter;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::Arc;

/// Name of the source.
const NAME: &str = "Central symbols";
/// Tokens of a signature with its line number, on average.
const TOKENS_PER_SYMBOL: usize = 18;
/// Symbols of one file, so that a large file does not hide the others.
const MAX_PER_FILE: usize = 12;
/// Factor of the importance of symbols in the folder that the user works in. Chosen by hand.
const FOLDER_FACTOR: f64 = 5.0;
/// Longer signatures are cut.
const MAX_SIGNATURE_CHARS: usize = 140;

/// Returns the most central symbols by file, the most important file first. Each file is a piece, so
/// that the budget decides how many there are.
pub(super) fn source(
    repository: &Repository<'_>,
    budget: usize,
    counting: &CachedCounter,
) -> Option<Source> {
    let centrality = Centrality::of(repository.view, repository.history, repository.now);
    let central = prefer_folder(repository, centrality.symbols);
    let symbols = most_central(&central, budget / TOKENS_PER_SYMBOL);
    let mut files: Vec<(usize, Vec<&CentralSymbol>)> = symbols.into_iter().collect();
    let importance =
        |symbols: &[&CentralSymbol]| symbols.iter().map(|it| it.importance).sum::<f64>();
    files.sort_by(|a, b| importance(&b.1).total_cmp(&importance(&a.1)).then(a.0.cmp(&b.0)));
    let (mut text, mut spans) = (String::new(), Vec::new());
    let mut rows = 0u32;
    for (file, symbols) in &files {
        let Some(block) = block(repository, *file, symbols) else { continue };
        let first = rows + 1;
        rows += block.lines().count() as u32;
        text.push_str(&block);
        spans.push(Span::new(first, rows));
    }
    let (text, count) = (Text::new(text), spans.len() as f64);
    let piece = |(at, span): (usize, Span)| {
        let tokens = counting.count(text.slice(span)).try_into().unwrap_or(u32::MAX);
        let chunk = Chunk { kind: ChunkKind::Section, ..Chunk::lines(span, tokens) };
        Piece { chunk, relevance: Some(SYMBOLS * (1.0 - at as f64 / (count + 1.0))) }
    };
    let pieces: Vec<Piece> = spans.into_iter().enumerate().map(piece).collect();
    let source = Source::new(NAME, Kind::Overview, Arc::new(text.clone()));
    (!pieces.is_empty()).then_some(Source { pieces: Some(pieces), ..source })
}

/// Raises the importance of the symbols in the folder that the user works in, and sorts them again.
fn prefer_folder(
    repository: &Repository<'_>,
    mut symbols: Vec<CentralSymbol>,
) -> Vec<CentralSymbol> {
    let Some(folder) = repository.folder else { return symbols };
    let files = repository.view.files();
    for symbol in symbols.iter_mut().filter(|it| is_within(&files[it.place.file].path, folder)) {
        symbol.importance *= FOLDER_FACTOR;
    }
    symbols.sort_by(|a, b| b.importance.total_cmp(&a.importance));
    symbols
}

/// Returns the first `count` symbols by file.
fn most_central(symbols: &[CentralSymbol], count: usize) -> FxHashMap<usize, Vec<&CentralSymbol>> {
    let mut by_file: FxHashMap<usize, Vec<&CentralSymbol>> = FxHashMap::default();
    let mut taken = 0;
    for symbol in symbols {
        let of_file = by_file.entry(symbol.place.file).or_default();
        if of_file.len() < MAX_PER_FILE {
            of_file.push(symbol);
            taken += 1;
        }
        if taken >= count {
            break;
        }
    }
    by_file
}

/// Returns the path of a file and the signatures of some of its symbols, in the order of their lines.
fn block(repository: &Repository<'_>, file: usize, symbols: &[&CentralSymbol]) -> Option<String> {
    let path = &repository.view.files()[file].path;
    let text = repository.read(path)?;
    let stored = repository.view.stored_doc(file)?;
    let line = |symbol: &&CentralSymbol| {
        let chunk = stored.chunks.get(symbol.place.chunk)?;
        signature(&text, chunk, last_name(&symbol.symbol))
    };
    let mut lines: Vec<(u32, String)> = symbols.iter().filter_map(line).collect();
    lines.sort_unstable();
    lines.dedup_by_key(|(number, _)| *number);
    let mut block = format!("{}\n", escape_path(path));
    for (number, line) in &lines {
        let _ = writeln!(block, "  {number}: {line}");
    }
    (!lines.is_empty()).then_some(block)
}

/// Returns the number and text of the line of a chunk on which a name is defined.
pub(super) fn signature(text: &Text, chunk: &Chunk, name: &str) -> Option<(u32, String)> {
    let number = definition_line(text, chunk, name)?;
    let line = text.line(number).trim().trim_end_matches('{').trim_end();
    let cut = line.char_indices().nth(MAX_SIGNATURE_CHARS).map_or(line.len(), |(at, _)| at);
    let ellipsis = if cut < line.len() { " ..." } else { "" };
    Some((number, format!("{}{ellipsis}", &line[..cut])))
}
