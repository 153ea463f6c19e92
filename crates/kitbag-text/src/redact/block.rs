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

/// Maximum length of what tools put before lines: line numbers, times and names of files or containers.
const MAX_LINE_PREFIX: usize = 64;

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
        let is_prefix_of_end = line_end == body_end
            && line_start > from
            && !line.ends_with(b"\n")
            && memchr::memmem::find(line, b"\\n").is_none();
        if is_prefix_of_end {
            line_end = line_start;
            continue;
        }
        let run = prefixed_run(line, parts.is_empty())
            .or_else(|| longest_run(line))
            .map(|it| line_start + it.start..line_start + it.end);
        match run {
            Some(run) if is_key_line(bytes, line_start..line_end, &run, parts.is_empty()) => {
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

/// Returns the part of the last line of a key behind a prefix, which may be longer than the rest.
fn prefixed_run(line: &[u8], is_last: bool) -> Option<Range<usize>> {
    const MIN_REST_BYTES: usize = 4;
    let part = fragment_part(line.trim_ascii_end()).filter(|_| is_last)?;
    (part.start > 0 && part.len() >= MIN_REST_BYTES).then_some(part)
}

/// Whether a run of characters is a whole line of a key. The last line may be short, as may be the first one of a
/// text that was cut.
fn is_key_line(bytes: &[u8], line: Range<usize>, run: &Range<usize>, is_last: bool) -> bool {
    let before = bytes[line.start..run.start].trim_ascii_start().len();
    let after = bytes[run.end..line.end].trim_ascii_end().len();
    let is_prefixed =
        after == 0 && before <= MAX_LINE_PREFIX && (run.len() >= MIN_LINE_BYTES || is_last);
    let has_quotes = before + after <= MAX_LINE_DECORATION || is_prefixed;
    let is_long = run.len() >= MIN_LINE_BYTES || is_last || run.start == 0;
    has_quotes && is_long && bytes[run.clone()].iter().any(u8::is_ascii_alphanumeric)
}

/// Finds the lines of a key at the beginning of a text that was cut on both sides, so that neither the `BEGIN` nor the
/// `END` line is in it. Only the first and the last line may be shorter than the others.
pub(super) fn find_fragment(content: &str) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let (mut start, mut prefix) = (0, Vec::new());
    for line in content.split_inclusive('\n') {
        let Some(part) = fragment_part(line.trim_end().as_bytes()) else {
            // A certificate or public key, or a key that was found by its `END` line.
            if line.contains("-----END ") {
                return Vec::new();
            }
            break;
        };
        // All lines have the same prefix apart from numbers, except for the first one, which may be cut.
        let form: Vec<u8> =
            line.bytes().take(part.start).filter(|it| !it.is_ascii_digit()).collect();
        if lines.len() > 1 && form != prefix {
            break;
        }
        prefix = form;
        lines.push(start + part.start..start + part.end);
        start += line.len();
    }
    without_plus_signs(content, &mut lines);
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

/// Returns the part of a line that may belong to a key: to its end, possibly after a line number, a time or a name.
fn fragment_part(line: &[u8]) -> Option<Range<usize>> {
    let length = line.iter().rev().take_while(|it| key_character_len(&[**it]).is_some()).count();
    let prefix = &line[..line.len() - length];
    let is_prefix = match prefix.last() {
        None => true,
        // Agents number lines as in `12→text`.
        Some(last) => {
            prefix.len() <= MAX_LINE_PREFIX
                && (b" \t:|-".contains(last) || prefix.ends_with("→".as_bytes()))
        }
    };
    (length > 0 && is_prefix).then_some(prefix.len()..line.len())
}

/// Strips the `+` that a diff has before each line.
fn without_plus_signs(content: &str, lines: &mut [Range<usize>]) {
    let bytes = content.as_bytes();
    if lines.len() > MIN_FRAGMENT_LINES && lines.iter().all(|line| bytes[line.start] == b'+') {
        lines.iter_mut().for_each(|line| line.start += 1);
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
        // Behind a line number or time, all lines begin in the same column.
        let column = parts.last().map_or(0, |part| column(content, part.start));
        let part = aligned_run(line, column).or_else(|| longest_run(line));
        let part = part.map(|it| start + it.start..start + it.end);
        let is_first = start == body.start;
        let is_attribute = !is_first && is_attribute(line);
        // What precedes the `END` line is not part of the key.
        if is_closed && column > 0 && line.len() == column && !line.ends_with(b"\n") {
            break;
        }
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

/// Whether a line is a header such as `Proc-Type: 4,ENCRYPTED`.
fn is_attribute(line: &[u8]) -> bool {
    let Some(colon) = memchr::memmem::find(line, b": ") else { return false };
    let name = line[..colon].trim_ascii_start();
    name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(|it| it.is_ascii_alphabetic() || *it == b'-')
}

fn column(content: &str, at: usize) -> usize {
    let from = at.saturating_sub(2 * MAX_LINE_PREFIX);
    let line = &content.as_bytes()[from..at];
    memchr::memrchr(b'\n', line).map_or(0, |newline| line.len() - newline - 1)
}

/// Returns the run of base64 characters from a column to the end of the line.
fn aligned_run(line: &[u8], column: usize) -> Option<Range<usize>> {
    let text = line.trim_ascii_end();
    let is_aligned = column > 0 && column < text.len() && column <= MAX_LINE_PREFIX;
    let is_run = |text: &[u8]| text.iter().all(|it| key_character_len(&[*it]).is_some());
    (is_aligned && !is_run(&text[..column]) && is_run(&text[column..]))
        .then_some(column..text.len())
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
