//! Counts that are remembered, by the SHA-256 of the text, least recently used out first.

use crate::{Bpe, Estimator, Measure, Tally, TokenCounter, Vocabulary};
use lru::LruCache;
use sha2::{Digest, Sha256};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many counts a cache keeps unless told otherwise.
pub const DEFAULT_CACHE_SIZE: usize = 10_000;

type Key = [u8; 32];

/// How well a cache has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Counts that were remembered.
    pub hits: u64,
    /// Counts that had to be made.
    pub misses: u64,
    /// Counts that are remembered now.
    pub entries: usize,
}

impl CacheStats {
    /// The share of counts that were remembered, 0 where there were none.
    pub fn hit_rate(&self) -> f64 {
        let asked = self.hits + self.misses;
        if asked == 0 { 0.0 } else { self.hits as f64 / asked as f64 }
    }
}

/// A counter with its cache, shared by everything that counts for one model.
pub struct Counting {
    counter: Arc<dyn TokenCounter>,
    shelves: Option<Mutex<Shelves>>,
}

struct Shelves {
    counts: LruCache<Key, Measure>,
    tallies: LruCache<Key, Arc<Tally>>,
    hits: u64,
    misses: u64,
}

impl Counting {
    /// `counter` with a cache of `size` counts; 0 switches the cache off.
    pub fn new(counter: Arc<dyn TokenCounter>, size: usize) -> Self {
        let shelves = NonZeroUsize::new(size).map(|size| {
            Mutex::new(Shelves {
                counts: LruCache::new(size),
                tallies: LruCache::new(size),
                hits: 0,
                misses: 0,
            })
        });
        Self { counter, shelves }
    }

    /// The built-in counter of that name, with a cache of the default size.
    pub fn named(name: &str) -> Option<Self> {
        let vocabulary = Vocabulary::ALL.into_iter().find(|v| v.name() == name);
        let counter: Arc<dyn TokenCounter> = match vocabulary {
            Some(vocabulary) => Arc::new(Bpe::new(vocabulary)),
            None => Arc::new(Estimator::ALL.into_iter().find(|e| e.name() == name)?),
        };
        Some(Self::new(counter, DEFAULT_CACHE_SIZE))
    }

    /// The counter itself.
    pub fn counter(&self) -> &dyn TokenCounter {
        &*self.counter
    }

    /// The tokens of `text`.
    pub fn count(&self, text: &str) -> usize {
        self.counter.tokens(self.measure(text))
    }

    /// The measure of `text`, remembered.
    pub fn measure(&self, text: &str) -> Measure {
        if text.is_empty() {
            return Measure::default();
        }
        let count = || self.counter.measure(text);
        self.remembered(text, |shelves| &mut shelves.counts, count)
    }

    /// The tally of `content`, whose rows begin at `starts`, remembered.
    pub fn tally(&self, content: &str, starts: &[u32]) -> Arc<Tally> {
        let tally = || Arc::new(Tally::new(&*self.counter, content, starts));
        self.remembered(content, |shelves| &mut shelves.tallies, tally)
    }

    /// The measure of some rows of a text whose tally is known.
    pub fn measure_rows(
        &self,
        tally: &Tally,
        content: &str,
        starts: &[u32],
        rows: Range<usize>,
    ) -> Measure {
        tally.measure(&*self.counter, content, starts, rows)
    }

    /// How the cache has done; all zero where it is off.
    pub fn stats(&self) -> CacheStats {
        let Some(shelves) = &self.shelves else { return CacheStats::default() };
        let shelves = lock(shelves);
        let entries = shelves.counts.len() + shelves.tallies.len();
        CacheStats { hits: shelves.hits, misses: shelves.misses, entries }
    }

    /// Looks `text` up on one shelf, and makes and shelves the value where it is missing. The lock
    /// is not held while counting: two threads may count the same text, and agree.
    fn remembered<T: Clone>(
        &self,
        text: &str,
        shelf: impl Fn(&mut Shelves) -> &mut LruCache<Key, T>,
        make: impl FnOnce() -> T,
    ) -> T {
        let Some(shelves) = &self.shelves else { return make() };
        let key: Key = Sha256::digest(text.as_bytes()).into();
        {
            let mut shelves = lock(shelves);
            if let Some(found) = shelf(&mut shelves).get(&key).cloned() {
                shelves.hits += 1;
                return found;
            }
            shelves.misses += 1;
        }
        let made = make();
        shelf(&mut lock(shelves)).put(key, made.clone());
        made
    }
}

/// A panic while the lock was held leaves the shelves whole: each is changed by one call.
fn lock(shelves: &Mutex<Shelves>) -> MutexGuard<'_, Shelves> {
    shelves.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_count_is_remembered_and_says_so() {
        let counting = Counting::named("o200k_base").expect("built in");
        assert_eq!(counting.count("hello world"), counting.count("hello world"));
        let stats = counting.stats();
        assert_eq!((stats.hits, stats.misses, stats.entries), (1, 1, 1));
        assert!((stats.hit_rate() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_least_recently_used_count_goes_first() {
        let counting = Counting::new(Arc::new(Estimator::Words), 2);
        for text in ["a", "b", "a", "c", "a"] {
            counting.count(text);
        }
        assert_eq!(counting.stats().hits, 2);
        counting.count("b");
        assert_eq!(counting.stats().hits, 2, "b was evicted by c");
    }

    #[test]
    fn a_cache_of_size_zero_counts_all_the_same() {
        let counting = Counting::new(Arc::new(Bpe::new(Vocabulary::Cl100kBase)), 0);
        assert_eq!(counting.count("hello world"), 2);
        assert_eq!(counting.stats(), CacheStats::default());
    }
}
