//! Counters and caches shared between requests.

use crate::cached::{CachedCounter, lock};
use crate::choice::TokenizerChoice;
use crate::counter::TokenCounter;
use crate::settings::TokenizerSettings;
use crate::tokenizer_file::{TokenizerFile, TokenizerFileError};
use lru::LruCache;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Maximum number of caches, over all tenants and tokenizers.
const MAX_CACHES: NonZeroUsize = NonZeroUsize::new(64).expect("64 is not 0");
/// Maximum number of tokenizers loaded from files. Each can take 100 MB.
const MAX_LOADED_FILES: NonZeroUsize = NonZeroUsize::new(4).expect("4 is not 0");

/// Cached counters by tokenizer and tenant.
///
/// With `timing_mitigation`, each tenant has its own caches, so that a text counted by another tenant
/// takes as long as one that was never counted. The tokenizers themselves are shared.
pub struct CounterRegistry {
    files: Mutex<LruCache<[u8; 32], Arc<dyn TokenCounter>>>,
    caches: Mutex<LruCache<CacheKey, Arc<CachedCounter>>>,
}

#[derive(PartialEq, Eq, Hash)]
struct CacheKey {
    tenant: String,
    counter: String,
    entries: usize,
}

impl CounterRegistry {
    /// Returns the counter for `choice`, with the cache of `tenant`. A tokenizer file is read every time,
    /// but parsed only if its content is new.
    pub fn get(
        &self,
        choice: &TokenizerChoice,
        settings: &TokenizerSettings,
        tenant: &str,
    ) -> Result<Arc<CachedCounter>, TokenizerFileError> {
        let counter = match choice {
            TokenizerChoice::File(path) if settings.use_exact => self.load(path)?,
            choice => choice.without_file(settings.use_exact),
        };
        let entries = if settings.cache_enabled { settings.cache_size } else { 0 };
        let tenant = if settings.timing_mitigation { tenant } else { "" }.to_owned();
        let key = CacheKey { tenant, counter: counter.name().to_owned(), entries };
        let new = || Arc::new(CachedCounter::new(counter, entries));
        Ok(Arc::clone(lock(&self.caches).get_or_insert(key, new)))
    }

    /// Parsing takes seconds, so the lock is released meanwhile.
    fn load(&self, path: &Path) -> Result<Arc<dyn TokenCounter>, TokenizerFileError> {
        let file = TokenizerFile::read(path)?;
        let key = file.sha256();
        if let Some(loaded) = lock(&self.files).get(&key) {
            return Ok(Arc::clone(loaded));
        }
        let counter = parse(&file)?;
        lock(&self.files).put(key, Arc::clone(&counter));
        Ok(counter)
    }
}

impl Default for CounterRegistry {
    fn default() -> Self {
        Self {
            files: Mutex::new(LruCache::new(MAX_LOADED_FILES)),
            caches: Mutex::new(LruCache::new(MAX_CACHES)),
        }
    }
}

#[cfg(feature = "huggingface")]
fn parse(file: &TokenizerFile) -> Result<Arc<dyn TokenCounter>, TokenizerFileError> {
    Ok(Arc::new(crate::huggingface::HuggingFace::new(file)?))
}

#[cfg(not(feature = "huggingface"))]
fn parse(file: &TokenizerFile) -> Result<Arc<dyn TokenCounter>, TokenizerFileError> {
    Err(TokenizerFileError::Unsupported { path: file.path.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters_of(settings: TokenizerSettings) -> impl Fn(&str) -> Arc<CachedCounter> {
        let registry = CounterRegistry::default();
        move |tenant| {
            registry.get(&TokenizerChoice::default(), &settings, tenant).expect("built in")
        }
    }

    // Shows: THREAT-2
    #[test]
    fn caches_are_separate_per_tenant() {
        let of = counters_of(TokenizerSettings::default());
        of("one").count("secret text");
        of("other").count("secret text");
        assert_eq!(of("other").stats().hits, 0);
        of("one").count("secret text");
        assert_eq!(of("one").stats().hits, 1);
    }

    #[test]
    fn tenants_share_counts_without_timing_mitigation() {
        let of = counters_of(TokenizerSettings { timing_mitigation: false, ..Default::default() });
        of("one").count("text");
        of("other").count("text");
        assert_eq!(of("one").stats().hits, 1);
    }

    // Shows: NFR-016-18
    #[test]
    fn cache_size_and_caching_follow_the_settings() {
        let small = counters_of(TokenizerSettings { cache_size: 1, ..Default::default() })("");
        for text in ["a", "b", "a"] {
            small.count(text);
        }
        assert_eq!((small.stats().hits, small.stats().entries), (0, 1));
        let off = counters_of(TokenizerSettings { cache_enabled: false, ..Default::default() })("");
        assert_eq!((off.count("a"), off.count("a"), off.stats().misses), (1, 1, 0));
    }

    #[test]
    fn characters_are_counted_without_exact_counts() {
        let settings = TokenizerSettings { use_exact: false, ..Default::default() };
        let registry = CounterRegistry::default();
        let any = TokenizerChoice::File("nowhere.json".into());
        for choice in [TokenizerChoice::default(), any] {
            let counter = registry.get(&choice, &settings, "").expect("needs no file");
            assert_eq!(counter.counter().name(), "characters");
        }
    }

    #[test]
    fn number_of_caches_is_bounded() {
        let of = counters_of(TokenizerSettings::default());
        of("first").count("text");
        for number in 0..MAX_CACHES.get() {
            of(&number.to_string());
        }
        assert_eq!(of("first").stats().entries, 0, "its cache was evicted");
    }
}
