//! Token counts of what the index found, by the tokenizer of a request.
//!
//! The index measures chunks with one vocabulary. Another tokenizer counts only the files that a search
//! returns; an estimate that multiplies the counts of the index does not even count those.

use super::SearchResult;
use super::tree::read;
use crate::index::INDEX_VOCABULARY;
use kitbag_core::{Cancel, Cancelled};
use kitbag_repo::Tree;
use kitbag_text::{Chunk, Source, Span, Text};
use kitbag_tokens::{CachedCounter, Tally};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Counts the chunks of sources that the search returned, and the lines of their files.
pub(crate) fn recount_sources(
    sources: &mut [Source],
    counting: &CachedCounter,
    cancel: &Cancel,
) -> Result<(), Cancelled> {
    if counts_like_index(counting) {
        return Ok(());
    }
    sources.par_iter_mut().try_for_each(|source| {
        cancel.check()?;
        let text = &*source.text;
        let known = source.tally.take().filter(|_| measures_like_index(counting));
        let is_cancelled = || cancel.is_cancelled();
        let tally = || counting.tally_until(text.content(), text.row_starts(), &is_cancelled);
        let tally = known.or_else(tally).ok_or(Cancelled)?;
        for piece in source.pieces.iter_mut().flatten() {
            piece.chunk.tokens = tokens(&tally, text, piece.chunk.span, counting);
        }
        source.tally = Some(tally);
        Ok(())
    })
}

/// Counts chunks of a text that were split as the index splits them.
pub(crate) fn recount_chunks(chunks: &mut [Chunk], text: &Text, counting: &CachedCounter) {
    if counts_like_index(counting) {
        return;
    }
    let tally = counting.tally(text.content(), text.row_starts());
    for chunk in chunks {
        chunk.tokens = tokens(&tally, text, chunk.span, counting);
    }
}

/// Counts the lines of search results. A file that can no longer be read keeps the counts of the index.
pub(crate) fn recount_results(
    results: &mut [SearchResult],
    tree: &dyn Tree,
    counting: &CachedCounter,
) {
    if counts_like_index(counting) {
        return;
    }
    let entries: FxHashMap<&str, _> =
        tree.files().iter().map(|entry| (entry.path.as_str(), entry)).collect();
    let mut files: FxHashMap<String, Option<(Text, Arc<Tally>)>> = FxHashMap::default();
    for result in results {
        let file = files.entry(result.path.clone()).or_insert_with(|| {
            let text = Text::new(read(tree, entries.get(result.path.as_str())?)?);
            let tally = counting.tally(text.content(), text.row_starts());
            Some((text, tally))
        });
        let Some((text, tally)) = file else { continue };
        let span = Span::new(result.start_line, result.end_line);
        result.tokens = tokens(tally, text, span, counting) as usize;
    }
}

fn tokens(tally: &Tally, text: &Text, span: Span, counting: &CachedCounter) -> u32 {
    let counter = counting.counter();
    let measure = tally.measure(counter, text.content(), text.row_starts(), text.rows(span));
    u32::try_from(counter.tokens(measure)).unwrap_or(u32::MAX)
}

fn counts_like_index(counting: &CachedCounter) -> bool {
    counting.counter().name() == INDEX_VOCABULARY.name()
}

/// Whether the tallies of the index are those of `counting`.
fn measures_like_index(counting: &CachedCounter) -> bool {
    counting.counter().measure_name() == INDEX_VOCABULARY.name()
}
