//! The chunks of a record, cut again from the files.
//!
//! A record has the lines of a chunk and not what it is called, what its outline is or how it was
//! split: that is found by cutting its file once more, in the way that its source was cut.

use super::reading::Reading;
use crate::orchestrate::ProviderInfo;
use crate::search::finer;
use kitbag_core::Settings;
use kitbag_text::{Chunk, ChunkKind, Provenance, Span, chunk_text};
use kitbag_tokens::Counting;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// Chunks by the first and the last line.
type Chunks = Arc<FxHashMap<Span, Chunk>>;

/// Cuts files, each once in each way.
pub struct Cutting<'a> {
    pub reading: &'a Reading<'a>,
    pub counting: &'a Counting,
    settings: &'a Settings,
    providers: &'a [ProviderInfo],
    files: RefCell<FxHashMap<(String, bool), Chunks>>,
}

impl<'a> Cutting<'a> {
    pub fn new(
        reading: &'a Reading<'a>,
        counting: &'a Counting,
        settings: &'a Settings,
        providers: &'a [ProviderInfo],
    ) -> Self {
        Self { reading, counting, settings, providers, files: RefCell::default() }
    }

    /// The chunk with exactly these lines; a plain one where the file is not cut so any more.
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

    /// The chunk that has a line now, as search cuts.
    pub fn at(&self, path: &str, line: u32) -> Option<Chunk> {
        let chunks = self.chunks(path, true);
        let has = |chunk: &&Chunk| chunk.span.start <= line && line <= chunk.span.end;
        chunks.values().filter(has).min_by_key(|chunk| chunk.span.lines()).cloned()
    }

    /// Who gathered a chunk, as the provider says now.
    pub fn from(&self, provider: Option<&str>) -> Option<Arc<Provenance>> {
        let provider = provider?;
        let info = self.providers.iter().find(|it| it.id == provider);
        Some(Arc::new(Provenance {
            provider: provider.to_owned(),
            title: info.map(|it| it.title.clone()).unwrap_or_default(),
            priority: info.and_then(|it| it.priority),
            prose: false,
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
        let limits = if by_search { finer(limits) } else { limits.clone() };
        let cut = self.reading.file(path).map(|file| {
            let cut = chunk_text(path, &file.plain, &limits, self.counting);
            cut.chunks.into_iter().map(|chunk| (chunk.span, chunk)).collect()
        });
        let chunks = Arc::new(cut.unwrap_or_default());
        self.files.borrow_mut().insert(key, Arc::clone(&chunks));
        chunks
    }
}
