//! Reads string literals and bare values of many languages, within a bounded distance.

use super::folding::letter_length;
use std::ops::Range;

/// Longest literal that is read.
const MAX_LITERAL_BYTES: usize = 8 << 10;

/// Longest bare value that is read.
const MAX_BARE_BYTES: usize = 1 << 10;

/// Most literals that are joined to one value.
const MAX_PARTS: usize = 64;

/// Shortest literal that others may continue.
pub(super) const MIN_JOINED_BYTES: usize = 8;

/// Longest text between two literals that are joined.
const MAX_GAP_BYTES: usize = 120;

/// A string literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literal {
    /// The text between the quotes.
    pub inner: Range<usize>,
    /// The offset after the closing quote.
    pub end: usize,
}

/// Returns the offset after spaces and tabs.
pub(super) fn skip_spaces(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take(64).take_while(|it| matches!(it, b' ' | b'\t')).count()
}

/// Returns the offset after whitespace that may include up to two line breaks.
pub(super) fn skip_space_and_lines(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let mut breaks = 0;
    let is_skipped = |byte: &&u8| {
        breaks += usize::from(**byte == b'\n');
        matches!(byte, b' ' | b'\t' | b'\r' | b'\n') && breaks <= 2
    };
    at + rest.iter().take(MAX_GAP_BYTES).take_while(is_skipped).count()
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Reads the string literal that begins at `at`: `"..."`, `'...'`, with a prefix as in `b"..."`, raw, in triple
/// quotes, or in escaped quotes as within another string.
pub(super) fn read(bytes: &[u8], at: usize) -> Option<Literal> {
    let rest = bytes.get(at..)?;
    if let [b'\\', quote @ (b'"' | b'\''), ..] = rest {
        return read_until(bytes, at + 2, &[b'\\', *quote]);
    }
    let prefix = rest.iter().take(3).take_while(|it| b"bBrRuUfFLN@$&".contains(it)).count();
    let mut start = at + prefix;
    let mut hashes = 0;
    while prefix > 0 && hashes < 3 && bytes.get(start) == Some(&b'#') {
        hashes += 1;
        start += 1;
    }
    let quote = *bytes.get(start).filter(|it| is_quote(**it))?;
    if hashes > 0 {
        let close: Vec<u8> =
            std::iter::once(quote).chain(std::iter::repeat_n(b'#', hashes)).collect();
        return read_until(bytes, start + 1, &close);
    }
    if bytes[at..start].contains(&b'R') && bytes.get(start + 1) == Some(&b'(') {
        return read_until(bytes, start + 2, &[b')', quote]);
    }
    if bytes[start..].starts_with(&[quote; 3]) {
        let literal = read_until(bytes, start + 3, &[quote; 3])?;
        return Some(literal);
    }
    read_quoted(bytes, start + 1, quote)
}

/// Reads to the closing quote, which is not escaped, on the same line.
fn read_quoted(bytes: &[u8], start: usize, quote: u8) -> Option<Literal> {
    let limit = (start + MAX_LITERAL_BYTES).min(bytes.len());
    let mut at = start;
    while at < limit {
        match bytes[at] {
            b'\n' => return None,
            b'\\' => at += 2,
            // A quote within a string of YAML or SQL.
            b'\'' if quote == b'\'' && at > start && bytes.get(at + 1) == Some(&b'\'') => at += 2,
            byte if byte == quote => return Some(Literal { inner: start..at, end: at + 1 }),
            _ => at += 1,
        }
    }
    None
}

fn read_until(bytes: &[u8], start: usize, close: &[u8]) -> Option<Literal> {
    let limit = (start + MAX_LITERAL_BYTES).min(bytes.len());
    let length = memchr::memmem::find(bytes.get(start..limit)?, close)?;
    let inner = start..start + length;
    let is_line = memchr::memchr(b'\n', &bytes[inner.clone()]).is_none();
    is_line.then(|| Literal { end: inner.end + close.len(), inner })
}

/// Reads the literals that continue the value of the literal before `at`: joined by an operator, by nothing, or
/// (in a list that is joined) by commas.
pub(super) fn read_continuations(bytes: &[u8], mut at: usize, in_list: bool) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    while parts.len() < MAX_PARTS {
        let next = skip_joint(bytes, at, in_list);
        let Some(literal) = next.and_then(|next| read(bytes, next)) else { break };
        if literal.inner.is_empty() {
            break;
        }
        parts.push(literal.inner);
        at = literal.end;
    }
    parts
}

/// Returns the offset of the next literal if only a joining operator or whitespace precedes it.
fn skip_joint(bytes: &[u8], at: usize, in_list: bool) -> Option<usize> {
    let mut next = skip_space_and_lines(bytes, at);
    let has_break = bytes[at..next].contains(&b'\n');
    let mut has_operator = false;
    for _ in 0..3 {
        match bytes.get(next)? {
            b'+' | b'\\' | b'&' | b'.' => has_operator = true,
            b',' if in_list => has_operator = true,
            _ => break,
        }
        next = skip_space_and_lines(bytes, next + 1);
    }
    let is_literal = bytes.get(next).is_some_and(|it| is_quote(*it) || b"bBrRuUL".contains(it));
    (is_literal && (has_operator || has_break)).then_some(next)
}

/// Reads a value without quotes: to whitespace or a delimiter. Delimiters of other syntax end it only where they
/// are followed by the end of the value.
pub(super) fn read_bare(bytes: &[u8], at: usize) -> Range<usize> {
    let limit = (at + MAX_BARE_BYTES).min(bytes.len());
    let is_part = |byte: &u8| byte.is_ascii_graphic() && !b"\"'`<>,;(){}[]&|\\".contains(byte);
    let mut end = at;
    while end < limit {
        end += match &bytes[end..limit] {
            [byte, ..] if is_part(byte) => 1,
            rest => match letter_length(rest) {
                0 => break,
                length => length,
            },
        };
    }
    at..end
}

/// Returns the rest of the line after `at`, without the line break and whitespace at its ends.
pub(super) fn rest_of_line(bytes: &[u8], at: usize) -> Range<usize> {
    let limit = (at + MAX_BARE_BYTES).min(bytes.len());
    let rest = bytes.get(at..limit).unwrap_or_default();
    let mut end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    // A line that is cut off ends between two characters.
    while end > 0 && bytes.get(at + end).is_some_and(|it| it & 0xC0 == 0x80) {
        end -= 1;
    }
    let line = &rest[..end];
    let start = line.iter().take_while(|it| it.is_ascii_whitespace()).count();
    let trailing = line[start..].iter().rev().take_while(|it| it.is_ascii_whitespace()).count();
    at + start..at + end - trailing
}
