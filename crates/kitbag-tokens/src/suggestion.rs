//! Suggestions for misspelled names.

/// The Jaro-Winkler similarity, between 0 and 1, from which a name is suggested. At 0.7, `fle` suggests
/// `rule`.
const MIN_SIMILARITY: f64 = 0.8;

/// Maximum number of names that [`one_of`] lists.
const MAX_LISTED_NAMES: usize = 40;

/// Returns the candidate most similar to `name`, the first of several, or `None` if none is similar
/// enough to be a likely misspelling: a wrong suggestion is worse than none.
///
/// ```
/// assert_eq!(kitbag_tokens::similar("contnet", ["content", "path"]), Some("content"));
/// assert_eq!(kitbag_tokens::similar("zzz", ["content", "path"]), None);
/// ```
pub fn similar<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        let similarity = strsim::jaro_winkler(name, candidate);
        if similarity >= best.map_or(MIN_SIMILARITY, |(similarity, _)| similarity.next_up()) {
            best = Some((similarity, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns the hint that suggests the candidate most [`similar`] to `name`.
///
/// ```
/// assert_eq!(kitbag_tokens::did_you_mean("serch", ["search"]).as_deref(), Some("did you mean `search`?"));
/// ```
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    similar(name, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// Returns the hint that lists all names, or `None` if there are none or too many to read.
///
/// ```
/// assert_eq!(kitbag_tokens::one_of(["json", "xml"]).as_deref(), Some("expected one of `json`, `xml`"));
/// ```
pub fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let names: Vec<&str> = names.into_iter().take(MAX_LISTED_NAMES + 1).collect();
    let is_listed = (1..=MAX_LISTED_NAMES).contains(&names.len());
    is_listed.then(|| format!("expected one of `{}`", names.join("`, `")))
}

/// Returns the hint for an unknown name: the most similar of the known names, or else a list of them.
pub fn name_hint<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str, IntoIter: Clone>,
) -> Option<String> {
    let known = known.into_iter();
    did_you_mean(name, known.clone()).or_else(|| one_of(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_likely_misspellings_are_suggested() {
        assert_eq!(similar("fle", ["rule", "file"]), Some("file"));
        assert_eq!(similar("fle", ["rule"]), None);
        assert_eq!(similar("foo", ["o1", "o3"]), None);
        assert_eq!(similar("ab", ["abc", "abd"]), Some("abc"));
    }

    #[test]
    fn short_lists_are_shown_and_long_ones_are_not() {
        let names: Vec<String> = (0..=MAX_LISTED_NAMES).map(|it| it.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let hint = name_hint("zzz", names[1..].iter().copied()).expect("a list");
        assert!(hint.starts_with("expected one of `1`, `2`") && hint.ends_with("`40`"), "{hint}");
        assert_eq!(name_hint("zzz", names.iter().copied()), None);
        assert_eq!(one_of([]), None);
    }
}
