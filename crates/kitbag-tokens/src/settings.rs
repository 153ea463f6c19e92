//! Settings of token counting.

use crate::cached::DEFAULT_CACHE_ENTRIES;
use serde::Deserialize;

/// Settings under `context.tokenizer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct TokenizerSettings {
    /// Count with the model's tokenizer. If off, tokens are always estimated from characters.
    pub use_exact: bool,
    /// Cache counts.
    pub cache_enabled: bool,
    /// Maximum number of counts per cache.
    pub cache_size: usize,
    /// Give every tenant its own caches, so that the time a count takes does not reveal whether another
    /// tenant has counted the same text.
    pub timing_mitigation: bool,
}

impl Default for TokenizerSettings {
    fn default() -> Self {
        Self {
            use_exact: true,
            cache_enabled: true,
            cache_size: DEFAULT_CACHE_ENTRIES,
            timing_mitigation: true,
        }
    }
}
