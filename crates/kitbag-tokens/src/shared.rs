//! The counters that a program shares among its requests, and their caches.

use crate::choice::built_in;
use crate::tokenizer_file::Content;
use crate::{Choice, Counting, Estimator, TokenCounter, TokenizerFileError, TokenizerSettings};
use lru::LruCache;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many caches are kept at the most, over all tenants and tokenizers.
const MOST_CACHES: NonZeroUsize = NonZeroUsize::new(64).expect("64 is not 0");
/// How many tokenizers are kept that came from files: each can take 100 MB.
const MOST_FILES: NonZeroUsize = NonZeroUsize::new(4).expect("4 is not 0");

/// Counters by choice, and their caches by tenant.
///
/// Where `timing_mitigation` is on, a tenant's counts are remembered for that tenant alone: a text
/// that somebody else has counted takes as long as one that nobody has. Tokenizers themselves are
/// shared; they know nothing of texts.
pub struct Countings {
    files: Mutex<LruCache<[u8; 32], Arc<dyn TokenCounter>>>,
    caches: Mutex<LruCache<Key, Arc<Counting>>>,
}

/// Whose cache it is, of which counter, and of how many counts.
type Key = (String, String, usize);

impl Countings {
    /// The counter of a choice, with the cache of a tenant. A file is read anew, and made a
    /// tokenizer of only if its content is not known.
    pub fn get(
        &self,
        choice: &Choice,
        settings: &TokenizerSettings,
        tenant: &str,
    ) -> Result<Arc<Counting>, TokenizerFileError> {
        let counter = match choice {
            _ if !settings.use_exact => Arc::new(Estimator::Characters),
            Choice::Named(name) => built_in(name).unwrap_or(Arc::new(Estimator::Characters)),
            Choice::File(path) => self.file(path)?,
        };
        let tenant = if settings.timing_mitigation { tenant } else { "" };
        let key = (tenant.to_owned(), counter.name().to_owned(), settings.entries());
        let make = || Arc::new(Counting::new(counter, settings.entries()));
        Ok(Arc::clone(lock(&self.caches).get_or_insert(key, make)))
    }

    /// The lock is not held while a tokenizer is made: that takes seconds, and others wait for none.
    fn file(&self, path: &Path) -> Result<Arc<dyn TokenCounter>, TokenizerFileError> {
        let content = Content::read(path)?;
        let key = content.hash();
        if let Some(known) = lock(&self.files).get(&key) {
            return Ok(Arc::clone(known));
        }
        let made = counter_of(&content)?;
        lock(&self.files).put(key, Arc::clone(&made));
        Ok(made)
    }
}

impl Default for Countings {
    fn default() -> Self {
        Self {
            files: Mutex::new(LruCache::new(MOST_FILES)),
            caches: Mutex::new(LruCache::new(MOST_CACHES)),
        }
    }
}

#[cfg(feature = "huggingface")]
fn counter_of(content: &Content) -> Result<Arc<dyn TokenCounter>, TokenizerFileError> {
    Ok(Arc::new(crate::HuggingFace::new(content)?))
}

#[cfg(not(feature = "huggingface"))]
fn counter_of(content: &Content) -> Result<Arc<dyn TokenCounter>, TokenizerFileError> {
    Err(content.not_built_in())
}

/// A panic while a lock was held leaves the map whole: it is changed by one call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn countings(settings: TokenizerSettings) -> impl Fn(&str) -> Arc<Counting> {
        let countings = Countings::default();
        move |tenant| countings.get(&Choice::default(), &settings, tenant).expect("built in")
    }

    // Shows: THREAT-2
    #[test]
    fn what_one_tenant_counted_is_not_cached_for_another() {
        let of = countings(TokenizerSettings::default());
        of("one").count("secret text");
        of("other").count("secret text");
        assert_eq!(of("other").stats().hits, 0);
        of("one").count("secret text");
        assert_eq!(of("one").stats().hits, 1);
    }

    #[test]
    fn tenants_share_counts_where_timing_is_no_concern() {
        let of = countings(TokenizerSettings { timing_mitigation: false, ..Default::default() });
        of("one").count("text");
        of("other").count("text");
        assert_eq!(of("one").stats().hits, 1);
    }

    // Shows: NFR-016-18
    #[test]
    fn the_cache_can_be_sized_and_switched_off() {
        let small = countings(TokenizerSettings { cache_size: 1, ..Default::default() })("");
        for text in ["a", "b", "a"] {
            small.count(text);
        }
        assert_eq!((small.stats().hits, small.stats().entries), (0, 1));
        let off = countings(TokenizerSettings { cache_enabled: false, ..Default::default() })("");
        assert_eq!((off.count("a"), off.count("a"), off.stats().misses), (1, 1, 0));
    }

    #[test]
    fn without_exact_counts_characters_are_counted() {
        let settings = TokenizerSettings { use_exact: false, ..Default::default() };
        let countings = Countings::default();
        let any = Choice::File("nowhere.json".into());
        for choice in [Choice::default(), any] {
            let counting = countings.get(&choice, &settings, "").expect("needs no file");
            assert_eq!(counting.counter().name(), "characters");
        }
    }

    #[test]
    fn a_crowd_of_tenants_stays_bounded() {
        let of = countings(TokenizerSettings::default());
        of("first").count("text");
        for number in 0..MOST_CACHES.get() {
            of(&number.to_string());
        }
        assert_eq!(of("first").stats().entries, 0, "it began anew");
    }
}
