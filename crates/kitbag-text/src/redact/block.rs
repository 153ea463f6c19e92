//! Private-key blocks: the lines between `BEGIN` and `END`, each replaced separately.

use super::heuristics::is_wordy;
use super::rule::{SecretRule, custom};
use std::ops::Range;

pub(super) const RULES: &[SecretRule] = &[
    custom(
        "private-key",
        "body of a private key in PEM, OpenSSH, PGP or OpenVPN armor",
        &["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----", "OpenVPN Static key V1-----"],
        find,
    ),
    custom("private-key", "private lines of a PuTTY key", &["Private-Lines: "], find_putty),
];

/// Maximum length of a `BEGIN` line.
const MAX_BEGIN_BYTES: usize = 80;

/// Maximum length of a key.
const MAX_KEY_BYTES: usize = 32 << 10;

/// Minimum length of a key.
const MIN_KEY_BYTES: usize = 40;

/// Maximum length of quotes, comment signs and indentation around a line of a key.
const MAX_LINE_DECORATION: usize = 8;

/// Widths of lines of keys, in PEM, OpenSSH and PGP armor.
const KEY_LINE_WIDTHS: &[usize] = &[64, 70, 76];

/// Minimum number of whole lines of a key without its `BEGIN` and `END` lines.
const MIN_FRAGMENT_LINES: usize = 2;

/// Minimum length of a key's lines, except for the last.
const MIN_LINE_BYTES: usize = 16;

/// Finds the lines of the key whose `BEGIN` line ends with `keyword`, or whose `END` line does if the text begins
/// within the key.
fn find(content: &str, keyword: Range<usize>) -> Vec<Range<usize>> {
    let at = keyword.end;
    let before = &content.as_bytes()[at.saturating_sub(MAX_BEGIN_BYTES)..at];
    // The keyword is part of a `BEGIN` line only if no `END` or newline is between them.
    let begin = memchr::memmem::rfind(before, b"-----BEGIN ");
    let end = memchr::memmem::rfind(before, b"-----END ");
    let newline = memchr::memrchr(b'\n', before);
    if end.is_some() && begin < end && newline < end {
        return find_before_end(content, at);
    }
    if begin.is_none() || begin < newline {
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

/// Finds the lines before an `END` line that has no `BEGIN` line, as in the output of a command that was cut.
fn find_before_end(content: &str, end: usize) -> Vec<Range<usize>> {
    let bytes = content.as_bytes();
    let from = end.saturating_sub(MAX_KEY_BYTES);
    let Some(dashes) = memchr::memmem::rfind(&bytes[from..end], b"-----END ") else {
        return Vec::new();
    };
    let body_end = from + dashes;
    // Code about keys has both lines next to each other.
    let near = body_end.saturating_sub(MIN_KEY_BYTES).max(from);
    if memchr::memmem::find(&bytes[near..body_end], b"-----").is_some() {
        return Vec::new();
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut line_end = body_end;
    while line_end > from {
        let line_start =
            memchr::memrchr(b'\n', &bytes[from..line_end - 1]).map_or(from, |at| from + at + 1);
        let line = &bytes[line_start..line_end];
        let run = longest_run(line).map(|it| line_start + it.start..line_start + it.end);
        match run {
            Some(run) if is_key_line(bytes, &run, line.trim_ascii().len(), parts.is_empty()) => {
                parts.push(run);
            }
            None if line.trim_ascii().is_empty() || line_end == body_end => {}
            // The whole key was found at its `BEGIN` line.
            _ if memchr::memmem::find(line, b"-----BEGIN ").is_some() => return Vec::new(),
            _ => break,
        }
        line_end = line_start;
    }
    parts.reverse();
    let length: usize = parts.iter().map(Range::len).sum();
    if length < MIN_KEY_BYTES { Vec::new() } else { parts }
}

/// Whether a run of characters is a whole line of a key. The last line may be short, as may be the first one of a
/// text that was cut.
fn is_key_line(bytes: &[u8], run: &Range<usize>, line_length: usize, is_last: bool) -> bool {
    let has_quotes = line_length <= run.len() + MAX_LINE_DECORATION;
    let is_long = run.len() >= MIN_LINE_BYTES || is_last || run.start == 0;
    has_quotes && is_long && bytes[run.clone()].iter().any(u8::is_ascii_alphanumeric)
}

/// Finds the lines of a key at the beginning of a text that was cut on both sides, so that neither the `BEGIN` nor the
/// `END` line is in it. Only the first and the last line may be shorter than the others.
pub(super) fn find_fragment(content: &str) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for line in content.split_inclusive('\n') {
        let text = line.trim_end();
        let is_part = !text.is_empty() && text.bytes().all(|it| key_character_len(&[it]).is_some());
        if !is_part {
            // A certificate or public key, or a key that was found by its `END` line.
            if line.starts_with("-----END ") {
                return Vec::new();
            }
            break;
        }
        lines.push(start..start + text.len());
        start += line.len();
    }
    let widths = lines.iter().skip(1).take(lines.len().saturating_sub(2)).map(Range::len);
    let is_armor = widths.clone().all(|width| KEY_LINE_WIDTHS.contains(&width));
    let is_random = |line: &Range<usize>| {
        let digits = content[line.clone()].bytes().filter(u8::is_ascii_digit).count();
        digits > 0 && !is_wordy(&content[line.clone()])
    };
    if widths.len() >= MIN_FRAGMENT_LINES && is_armor && lines.iter().skip(1).all(is_random) {
        lines
    } else {
        Vec::new()
    }
}

/// Finds the lines after `Private-Lines: N`.
fn find_putty(content: &str, keyword: Range<usize>) -> Vec<Range<usize>> {
    let bytes = content.as_bytes();
    let digits = bytes[keyword.end..].iter().take(4).take_while(|it| it.is_ascii_digit()).count();
    let count: usize = content[keyword.end..keyword.end + digits].parse().unwrap_or(0);
    let limit = (keyword.end + MAX_KEY_BYTES).min(bytes.len());
    let mut start = keyword.end;
    let lines = bytes[keyword.end..limit].split_inclusive(|&byte| byte == b'\n');
    let parts = lines.map(|line| {
        let part = longest_run(line).map(|it| start + it.start..start + it.end);
        start += line.len();
        part
    });
    let parts = parts.skip(1).take(count).map_while(|part| part);
    parts.take_while(|part| part.len() >= MIN_LINE_BYTES).collect()
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
