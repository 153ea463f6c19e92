//! A counter that remembers its counts, by the SHA-256 of the text.

use crate::choice::built_in;
use crate::counter::TokenCounter;
use crate::tally::Tally;
use lru::LruCache;
use sha2::{Digest, Sha256};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Default maximum number of counts in a cache.
pub const DEFAULT_CACHE_ENTRIES: usize = 10_000;

type TextHash = [u8; 32];

/// Usage of a cache since it was created.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Lookups that were answered from the cache.
    pub hits: u64,
    /// Lookups that required counting.
    pub misses: u64,
    /// Current number of entries.
    pub entries: usize,
}

impl CacheStats {
    /// Share of lookups that were answered from the cache, or 0 if there were none.
    pub fn hit_rate(&self) -> f64 {
        let lookups = self.hits + self.misses;
        if lookups == 0 { 0.0 } else { self.hits as f64 / lookups as f64 }
    }
}

/// Whether `claimed` differs from `actual` by at most 1 %.
pub fn is_within_one_percent(actual: usize, claimed: usize) -> bool {
    actual.abs_diff(claimed) * 100 <= actual
}

/// A counter with an LRU cache.
pub struct CachedCounter {
    counter: Arc<dyn TokenCounter>,
    cache: Option<Mutex<CountCache>>,
}

struct CountCache {
    counts: LruCache<TextHash, usize>,
    tallies: LruCache<TextHash, Arc<Tally>>,
    hits: u64,
    misses: u64,
}

impl CachedCounter {
    /// Wraps `counter` with a cache of `entries` counts; 0 disables the cache.
    pub fn new(counter: Arc<dyn TokenCounter>, entries: usize) -> Self {
        let cache = NonZeroUsize::new(entries).map(|entries| {
            Mutex::new(CountCache {
                counts: LruCache::new(entries),
                tallies: LruCache::new(entries),
                hits: 0,
                misses: 0,
            })
        });
        Self { counter, cache }
    }

    /// Creates the built-in counter called `name`, with a cache of the default size.
    pub fn named(name: &str) -> Option<Self> {
        built_in(name).map(|counter| Self::new(counter, DEFAULT_CACHE_ENTRIES))
    }

    /// The counter without its cache.
    pub fn counter(&self) -> &dyn TokenCounter {
        &*self.counter
    }

    /// Counts the tokens of `text`.
    pub fn count(&self, text: &str) -> usize {
        if text.is_empty() {
            return 0;
        }
        let count = || Some(self.counter.count(text));
        self.get_or_insert(text, |cache| &mut cache.counts, count).unwrap_or_default()
    }

    /// Whether `claimed` differs from the count of `text` by at most 1 %.
    pub fn validate(&self, text: &str, claimed: usize) -> bool {
        is_within_one_percent(self.count(text), claimed)
    }

    /// Tallies `content`, whose rows begin at the byte offsets `row_starts`.
    pub fn tally(&self, content: &str, row_starts: &[u32]) -> Arc<Tally> {
        self.tally_until(content, row_starts, &|| false).unwrap_or_default()
    }

    /// Tallies `content` unless `is_cancelled` returns `true` meanwhile; nothing is cached then.
    pub fn tally_until(
        &self,
        content: &str,
        row_starts: &[u32],
        is_cancelled: &dyn Fn() -> bool,
    ) -> Option<Arc<Tally>> {
        let tally =
            || Tally::until(&*self.counter, content, row_starts, is_cancelled).map(Arc::new);
        self.get_or_insert(content, |cache| &mut cache.tallies, tally)
    }

    /// Returns the usage of the cache; all zero if it is disabled.
    pub fn stats(&self) -> CacheStats {
        let Some(cache) = &self.cache else { return CacheStats::default() };
        let cache = lock(cache);
        let entries = cache.counts.len() + cache.tallies.len();
        CacheStats { hits: cache.hits, misses: cache.misses, entries }
    }

    /// The lock is released while counting, so two threads may count the same text, with the same result.
    fn get_or_insert<T: Clone>(
        &self,
        text: &str,
        map: impl Fn(&mut CountCache) -> &mut LruCache<TextHash, T>,
        count: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        let Some(cache) = &self.cache else { return count() };
        let key = hash(text);
        {
            let mut cache = lock(cache);
            if let Some(cached) = map(&mut cache).get(&key).cloned() {
                cache.hits += 1;
                return Some(cached);
            }
            cache.misses += 1;
        }
        let counted = count()?;
        map(&mut lock(cache)).put(key, counted.clone());
        Some(counted)
    }
}

fn hash(text: &str) -> TextHash {
    Sha256::digest(text.as_bytes()).into()
}

/// Ignores poisoning: each map is changed by a single call, so a panic leaves it consistent.
pub(crate) fn lock<T>(cache: &Mutex<T>) -> MutexGuard<'_, T> {
    cache.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Estimator, Vocabulary};

    // Shows: AC-047, AC-050, FR-016-75, NFR-016-16
    #[test]
    fn second_count_is_a_cache_hit() {
        let counter = CachedCounter::named("o200k_base").expect("built in");
        assert_eq!(counter.count("hello world"), counter.count("hello world"));
        let stats = counter.stats();
        assert_eq!((stats.hits, stats.misses, stats.entries), (1, 1, 1));
        assert!((stats.hit_rate() - 0.5).abs() < 1e-9);
    }

    // Shows: AC-053, NFR-016-17
    #[test]
    fn least_recently_used_count_is_evicted_first() {
        let counter = CachedCounter::new(Arc::new(Estimator::Words), 2);
        for text in ["a", "b", "a", "c", "a"] {
            counter.count(text);
        }
        assert_eq!(counter.stats().hits, 2);
        counter.count("b");
        assert_eq!(counter.stats().hits, 2, "b was evicted by c");
    }

    // Shows: AC-052
    #[test]
    fn cache_holds_ten_thousand_counts_by_default() {
        let counter = CachedCounter::named("characters").expect("built in");
        for number in 0..=10_000 {
            counter.count(&number.to_string());
        }
        assert_eq!(counter.stats().entries, 10_000);
        counter.count("1");
        assert_eq!(counter.stats().hits, 1);
        counter.count("0");
        assert_eq!(counter.stats().hits, 1, "evicted by the last count");
    }

    // Shows: AC-051
    #[test]
    fn texts_are_cached_by_their_sha_256() {
        assert_eq!(
            crate::hex(&hash("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn cache_of_size_zero_still_counts() {
        let counter = CachedCounter::new(Arc::new(Vocabulary::Cl100kBase), 0);
        assert_eq!(counter.count("hello world"), 2);
        assert_eq!(counter.stats(), CacheStats::default());
    }

    // Shows: AC-049, NFR-016-21
    #[test]
    fn claim_may_be_off_by_one_percent() {
        let counter = CachedCounter::named("o200k_base").expect("built in");
        let text = "word\n".repeat(100);
        assert_eq!(counter.count(&text), 200);
        for (claimed, within) in [(200, true), (198, true), (202, true), (197, false), (203, false)]
        {
            assert_eq!(counter.validate(&text, claimed), within, "{claimed}");
        }
        assert!(counter.validate("", 0));
        assert!(!counter.validate("", 1));
    }
}
