//! How tokens are counted, as a user configures it.

use crate::DEFAULT_CACHE_SIZE;

/// The keys of `context.tokenizer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenizerSettings {
    /// Count as the model does. Where this is off, tokens are estimated from characters, whatever
    /// the model.
    pub use_exact: bool,
    /// Remember counts.
    pub cache_enabled: bool,
    /// How many counts each cache remembers.
    pub cache_size: usize,
    /// Give every tenant caches of its own, so that nobody can learn from the time that a count takes
    /// what somebody else has counted.
    pub timing_mitigation: bool,
}

impl TokenizerSettings {
    /// The counts that a cache may have; 0 where there is none.
    pub fn entries(&self) -> usize {
        if self.cache_enabled { self.cache_size } else { 0 }
    }
}

impl Default for TokenizerSettings {
    fn default() -> Self {
        Self {
            use_exact: true,
            cache_enabled: true,
            cache_size: DEFAULT_CACHE_SIZE,
            timing_mitigation: true,
        }
    }
}
