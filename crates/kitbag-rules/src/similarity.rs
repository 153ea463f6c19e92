//! Word overlap of rules and the situation. It only orders undecided rules and decides no condition.

use std::collections::BTreeSet;

/// Returns the share of the words of `text` that are in `situation`, from 0 to 1.
pub(crate) fn similarity(text: &str, situation: &BTreeSet<String>) -> f64 {
    let words = words(text);
    if words.is_empty() {
        return 0.0;
    }
    words.intersection(situation).count() as f64 / words.len() as f64
}

/// Returns the words of a text with more than two characters, in lower case and without plural `s`.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let long = words.filter(|word| word.chars().count() > 2);
    long.map(|word| word.strip_suffix('s').unwrap_or(word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_common_words_are_more_similar() {
        let situation = words("Write database migrations for users");
        let of = |text: &str| similarity(text, &situation);
        assert_eq!(of(""), 0.0);
        assert_eq!(of("styling of buttons"), 0.0);
        assert!(of("database migration") > of("database styling"));
        assert!(of("database migration") <= 1.0);
    }
}
