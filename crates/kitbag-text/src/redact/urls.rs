//! Passwords in URLs: `scheme://user:password@host`.

use super::candidate::SecretCandidate;
use super::guard;
use super::rule::{SecretRule, custom};
use std::ops::Range;

pub(super) const RULES: &[SecretRule] = &[custom(
    "connection-string",
    "password in the URL of a database or another service",
    &["://"],
    find,
)];

/// Longest user and longest URL up to its host.
const MAX_USER_BYTES: usize = 64;
const MAX_LOGIN_BYTES: usize = 320;

/// Most slashes in a password. A path has as many, so a port has to follow the host.
const MAX_SLASHES: usize = 3;

/// Finds the password of the URL whose scheme ends with `keyword`.
fn find(content: &str, keyword: Range<usize>) -> Vec<Range<usize>> {
    let bytes = content.as_bytes();
    let is_user = |it: &&u8| it.is_ascii_alphanumeric() || b"._%+~-".contains(it);
    let rest = &bytes[keyword.end..];
    let user = rest.iter().take(MAX_USER_BYTES).take_while(is_user).count();
    if rest.get(user) != Some(&b':') {
        return Vec::new();
    }
    let start = keyword.end + user + 1;
    let limit = (start + MAX_LOGIN_BYTES).min(bytes.len());
    // Another URL ends this one, so that texts that are full of them take linear time.
    let limit = memchr::memmem::find(&bytes[start..limit], b"://").map_or(limit, |at| start + at);
    if memchr::memchr(b'@', &bytes[start..limit]).is_none() {
        return Vec::new();
    }
    let is_part = |it: &&u8| it.is_ascii_alphanumeric() || b"!#$%&*+,.;=?^_~|@:/-".contains(it);
    let length = bytes[start..limit].iter().take_while(is_part).count();
    let Some(at) = password_end(bytes, start..start + length) else { return Vec::new() };
    let secret = start..at;
    let candidate = SecretCandidate { content, keyword, secret: secret.clone() };
    if guard::is_url_password(&candidate) { vec![secret] } else { Vec::new() }
}

/// Returns the offset of the `@` before the host: the last one before the path. A password may contain `/` and `@` as
/// well; then a port shows which one precedes the host.
fn password_end(bytes: &[u8], login: Range<usize>) -> Option<usize> {
    let text = &bytes[login.clone()];
    let path = memchr::memchr(b'/', text).unwrap_or(text.len());
    let ats = || memchr::memchr_iter(b'@', text).filter(|at| is_host(bytes, login.start + at + 1));
    let before_path = ats().take_while(|at| *at < path).last();
    let with_port = ats().rfind(|at| *at > path && has_port(bytes, login.start + at + 1));
    let is_password = |at: &usize| {
        let slashes = text[..*at].iter().filter(|it| **it == b'/').count();
        slashes <= MAX_SLASHES && memchr::memmem::find(&text[..*at], b"//").is_none()
    };
    let within = |at: &usize| {
        let value = &text[..*at];
        let slashes = value.iter().filter(|it| **it == b'/').count();
        slashes <= 1 && !value.contains(&b'?') && !value.contains(&b':')
    };
    let end = with_port.filter(is_password).or(before_path).or_else(|| ats().next().filter(within));
    end.map(|at| login.start + at)
}

/// Whether a host, or an expression for one, begins at `at`.
fn is_host(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at.min(bytes.len())..];
    let length = host_length(rest);
    let is_end = rest
        .get(length)
        .is_none_or(|it| b":/?#\"'`,;)]}<>\\&|".contains(it) || it.is_ascii_whitespace());
    length > 0 && is_end || rest.first().is_some_and(|it| b"[$%({<".contains(it))
}

fn has_port(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at.min(bytes.len())..];
    let length = host_length(rest);
    let is_digit = |at: usize| rest.get(at).is_some_and(u8::is_ascii_digit);
    rest.get(length) == Some(&b':') && is_digit(length + 1) && is_digit(length + 2)
}

fn host_length(rest: &[u8]) -> usize {
    let is_host = |it: &&u8| it.is_ascii_alphanumeric() || b"._-".contains(it);
    rest.iter().take(255).take_while(is_host).count()
}
