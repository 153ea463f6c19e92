//! Guards, which distinguish secrets from placeholders, hashes, examples and code.

use super::candidate::SecretCandidate;
use super::chosen::is_example;
use super::encoding::decoded;
use super::heuristics::{
    has_word, is_monotonous, is_template, is_wordy, leet, looks_random, percent_decoded,
};
use super::numbers;
use super::words::{EXAMPLE_WORDS, WEAK_PASSWORDS, has_placeholder, is_invented};

/// Shortest password of letters only: in addresses and on command lines, in code, and in SQL.
const MIN_WORD_BYTES: usize = 6;
const MIN_ENCODED_WORD_BYTES: usize = 7;
const MIN_SQL_WORD_BYTES: usize = 4;

/// Number of bytes around a value in which the rest of a URL or connection string is expected.
const CONTEXT_BYTES: usize = 512;

/// Accepts any token that is not a placeholder, for tokens with a characteristic form.
pub(super) fn is_not_placeholder(candidate: &SecretCandidate<'_>) -> bool {
    !has_placeholder(candidate.value()) && !is_monotonous(candidate.value())
}

/// Accepts random strings, for tokens that are recognized by a nearby word.
pub(super) fn is_random(candidate: &SecretCandidate<'_>) -> bool {
    is_not_placeholder(candidate) && looks_random(candidate.value())
}

/// Accepts secrets in Base32, which is uppercase words without digits otherwise.
pub(super) fn is_base32(candidate: &SecretCandidate<'_>) -> bool {
    is_not_placeholder(candidate) && (has_digit(candidate) || !is_wordy(candidate.value()))
}

/// Accepts values with a digit, which are not words.
pub(super) fn has_digit(candidate: &SecretCandidate<'_>) -> bool {
    candidate.value().bytes().any(|it| it.is_ascii_digit())
}

/// Accepts passwords in URLs.
pub(super) fn is_url_password(candidate: &SecretCandidate<'_>) -> bool {
    let value = percent_decoded(candidate.value());
    let between = &candidate.content[candidate.keyword.end..candidate.secret.start];
    let user = between.strip_suffix(':').unwrap_or(between);
    let is_port = value
        .split(['/', '?', '#'])
        .next()
        .is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()));
    let is_example = has_word(&leet(&value), EXAMPLE_WORDS) && has_example_host(candidate);
    is_chosen(&value, user, MIN_WORD_BYTES) && !is_port && !is_example
}

/// Accepts passwords at a place where nothing else is expected, such as after `sshpass -p`.
pub(super) fn is_plain_password(candidate: &SecretCandidate<'_>) -> bool {
    let value = candidate.value();
    let before = candidate.content[..candidate.secret.start].trim_end_matches(['"', '\'']);
    let user =
        before.strip_suffix(':').map(|it| it.rsplit([' ', '"', '\'']).next().unwrap_or_default());
    is_chosen(value, user.unwrap_or_default(), MIN_WORD_BYTES)
        && !value.starts_with(['-', '$', '/', '%', '~', '.', '*', '='])
        && !value.contains("://")
}

/// Accepts PINs.
pub(super) fn is_pin(candidate: &SecretCandidate<'_>) -> bool {
    numbers::is_pin(candidate.value())
}

/// Accepts passwords with a digit, at a place where words are expected as well.
pub(super) fn is_password_with_digit(candidate: &SecretCandidate<'_>) -> bool {
    let letters = candidate.value().bytes().filter(u8::is_ascii_alphabetic).count();
    letters >= 3 && has_digit(candidate) && is_plain_password(candidate)
}

/// Accepts passwords in SQL statements, where nothing else has their place.
pub(super) fn is_sql_password(candidate: &SecretCandidate<'_>) -> bool {
    let value = candidate.value();
    is_chosen(value, "", MIN_SQL_WORD_BYTES) && !value.starts_with([':', '$', '%', '?', '@'])
}

/// Accepts passwords in code that encodes them.
pub(super) fn is_encoded_password(candidate: &SecretCandidate<'_>) -> bool {
    is_plain_password(candidate) && is_chosen(candidate.value(), "", MIN_ENCODED_WORD_BYTES)
}

/// Accepts passwords in configuration with a syntax of its own, which may be prose as well.
pub(super) fn is_device_password(candidate: &SecretCandidate<'_>) -> bool {
    let value = candidate.value();
    let is_quoted = candidate.content[..candidate.secret.start].ends_with(['"', '\'']);
    let has_digit = value.bytes().any(|it| it.is_ascii_digit());
    (is_quoted || is_directive(candidate) || has_digit && !value.ends_with([',', '.', ':', ')']))
        && is_plain_password(candidate)
}

/// Whether a line begins with the keyword and ends with the value or the access that it gives, unlike in prose.
fn is_directive(candidate: &SecretCandidate<'_>) -> bool {
    let before = candidate.content[..candidate.keyword.start].trim_end_matches([' ', '\t']);
    let after = &candidate.content.as_bytes()[candidate.secret.end..];
    let end = after.iter().take(4).position(|it| *it == b'\n').unwrap_or(after.len().min(4));
    (before.is_empty() || before.ends_with('\n'))
        && matches!(after[..end].trim_ascii(), b"" | b"RO" | b"RW" | b"ro" | b"rw")
}

/// Whether a password was chosen for use, unlike placeholders, defaults and those of examples.
fn is_chosen(value: &str, user: &str, min_word_bytes: usize) -> bool {
    let is_short_word = value.bytes().all(|it| it.is_ascii_alphabetic())
        && (value.len() < min_word_bytes || is_example(value));
    if numbers::is_numeric_password(value) {
        return true;
    }
    let is_number = value.bytes().all(|it| it.is_ascii_digit() || it == b':' || it == b'.');
    value.len() >= 4
        && value.bytes().filter(u8::is_ascii_alphanumeric).count() >= 3
        && !is_short_word
        && !is_number
        && !WEAK_PASSWORDS.contains(&value.to_ascii_lowercase().as_str())
        && !user.eq_ignore_ascii_case(value)
        && !has_placeholder(value)
        && !is_invented(value)
        && !is_template(value)
        && !is_monotonous(value)
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

/// Accepts passwords of connection strings, which have other keys on the same line.
pub(super) fn is_connection_password(candidate: &SecretCandidate<'_>) -> bool {
    const KEYS: &[&str] = &[
        "server=",
        "data source=",
        "host=",
        "user id=",
        "uid=",
        "database=",
        "user=",
        "username=",
    ];
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
    around.contains(';')
        && has_word(&around, KEYS)
        && is_chosen(candidate.value(), "", MIN_SQL_WORD_BYTES)
}

/// Accepts logins in base64, `user:password`.
pub(super) fn is_basic_credential(candidate: &SecretCandidate<'_>) -> bool {
    let Some(plain) = decoded(candidate.value()) else { return false };
    let plain = String::from_utf8_lossy(&plain);
    let Some((user, password)) = plain.split_once(':') else { return false };
    let is_text = plain.bytes().all(|it| it.is_ascii_graphic());
    is_text && is_chosen(password, user, MIN_WORD_BYTES)
}

/// Accepts private parts of a JSON web key.
pub(super) fn is_part_of_key(candidate: &SecretCandidate<'_>) -> bool {
    const MAX_KEY_BYTES: usize = 4 << 10;
    let bytes = candidate.content.as_bytes();
    let from = candidate.keyword.start.saturating_sub(MAX_KEY_BYTES);
    let to = (candidate.secret.end + MAX_KEY_BYTES).min(bytes.len());
    memchr::memmem::find(&bytes[from..to], b"\"kty\"").is_some() && is_not_placeholder(candidate)
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
