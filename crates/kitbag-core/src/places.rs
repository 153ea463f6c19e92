//! One candidate per place: copies of the same lines from different providers, such as an open file
//! that the search found too, are merged before they are ranked.
//!
//! Chunks of one file version are cut at each other's boundaries, so that copies have the same lines.
//! One of them represents the place, with the best kind, relevance and timestamp of all; the others are
//! excluded as duplicates of it. Tool output is not merged with the lines of files.

use crate::rank::Candidate;
use crate::settings::Settings;
use crate::source_file::SourceFile;
use kitbag_text::{Chunk, ChunkKind, Kind, Span};
use kitbag_tokens::CachedCounter;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum relevance that a search adds to what another provider returns. A search is never certain,
/// unlike a provider with a relevance of 1.
const MAX_FOUND_RELEVANCE: f64 = 0.99;

/// Merges the copies of each place, and sets the ids of all candidates.
pub fn merge_places(
    candidates: Vec<Candidate>,
    files: &[SourceFile],
    settings: &Settings,
    counting: &CachedCounter,
) -> Vec<Candidate> {
    let deduplication = &settings.deduplication;
    let is_on = deduplication.enabled
        && deduplication.overlap_detection_enabled
        && !deduplication.merge_overlaps;
    let shared = if is_on { shared_files(&candidates) } else { FxHashMap::default() };
    let mut places = Places { candidates, files, settings };
    if !shared.is_empty() {
        places.cut(&shared, counting);
    }
    for (id, candidate) in places.candidates.iter_mut().enumerate() {
        candidate.id = id;
    }
    if !shared.is_empty() {
        let own = |it: &Candidate| is_mergeable(it) && shared.contains_key(&it.file);
        let ids = places.candidates.iter().filter(|it| own(it)).map(|it| it.id).collect();
        places.merge(ids);
    }
    places.candidates
}

/// The chunks of a file by provider.
type ByProvider = BTreeMap<String, Vec<Chunk>>;

/// Returns the chunks of the files that several providers contribute to.
fn shared_files(candidates: &[Candidate]) -> FxHashMap<usize, ByProvider> {
    let mut providers: FxHashMap<usize, BTreeSet<&str>> = FxHashMap::default();
    for candidate in candidates.iter().filter(|it| is_mergeable(it)) {
        providers.entry(candidate.file).or_default().extend(provider(candidate));
    }
    let mut shared: FxHashMap<usize, ByProvider> = FxHashMap::default();
    for candidate in candidates.iter().filter(|it| is_mergeable(it)) {
        let is_shared = providers.get(&candidate.file).is_some_and(|all| all.len() > 1);
        if let Some(provider) = provider(candidate).filter(|_| is_shared) {
            let chunks = shared.entry(candidate.file).or_default();
            let own = chunks.entry(provider.to_owned()).or_default();
            // A position in a document is no boundary of its chunks.
            if !is_position(candidate.kind) {
                own.push(candidate.chunk.clone());
            }
        }
    }
    shared
}

/// Whether the candidate has lines of a file, as opposed to output of a tool or a provider's prose.
fn is_mergeable(candidate: &Candidate) -> bool {
    candidate.kind != Kind::ToolResult
        && candidate.chunk.kind != ChunkKind::LongLine
        && candidate.from.as_ref().is_some_and(|from| !from.is_prose)
}

fn provider(candidate: &Candidate) -> Option<&str> {
    candidate.from.as_ref().map(|from| from.provider.as_str())
}

/// Whether sources of this kind are the surroundings of a position in a document.
fn is_position(kind: Kind) -> bool {
    matches!(kind, Kind::Selection | Kind::Cursor)
}

struct Places<'a> {
    candidates: Vec<Candidate>,
    files: &'a [SourceFile],
    settings: &'a Settings,
}

impl Places<'_> {
    /// Cuts chunks at the boundaries of other providers' chunks.
    fn cut(&mut self, shared: &FxHashMap<usize, ByProvider>, counting: &CachedCounter) {
        let mut cut = Vec::with_capacity(self.candidates.len());
        for candidate in std::mem::take(&mut self.candidates) {
            let is_cut = is_mergeable(&candidate) && !is_position(candidate.kind);
            let Some(chunks) = shared.get(&candidate.file).filter(|_| is_cut) else {
                cut.push(candidate);
                continue;
            };
            let own = provider(&candidate);
            let others = chunks.iter().filter(|(id, _)| Some(id.as_str()) != own);
            let others: Vec<&Chunk> = others.flat_map(|(_, chunks)| chunks).collect();
            let file = &self.files[candidate.file];
            for chunk in cut_chunk(&candidate.chunk, &others, file, counting) {
                cut.push(Candidate { chunk, ..candidate.clone() });
            }
        }
        self.candidates = cut;
    }

    /// Chooses the representative of each place.
    fn merge(&mut self, ids: Vec<usize>) {
        self.limit_relevance(&ids);
        let mut places: BTreeMap<(usize, Span), Vec<usize>> = BTreeMap::new();
        for &id in ids.iter().filter(|&&id| !is_position(self.candidates[id].kind)) {
            let candidate = &self.candidates[id];
            places.entry((candidate.file, candidate.chunk.span)).or_default().push(id);
        }
        for copies in places.into_values() {
            let first = provider(&self.candidates[copies[0]]);
            if copies.iter().any(|&id| provider(&self.candidates[id]) != first) {
                self.merge_copies(&copies);
            }
        }
        for &id in &ids {
            if is_position(self.candidates[id].kind) {
                self.candidates[id].copy_of = self.document_around(id, &ids);
            }
        }
    }

    /// Limits the relevance of chunks that the search did not find to that of the ones it found in
    /// their file, because the two are measured differently.
    fn limit_relevance(&mut self, ids: &[usize]) {
        let mut found: FxHashMap<usize, f64> = FxHashMap::default();
        for candidate in ids.iter().map(|&id| &self.candidates[id]).filter(|it| it.is_found) {
            if let Some(relevance) = candidate.relevance {
                let least = found.entry(candidate.file).or_insert(relevance);
                *least = least.min(relevance);
            }
        }
        for &id in ids {
            let file = self.candidates[id].file;
            self.candidates[id].max_relevance = found.get(&file).copied();
        }
    }

    fn merge_copies(&mut self, copies: &[usize]) {
        let all = || copies.iter().map(|&id| &self.candidates[id]);
        let priority = |it: &Candidate| {
            self.settings.priority(it.kind, it.from.as_ref().and_then(|from| from.priority))
        };
        let rank = |it: &&Candidate| (Reverse((it.is_pinned, priority(it))), it.id);
        let Some(winner) = all().min_by_key(rank).map(|it| it.id) else { return };
        let best_kind = all().min_by_key(|it| (Reverse(priority(it)), it.id)).map(|it| it.kind);
        let own_relevance = |it: &Candidate| match it.is_found {
            true => it.relevance.map(|relevance| relevance.min(MAX_FOUND_RELEVANCE)),
            false => it.relevance,
        };
        let relevance = all().filter_map(own_relevance).reduce(f64::max);
        let timestamp = all().filter_map(|it| it.timestamp).max();
        let is_found = all().all(|it| it.is_found);
        for &id in copies {
            let candidate = &mut self.candidates[id];
            (candidate.relevance, candidate.timestamp) = (relevance, timestamp);
            if id != winner {
                candidate.copy_of = Some(winner);
            }
        }
        let winner = &mut self.candidates[winner];
        winner.is_found = is_found;
        winner.kind = best_kind.unwrap_or(winner.kind);
    }

    /// Returns the chunk of the open document that the lines of `id` belong to, if the document has
    /// all of them.
    fn document_around(&self, id: usize, ids: &[usize]) -> Option<usize> {
        let (file, span) = (self.candidates[id].file, self.candidates[id].chunk.span);
        let own = ids.iter().map(|&other| &self.candidates[other]);
        let own = own.filter(|it| it.file == file && it.chunk.span.shared_lines(span) > 0);
        let chunks: Vec<&Candidate> = own.filter(|it| it.kind == Kind::Document).collect();
        let text = &self.files[file];
        let is_in_document = |row: usize| {
            text.is_blank(row)
                || chunks.iter().any(|it| it.chunk.span.contains_line(text.line(row)))
        };
        if !text.rows(span).all(is_in_document) {
            return None;
        }
        let shared = |it: &&&Candidate| (it.chunk.span.shared_lines(span), Reverse(it.id));
        chunks.iter().max_by_key(shared).map(|it| it.copy_of.unwrap_or(it.id))
    }
}

/// Cuts a chunk at the boundaries of `others`. Blank lines at a cut belong to neither part, and a part
/// with the lines of another chunk is that chunk.
fn cut_chunk(
    chunk: &Chunk,
    others: &[&Chunk],
    file: &SourceFile,
    counting: &CachedCounter,
) -> Vec<Chunk> {
    let boundaries = others.iter().flat_map(|it| [it.span.start, it.span.end + 1]);
    let inside = boundaries.filter(|&line| line > chunk.span.start && line <= chunk.span.end);
    let mut starts: BTreeSet<u32> = inside.collect();
    if starts.is_empty() {
        return vec![chunk.clone()];
    }
    starts.insert(chunk.span.start);
    let ends = starts.iter().skip(1).map(|line| line - 1).chain([chunk.span.end]);
    let spans = starts.iter().zip(ends).map(|(&start, end)| Span::new(start, end));
    let parts = spans.filter_map(|span| {
        let span = trim(span, file)?;
        let same = others.iter().find(|it| it.span == span);
        Some(same.map_or_else(|| part(chunk, span, file, counting), |it| Chunk::clone(it)))
    });
    parts.collect()
}

/// Returns the lines of a span without blank lines at its ends; `None` if all are blank.
fn trim(span: Span, file: &SourceFile) -> Option<Span> {
    let mut rows = file.rows(span);
    let start = rows.find(|&row| !file.is_blank(row))?;
    let end = rows.rev().find(|&row| !file.is_blank(row)).unwrap_or(start);
    Some(Span::new(file.line(start), file.line(end)))
}

fn part(chunk: &Chunk, span: Span, file: &SourceFile, counting: &CachedCounter) -> Chunk {
    let clip = |lines: &Span| {
        let (start, end) = (lines.start.max(span.start), lines.end.min(span.end));
        (start <= end).then(|| Span::new(start, end))
    };
    let tokens = counting.counter().tokens(file.measure(counting, file.rows(span)));
    Chunk {
        span,
        outline: chunk.outline.iter().filter_map(clip).collect(),
        part: None,
        tokens: u32::try_from(tokens).unwrap_or(u32::MAX),
        ..chunk.clone()
    }
}
