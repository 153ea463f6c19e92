//! Matches of rules that guards decide about.

use std::ops::Range;

/// A match that may be a secret.
pub(super) struct SecretCandidate<'a> {
    pub content: &'a str,
    pub keyword: Range<usize>,
    pub secret: Range<usize>,
}

impl<'a> SecretCandidate<'a> {
    pub fn value(&self) -> &'a str {
        &self.content[self.secret.clone()]
    }
}
