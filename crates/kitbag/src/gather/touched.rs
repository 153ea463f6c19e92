//! The code that a change touches: callers and tests of what it changes, and definitions of what it
//! uses.

use super::change_state::Change;
use crate::search::tree::{Search, read};
use kitbag_core::Cancelled;
use kitbag_index::{ChunkPlace, FileKind, IndexView, last_name};
use kitbag_text::{Chunk, Kind, Piece, Source, Text, identifiers};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Names in more chunks are words of the project, not references to one definition.
const MAX_MENTIONS: usize = 400;
/// A name that more chunks define does not tell which of them is used.
const MAX_DEFINITIONS: usize = 4;
/// Chunks that are returned.
const MAX_PLACES: usize = 120;
/// Relevance of the chunk with the most and the rarest references. Hunks and the functions around them
/// come first.
const BEST: f64 = 0.8;

/// Share of the best score that a chunk needs.
const LEAST_SHARE: f64 = 0.1;

/// Weight of references by what refers to what.
const CALLER: f64 = 1.0;
const DEFINITION: f64 = 0.5;

/// A chunk and the names that connect it with the change.
#[derive(Default)]
struct Touched {
    score: f64,
    names: Vec<String>,
}

/// Returns the chunks that a change touches, outside of the change itself, as sources.
pub(crate) fn touched_by(
    search: &Search<'_>,
    change: &Change,
    changed_at: &dyn Fn(&str) -> Option<i64>,
) -> Result<Vec<Source>, Cancelled> {
    let places = touched_places(change, search.view());
    let mut by_file: FxHashMap<usize, Vec<(usize, Touched)>> = FxHashMap::default();
    for (place, touched) in places {
        by_file.entry(place.file).or_default().push((place.chunk, touched));
    }
    let mut files: Vec<usize> = by_file.keys().copied().collect();
    files.sort_unstable();
    let mut sources = Vec::new();
    for file in files {
        search.cancel().check()?;
        let places = by_file.remove(&file).unwrap_or_default();
        sources.extend(touched_source(search, file, places, changed_at));
    }
    scale(&mut sources);
    Ok(sources)
}

fn touched_source(
    search: &Search<'_>,
    file: usize,
    places: Vec<(usize, Touched)>,
    changed_at: &dyn Fn(&str) -> Option<i64>,
) -> Option<Source> {
    let entry = search.entry(file)?;
    let text = Text::new(read(search.tree(), entry)?);
    let stored = search.view().stored_doc(file)?;
    let piece = |(chunk, touched): (usize, Touched)| {
        let chunk = stored.chunks.get(chunk)?.clone();
        // Words of the index have no case, unlike names.
        let words: FxHashSet<&str> = identifiers(text.slice(chunk.span)).collect();
        let has_name = touched.names.iter().any(|name| words.contains(name.as_str()));
        has_name.then_some(Piece { chunk, relevance: Some(touched.score) })
    };
    let pieces: Vec<Piece> = places.into_iter().filter_map(piece).collect();
    // The index may be older than the file.
    let is_current = text.content().len() as u64 == entry.size;
    (!pieces.is_empty() && is_current).then(|| Source {
        pieces: Some(pieces),
        timestamp: changed_at(&entry.path),
        ..Source::new(&entry.path, Kind::SearchResult, Arc::new(text))
    })
}

/// Turns scores into relevance, the best of which is [`BEST`].
fn scale(sources: &mut [Source]) {
    let mut pieces: Vec<&mut Piece> =
        sources.iter_mut().flat_map(|source| source.pieces.iter_mut().flatten()).collect();
    let best = pieces.iter().filter_map(|it| it.relevance).fold(0.0, f64::max);
    for piece in &mut pieces {
        piece.relevance = piece.relevance.map(|score| BEST * score / best);
    }
}

/// Returns the chunks with references to or from the change, the best first.
fn touched_places(change: &Change, view: &IndexView) -> Vec<(ChunkPlace, Touched)> {
    let own = own_chunks(change, view);
    let mut found: FxHashMap<ChunkPlace, Touched> = FxHashMap::default();
    let chunks = view.chunk_count().max(2) as f64;
    let mut add = |place: ChunkPlace, name: &str, weight: f64| {
        if weight > 0.0 && !own.contains(&place) {
            let touched = found.entry(place).or_default();
            touched.score += weight;
            touched.names.push(name.to_owned());
        }
    };
    for (name, is_changed) in names(change) {
        let Some(mentions) = view.mentions(name, MAX_MENTIONS) else { continue };
        let rarity = (chunks / mentions.len().max(1) as f64).ln() / chunks.ln();
        let definitions = mentions.iter().filter(|it| it.is_definition).count();
        for mention in mentions {
            let kind = view.files()[mention.place.file].kind;
            if is_changed && !mention.is_definition {
                add(mention.place, name, CALLER * rarity * kind_weight(kind));
            } else if !is_changed && mention.is_definition && definitions <= MAX_DEFINITIONS {
                let is_own = defines(view, mention.place, name);
                let weight = if is_own && kind == FileKind::Code { DEFINITION } else { 0.0 };
                add(mention.place, name, weight * rarity);
            }
        }
    }
    let mut places: Vec<(ChunkPlace, Touched)> = found.into_iter().collect();
    places.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(a.0.cmp(&b.0)));
    let least = places.first().map_or(0.0, |best| best.1.score * LEAST_SHARE);
    places.retain(|(_, touched)| touched.score >= least);
    places.truncate(MAX_PLACES);
    places
}

/// Returns the names of the change, and whether each is changed rather than used.
fn names(change: &Change) -> impl Iterator<Item = (&str, bool)> {
    let mut seen = FxHashSet::default();
    let changed = change.files.iter().flat_map(|file| &file.changed_names).map(|it| (it, true));
    let used = change.files.iter().flat_map(|file| &file.used_names).map(|it| (it, false));
    let names = changed.chain(used).map(|(name, is_changed)| (name.as_str(), is_changed));
    names.filter(move |(name, _)| seen.insert(*name))
}

fn kind_weight(kind: FileKind) -> f64 {
    match kind {
        FileKind::Code => 1.0,
        FileKind::Test => 0.8,
        FileKind::Documentation | FileKind::Changelog => 0.1,
        FileKind::Data => 0.05,
        FileKind::Derived => 0.0,
    }
}

fn defines(view: &IndexView, place: ChunkPlace, name: &str) -> bool {
    let stored = view.stored_doc(place.file);
    let chunk = stored.and_then(|stored| stored.chunks.into_iter().nth(place.chunk));
    chunk.is_some_and(|chunk: Chunk| chunk.defines.iter().any(|it| last_name(it) == name))
}

/// Returns the chunks that the change is in, which the pack shows anyway.
fn own_chunks(change: &Change, view: &IndexView) -> FxHashSet<ChunkPlace> {
    let mut own = FxHashSet::default();
    for changed in change.files.iter().filter(|file| !file.touched.is_empty()) {
        let path = &change.changes.files[changed.at].path;
        let found = view.files().binary_search_by(|file| file.path.as_str().cmp(path));
        let Ok(file) = found else { continue };
        let chunks = view.stored_doc(file).map(|stored| stored.chunks).unwrap_or_default();
        for (at, chunk) in chunks.iter().enumerate() {
            let next = changed.touched.partition_point(|&line| line < chunk.span.start);
            if changed.touched.get(next).is_some_and(|&line| line <= chunk.span.end) {
                own.insert(ChunkPlace { file, chunk: at });
            }
        }
    }
    own
}
