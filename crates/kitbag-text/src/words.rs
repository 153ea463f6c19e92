//! Words of code and prose: identifiers whole and split, case ignored.

/// Calls `found` with every word of `text`, in lower case: each identifier whole and, where it is
/// made of several words (`handleOAuthCallback`, `get_user`, `utf8`), each of those too.
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

/// Whether a byte may be part of an identifier. All of other scripts may: what is really one is
/// decided when the run is split.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Calls `found` with an identifier whole and, if it has several, with each of its parts.
fn split(identifier: &str, lower: &mut String, found: &mut impl FnMut(&str)) {
    let identifier = identifier.trim_matches('_');
    lowercase_into(identifier, lower);
    found(lower);
    if !identifier.is_ascii() {
        pairs(identifier, found);
    }
    let mut rest = Parts::new(identifier);
    let Some(first) = rest.next() else { return };
    if first.len() == identifier.len() {
        return;
    }
    for part in std::iter::once(first).chain(rest) {
        lowercase_into(part, lower);
        found(lower);
    }
}

/// Calls `found` with every two neighbours in a run of characters of a script without spaces between
/// words: what is a word in it takes a dictionary, and most are two characters.
fn pairs(identifier: &str, found: &mut impl FnMut(&str)) {
    let mut last: Option<usize> = None;
    for (at, c) in identifier.char_indices() {
        let end = at + c.len_utf8();
        let is_part = is_unspaced(c);
        // A pair alone is the whole identifier, which was found already.
        if let Some(start) = last.filter(|&start| is_part && end - start < identifier.len()) {
            found(&identifier[start..end]);
        }
        last = is_part.then_some(at);
    }
}

/// Whether a character belongs to a script that is written without spaces: Han, Hiragana, Katakana.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// The words that a query asks for: the parts of its identifiers, in lower case, each once and in
/// order, without the words that every text has. If it has no others, those are kept.
pub fn query_words(query: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for identifier in identifiers(query) {
        for part in Parts::new(identifier) {
            let word = part.to_lowercase();
            if !all.contains(&word) {
                all.push(word);
            }
        }
    }
    let telling: Vec<String> = all.iter().filter(|word| !is_common(word)).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// The runs of letters, digits and underscores.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|run| run.bytes().any(|byte| byte != b'_'))
}

/// Splits an identifier where a person would: at underscores, where lower case turns into upper,
/// before the last capital of a run that goes on in lower case, and between letters and digits. A
/// part of one letter goes with what follows it: `OAuth` is one word.
struct Parts<'a> {
    rest: &'a str,
}

impl<'a> Parts<'a> {
    fn new(identifier: &'a str) -> Self {
        Self { rest: identifier }
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.rest = self.rest.trim_start_matches('_');
        if self.rest.is_empty() {
            return None;
        }
        let mut end = part_end(self.rest);
        let lone = self.rest[..end].chars().nth(1).is_none();
        if lone && self.rest[end..].starts_with(char::is_uppercase) {
            end += part_end(&self.rest[end..]);
        }
        let (part, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(part)
    }
}

#[derive(PartialEq, Clone, Copy)]
enum Class {
    Upper,
    Lower,
    Digit,
    Underscore,
}

fn class(c: char) -> Class {
    match c {
        '_' => Class::Underscore,
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        _ if c.is_numeric() => Class::Digit,
        _ if c.is_uppercase() => Class::Upper,
        _ => Class::Lower,
    }
}

/// Where the part that begins `text` ends.
fn part_end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let Some((_, first)) = chars.next() else { return 0 };
    let mut previous = class(first);
    while let Some((at, c)) = chars.next() {
        let current = class(c);
        let next_is_lower = chars.peek().is_some_and(|&(_, next)| class(next) == Class::Lower);
        let ends = match (previous, current) {
            (_, Class::Underscore) | (Class::Lower | Class::Digit, Class::Upper) => true,
            (Class::Upper, Class::Upper) => next_is_lower,
            (Class::Upper, Class::Lower) => false,
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

/// Whether a word is in nearly every English sentence, and so asks for nothing.
pub fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

const COMMON: &[&str] = &[
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
    fn identifiers_are_whole_and_split() {
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
    fn scripts_without_spaces_are_found_by_pairs() {
        assert_eq!(words("登录失败"), ["登录失败", "登录", "录失", "失败"]);
        assert_eq!(words("登录"), ["登录"]);
        assert_eq!(words("認証ヘッダー"), ["認証ヘッダー", "認証", "証ヘ", "ヘッ", "ッダ", "ダー"]);
        assert_eq!(words("login登录"), ["login登录", "登录"]);
        assert_eq!(words("Größe 한국어"), ["größe", "한국어"]);
    }

    #[test]
    fn a_query_asks_for_its_telling_words_once() {
        assert_eq!(
            query_words("Why does login fail for OAuth users? login!"),
            ["login", "fail", "oauth", "users"]
        );
        assert_eq!(query_words("what is it"), ["what", "is", "it"]);
        assert_eq!(query_words("   "), Vec::<String>::new());
    }

    #[test]
    fn the_common_words_are_sorted() {
        assert!(COMMON.is_sorted());
    }
}
