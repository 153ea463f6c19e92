//! What tells a secret from a placeholder, a hash, an example or code.

use super::rule::Candidate;
use super::shape::{
    changes, has_word, is_member, is_monotonous, is_name, is_path, is_stored_hash, is_template,
    is_uuid, is_version, is_wordy, leet, looks_random, percent_decoded, plain,
};

/// Words that no real token has in it; four letters or more, so that chance hardly makes one. The
/// last two are the key of the Azure storage emulator and `password` in base64.
#[rustfmt::skip]
const PLACEHOLDERS: &[&str] = &[
    "example", "placeholder", "redacted", "xxxx", "your", "dummy", "changeme", "change-me",
    "change_me", "insert", "replace", "sample", "fake", "deadbeef", "0000000000", "notreal",
    "eby8vdm02xnocqflquwjpllmetlcdxj1", "cgfzc3dvcmq",
];

/// Words that tell an invented value where only its name says that it is a secret.
#[rustfmt::skip]
const INVENTED: &[&str] = &[
    "test", "secret", "passw", "passphrase", "pwd", "token", "mock", "demo", "default", "admin",
    "qwerty", "letmein", "hello", "user", "login", "value", "string", "foo", "bar", "baz", "key",
    "todo", "none", "null", "true", "undefined", "welcome", "hunter2", "swordfish", "monkey",
    "dragon", "abc123", "1234", "ipsum", "stub", "anonymous", "guest", "private", "public", "world",
];

/// Passwords of examples and of local services, in addresses.
#[rustfmt::skip]
const WEAK: &[&str] = &[
    "pw", "pwd", "root", "postgres", "mysql", "mongo", "redis", "rabbitmq", "guest", "admin",
    "user", "username", "foo", "bar", "baz", "token", "key", "apikey", "credentials", "port",
    "host", "dev", "local", "docker",
];

/// Words that show that a password was thought up for an example.
const SHOWN: &[&str] = &["pass", "secret", "test", "1234"];

/// What stands beside those words in such passwords, the longest first.
#[rustfmt::skip]
const BESIDE: &[&str] = &[
    "postgres", "database", "password", "rabbitmq", "invalid", "access", "secure", "strong", "simple",
    "service", "valid", "wrong", "correct", "another",
    "admin", "mysql", "mongo", "redis", "super", "local", "wd", "word", "phrase", "root", "user",
    "very", "some", "your", "test", "this", "host", "name", "code", "prod", "key", "the", "top", "new",
    "old", "bad", "dev", "app", "abc", "aws", "123", "foo", "bar", "ing", "me", "my", "is", "db", "pw",
];

/// Words in names of things that are about a secret, and are none.
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "hash", "sha1", "sha2", "sha5", "digest", "checksum", "public", "url", "uri", "endpoint",
    "path", "file", "folder", "dir", "name", "type", "field", "label", "placeholder", "regex",
    "pattern", "prompt", "message", "error", "hint", "help", "length", "count", "limit", "max",
    "min", "expir", "ttl", "header", "param", "class", "selector", "kind", "format", "column",
    "symbol", "address", "contract", "version", "tokeniz", "tokens", "integrity", "revision",
    "commit", "uuid", "guid", "fingerprint", "encrypted", "mask", "test", "example", "mock",
    "fake", "dummy", "title", "text", "desc", "algorithm", "source", "i18n", "policy", "arn",
];

/// How far around a value the rest of a connection string is looked for.
const NEAR: usize = 512;

/// The longest value that a name makes a secret.
const LONGEST: usize = 512;

/// For tokens that their form gives away: anything but a placeholder.
pub(super) fn is_no_placeholder(candidate: &Candidate<'_>) -> bool {
    !has_word(candidate.value(), PLACEHOLDERS) && !is_monotonous(candidate.value())
}

/// For long random strings that stand beside a word: as random as they look.
pub(super) fn is_random(candidate: &Candidate<'_>) -> bool {
    is_no_placeholder(candidate) && looks_random(candidate.value())
}

/// For passwords within addresses.
pub(super) fn is_address_password(candidate: &Candidate<'_>) -> bool {
    let value = percent_decoded(candidate.value());
    let between = &candidate.content[candidate.keyword.end..candidate.secret.start];
    let user = between.strip_suffix(':').unwrap_or(between);
    let is_short_word = value.len() <= 8 && value.bytes().all(|it| it.is_ascii_alphabetic());
    let is_short_number = value.len() < 6 && value.bytes().all(|it| it.is_ascii_digit());
    value.len() >= 4
        && value.bytes().filter(u8::is_ascii_alphanumeric).count() >= 3
        && !is_short_word
        && !is_short_number
        && !WEAK.contains(&value.to_ascii_lowercase().as_str())
        && !user.eq_ignore_ascii_case(&value)
        && !has_word(&value, PLACEHOLDERS)
        && !is_thought_up(&value)
        && !(has_word(&leet(&value), SHOWN) && is_of_example(candidate))
        && !is_template(&value)
        && !is_monotonous(&value)
}

/// Whether the host after a password is one that stands for any other in documents.
fn is_of_example(candidate: &Candidate<'_>) -> bool {
    let after = &candidate.content.as_bytes()[candidate.secret.end..];
    let is_host = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-@".contains(byte);
    let host: Vec<u8> = after.iter().take(NEAR).take_while(is_host).copied().collect();
    let host = String::from_utf8_lossy(&host).to_ascii_lowercase();
    let names = ["example.com", "example.org", "example.net"];
    names
        .iter()
        .any(|name| host.ends_with(&format!("@{name}")) || host.ends_with(&format!(".{name}")))
}

/// Whether words such as `pass` and `test` make up nearly all of a password, also where other
/// characters stand in for letters, and a number may follow, or whether it is words in small letters
/// with one of them among them.
fn is_thought_up(value: &str) -> bool {
    let spelled = leet(value);
    let has_other = |it: u8| it.is_ascii_digit() || it.is_ascii_uppercase();
    let is_small =
        !spelled.bytes().any(has_other) && !value.bytes().any(|it| it.is_ascii_uppercase());
    if is_small && has_word(&spelled, SHOWN) && is_wordy(&spelled) {
        return true;
    }
    let stem = value.trim_end_matches(|it: char| it.is_ascii_digit() || it.is_ascii_punctuation());
    let [meant, typed, whole] = [leet(stem), stem.to_ascii_lowercase(), value.to_ascii_lowercase()];
    value.len() - stem.len() <= 6 && [meant, typed, whole].into_iter().any(|it| is_of_words(&it))
}

/// Whether hardly a letter is left once the words are taken out.
fn is_of_words(lower: &str) -> bool {
    if !SHOWN.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let words = BESIDE.iter().chain(SHOWN);
    let rest = words.fold(lower.to_owned(), |rest, word| rest.replace(word, " "));
    let count = |wanted: fn(&u8) -> bool| rest.bytes().filter(wanted).count();
    count(u8::is_ascii_alphabetic) <= 2 && count(u8::is_ascii_digit) <= 4
}

/// For passwords of connection strings by keys: the line has other keys of one.
pub(super) fn is_connection_password(candidate: &Candidate<'_>) -> bool {
    const KEYS: &[&str] = &["server=", "data source=", "host=", "user id=", "uid=", "database="];
    let bytes = candidate.content.as_bytes();
    let before = &bytes[candidate.keyword.start.saturating_sub(NEAR)..candidate.keyword.start];
    let after = &bytes[candidate.secret.end..(candidate.secret.end + NEAR).min(bytes.len())];
    let is_inside = |byte: &&u8| !b"\n\"'".contains(byte);
    let before = before.iter().rev().take_while(is_inside).count();
    let after = after.iter().take_while(is_inside).count();
    let around = &bytes[candidate.keyword.start - before..candidate.secret.end + after];
    let around = String::from_utf8_lossy(around);
    around.contains(';') && has_word(&around, KEYS) && is_address_password(candidate)
}

/// For what follows `Bearer` and `Basic`.
pub(super) fn is_credential(candidate: &Candidate<'_>) -> bool {
    /// `user:pass`, `username:password`, `Aladdin:open sesame`, `foo:bar`, `test:test`.
    const KNOWN: &[&str] = &["dXNlcj", "dXNlcm5hbWU6", "QWxhZGRpbjpvcGVu", "Zm9vOm", "dGVzdD"];
    let value = candidate.value();
    !KNOWN.iter().any(|known| value.starts_with(known))
        && is_no_placeholder(candidate)
        && !has_word(value, &["token", "secret", "test", "passw", "invalid"])
        && looks_random(value)
}

/// For values that are assigned to a name of a key, a token or a secret.
pub(super) fn is_assigned_key(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    (16..=LONGEST).contains(&value.len())
        && is_assigned_secret(candidate)
        && !has_word(value, INVENTED)
        && looks_random(value)
}

/// The same for values without quotes, which might as well be code.
pub(super) fn is_assigned_bare_key(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    changes(value) * 3 >= value.len() && is_assigned_key(candidate)
}

/// For values without quotes that are assigned to a name of a password. They are shorter than keys and
/// have signs in them, and what is no code is told by how often letters, digits and signs change.
pub(super) fn is_assigned_bare_password(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    value.starts_with(|it: char| it.is_ascii_alphanumeric())
        && letters >= 2
        && changes(value) * 3 >= value.len()
        && !is_version(value)
        && !is_member(value)
        && !is_name(value)
        && !is_thought_up(&percent_decoded(value))
        && is_assigned_password(candidate)
}

/// For values that are assigned to a name of a password.
pub(super) fn is_assigned_password(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    let count = |wanted: fn(&u8) -> bool| value.bytes().filter(wanted).count();
    let (lower, upper) = (count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase));
    let (digits, other) = (count(u8::is_ascii_digit), count(u8::is_ascii_punctuation));
    let kinds = [lower, upper, digits, other].into_iter().filter(|&count| count > 0).count();
    let is_mixed = kinds >= 3 || (kinds == 2 && digits >= 2 && value.len() >= 10);
    is_mixed
        && digits > 0
        && (8..=128).contains(&value.len())
        && is_assigned_secret(candidate)
        && !has_word(&plain(value), INVENTED)
        && !is_wordy(value)
}

/// What holds for all values that are assigned.
fn is_assigned_secret(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    is_quoted_alike(candidate)
        && is_secret_name(candidate)
        && is_no_placeholder(candidate)
        && !is_uuid(value)
        && !is_stored_hash(value)
        && !is_template(value)
        && !is_path(value)
}

/// Whether the same quote, if any, stands on both sides.
fn is_quoted_alike(candidate: &Candidate<'_>) -> bool {
    let bytes = candidate.content.as_bytes();
    let is_quote = |byte: &&u8| b"\"'`".contains(byte);
    let before = bytes[..candidate.secret.start].last().filter(is_quote);
    before.is_none_or(|quote| bytes.get(candidate.secret.end) == Some(quote))
}

/// Whether the whole name that the keyword is part of is that of a secret, and not of something
/// about one.
fn is_secret_name(candidate: &Candidate<'_>) -> bool {
    let bytes = candidate.content.as_bytes();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let before = bytes[..candidate.keyword.start].iter().rev().take(40).take_while(is_part).count();
    let after = bytes[candidate.keyword.end..].iter().take(40).take_while(is_part).count();
    let name = candidate.keyword.start - before..candidate.keyword.end + after;
    let name = String::from_utf8_lossy(&bytes[name]);
    let is_id = name.ends_with("_id") || name.ends_with("Id") || name.ends_with("_ID");
    // A source of data has a password, and is nothing about one.
    let name = name.to_ascii_lowercase().replace("datasource", "").replace("data-source", "");
    !is_id && !has_word(&name, ABOUT)
}
