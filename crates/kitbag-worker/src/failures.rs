//! Texts that killed or stalled a worker, by hash.

use kitbag_text::{Fallback, Language};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// Older failures are forgotten all at once when there are more than this.
const MAX_FAILURES: usize = 10_000;

/// The failures of this process.
#[derive(Default)]
pub(crate) struct Failures {
    known: Mutex<KnownFailures>,
}

#[derive(Default)]
struct KnownFailures {
    /// Sizes of the texts that failed. A text of another size need not be hashed.
    sizes: HashSet<usize>,
    by_hash: HashMap<[u8; 32], Fallback>,
}

impl Failures {
    /// Returns why a text is not to be parsed again, if it has failed before.
    pub fn find(&self, language: &Language, content: &str) -> Option<Fallback> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known().sizes.contains(&content.len()) {
            return None;
        }
        let hash = hash(language, content);
        known().by_hash.get(&hash).copied()
    }

    /// Remembers that a text has failed.
    pub fn add(&self, language: &Language, content: &str, fallback: Fallback) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.by_hash.len() >= MAX_FAILURES {
            *known = KnownFailures::default();
        }
        known.sizes.insert(content.len());
        known.by_hash.insert(hash(language, content), fallback);
    }
}

fn hash(language: &Language, content: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(language.name());
    hash.update([0]);
    hash.update(content);
    hash.finalize().into()
}
