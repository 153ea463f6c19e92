//! Classifies names such as `DB_PASSWORD` and `clientSecret` by their words.
//!
//! The last word decides: `admin_password` is a password, `password_file` is not. Words that often follow,
//! such as numbers and environments, are skipped.

use super::guard;
use super::rule::{MatchWindow, SecretRule};
use super::vocabulary::{
    AMBIGUOUS_WORDS, HARMLESS_ENDS, HARMLESS_KEY_WORDS, HARMLESS_WORDS, OTHER_WORDS,
    PASSWORD_ENDINGS, PASSWORD_WORDS, SECRET_KEY_WORDS, TOKEN_ENDINGS, TOKEN_WORDS, TRAILING_WORDS,
};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::LazyLock;

pub(super) const RULES: &[SecretRule] = &[
    named("password", "password, by the name that it is assigned to", STEMS),
    named("secret", "key, token or other secret, by the name that it is assigned to", &[]),
];

const fn named(
    id: &'static str,
    description: &'static str,
    keywords: &'static [&'static str],
) -> SecretRule {
    let (window, guard) = (MatchWindow::Name, guard::is_not_placeholder);
    SecretRule { id, description, keywords, pattern: "", window, min_distance: 0, guard }
}

/// What the value of a name is, from the values that people choose to those that only programs make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameKind {
    /// A password, which may consist of words.
    Password,
    /// A secret, which is usually random.
    Secret,
    /// A token or key, which is random.
    Token,
    /// A number that unlocks something, such as a PIN.
    Pin,
    /// A name that many other values have as well, such as `key`.
    Ambiguous,
}

/// A name and what it says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SecretName {
    pub kind: NameKind,
    /// Whether further words qualify the name, as in `consul_token`.
    pub is_qualified: bool,
    /// Whether the name is `pass`, which is a verb as well.
    pub is_verb: bool,
    /// Whether the word before the one that decides says what a secret is for, as in `smtp_password`, unlike in the
    /// names of form fields such as `old_password`.
    pub has_purpose: bool,
    /// Whether the word before the one that decides is typical of secrets, as in `api_token` and `jwtSecret`.
    pub is_strong: bool,
}

/// Substrings of all names that [`classify`] accepts, in lowercase.
#[rustfmt::skip]
pub(super) const STEMS: &[&str] = &[
    "pass", "pwd", "_pw", " pw", "$pw", "ndpw", "otpw", "pw=", "pw:", "pw\"", "pswd", "psk", "secret", "token", "key", "cred", "auth", "login",
    "salt", "sess", ".sid", "_sid", "cookie", "hmac", "_pat", "seed", "recovery code", "backup code", "fernet",
    "_pin", "pin ", "pin=", "pin:", "pin\"", "pin'", "pin>", "pin]", "pepper", "pin_", "pincode", "alarm", "unlock", "door_", "doorc",
    "gate_code", "snmp", "kennwort", "senha", "contrasena", "wachtwoord", "haslo", "heslo", "mdp",
];

/// Words before `secret`, `token` and `key` that leave no doubt. Other words name a resource, as in `tls-secret`.
#[rustfmt::skip]
const STRONG_WORDS: &[&str] = &[
    "access", "admin", "api", "app", "auth", "client", "cookie", "encryption", "hmac", "jwt", "master", "private",
    "secret", "session", "shared", "signing", "webhook",
];

/// Words before the names of form fields.
const FORM_WORDS: &[&str] = &[
    "old",
    "new",
    "current",
    "confirm",
    "confirmation",
    "repeat",
    "raw",
    "wrong",
    "the",
    "my",
    "user",
    "self",
    "this",
];

/// Words of tokens that protect forms.
const FORGERY_WORDS: &[&str] = &["csrf", "xsrf"];

/// Words before `pass` that make it a step of a program.
const STEP_WORDS: &[&str] = &["run", "render", "first", "second", "next", "last", "test", "build"];

/// Longest part of a name that is considered.
const MAX_NAME_BYTES: usize = 96;

/// Returns the whole name around a keyword.
pub(super) fn around(content: &str, keyword: Range<usize>) -> Range<usize> {
    let bytes = content.as_bytes();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let is_part_before = |byte: &&u8| is_part(byte) || **byte == b'/';
    // A keyword may include the text around the name, as in `pw=` and ` pw`.
    let last = bytes[keyword.clone()].iter().rposition(u8::is_ascii_alphanumeric).unwrap_or(0);
    let last = keyword.start + last;
    let before = bytes[..last].iter().rev().take(MAX_NAME_BYTES).take_while(is_part_before).count();
    let after = bytes[last..].iter().take(MAX_NAME_BYTES).take_while(is_part).count();
    let name = last - before..last + after;
    let trailing = bytes[name.clone()].iter().rev().take_while(|it| b"-.".contains(it)).count();
    name.start..(name.end - trailing).max(last + 1)
}

/// Classifies the name at a place in a text. `key` may be written as `API key`.
pub(super) fn classify_at(content: &str, name: &Range<usize>) -> Option<SecretName> {
    if content.as_bytes()[..name.start].ends_with(b"</") {
        return None;
    }
    let class = classify(&content[name.clone()]);
    match class {
        None | Some(SecretName { kind: NameKind::Ambiguous, .. }) => {
            classify(with_word_before(content, name))
        }
        class => class,
    }
}

/// Returns a name with the word before it.
fn with_word_before<'a>(content: &'a str, name: &Range<usize>) -> &'a str {
    let before = &content.as_bytes()[..name.start];
    let is_single = content[name.clone()].bytes().all(|it| it.is_ascii_alphanumeric());
    let word = match before {
        [rest @ .., b' '] if is_single => {
            rest.iter().rev().take(24).take_while(|it| it.is_ascii_alphabetic()).count() + 1
        }
        _ => 0,
    };
    &content[name.start - word..name.end]
}

/// Properties of a word, one bit each.
const PASSWORD: u16 = 1;
const OTHER: u16 = 1 << 1;
const TOKEN: u16 = 1 << 2;
const AMBIGUOUS: u16 = 1 << 3;
const SECRET_KEY: u16 = 1 << 4;
const HARMLESS_KEY: u16 = 1 << 5;
const HARMLESS: u16 = 1 << 6;
const HARMLESS_END: u16 = 1 << 7;
const TRAILING: u16 = 1 << 8;

/// Properties of all words of the tables, so that a word is looked up once.
static PROPERTIES: LazyLock<FxHashMap<&str, u16>> = LazyLock::new(|| {
    let tables = [
        (PASSWORD, PASSWORD_WORDS),
        (OTHER, OTHER_WORDS),
        (TOKEN, TOKEN_WORDS),
        (AMBIGUOUS, AMBIGUOUS_WORDS),
        (SECRET_KEY, SECRET_KEY_WORDS),
        (HARMLESS_KEY, HARMLESS_KEY_WORDS),
        (HARMLESS, HARMLESS_WORDS),
        (HARMLESS_END, HARMLESS_ENDS),
        (TRAILING, TRAILING_WORDS),
    ];
    let mut properties: FxHashMap<&str, u16> = FxHashMap::default();
    for (property, words) in tables {
        for word in words {
            *properties.entry(word).or_default() |= property;
        }
    }
    properties
});

/// A word of a name, in lowercase.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    properties: u16,
}

impl Word<'_> {
    fn is(self, property: u16) -> bool {
        self.properties & property != 0
    }
}

/// Returns what a name says about its value, or `None` if the value is not secret.
fn classify(name: &str) -> Option<SecretName> {
    let from = name.len().saturating_sub(MAX_NAME_BYTES);
    let name = name.get(from..)?;
    let lower = name.to_ascii_lowercase();
    let words = split_words(name, &lower);
    let mut end = words.len();
    let is_skipped =
        |word: Word<'_>| word.is(TRAILING) || word.text.bytes().all(|it| it.is_ascii_digit());
    while end > 1 && is_skipped(words[end - 1]) {
        end -= 1;
    }
    // A token against forged requests is not secret, unlike the key that signs such tokens.
    let signs_tokens = words.iter().any(|word| word.text == "secret");
    let is_harmless = |word: &Word<'_>| {
        word.is(HARMLESS) && !(signs_tokens && FORGERY_WORDS.contains(&word.text))
    };
    if words.iter().any(is_harmless) {
        return None;
    }
    let kind = kind_of(&words[..end]).or_else(|| kind_of_inner(&words[..end]))?;
    let is_verb = words[end - 1].text == "pass";
    // In `person.password`, the first word is an object.
    let member = name.rsplit('.').next().unwrap_or(name);
    let is_upper = member.len() > 4 && !member.bytes().any(|it| it.is_ascii_lowercase());
    let has_purpose = is_upper
        || end > 1
            && member.len() > words[end - 1].text.len()
            && !FORM_WORDS.contains(&words[end - 2].text);
    let is_strong = end > 1 && STRONG_WORDS.contains(&words[end - 2].text);
    Some(SecretName { kind, is_qualified: end > 1, is_verb, has_purpose, is_strong })
}

fn kind_of(words: &[Word<'_>]) -> Option<NameKind> {
    let (&last, before) = words.split_last()?;
    let ends_with = |endings: &[&str]| endings.iter().any(|it| last.text.ends_with(it));
    if last.is(PASSWORD) {
        let is_step =
            last.text == "pass" && before.last().is_some_and(|it| STEP_WORDS.contains(&it.text));
        return (!is_step).then_some(NameKind::Password);
    }
    if last.is(OTHER) {
        return None;
    }
    if last.text.ends_with("secret") || last.text == "pepper" {
        return Some(NameKind::Secret);
    }
    if ends_with(PASSWORD_ENDINGS) {
        return Some(NameKind::Password);
    }
    let qualifier = before.last();
    if matches!(last.text, "key" | "keys") {
        return match qualifier {
            Some(word) if word.is(SECRET_KEY) => Some(NameKind::Token),
            Some(word) if word.is(HARMLESS_KEY) => None,
            _ => Some(NameKind::Ambiguous),
        };
    }
    if last.text == "pin" || is_lock_code(last, qualifier) {
        return Some(NameKind::Pin);
    }
    let says_password = match last.text {
        "community" => qualifier.is_some_and(|it| it.text == "snmp"),
        "credentials" => qualifier.is_some_and(|it| matches!(it.text, "bind" | "security")),
        "phrase" => qualifier.is_some_and(|it| matches!(it.text, "secret" | "pass")),
        _ => false,
    };
    if says_password {
        return Some(NameKind::Password);
    }
    let is_code = matches!(last.text, "code" | "codes" | "phrase")
        && qualifier
            .is_some_and(|it| matches!(it.text, "recovery" | "backup" | "scratch" | "seed"));
    if is_code || last.is(TOKEN) || ends_with(TOKEN_ENDINGS) {
        return Some(NameKind::Token);
    }
    let is_session = last.text == "id" && qualifier.is_some_and(|it| it.text.ends_with("session"));
    let is_ambiguous = last.is(AMBIGUOUS) && qualifier.is_none_or(|it| !it.is(HARMLESS_KEY));
    (is_ambiguous || is_session).then_some(NameKind::Ambiguous)
}

/// Whether a name is that of a code for a lock or an alarm, as in `alarm_code` and `pinCode`.
fn is_lock_code(last: Word<'_>, qualifier: Option<&Word<'_>>) -> bool {
    const LOCKS: &[&str] = &["pin", "alarm", "unlock", "lock", "door", "gate", "disarm"];
    last.text == "pincode"
        || last.text == "code" && qualifier.is_some_and(|it| LOCKS.contains(&it.text))
}

/// Classifies names in which another word follows, as in `password_billing`.
fn kind_of_inner(words: &[Word<'_>]) -> Option<NameKind> {
    let (last, before) = words.split_last()?;
    if last.is(HARMLESS_END) {
        return None;
    }
    let is_secret = |end: usize| {
        let kind = kind_of(&before[..end]);
        matches!(kind, Some(NameKind::Password | NameKind::Secret | NameKind::Token))
    };
    (1..=before.len()).any(is_secret).then_some(NameKind::Ambiguous)
}

/// Splits a name at punctuation and at changes of case. `lower` is the name in lowercase.
fn split_words<'a>(name: &str, lower: &'a str) -> Vec<Word<'a>> {
    let bytes = name.as_bytes();
    let mut words: Vec<Word<'_>> = Vec::with_capacity(8);
    let mut start = 0;
    let mut push = |range: Range<usize>| {
        if !range.is_empty() {
            let text = &lower[range];
            let properties = PROPERTIES.get(text).copied().unwrap_or_default();
            words.push(Word { text, properties });
        }
    };
    for (at, &byte) in bytes.iter().enumerate() {
        if !byte.is_ascii_alphanumeric() {
            push(start..at);
            start = at + 1;
        } else if at > start && is_word_start(bytes, at, &lower[start..at]) {
            push(start..at);
            start = at;
        }
    }
    push(start..bytes.len());
    words
}

/// Whether a word begins at `at`, after the letters `word`: at a capital, the last capital of several, or a number
/// that is not part of the word, as in `password1`.
fn is_word_start(bytes: &[u8], at: usize, word: &str) -> bool {
    let (before, byte) = (bytes[at - 1], bytes[at]);
    let is_last_capital = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase) && word.len() > 1;
    let is_capital = byte.is_ascii_uppercase() && (!before.is_ascii_uppercase() || is_last_capital);
    let ends_with_secret =
        || ["pass", "word", "token", "secret", "key", "pwd"].iter().any(|it| word.ends_with(it));
    is_capital || byte.is_ascii_digit() && before.is_ascii_alphabetic() && ends_with_secret()
}
