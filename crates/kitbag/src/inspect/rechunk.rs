//! Recovers the chunks of a record from the files.
//!
//! A record stores the line range of a chunk, but not its symbol, its outline or how it was split.
//! These are recovered by chunking the file again with the limits that applied to its source.

use super::Inspection;
use crate::index::index_analysis;
use crate::search::recount::recount_chunks;
use kitbag_text::{Chunk, ChunkKind, ChunkLimits, Kind, Provenance, Span, chunk_text};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// Chunks of a file, keyed by their line range.
type ChunksBySpan = Arc<FxHashMap<Span, Chunk>>;

/// Chunks files on demand and caches the result for each file and set of limits.
pub struct Rechunker<'a> {
    inspection: &'a Inspection<'a>,
    limits: ChunkLimits,
    files: RefCell<FxHashMap<(String, bool), ChunksBySpan>>,
}

impl<'a> Rechunker<'a> {
    pub fn new(inspection: &'a Inspection<'a>) -> Self {
        let limits = inspection.recorded_settings().unwrap_or_default().chunking;
        Self { inspection, limits, files: RefCell::default() }
    }

    /// Returns the chunk with exactly these lines. If the file is no longer split there, the chunk
    /// has no symbol or outline.
    pub fn chunk(&self, path: &str, span: Span, kind: Kind) -> Chunk {
        let plain = || Chunk {
            span,
            kind: ChunkKind::Code,
            symbol: None,
            defines: Vec::new(),
            outline: Vec::new(),
            part: None,
            tokens: self.tokens(path, span),
        };
        // What the search found too is split as the search splits it, whatever its kind.
        let by_search = kind == Kind::SearchResult;
        let find = |by_search: bool| self.chunks(path, by_search).get(&span).cloned();
        find(by_search).or_else(|| find(!by_search)).unwrap_or_else(plain)
    }

    /// Returns the smallest search chunk that contains a line of the current file.
    pub fn at(&self, path: &str, line: u32) -> Option<Chunk> {
        let chunks = self.chunks(path, true);
        let has = |chunk: &&Chunk| chunk.span.contains(Span::new(line, line));
        chunks.values().filter(has).min_by_key(|chunk| chunk.span.lines()).cloned()
    }

    /// Returns the provenance of a chunk, as its provider currently describes itself.
    pub fn provenance(&self, provider: Option<&str>) -> Option<Arc<Provenance>> {
        let provider = provider?;
        let info = self.inspection.providers.iter().find(|it| it.id == provider);
        Some(Arc::new(Provenance {
            provider: provider.to_owned(),
            title: info.map(|it| it.title.clone()).unwrap_or_default(),
            priority: info.and_then(|it| it.priority),
            is_prose: false,
        }))
    }

    fn tokens(&self, path: &str, span: Span) -> u32 {
        let text = self.inspection.reading.shown(path);
        let count = text.map_or(0, |text| self.inspection.counting.count(text.slice(span)));
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    fn chunks(&self, path: &str, by_search: bool) -> ChunksBySpan {
        let key = (path.to_owned(), by_search);
        if let Some(known) = self.files.borrow().get(&key) {
            return Arc::clone(known);
        }
        let counting = self.inspection.counting;
        let chunked = self.inspection.reading.file(path).map(|file| {
            let mut chunks = if by_search {
                let analysis = index_analysis(&self.limits);
                chunk_text(path, &file.plain, &analysis.limits, analysis.counting).chunks
            } else {
                chunk_text(path, &file.plain, &self.limits, counting).chunks
            };
            if by_search {
                recount_chunks(&mut chunks, &file.plain, counting);
            }
            chunks.into_iter().map(|chunk| (chunk.span, chunk)).collect()
        });
        let chunks = Arc::new(chunked.unwrap_or_default());
        self.files.borrow_mut().insert(key, Arc::clone(&chunks));
        chunks
    }
}
