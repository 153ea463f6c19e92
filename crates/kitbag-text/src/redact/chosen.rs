//! Passwords as people choose them: words, names, seasons and phrases.
//!
//! Under the name of a password, a value is a secret unless it evidently is something else: an example, a label, a
//! type or the name of another thing. The words in it say nothing else, because people choose any of them.

use super::heuristics::{has_word, is_member_path, leet};
use super::shape::{Shape, has_technical_words, is_expression, is_slug};
use super::words::{EXAMPLE_WORDS, FILLER_WORDS, INVENTED_WORDS, automaton};
use aho_corasick::{AhoCorasick, MatchKind};
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// Length of a chosen password. Shorter ones also have to mix kinds of characters.
const MIN_CHOSEN_BYTES: usize = 4;
const MIN_WORD_BYTES: usize = 5;
const MAX_CHOSEN_BYTES: usize = 64;

/// Letters besides the words of examples from which a value is a sentence of its own.
const MIN_SENTENCE_LETTERS: usize = 16;

/// Most words of a phrase; longer texts are sentences.
const MAX_PHRASE_WORDS: usize = 8;

/// Words for a password. Texts with one are labels, messages and examples.
#[rustfmt::skip]
const PASSWORD_TRANSLATIONS: &[&str] = &[
    "passwor", "passwd", "passphrase", "passord", "passkod", "passkey", "kennwort", "kenwort", "losung",
    "contrase", "contrasinal", "mot de passe", "motdepasse", "senha", "palavra-passe", "wachtwoord", "parola",
    "parole", "parool", "haslo", "heslo", "jelszo", "salasana", "losenord", "adgangskode", "lykilor", "sifre",
    "zaporka", "lozink", "fjalekalim", "pasfhocal", "passwoat", "geslo", "slaptazod", "pasahitz", "kata sandi", "mat khau", "pasvorto", "cyfrinair",
    "credential",
];

/// Words of labels and messages about passwords.
#[rustfmt::skip]
const LABEL_WORDS: &[&str] = &[
    "enter", "must", "should", "required", "invalid", "cannot", "least", "character", "characters",
    "incorrect", "missing", "expired", "forgot", "forgotten", "change", "reset", "confirm", "repeat",
    "match", "matches", "empty", "wrong", "account", "email", "user", "username", "login", "field", "value",
    "text", "string", "optional", "default", "name", "null", "token", "key", "secret", "secrets", "pass", "test",
    "current", "stored", "encrypted", "provided", "zeichen",
    "fake", "failed", "error", "blank", "api", "copy", "paste",
    "create", "generate", "option", "else", "something", "another",
];

/// Words of labels and messages about passwords, two of which a phrase does not have.
const POLITE_WORDS: &[&str] = &["please", "your", "you", "we", "our"];

/// Words that labels and messages have as well as phrases. The former begin with a capital.
#[rustfmt::skip]
const FUNCTION_WORDS: &[&str] = &[
    "when", "if", "for", "from", "with", "use", "used", "only", "can", "be", "here", "new", "same", "set", "see",
    "add", "given", "found", "of", "to", "is", "are", "not", "this", "and", "or", "es", "et", "und", "el", "le", "de",
];

/// Passwords that are famous for being weak. Only examples have them as they are.
#[rustfmt::skip]
const FAMOUS_PASSWORDS: &[&str] = &[
    "qwerty", "qwertyuiop", "letmein", "hunter2", "swordfish", "monkey", "dragon", "abc123", "sekret", "sekrit",
    "seekret", "s3kr3t", "s3cret", "foobar", "foobarbaz", "xyzzy", "iloveyou", "welcome", "correcthorsebatterystaple",
    "correct horse battery staple", "hello", "helloworld", "hello world", "lorem ipsum", "alpine", "vagrant",
    "raspberry", "toor", "tiger", "changeit", "sesame", "keyboard cat", "s3krit",
];

/// Words of types, settings and references, which are values without quotes as well.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "true", "false", "null", "none", "content", "encoded", "decoded", "stored", "always", "never", "prompt", "required", "optional", "changed", "unchanged", "incorrect", "invalid", "wrong",
    "bytes", "string", "chararray", "varchar", "integer", "number", "boolean", "object", "array", "struct", "symbol",
    "undefined", "nullable", "unset", "empty", "blank", "hidden", "masked", "plaintext", "basic", "digest", "kerberos",
    "bearer", "oauth", "disabled", "enabled", "current", "expired", "missing", "stdin", "inherit", "generate",
    "generated", "random", "external", "secure", "encrypted", "hashed", "anonymous", "keychain", "keyring",
    "environment", "session", "request", "response", "function", "interactive", "unknown", "nothing", "something",
    "anything", "whatever", "username", "forename", "nickname", "surname", "address", "birthday", "country", "remember",
    "option", "options", "argument", "parameter", "instead", "before", "because", "without", "different", "denied", "granted", "broken", "nogood", "nomatch", "notused", "unused", "incorrect", "shouldnotchange", "submit", "cancel", "confirm", "repeat", "repeated", "question", "answer", "strong", "failure", "success",
];

/// Words of the names of variables, fields and files, besides those of the other lists.
#[rustfmt::skip]
const NAME_PARTS: &[&str] = &[
    "pwd", "psw", "auth", "cred", "creds", "hash", "hashed", "salt", "id", "ids", "env", "var", "ref", "file", "path",
    "url", "uri", "host", "port", "type", "data", "index", "list", "item", "get", "set", "has",
    "length", "size", "count", "max", "min", "old", "new", "first", "last", "form", "page", "view", "model", "method",
    "grant", "code", "role", "group", "policy", "rule", "rules", "plugin", "driver", "backend", "provider", "mode",
    "state", "status", "event", "message", "title", "label", "hint", "format", "schema", "column", "query", "body",
    "header", "cookie", "session", "access", "refresh", "bearer", "basic", "digest", "client", "api", "app", "cert",
    "certificate", "keys", "vault", "store", "storage", "manager", "root", "admin", "super", "abc", "xyz",
];

static TRANSLATIONS: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(PASSWORD_TRANSLATIONS));

/// Values that are examples as they are.
static EXAMPLES: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| FAMOUS_PASSWORDS.iter().chain(KEYWORDS).copied().collect());

/// Known words of examples, for finding values that consist of them.
static KNOWN_WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let words = FILLER_WORDS.iter().chain(EXAMPLE_WORDS).chain(INVENTED_WORDS).chain(KEYWORDS);
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(words)
        .expect("a few hundred short words make a small automaton")
});

/// Whether a value is a word of few letters, as tests have them for fields such as `old_password`.
pub(super) fn is_short_word(value: &str, is_field: bool) -> bool {
    value.len() <= MIN_WORD_BYTES + usize::from(is_field)
        && value.bytes().all(|it| it.is_ascii_lowercase())
}

/// Whether a value is one that people choose as a password.
pub(super) fn is_chosen(value: &str) -> bool {
    let shape = Shape::of(value);
    let is_mixed = shape.digits > 0 || shape.special() > 0;
    let min = match shape.upper {
        _ if is_mixed => MIN_CHOSEN_BYTES,
        1.. => MIN_WORD_BYTES,
        0 => MIN_WORD_BYTES,
    };
    if !(min..=MAX_CHOSEN_BYTES).contains(&value.len())
        || shape.letters() < if shape.kinds() >= 3 { 2 } else { 3 }
        || value.trim().len() < value.len()
    {
        return false;
    }
    if shape.spaces > 0 {
        return is_phrase(value);
    }
    !is_expression(value) && !is_name(value) && !is_label(value) && !is_example(value)
}

/// Whether a value consists of words that are joined by underscores, as names are, but none of the words is one that the
/// name of a password, a field or a setting has.
pub(super) fn is_chosen_with_underscores(value: &str) -> bool {
    let is_joined = value.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
        && value.bytes().any(|it| it.is_ascii_lowercase())
        && !value.starts_with('_')
        && !value.ends_with('_');
    let joined: String = value.split('_').collect();
    is_joined && is_chosen(&joined) && !has_known_part(value) && !has_technical_words(value)
}

/// Whether a value consists of two words that are joined by a dot, and neither is one that names, references and files
/// have.
pub(super) fn is_chosen_with_dot(value: &str) -> bool {
    let Some((first, second)) = value.split_once('.') else { return false };
    let is_word = |it: &str| it.len() >= 5 && it.bytes().all(|it| it.is_ascii_alphanumeric());
    is_word(first)
        && is_word(second)
        && is_chosen(&format!("{first}{second}"))
        && !has_known_part(&format!("{first} {second}"))
}

/// Whether one of the words of a value is one that names and examples have.
pub(super) fn has_known_part(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_known = |part: &str| {
        let lists = [KEYWORDS, LABEL_WORDS, EXAMPLE_WORDS, INVENTED_WORDS, NAME_PARTS];
        lists.iter().any(|list| list.contains(&part)) || TRANSLATIONS.is_match(part)
    };
    lower.split(['_', '-', ' ']).any(is_known)
}

/// Whether a value without quotes is one that people choose, and neither a variable nor a type.
pub(super) fn is_chosen_bare(value: &str) -> bool {
    let has_separator = value.contains('_') && !value.contains(|it: char| it.is_ascii_digit());
    is_chosen(value) && !has_separator && !is_member_path(value) && !has_technical_words(value)
}

/// Whether a text consists of a few words that do not form a label or a message.
fn is_phrase(value: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || " '&!?,-+".contains(it);
    let words: Vec<String> = value
        .split(' ')
        .map(|word| word.trim_matches(|it: char| it.is_ascii_punctuation()).to_ascii_lowercase())
        .collect();
    let is_sentence = value.starts_with(|it: char| it.is_ascii_uppercase())
        && words.iter().any(|word| {
            FUNCTION_WORDS.contains(&word.as_str()) || POLITE_WORDS.contains(&word.as_str())
        });
    let count = |list: &[&str]| words.iter().filter(|word| list.contains(&word.as_str())).count();
    let is_labeled = is_sentence || count(LABEL_WORDS) + count(POLITE_WORDS) / 2 > 0;
    (2..=MAX_PHRASE_WORDS).contains(&words.len())
        && value.chars().all(is_part)
        && !value.ends_with(['?', ',', '-'])
        && words.iter().filter(|word| word.len() >= 2).count() >= 2
        && !is_labeled
        && !is_label(value)
        && !is_example(value)
}

/// Whether a value is the name of something: `user_password`, `ROLE_ADMIN`, `auth.basic`. Words that are joined by
/// hyphens may as well be a password.
fn is_name(value: &str) -> bool {
    let is_upper = !value.bytes().any(|it| it.is_ascii_lowercase());
    let has_digits = value.bytes().any(|it| it.is_ascii_digit());
    let is_constant = is_upper && (value.contains('_') || !has_digits);
    let is_path = value.contains(['_', '.', '/', ':']) && is_slug(value);
    is_constant
        || is_path && (is_upper || !has_digits)
        || is_member_path(value) && !has_digits
        || value.starts_with('-')
        || is_path_of_members(value)
}

/// Whether a value is an expression such as `Form!.Password`.
fn is_path_of_members(value: &str) -> bool {
    let is_part = |part: &str| {
        let name = part.trim_end_matches(['!', '?']);
        !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphabetic())
    };
    value.contains('.') && value.split('.').all(is_part)
}

fn is_label(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    TRANSLATIONS.is_match(&lower) && !has_own_words(value)
}

/// Whether a value was made up for an example or a test.
pub(super) fn is_example(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_alphabet = lower.as_bytes().windows(2).all(|pair| pair[0].wrapping_add(1) == pair[1]);
    if is_alphabet || EXAMPLES.contains(lower.as_str()) {
        return true;
    }
    let is_sentence = remaining(&lower).letters >= MIN_SENTENCE_LETTERS;
    let is_obvious = lower.contains("secret") && !is_sentence
        || ["pass", "test"].iter().any(|word| lower.starts_with(word) || lower.ends_with(word));
    let shape = Shape::of(value);
    let follows_policy = shape.upper > 0 && shape.special() > 0;
    let number = |it: char| it.is_ascii_digit() || it.is_ascii_punctuation();
    let stem = value.trim_end_matches(number);
    // A year is not typical of examples, unlike `123`.
    let has_year = ["19", "20"].iter().any(|it| value[stem.len()..].contains(it));
    if shape.digits == 0 && FAMOUS_PASSWORDS.contains(&&*stem.to_ascii_lowercase()) {
        return true;
    }
    let is_famous = shape.digits > 0 && FAMOUS_PASSWORDS.contains(&&*stem.to_ascii_lowercase());
    // `country1` is a password, unlike `country`.
    let is_numbered_keyword = shape.digits > 0 && KEYWORDS.contains(&&*stem.to_ascii_lowercase());
    let is_known = !is_famous
        && !is_numbered_keyword
        && (consists_of_known_words(&lower) || consists_of_known_words(&leet(stem)));
    let may_be_chosen = has_year || follows_policy && !has_word(&leet(value), EXAMPLE_WORDS);
    is_obvious && !has_own_words(value) || is_known && !may_be_chosen
}

/// Whether a value has more than the words of examples: other words, and a digit or symbol as policies require.
fn has_own_words(value: &str) -> bool {
    let shape = Shape::of(value);
    let rest = remaining(&value.to_ascii_lowercase());
    rest.letters >= 4 && shape.digits + shape.special() > 0 && shape.spaces == 0
}

/// Letters and digits of a value that are not part of a known word.
struct Remaining {
    letters: usize,
    digits: usize,
    has_known: bool,
}

fn remaining(lower: &str) -> Remaining {
    let mut rest = Remaining { letters: 0, digits: 0, has_known: false };
    let mut count = |text: &str| {
        rest.letters += text.bytes().filter(u8::is_ascii_alphabetic).count();
        rest.digits += text.bytes().filter(u8::is_ascii_digit).count();
    };
    let mut at = 0;
    let mut has_known = false;
    for word in KNOWN_WORDS.find_iter(lower) {
        count(&lower[at..word.start()]);
        at = word.end();
        has_known = true;
    }
    count(&lower[at..]);
    rest.has_known = has_known;
    rest
}

/// Whether only a few letters and digits remain without the words of examples.
fn consists_of_known_words(lower: &str) -> bool {
    let rest = remaining(lower);
    rest.has_known && rest.letters <= 1 && rest.digits <= 4
}
