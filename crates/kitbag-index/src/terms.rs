//! Word ids: hashes of word stems, the same on every machine.

use kitbag_text::for_each_word;

/// Bumped whenever the same text would yield different words.
pub(crate) const WORDS_VERSION: u32 = 3;

/// Calls `visit` with the id of every word of `text`: each whole identifier, and each word of a
/// compound identifier.
pub fn for_each_id(text: &str, mut visit: impl FnMut(u32)) {
    for_each_word(text, |word| visit(word_id(word)));
}

/// Returns the id of a word: the 32-bit FNV-1a hash of its stem, folded from 64 bits. Two words
/// collide with a probability of about 2^-32.
pub fn word_id(word: &str) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in stem(word).bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash ^ hash >> 32) as u32
}

/// Strips plural, past-tense and gerund endings from a lowercase ASCII word. Identifiers such as
/// `handlers_2` are returned unchanged.
pub fn stem(word: &str) -> &str {
    if word.len() < 5 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word;
    }
    ["ings", "ing", "ied", "ies", "ed", "es", "s", "e", "y"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|rest| rest.len() >= 4))
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
    fn identifiers_are_not_stemmed() {
        assert_eq!(stem("get_users"), "get_users");
        assert_eq!(stem("größe"), "größe");
    }
}
