//! Matches of rules that guards decide about.

use std::ops::Range;

/// A match that may be a secret.
pub(super) struct SecretCandidate<'a> {
    pub content: &'a str,
    pub keyword: Range<usize>,
    pub secret: Range<usize>,
}

/// Extends a range to the characters that it begins and ends in. Values are read by bytes and up to a maximum length, which
/// may end within a character.
pub(super) fn whole_characters(content: &str, range: Range<usize>) -> Range<usize> {
    content.floor_char_boundary(range.start)..content.ceil_char_boundary(range.end)
}

impl<'a> SecretCandidate<'a> {
    pub fn value(&self) -> &'a str {
        &self.content[self.secret.clone()]
    }
}
