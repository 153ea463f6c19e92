//! A cache of the chunks of files named in requests.
//!
//! Editors repeatedly send the same text. The cache is bounded, compares whole texts, and is never
//! shared between tenants.

use kitbag_core::{Cancel, Cancelled};
use kitbag_text::{Chunk, ChunkLimits, ChunkedText, Fallback, Text, chunk_text_until_cancelled};
use kitbag_tokens::CachedCounter;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Maximum size of the cached texts, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// Size in bytes below which texts are not cached, because chunking them is fast enough.
const MIN_CACHED: usize = 4 << 10;

/// Size in bytes above which texts are not cached, because they would evict everything else.
const MAX_CACHED: usize = MAX_BYTES / 4;

/// Cached chunks, the most recently used first.
#[derive(Default)]
pub struct ChunkCache {
    entries: Mutex<VecDeque<CachedChunks>>,
}

/// The chunks of a text, and everything that they depend on.
struct CachedChunks {
    path: String,
    text: Arc<Text>,
    limits: ChunkLimits,
    /// A weak reference, so that a tenant's counter and its cache are not kept alive.
    counting: Weak<CachedCounter>,
    chunks: Arc<Vec<Chunk>>,
}

/// Chunks texts by way of the cache.
pub struct CachedChunker<'a> {
    /// Chunks of earlier requests.
    pub cache: &'a ChunkCache,
    /// Counter for the tokens of chunks.
    pub counting: &'a Arc<CachedCounter>,
    /// Cancellation flag, checked while chunking.
    pub cancel: &'a Cancel,
}

impl CachedChunker<'_> {
    /// Returns the chunks of a text, from the cache if possible.
    pub fn chunks(
        &self,
        path: &str,
        text: &Arc<Text>,
        limits: &ChunkLimits,
    ) -> Result<Arc<Vec<Chunk>>, Cancelled> {
        let Self { cache, counting, cancel } = self;
        let chunk = || chunk_text_until_cancelled(path, text, limits, counting, cancel);
        if !(MIN_CACHED..=MAX_CACHED).contains(&text.content().len()) {
            return Ok(Arc::new(chunk()?.chunks));
        }
        let known = cache.get(|entry| {
            entry.path == path
                && entry.counting.as_ptr() == Arc::as_ptr(counting)
                && entry.limits == *limits
                && entry.text.content() == text.content()
        });
        if let Some(known) = known {
            return Ok(known);
        }
        let ChunkedText { chunks, fallback } = chunk()?;
        let chunks = Arc::new(chunks);
        // Another request may have time left to parse it.
        if fallback == Some(Fallback::ParserBudgetExceeded) {
            return Ok(chunks);
        }
        cache.insert(CachedChunks {
            path: path.to_owned(),
            text: Arc::clone(text),
            limits: limits.clone(),
            counting: Arc::downgrade(counting),
            chunks: Arc::clone(&chunks),
        });
        Ok(chunks)
    }
}

impl ChunkCache {
    /// Returns the chunks of the entry that matches, which becomes the most recently used.
    fn get(&self, matches: impl Fn(&CachedChunks) -> bool) -> Option<Arc<Vec<Chunk>>> {
        let mut all = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(matches)?;
        let entry = all.remove(at)?;
        let chunks = Arc::clone(&entry.chunks);
        all.push_front(entry);
        Some(chunks)
    }

    fn insert(&self, entry: CachedChunks) {
        let mut all = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_front(entry);
        let mut bytes = 0;
        all.retain(|entry| {
            bytes += entry.text.content().len();
            bytes <= MAX_BYTES
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_tokens::Estimator;

    fn counting() -> Arc<CachedCounter> {
        Arc::new(CachedCounter::new(Arc::new(Estimator::Characters), 0))
    }

    fn text(word: &str) -> Arc<Text> {
        Arc::new(Text::new(format!("fn {word}() {{}}\n\n").repeat(MIN_CACHED / 8)))
    }

    fn chunks_of(
        cache: &ChunkCache,
        path: &str,
        text: &Arc<Text>,
        limits: &ChunkLimits,
        counting: &Arc<CachedCounter>,
    ) -> Arc<Vec<Chunk>> {
        let cancel = &Cancel::default();
        CachedChunker { cache, counting, cancel }.chunks(path, text, limits).expect("not cancelled")
    }

    #[test]
    fn the_same_text_is_chunked_once_and_any_difference_again() {
        let (cache, counting, limits) = (ChunkCache::default(), counting(), ChunkLimits::default());
        let (one, other) = (text("one"), text("two"));
        let first = chunks_of(&cache, "a.rs", &one, &limits, &counting);
        assert!(first.len() > 1);
        let copy = Arc::new(Text::new(one.content()));
        assert!(Arc::ptr_eq(&first, &chunks_of(&cache, "a.rs", &copy, &limits, &counting)));
        let small = ChunkLimits { max_class_tokens: 1, ..limits.clone() };
        let else_counted = self::counting();
        for again in [
            chunks_of(&cache, "b.rs", &one, &limits, &counting),
            chunks_of(&cache, "a.rs", &other, &limits, &counting),
            chunks_of(&cache, "a.rs", &one, &small, &counting),
            chunks_of(&cache, "a.rs", &one, &limits, &else_counted),
        ] {
            assert!(!Arc::ptr_eq(&first, &again));
        }
        assert!(Arc::ptr_eq(&first, &chunks_of(&cache, "a.rs", &one, &limits, &counting)));
    }

    #[test]
    fn the_cache_is_bounded_and_keeps_recently_used_texts() {
        let (cache, counting, limits) = (ChunkCache::default(), counting(), ChunkLimits::default());
        let used = text("used");
        let first = chunks_of(&cache, "used.rs", &used, &limits, &counting);
        let line = format!("{}\n", "x".repeat(1_023));
        let large = Arc::new(Text::new(line.repeat(MAX_CACHED / 1_024)));
        for number in 0..9 {
            chunks_of(&cache, &format!("{number}.txt"), &large, &limits, &counting);
            let again = chunks_of(&cache, "used.rs", &used, &limits, &counting);
            assert!(Arc::ptr_eq(&first, &again));
        }
        let bytes = || {
            cache
                .entries
                .lock()
                .expect("no panic")
                .iter()
                .map(|it| it.text.content().len())
                .sum::<usize>()
        };
        assert!(bytes() <= MAX_BYTES);
        let before = bytes();
        let small = Arc::new(Text::new("fn f() {}\n"));
        chunks_of(&cache, "small.rs", &small, &limits, &counting);
        let huge = Arc::new(Text::new(line.repeat(MAX_CACHED / 512)));
        chunks_of(&cache, "huge.txt", &huge, &limits, &counting);
        assert_eq!(bytes(), before, "neither small nor huge texts are cached");
    }
}
