//! Lines of files that a rule already quotes, such as those of `AGENTS.md`: the search and the style provider
//! return them as well, and a pack shows them once.
//!
//! Rules are prose about files, which the merging of places in the decision leaves alone.

use crate::gather::inputs::Inputs;
use kitbag_core::{Excluded, Reason};
use kitbag_text::{Kind, Piece, Source, Text};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A source with lines of a file among its own.
pub(crate) struct Quote {
    /// Path of the file.
    pub path: String,
    /// Path of the source.
    pub label: String,
    /// Text of the source.
    pub text: Arc<Text>,
}

/// Removes what `quotes` contain from the sources that were found, and reports it as duplicates. What the
/// caller named or brought stays.
pub(crate) fn remove_quoted(inputs: &mut Inputs, quotes: &[Quote]) {
    if quotes.is_empty() {
        return;
    }
    let mut by_path: FxHashMap<&str, Vec<&Quote>> = FxHashMap::default();
    for quote in quotes {
        by_path.entry(&quote.path).or_default().push(quote);
    }
    for mut source in std::mem::take(&mut inputs.sources) {
        let is_found = matches!(source.kind, Kind::SearchResult | Kind::Style);
        let known = by_path.get(source.path.as_str()).filter(|_| is_found);
        let is_left =
            known.is_none_or(|quotes| remove_from(&mut source, quotes, &mut inputs.rejected));
        if is_left {
            inputs.sources.push(source);
        }
    }
}

/// Removes the quoted pieces of a source, or all of it. Returns whether anything is left.
fn remove_from(source: &mut Source, quotes: &[&Quote], rejected: &mut Vec<Excluded>) -> bool {
    let quote_of = |lines: &str| {
        let lines = lines.trim();
        quotes.iter().find(|quote| quote.text.content().contains(lines))
    };
    let exclude = |quote: &Quote| {
        let detail = format!("same content as {}", quote.label);
        let excluded = Excluded::unranked(&source.path, source.kind, Reason::Duplicate, detail);
        Excluded { from: source.from.clone(), ..excluded }
    };
    let Some(pieces) = source.pieces.take() else {
        let quote = quote_of(source.text.content());
        rejected.extend(quote.map(|quote| exclude(quote)));
        return quote.is_none();
    };
    let mut left = Vec::with_capacity(pieces.len());
    for Piece { chunk, relevance } in pieces {
        match quote_of(source.text.slice(chunk.span)) {
            Some(quote) => rejected.push(Excluded {
                span: Some(chunk.span),
                symbol: chunk.symbol,
                tokens: chunk.tokens as usize,
                ..exclude(quote)
            }),
            None => left.push(Piece { chunk, relevance }),
        }
    }
    let is_left = !left.is_empty();
    source.pieces = Some(left);
    is_left
}
