//! Suggestions for misspelled names.

/// The Jaro-Winkler similarity, between 0 and 1, from which [`similar`] suggests a name.
const MIN_SIMILARITY: f64 = 0.7;

/// Returns the candidate with the smallest [`edit_distance`] to `name`, the first of several, or `None`
/// without candidates.
///
/// ```
/// assert_eq!(kitbag_tokens::nearest("serch", ["history", "search"]), Some("search"));
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates.into_iter().min_by_key(|candidate| edit_distance(name, candidate))
}

/// Returns the candidate most similar to `name`, or `None` if none is similar enough to be a likely
/// misspelling.
///
/// ```
/// assert_eq!(kitbag_tokens::similar("contnet", ["content", "path"]), Some("content"));
/// assert_eq!(kitbag_tokens::similar("zzz", ["content", "path"]), None);
/// ```
pub fn similar<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Counts the insertions, deletions, replacements and swaps of adjacent characters that turn `a` into
/// `b` (Damerau-Levenshtein).
pub fn edit_distance(a: &str, b: &str) -> usize {
    strsim::damerau_levenshtein(a, b)
}
