//! Secrets that are encoded in base64: the data of Kubernetes secrets, and keys and logins within a value.

use super::candidate::SecretCandidate;
use super::encoding::decoded;
use super::guard;
use super::heuristics::has_word;
use super::rule::{SecretRule, custom, rule};
use super::words::has_placeholder;
use std::ops::Range;

/// Longest manifest on either side of its kind.
const MAX_MANIFEST_BYTES: usize = 64 << 10;

/// Longest distance between the kinds of two secrets in a list.
const MAX_ITEM_BYTES: usize = 4 << 10;

/// Keys of Kubernetes secrets whose values are not secret.
#[rustfmt::skip]
const PUBLIC_KEYS: &[&str] = &[
    "username", "user", "ca.crt", "tls.crt", "ca", "cert", "host", "hostname", "port", "namespace", "name",
    "database", "dbname", "email", "region", "endpoint", "url", "type",
];

pub(super) const RULES: &[SecretRule] = &[
    // `-----BEGIN ` in base64.
    rule("private-key", "private key in base64", r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}={0,2}")
        .with_guard(is_encoded_key),
    // `{"auths":` in base64.
    rule("docker-auth", "Docker configuration in base64", r"eyJhdXRoc[A-Za-z0-9+/]{30,}={0,2}")
        .with_guard(guard::is_not_placeholder),
    custom(
        "kubernetes-secret",
        "value of a Kubernetes secret",
        &["kind: Secret", "\"kind\": \"Secret\"", "\"kind\":\"Secret\""],
        find,
    ),
];

fn is_encoded_key(candidate: &SecretCandidate<'_>) -> bool {
    let value = candidate.value();
    let start = value.get(..value.len().min(120) / 4 * 4).unwrap_or_default();
    decoded(start).is_some_and(|text| memchr::memmem::find(&text, b"PRIVATE KEY").is_some())
}

/// Finds the values of the secret whose kind is at `keyword`.
fn find(content: &str, keyword: Range<usize>) -> Vec<Range<usize>> {
    let bytes = content.as_bytes();
    if bytes[keyword.start] != b'"'
        && !matches!(bytes.get(keyword.end), None | Some(b'\n' | b'\r' | b' '))
    {
        return Vec::new();
    }
    // Another secret of the same manifest was found with this one's values.
    let near = keyword.start.saturating_sub(MAX_ITEM_BYTES);
    let same = memchr::memmem::rfind(&bytes[near..keyword.start], &bytes[keyword.clone()]);
    if same.is_some_and(|at| {
        memchr::memmem::find(&bytes[near + at..keyword.start], b"\n---").is_none()
    }) {
        return Vec::new();
    }
    let from = keyword.start.saturating_sub(MAX_MANIFEST_BYTES);
    let to = (keyword.end + MAX_MANIFEST_BYTES).min(bytes.len());
    let start = memchr::memmem::rfind(&bytes[from..keyword.start], b"\n---")
        .map_or(from, |at| from + at + 1);
    let end =
        memchr::memmem::find(&bytes[keyword.end..to], b"\n---").map_or(to, |at| keyword.end + at);
    let document = start..end;
    if bytes[keyword.start] == b'"' {
        in_json(content, document)
    } else {
        in_yaml(content, document)
    }
}

fn in_yaml(content: &str, document: Range<usize>) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    let mut data_indent: Option<usize> = None;
    let mut at = document.start;
    for line in content.as_bytes()[document.clone()].split(|byte| *byte == b'\n') {
        let start = at;
        at += line.len() + 1;
        let indent = line.iter().take_while(|it| **it == b' ').count();
        let text = line[indent..].trim_ascii_end();
        if text.is_empty() || text.starts_with(b"#") {
            continue;
        }
        if data_indent.is_some_and(|data| indent <= data) {
            data_indent = None;
        }
        if text == b"data:" || text == b"stringData:" {
            data_indent = Some(indent);
            continue;
        }
        let Some(colon) = memchr::memmem::find(text, b": ").filter(|_| data_indent.is_some())
        else {
            continue;
        };
        let value = text[colon + 2..].trim_ascii_start();
        let quotes = usize::from(value.first().is_some_and(|it| b"\"'".contains(it)));
        let first = start + indent + text.len() - value.len() + quotes;
        let value = first..start + indent + text.len() - quotes;
        let key = text[..colon].trim_ascii();
        values.extend(is_secret(content, key, &value).then_some(value));
    }
    values
}

fn in_json(content: &str, document: Range<usize>) -> Vec<Range<usize>> {
    let bytes = content.as_bytes();
    let text = &bytes[document.clone()];
    let Some(data) = memchr::memmem::find(text, b"\"data\"") else { return Vec::new() };
    let Some(open) = memchr::memchr(b'{', &text[data..]) else { return Vec::new() };
    let open = data + open + 1;
    let close = memchr::memchr(b'}', &text[open..]).map_or(text.len(), |at| open + at);
    let mut quotes =
        memchr::memchr_iter(b'"', &text[open..close]).map(|at| document.start + open + at);
    let mut values = Vec::new();
    while let (Some(a), Some(b), Some(c), Some(d)) =
        (quotes.next(), quotes.next(), quotes.next(), quotes.next())
    {
        let value = c + 1..d;
        values.extend(is_secret(content, &bytes[a + 1..b], &value).then_some(value));
    }
    values
}

/// Whether a value of a secret has to be hidden: all but those of public keys, placeholders and certificates.
fn is_secret(content: &str, key: &[u8], value: &Range<usize>) -> bool {
    let key = String::from_utf8_lossy(key).trim_matches('"').to_ascii_lowercase();
    let Some(text) = content.get(value.clone()) else { return false };
    let Some(plain) = decoded(text) else { return false };
    let is_public = PUBLIC_KEYS.contains(&key.as_str())
        || memchr::memmem::find(&plain, b"-----BEGIN CERTIFICATE").is_some();
    text.len() >= 8
        && plain.len() >= 4
        && !is_public
        && !has_placeholder(&String::from_utf8_lossy(&plain))
        && !has_word(
            &String::from_utf8_lossy(&plain),
            &["passw", "secret", "admin", "test", "user"],
        )
}
