//! English nouns after a number.

use std::borrow::Cow;

/// Formats `count` with `noun` in the singular or plural: `1 chunk`, `3 chunks`.
///
/// ```
/// assert_eq!(kitbag_text::plural(1, "chunk"), "1 chunk");
/// assert_eq!(kitbag_text::plural(3, "history"), "3 histories");
/// ```
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {}", plural_noun(count, noun))
}

/// Returns `noun` in the number that `count` requires, for when the count is formatted separately.
///
/// A noun that ends in `s` is taken to be a plural already, such as `diagnostics`.
pub fn plural_noun(count: usize, noun: &str) -> Cow<'_, str> {
    if count == 1 || noun.ends_with('s') {
        return noun.into();
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies").into(),
        _ => format!("{noun}s").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::plural;

    #[test]
    fn nouns_follow_their_count() {
        assert_eq!(plural(0, "file"), "0 files");
        assert_eq!(plural(1, "day"), "1 day");
        assert_eq!(plural(2, "day"), "2 days");
        assert_eq!(plural(2, "repository"), "2 repositories");
        assert_eq!(plural(2, "diagnostics"), "2 diagnostics");
    }
}
