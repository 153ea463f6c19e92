//! Private-key blocks: the lines between `BEGIN` and `END`, each replaced separately.

use super::guard;
use super::rule::{MatchWindow, SecretRule};
use std::ops::Range;

pub(super) const RULES: &[SecretRule] = &[SecretRule {
    id: "private-key",
    description: "body of a private key in PEM, OpenSSH or PGP armor",
    keywords: &["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"],
    pattern: "",
    window: MatchWindow::Block,
    guard: guard::is_not_placeholder,
}];

/// Maximum length of a `BEGIN` line.
const MAX_BEGIN_BYTES: usize = 80;

/// Maximum length of a key.
const MAX_KEY_BYTES: usize = 32 << 10;

/// Minimum length of a key.
const MIN_KEY_BYTES: usize = 40;

/// Minimum length of a key's lines, except for the last.
const MIN_LINE_BYTES: usize = 16;

/// Finds the lines of the key whose `BEGIN` line ends at `at`.
pub(super) fn find(content: &str, at: usize) -> Vec<Range<usize>> {
    let before = &content.as_bytes()[at.saturating_sub(MAX_BEGIN_BYTES)..at];
    // The keyword is part of a `BEGIN` line only if no `END` or newline is between them.
    let begin = memchr::memmem::rfind(before, b"-----BEGIN ");
    let end = memchr::memmem::rfind(before, b"-----END ");
    let newline = memchr::memrchr(b'\n', before);
    if begin.is_none() || begin < end || begin < newline {
        return Vec::new();
    }
    let limit = (at + MAX_KEY_BYTES).min(content.len());
    let bytes = &content.as_bytes()[at..limit];
    let next = memchr::memmem::find(bytes, b"-----").unwrap_or(bytes.len());
    let is_closed = bytes[next..].starts_with(b"-----END ");
    let body = at..at + next;
    let parts = parts(content, body, is_closed);
    let length: usize = parts.iter().map(Range::len).sum();
    if length < MIN_KEY_BYTES { Vec::new() } else { parts }
}

/// Returns the key's part of each line, or nothing if the lines are not a key. Without an `END` line, the
/// key ends before the first line that is not part of it.
fn parts(content: &str, body: Range<usize>, is_closed: bool) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut start = body.start;
    for line in content.as_bytes()[body.clone()].split_inclusive(|&byte| byte == b'\n') {
        let part = longest_run(line).map(|it| start + it.start..start + it.end);
        let is_first = start == body.start;
        // Headers such as `Proc-Type: 4,ENCRYPTED`.
        let is_attribute = !is_first && memchr::memmem::find(line, b": ").is_some();
        start += line.len();
        match part.filter(|_| !is_attribute) {
            Some(part) if (is_closed && !is_first) || part.len() >= MIN_LINE_BYTES => {
                parts.push(part)
            }
            _ if !is_closed && !parts.is_empty() => break,
            _ => {}
        }
    }
    // Nearly all lines of a key are long, unlike code that contains the `BEGIN` and `END` lines.
    let long = parts.iter().filter(|part| part.len() >= MIN_LINE_BYTES).count();
    if long > 0 && long * 4 >= (parts.len() - 1) * 3 { parts } else { Vec::new() }
}

/// Returns the longest run of base64 characters, which may include escaped newlines.
fn longest_run(line: &[u8]) -> Option<Range<usize>> {
    let mut best: Option<Range<usize>> = None;
    let mut at = 0;
    while at < line.len() {
        let start = at;
        while let Some(step) = key_character_len(&line[at..]) {
            at += step;
        }
        // Escaped newlines at the ends belong to the string, not to the key.
        let mut run = start..at;
        while line[run.clone()].starts_with(b"\\n") || line[run.clone()].starts_with(b"\\r") {
            run.start += 2;
        }
        while line[run.clone()].ends_with(b"\\n") || line[run.clone()].ends_with(b"\\r") {
            run.end -= 2;
        }
        let has_letters = line[run.clone()].iter().any(u8::is_ascii_alphanumeric);
        if has_letters && best.as_ref().is_none_or(|best| best.len() < run.len()) {
            best = Some(run);
        }
        at += 1;
    }
    best
}

/// Returns the length of the key character at the beginning of `rest`, if any.
fn key_character_len(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'\\', b'n' | b'r', ..] => Some(2),
        [byte, ..] if byte.is_ascii_alphanumeric() || b"+/=".contains(byte) => Some(1),
        _ => None,
    }
}
