//! Words as the index knows them: numbers that are the same on every machine.

use kitbag_text::for_each_word;

/// Changes whenever the same text would give other words.
pub(crate) const WORDS_VERSION: u32 = 3;

/// Calls `found` with the id of every word of `text`: each identifier whole and, where it is made
/// of several words, each of those too.
pub fn for_each_id(text: &str, mut found: impl FnMut(u32)) {
    for_each_word(text, |word| found(word_id(word)));
}

/// The id of a word: the hash of its stem. Two words share one by chance about once in four
/// thousand million pairs.
pub fn word_id(word: &str) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in stem(word).bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash ^ hash >> 32) as u32
}

/// A word without the endings of plural, past and gerund, as far as they can be told from the word
/// alone. Only plain words are touched: an identifier such as `handlers_2` is a name.
pub fn stem(word: &str) -> &str {
    if word.len() < 5 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    let cut = |ending: &str| word.strip_suffix(ending).filter(|rest| rest.len() >= 4);
    if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word;
    }
    cut("ings")
        .or_else(|| cut("ing"))
        .or_else(|| cut("ied").or_else(|| cut("ies")))
        .or_else(|| cut("ed"))
        .or_else(|| cut("es"))
        .or_else(|| cut("s"))
        .or_else(|| cut("e"))
        .or_else(|| cut("y"))
        .unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_an_id() {
        for (one, other) in [
            ("handlers", "handler"),
            ("parsing", "parsed"),
            ("parse", "parses"),
            ("queries", "query"),
            ("cached", "caching"),
            ("warnings", "warn"),
        ] {
            assert_eq!(word_id(one), word_id(other), "{one} {other}");
        }
        for (one, other) in [("class", "clas"), ("status", "statu"), ("user", "use")] {
            assert_ne!(word_id(one), word_id(other), "{one} {other}");
        }
    }

    #[test]
    fn names_are_left_alone() {
        assert_eq!(stem("get_users"), "get_users");
        assert_eq!(stem("größe"), "größe");
    }
}
