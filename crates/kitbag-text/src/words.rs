//! Words in code and prose: identifiers, whole and split, in lowercase.

/// Calls `found` with every word of `text` in lowercase: each identifier and, if it consists of several
/// words (`handleOAuthCallback`, `get_user`, `utf8`), each of those too.
pub fn for_each_word(text: &str, mut found: impl FnMut(&str)) {
    let mut lower = String::new();
    let mut rest = text;
    while let Some(start) = rest.bytes().position(is_word_byte) {
        let run = &rest[start..];
        let end = run.bytes().position(|byte| !is_word_byte(byte)).unwrap_or(run.len());
        rest = &run[end..];
        let run = &run[..end];
        if run.bytes().all(|byte| byte.is_ascii_lowercase()) {
            found(run);
        } else {
            identifiers(run).for_each(|identifier| split(identifier, &mut lower, &mut found));
        }
    }
}

/// Whether a byte may be part of an identifier. Non-ASCII bytes are accepted here and checked when the
/// run is split.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Calls `found` with an identifier and, if it has several parts, with each of them.
fn split(identifier: &str, lower: &mut String, found: &mut impl FnMut(&str)) {
    let identifier = identifier.trim_matches('_');
    lowercase_into(identifier, lower);
    found(lower);
    if !identifier.is_ascii() {
        bigrams(identifier, found);
    }
    let parts = WordParts { rest: identifier }.filter(|part| part.len() < identifier.len());
    for part in parts {
        lowercase_into(part, lower);
        found(lower);
    }
}

/// Calls `found` with every two adjacent characters of scripts without spaces between words, where most
/// words have two characters and finding them would require a dictionary.
fn bigrams(identifier: &str, found: &mut impl FnMut(&str)) {
    let mut last: Option<usize> = None;
    for (at, c) in identifier.char_indices() {
        let end = at + c.len_utf8();
        let is_in_run = is_unspaced(c);
        // A bigram that is the whole identifier has been reported already.
        if let Some(start) = last.filter(|&start| is_in_run && end - start < identifier.len()) {
            found(&identifier[start..end]);
        }
        last = is_in_run.then_some(at);
    }
}

/// Whether a character is Han, Hiragana or Katakana.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// Returns the distinct words of a query in order and in lowercase, with identifiers split. Stop words are
/// dropped unless all words are stop words.
pub fn query_words(query: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for identifier in identifiers(query) {
        for part in (WordParts { rest: identifier }) {
            let word = part.to_lowercase();
            if !all.contains(&word) {
                all.push(word);
            }
        }
    }
    let specific: Vec<String> = all.iter().filter(|word| !is_stop_word(word)).cloned().collect();
    if specific.is_empty() { all } else { specific }
}

/// Returns the runs of letters, digits and underscores that are not only underscores.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|run| run.bytes().any(|byte| byte != b'_'))
}

/// Splits an identifier at underscores, from lowercase to uppercase, before the last capital of a run
/// that is followed by lowercase, and between letters and digits. A single letter is joined with the
/// capitalized part after it: `OAuth` is one word.
struct WordParts<'a> {
    rest: &'a str,
}

impl<'a> Iterator for WordParts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.rest = self.rest.trim_start_matches('_');
        if self.rest.is_empty() {
            return None;
        }
        let mut end = part_end(self.rest);
        let is_single = self.rest[..end].chars().nth(1).is_none();
        if is_single && self.rest[end..].starts_with(char::is_uppercase) {
            end += part_end(&self.rest[end..]);
        }
        let (part, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(part)
    }
}

#[derive(PartialEq, Clone, Copy)]
enum CharClass {
    Upper,
    Lower,
    Digit,
    Underscore,
}

fn char_class(c: char) -> CharClass {
    match c {
        '_' => CharClass::Underscore,
        'a'..='z' => CharClass::Lower,
        'A'..='Z' => CharClass::Upper,
        _ if c.is_numeric() => CharClass::Digit,
        _ if c.is_uppercase() => CharClass::Upper,
        _ => CharClass::Lower,
    }
}

/// Returns the end of the first part of `text`.
fn part_end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let Some((_, first)) = chars.next() else { return 0 };
    let mut previous = char_class(first);
    while let Some((at, c)) = chars.next() {
        let current = char_class(c);
        let next_is_lower =
            chars.peek().is_some_and(|&(_, next)| char_class(next) == CharClass::Lower);
        let ends = match (previous, current) {
            (_, CharClass::Underscore)
            | (CharClass::Lower | CharClass::Digit, CharClass::Upper) => true,
            (CharClass::Upper, CharClass::Upper) => next_is_lower,
            (CharClass::Upper, CharClass::Lower) => false,
            (left, right) => left != right,
        };
        if ends {
            return at;
        }
        previous = current;
    }
    text.len()
}

fn lowercase_into(text: &str, lower: &mut String) {
    lower.clear();
    if text.is_ascii() {
        lower.push_str(text);
        lower.make_ascii_lowercase();
    } else {
        lower.extend(text.chars().flat_map(char::to_lowercase));
    }
}

/// Whether a word is too common in English to be useful in a search.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "but", "by", "can", "could", "did", "do", "does", "doesn", "don", "for", "from", "had",
    "has", "have", "how", "i", "if", "in", "into", "is", "isn", "it", "its", "just", "like", "may",
    "me", "my", "no", "not", "of", "on", "one", "only", "or", "our", "out", "should", "so", "some",
    "such", "t", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "to", "up", "us", "use", "was", "we", "were", "what", "when", "where", "which", "while", "who",
    "why", "will", "with", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        for_each_word(text, |word| all.push(word.to_owned()));
        all
    }

    #[test]
    fn identifiers_are_reported_whole_and_split() {
        assert_eq!(
            words("handleOAuthCallback"),
            ["handleoauthcallback", "handle", "oauth", "callback"]
        );
        assert_eq!(words("get_user"), ["get_user", "get", "user"]);
        assert_eq!(words("HTTPServer2"), ["httpserver2", "http", "server", "2"]);
        assert_eq!(words("__init__ x"), ["init", "x"]);
        assert_eq!(words("Größe, naïve"), ["größe", "naïve"]);
        assert_eq!(words("_ __ -- "), Vec::<String>::new());
    }

    #[test]
    fn scripts_without_spaces_are_reported_as_bigrams() {
        assert_eq!(words("登录失败"), ["登录失败", "登录", "录失", "失败"]);
        assert_eq!(words("登录"), ["登录"]);
        assert_eq!(words("認証ヘッダー"), ["認証ヘッダー", "認証", "証ヘ", "ヘッ", "ッダ", "ダー"]);
        assert_eq!(words("login登录"), ["login登录", "登录"]);
        assert_eq!(words("Größe 한국어"), ["größe", "한국어"]);
    }

    #[test]
    fn query_words_are_distinct_and_exclude_stop_words() {
        assert_eq!(
            query_words("Why does login fail for OAuth users? login!"),
            ["login", "fail", "oauth", "users"]
        );
        assert_eq!(query_words("what is it"), ["what", "is", "it"]);
        assert_eq!(query_words("   "), Vec::<String>::new());
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }
}
