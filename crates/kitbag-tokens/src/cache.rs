//! Counts that are remembered, by the SHA-256 of the text, least recently used out first.

use crate::choice::built_in;
use crate::{Measure, Tally, TokenCounter, is_within_one_percent};
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

/// A claimed count, held against the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validation {
    /// The tokens that the text has.
    pub tokens: usize,
    /// The tokens that it was said to have.
    pub claimed: usize,
    /// Whether the two differ by 1 % at the most.
    pub within_one_percent: bool,
}

/// A counter with its cache, shared by everything that counts for one model.
pub struct Counting {
    counter: Arc<dyn TokenCounter>,
    shelves: Option<Mutex<Shelves>>,
}

struct Shelves {
    counts: LruCache<Key, usize>,
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
        built_in(name).map(|counter| Self::new(counter, DEFAULT_CACHE_SIZE))
    }

    /// The counter itself.
    pub fn counter(&self) -> &dyn TokenCounter {
        &*self.counter
    }

    /// The tokens of `text`, remembered.
    pub fn count(&self, text: &str) -> usize {
        if text.is_empty() {
            return 0;
        }
        let count = || Some(self.counter.count(text));
        self.remembered(text, |shelves| &mut shelves.counts, count).unwrap_or_default()
    }

    /// Holds a claimed count of `text` against the true one.
    pub fn validate(&self, text: &str, claimed: usize) -> Validation {
        let tokens = self.count(text);
        Validation { tokens, claimed, within_one_percent: is_within_one_percent(tokens, claimed) }
    }

    /// The tally of `content`, whose rows begin at `starts`, remembered.
    pub fn tally(&self, content: &str, starts: &[u32]) -> Arc<Tally> {
        self.tally_until(content, starts, &|| false).unwrap_or_default()
    }

    /// The same, unless `stop` says that nobody wants it any more.
    pub fn tally_until(
        &self,
        content: &str,
        starts: &[u32],
        stop: &dyn Fn() -> bool,
    ) -> Option<Arc<Tally>> {
        let tally = || Tally::until(&*self.counter, content, starts, stop).map(Arc::new);
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
    /// is not held while counting: two threads may count the same text, and agree. What was given up
    /// is not shelved.
    fn remembered<T: Clone>(
        &self,
        text: &str,
        shelf: impl Fn(&mut Shelves) -> &mut LruCache<Key, T>,
        make: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        let Some(shelves) = &self.shelves else { return make() };
        let key = key_of(text);
        {
            let mut shelves = lock(shelves);
            if let Some(found) = shelf(&mut shelves).get(&key).cloned() {
                shelves.hits += 1;
                return Some(found);
            }
            shelves.misses += 1;
        }
        let made = make()?;
        shelf(&mut lock(shelves)).put(key, made.clone());
        Some(made)
    }
}

/// What a text is remembered by: two texts that share it are not known.
fn key_of(text: &str) -> Key {
    Sha256::digest(text.as_bytes()).into()
}

/// A panic while the lock was held leaves the shelves whole: each is changed by one call.
fn lock(shelves: &Mutex<Shelves>) -> MutexGuard<'_, Shelves> {
    shelves.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bpe, Estimator, Vocabulary};

    // Shows: AC-047, AC-050, FR-016-75, NFR-016-16
    #[test]
    fn the_second_count_is_remembered_and_says_so() {
        let counting = Counting::named("o200k_base").expect("built in");
        assert_eq!(counting.count("hello world"), counting.count("hello world"));
        let stats = counting.stats();
        assert_eq!((stats.hits, stats.misses, stats.entries), (1, 1, 1));
        assert!((stats.hit_rate() - 0.5).abs() < 1e-9);
    }

    // Shows: AC-053, NFR-016-17
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

    // Shows: AC-052
    #[test]
    fn ten_thousand_counts_are_remembered_by_default_and_not_more() {
        let counting = Counting::named("characters").expect("built in");
        for number in 0..=10_000 {
            counting.count(&number.to_string());
        }
        assert_eq!(counting.stats().entries, 10_000);
        counting.count("1");
        assert_eq!(counting.stats().hits, 1);
        counting.count("0");
        assert_eq!(counting.stats().hits, 1, "it was forgotten for the last");
    }

    // Shows: AC-051
    #[test]
    fn a_text_is_remembered_by_its_sha_256() {
        let hex: String = key_of("abc").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn a_cache_of_size_zero_counts_all_the_same() {
        let counting = Counting::new(Arc::new(Bpe::new(Vocabulary::Cl100kBase)), 0);
        assert_eq!(counting.count("hello world"), 2);
        assert_eq!(counting.stats(), CacheStats::default());
    }

    // Shows: AC-049, NFR-016-21
    #[test]
    fn a_claim_may_be_off_by_one_percent() {
        let counting = Counting::named("o200k_base").expect("built in");
        let text = "word\n".repeat(100);
        assert_eq!(counting.count(&text), 200);
        for (claimed, within) in [(200, true), (198, true), (202, true), (197, false), (203, false)]
        {
            let validation = counting.validate(&text, claimed);
            assert_eq!(validation, Validation { tokens: 200, claimed, within_one_percent: within });
        }
        assert!(counting.validate("", 0).within_one_percent);
        assert!(!counting.validate("", 1).within_one_percent);
    }
}
