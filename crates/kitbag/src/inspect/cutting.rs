//! Recovers the chunks of a record from the files.
//!
//! A record stores the line range of a chunk, but not its symbol, its outline or how it was split.
//! These are recovered by chunking the file again with the limits that applied to its source.

use crate::gather::orchestrate::ProviderInfo;
use crate::index::search_chunk_limits;
use kitbag_core::Settings;
use kitbag_record::Reading;
use kitbag_text::{Chunk, ChunkKind, Provenance, Span, chunk_text};
use kitbag_tokens::CachedCounter;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// Chunks of a file, keyed by their line range.
type Chunks = Arc<FxHashMap<Span, Chunk>>;

/// Chunks files on demand and caches the result for each file and set of limits.
pub struct Cutting<'a> {
    pub reading: &'a Reading<'a>,
    pub counting: &'a CachedCounter,
    settings: &'a Settings,
    providers: &'a [ProviderInfo],
    files: RefCell<FxHashMap<(String, bool), Chunks>>,
}

impl<'a> Cutting<'a> {
    pub fn new(
        reading: &'a Reading<'a>,
        counting: &'a CachedCounter,
        settings: &'a Settings,
        providers: &'a [ProviderInfo],
    ) -> Self {
        Self { reading, counting, settings, providers, files: RefCell::default() }
    }

    /// Returns the chunk with exactly these lines. If the file is no longer split there, the chunk
    /// has no symbol or outline.
    pub fn chunk(&self, path: &str, span: Span, by_search: bool) -> Chunk {
        let plain = || Chunk {
            span,
            kind: ChunkKind::Code,
            symbol: None,
            defines: Vec::new(),
            outline: Vec::new(),
            part: None,
            tokens: self.tokens(path, span),
        };
        self.chunks(path, by_search).get(&span).cloned().unwrap_or_else(plain)
    }

    /// Returns the smallest search chunk that contains a line of the current file.
    pub fn at(&self, path: &str, line: u32) -> Option<Chunk> {
        let chunks = self.chunks(path, true);
        let has = |chunk: &&Chunk| chunk.span.start <= line && line <= chunk.span.end;
        chunks.values().filter(has).min_by_key(|chunk| chunk.span.lines()).cloned()
    }

    /// Returns the provenance of a chunk, as its provider currently describes itself.
    pub fn from(&self, provider: Option<&str>) -> Option<Arc<Provenance>> {
        let provider = provider?;
        let info = self.providers.iter().find(|it| it.id == provider);
        Some(Arc::new(Provenance {
            provider: provider.to_owned(),
            title: info.map(|it| it.title.clone()).unwrap_or_default(),
            priority: info.and_then(|it| it.priority),
            is_prose: false,
        }))
    }

    fn tokens(&self, path: &str, span: Span) -> u32 {
        let text = self.reading.shown(path);
        let count = text.map_or(0, |text| self.counting.count(text.slice(span)));
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    fn chunks(&self, path: &str, by_search: bool) -> Chunks {
        let key = (path.to_owned(), by_search);
        if let Some(known) = self.files.borrow().get(&key) {
            return Arc::clone(known);
        }
        let limits = &self.settings.chunking;
        let limits = if by_search { search_chunk_limits(limits) } else { limits.clone() };
        let cut = self.reading.file(path).map(|file| {
            let cut = chunk_text(path, &file.plain, &limits, self.counting);
            cut.chunks.into_iter().map(|chunk| (chunk.span, chunk)).collect()
        });
        let chunks = Arc::new(cut.unwrap_or_default());
        self.files.borrow_mut().insert(key, Arc::clone(&chunks));
        chunks
    }
}
