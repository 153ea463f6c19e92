//! Guards, which distinguish secrets from placeholders, hashes, examples and code.

use super::candidate::SecretCandidate;
use super::heuristics::{
    class_changes, has_word, is_member_path, is_monotonous, is_name, is_path, is_stored_hash,
    is_template, is_uuid, is_version, is_wordy, leet, looks_random, percent_decoded,
};

/// Words that do not occur in real tokens. All have at least four letters, so that random tokens rarely
/// contain one. The last two are the key of the Azure storage emulator and `password` in base64.
#[rustfmt::skip]
const PLACEHOLDERS: &[&str] = &[
    "example", "placeholder", "redacted", "xxxx", "your", "dummy", "changeme", "change-me",
    "change_me", "insert", "replace", "sample", "fake", "deadbeef", "0000000000", "notreal",
    "eby8vdm02xnocqflquwjpllmetlcdxj1", "cgfzc3dvcmq",
];

/// Words in invented values, for rules that rely on the name alone.
#[rustfmt::skip]
const INVENTED_WORDS: &[&str] = &[
    "test", "secret", "passw", "passphrase", "pwd", "token", "mock", "demo", "default", "admin",
    "qwerty", "letmein", "hello", "user", "login", "value", "string", "foo", "bar", "baz", "key",
    "todo", "none", "null", "true", "undefined", "welcome", "hunter2", "swordfish", "monkey",
    "dragon", "abc123", "1234", "ipsum", "stub", "anonymous", "guest", "private", "public", "world",
];

/// Passwords of examples and local services in URLs.
#[rustfmt::skip]
const WEAK_PASSWORDS: &[&str] = &[
    "pw", "pwd", "root", "postgres", "mysql", "mongo", "redis", "rabbitmq", "guest", "admin",
    "user", "username", "foo", "bar", "baz", "token", "key", "apikey", "credentials", "port",
    "host", "dev", "local", "docker",
];

/// Words in passwords that were invented for examples.
const EXAMPLE_WORDS: &[&str] = &["pass", "secret", "test", "1234"];

/// Words that are combined with [`EXAMPLE_WORDS`] in such passwords, longest first.
#[rustfmt::skip]
const FILLER_WORDS: &[&str] = &[
    "postgres", "database", "password", "rabbitmq", "invalid", "access", "secure", "strong", "simple",
    "service", "valid", "wrong", "correct", "another",
    "admin", "mysql", "mongo", "redis", "super", "local", "wd", "word", "phrase", "root", "user",
    "very", "some", "your", "test", "this", "host", "name", "code", "prod", "key", "the", "top", "new",
    "old", "bad", "dev", "app", "abc", "aws", "123", "foo", "bar", "ing", "me", "my", "is", "db", "pw",
];

/// Words in names of values that are related to a secret but not secret.
#[rustfmt::skip]
const NOT_SECRET_WORDS: &[&str] = &[
    "hash", "sha1", "sha2", "sha5", "digest", "checksum", "public", "url", "uri", "endpoint",
    "path", "file", "folder", "dir", "name", "type", "field", "label", "placeholder", "regex",
    "pattern", "prompt", "message", "error", "hint", "help", "length", "count", "limit", "max",
    "min", "expir", "ttl", "header", "param", "class", "selector", "kind", "format", "column",
    "symbol", "address", "contract", "version", "tokeniz", "tokens", "integrity", "revision",
    "commit", "uuid", "guid", "fingerprint", "encrypted", "mask", "test", "example", "mock",
    "fake", "dummy", "title", "text", "desc", "algorithm", "source", "i18n", "policy", "arn",
];

/// Number of bytes around a value in which the rest of a URL or connection string is expected.
const CONTEXT_BYTES: usize = 512;

/// Maximum length of a value that is recognized by its name.
const MAX_VALUE_BYTES: usize = 512;

/// Accepts any token that is not a placeholder, for tokens with a characteristic form.
pub(super) fn is_not_placeholder(candidate: &SecretCandidate<'_>) -> bool {
    !has_word(candidate.value(), PLACEHOLDERS) && !is_monotonous(candidate.value())
}

/// Accepts random strings, for tokens that are recognized by a nearby word.
pub(super) fn is_random(candidate: &SecretCandidate<'_>) -> bool {
    is_not_placeholder(candidate) && looks_random(candidate.value())
}

/// Accepts passwords in URLs.
pub(super) fn is_url_password(candidate: &SecretCandidate<'_>) -> bool {
    let value = percent_decoded(candidate.value());
    let between = &candidate.content[candidate.keyword.end..candidate.secret.start];
    let user = between.strip_suffix(':').unwrap_or(between);
    let is_short_word = value.len() <= 8 && value.bytes().all(|it| it.is_ascii_alphabetic());
    let is_short_number = value.len() < 6 && value.bytes().all(|it| it.is_ascii_digit());
    value.len() >= 4
        && value.bytes().filter(u8::is_ascii_alphanumeric).count() >= 3
        && !is_short_word
        && !is_short_number
        && !WEAK_PASSWORDS.contains(&value.to_ascii_lowercase().as_str())
        && !user.eq_ignore_ascii_case(&value)
        && !has_word(&value, PLACEHOLDERS)
        && !is_invented(&value)
        && !(has_word(&leet(&value), EXAMPLE_WORDS) && has_example_host(candidate))
        && !is_template(&value)
        && !is_monotonous(&value)
}

/// Whether the host after a password is reserved for documentation.
fn has_example_host(candidate: &SecretCandidate<'_>) -> bool {
    let after = &candidate.content.as_bytes()[candidate.secret.end..];
    let is_host = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-@".contains(byte);
    let host: Vec<u8> = after.iter().take(CONTEXT_BYTES).take_while(is_host).copied().collect();
    let host = String::from_utf8_lossy(&host).to_ascii_lowercase();
    let names = ["example.com", "example.org", "example.net"];
    names
        .iter()
        .any(|name| host.ends_with(&format!("@{name}")) || host.ends_with(&format!(".{name}")))
}

/// Whether a password is invented: it consists almost entirely of words such as `pass` and `test`, possibly
/// spelled with digits and followed by a number, or of lowercase words that include one of them.
fn is_invented(value: &str) -> bool {
    let spelled = leet(value);
    let is_lowercase = !spelled.bytes().any(|it| it.is_ascii_digit())
        && !value.bytes().any(|it| it.is_ascii_uppercase());
    if is_lowercase && has_word(&spelled, EXAMPLE_WORDS) && is_wordy(&spelled) {
        return true;
    }
    let stem = value.trim_end_matches(|it: char| it.is_ascii_digit() || it.is_ascii_punctuation());
    let spellings = [leet(stem), stem.to_ascii_lowercase(), value.to_ascii_lowercase()];
    value.len() - stem.len() <= 6 && spellings.iter().any(|spelling| consists_of_words(spelling))
}

/// Whether few letters and digits remain after removing all known words.
fn consists_of_words(lower: &str) -> bool {
    if !EXAMPLE_WORDS.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let words = FILLER_WORDS.iter().chain(EXAMPLE_WORDS);
    let rest = words.fold(lower.to_owned(), |rest, word| rest.replace(word, " "));
    let count = |matches: fn(&u8) -> bool| rest.bytes().filter(matches).count();
    count(u8::is_ascii_alphabetic) <= 2 && count(u8::is_ascii_digit) <= 4
}

/// Accepts passwords of connection strings, which have other keys on the same line.
pub(super) fn is_connection_password(candidate: &SecretCandidate<'_>) -> bool {
    const KEYS: &[&str] = &["server=", "data source=", "host=", "user id=", "uid=", "database="];
    let bytes = candidate.content.as_bytes();
    let before =
        &bytes[candidate.keyword.start.saturating_sub(CONTEXT_BYTES)..candidate.keyword.start];
    let after =
        &bytes[candidate.secret.end..(candidate.secret.end + CONTEXT_BYTES).min(bytes.len())];
    let is_inside = |byte: &&u8| !b"\n\"'".contains(byte);
    let before = before.iter().rev().take_while(is_inside).count();
    let after = after.iter().take_while(is_inside).count();
    let around = &bytes[candidate.keyword.start - before..candidate.secret.end + after];
    let around = String::from_utf8_lossy(around);
    around.contains(';') && has_word(&around, KEYS) && is_url_password(candidate)
}

/// Accepts credentials after `Bearer` and `Basic`.
pub(super) fn is_credential(candidate: &SecretCandidate<'_>) -> bool {
    /// Base64 of `user:pass`, `username:password`, `Aladdin:open sesame`, `foo:bar` and `test:test`.
    const EXAMPLES: &[&str] = &["dXNlcj", "dXNlcm5hbWU6", "QWxhZGRpbjpvcGVu", "Zm9vOm", "dGVzdD"];
    let value = candidate.value();
    !EXAMPLES.iter().any(|example| value.starts_with(example))
        && is_not_placeholder(candidate)
        && !has_word(value, &["token", "secret", "test", "passw", "invalid"])
        && looks_random(value)
}

/// Accepts values assigned to the name of a key, token or secret.
pub(super) fn is_assigned_key(candidate: &SecretCandidate<'_>) -> bool {
    let value = candidate.value();
    (16..=MAX_VALUE_BYTES).contains(&value.len())
        && is_assigned_secret(candidate)
        && !has_word(value, INVENTED_WORDS)
        && looks_random(value)
}

/// Accepts unquoted values assigned to the name of a key, which might be code.
pub(super) fn is_assigned_unquoted_key(candidate: &SecretCandidate<'_>) -> bool {
    let value = candidate.value();
    class_changes(value) * 3 >= value.len() && is_assigned_key(candidate)
}

/// Accepts unquoted values assigned to the name of a password. They are shorter than keys and may contain
/// punctuation; frequent changes between letters, digits and punctuation distinguish them from code.
pub(super) fn is_assigned_unquoted_password(candidate: &SecretCandidate<'_>) -> bool {
    let value = candidate.value();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    value.starts_with(|it: char| it.is_ascii_alphanumeric())
        && letters >= 2
        && class_changes(value) * 3 >= value.len()
        && !is_version(value)
        && !is_member_path(value)
        && !is_name(value)
        && !is_invented(&percent_decoded(value))
        && is_assigned_password(candidate)
}

/// Accepts values assigned to the name of a password.
pub(super) fn is_assigned_password(candidate: &SecretCandidate<'_>) -> bool {
    let value = candidate.value();
    let count = |matches: fn(&u8) -> bool| value.bytes().filter(matches).count();
    let (lower, upper) = (count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase));
    let (digits, punctuation) = (count(u8::is_ascii_digit), count(u8::is_ascii_punctuation));
    let kinds = [lower, upper, digits, punctuation].into_iter().filter(|&count| count > 0).count();
    let is_mixed = kinds >= 3 || (kinds == 2 && digits >= 2 && value.len() >= 10);
    is_mixed
        && digits > 0
        && (8..=128).contains(&value.len())
        && is_assigned_secret(candidate)
        && ![value, &leet(value)].iter().any(|value| has_word(value, INVENTED_WORDS))
        && !is_wordy(value)
}

/// Conditions for all values in assignments.
fn is_assigned_secret(candidate: &SecretCandidate<'_>) -> bool {
    let value = candidate.value();
    has_matching_quotes(candidate)
        && is_secret_name(candidate)
        && is_not_placeholder(candidate)
        && !is_uuid(value)
        && !is_stored_hash(value)
        && !is_template(value)
        && !is_path(value)
}

/// Whether the value is unquoted or enclosed in the same quotes.
fn has_matching_quotes(candidate: &SecretCandidate<'_>) -> bool {
    let bytes = candidate.content.as_bytes();
    let is_quote = |byte: &&u8| b"\"'`".contains(byte);
    let before = bytes[..candidate.secret.start].last().filter(is_quote);
    before.is_none_or(|quote| bytes.get(candidate.secret.end) == Some(quote))
}

/// Whether the name that contains the keyword belongs to a secret rather than to a related value.
fn is_secret_name(candidate: &SecretCandidate<'_>) -> bool {
    let bytes = candidate.content.as_bytes();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let before = bytes[..candidate.keyword.start].iter().rev().take(40).take_while(is_part).count();
    let after = bytes[candidate.keyword.end..].iter().take(40).take_while(is_part).count();
    let name = candidate.keyword.start - before..candidate.keyword.end + after;
    let name = String::from_utf8_lossy(&bytes[name]);
    let is_id = name.ends_with("_id") || name.ends_with("Id") || name.ends_with("_ID");
    // A data source has a password, although `source` is otherwise a sign of a related value.
    let name = name.to_ascii_lowercase().replace("datasource", "").replace("data-source", "");
    !is_id && !has_word(&name, NOT_SECRET_WORDS)
}
