//! Private-key blocks: the lines between `BEGIN` and `END`, each replaced by itself.

use super::guard;
use super::rule::{Place, Rule};
use std::ops::Range;

pub(super) const RULES: &[Rule] = &[Rule {
    id: "private-key",
    description: "the body of a private key in PEM, OpenSSH or PGP armour",
    keywords: &["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"],
    pattern: "",
    place: Place::Block,
    guard: guard::is_no_placeholder,
}];

/// No `BEGIN` line is longer.
const OPENING: usize = 80;

/// No key is longer.
const LONGEST: usize = 32 << 10;

/// A body with fewer characters than this is no key.
const LEAST: usize = 40;

/// A key's lines are at least this long, but for the last.
const LINE: usize = 16;

/// The parts of the key's body whose `BEGIN` line has its last dash before `at`.
pub(super) fn find(content: &str, at: usize) -> Vec<Range<usize>> {
    let before = &content.as_bytes()[at.saturating_sub(OPENING)..at];
    // The dashes that stand before belong to this block only if none of another come after them.
    let begins = memchr::memmem::rfind(before, b"-----BEGIN ");
    let ends = memchr::memmem::rfind(before, b"-----END ");
    let lines = memchr::memrchr(b'\n', before);
    if begins.is_none() || begins < ends || begins < lines {
        return Vec::new();
    }
    let most = (at + LONGEST).min(content.len());
    let bytes = &content.as_bytes()[at..most];
    let next = memchr::memmem::find(bytes, b"-----").unwrap_or(bytes.len());
    let is_closed = bytes[next..].starts_with(b"-----END ");
    let body = at..at + next;
    let parts = parts(content, body, is_closed);
    let length: usize = parts.iter().map(Range::len).sum();
    if length < LEAST { Vec::new() } else { parts }
}

/// The part of each line that is the key's; none where the lines are not those of a key. Without an
/// end, the first line that is none ends it.
fn parts(content: &str, body: Range<usize>, is_closed: bool) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut start = body.start;
    for line in content.as_bytes()[body.clone()].split_inclusive(|&byte| byte == b'\n') {
        let part = longest_run(line).map(|it| start + it.start..start + it.end);
        let is_first = start == body.start;
        // `Proc-Type: 4,ENCRYPTED` and the like.
        let is_attribute = !is_first && memchr::memmem::find(line, b": ").is_some();
        start += line.len();
        match part.filter(|_| !is_attribute) {
            Some(part) if (is_closed && !is_first) || part.len() >= LINE => parts.push(part),
            _ if !is_closed && !parts.is_empty() => break,
            _ => {}
        }
    }
    // All lines but the last are long; code that names the two dashed lines is not like that.
    let long = parts.iter().filter(|part| part.len() >= LINE).count();
    if long > 0 && long * 4 >= (parts.len() - 1) * 3 { parts } else { Vec::new() }
}

/// The longest run of characters that a key is written in; escaped newlines may stand among them.
fn longest_run(line: &[u8]) -> Option<Range<usize>> {
    let mut best: Option<Range<usize>> = None;
    let mut at = 0;
    while at < line.len() {
        let start = at;
        while let Some(step) = key_character(&line[at..]) {
            at += step;
        }
        // An escaped newline at an end is the string's, not the key's.
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

/// How many bytes the next character of a key takes here; `None` where there is none.
fn key_character(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'\\', b'n' | b'r', ..] => Some(2),
        [byte, ..] if byte.is_ascii_alphanumeric() || b"+/=".contains(byte) => Some(1),
        _ => None,
    }
}
