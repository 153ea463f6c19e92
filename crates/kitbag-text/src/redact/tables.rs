//! Columns of passwords and keys: in CSV and Markdown tables, and in `INSERT` statements.

use super::assignment::ValueForm;
use super::candidate::whole_characters;
use super::literal::{read, skip_space_and_lines};
use super::names::{NameKind, SecretName};
use super::verdict;
use std::ops::Range;

/// Longest header.
const MAX_HEADER_BYTES: usize = 1_024;

/// Longest row.
const MAX_ROW_BYTES: usize = 4_096;

/// Most rows of one table that are read.
const MAX_ROWS: usize = 10_000;

/// A column of a table, or the values of a map.
#[derive(Default)]
pub(super) struct Column {
    pub secrets: Vec<Range<usize>>,
    /// The rows that were read.
    pub rows: Range<usize>,
}

/// Finds the secrets in the column that has the name at `name`.
pub(super) fn column(content: &str, name: &Range<usize>, class: SecretName) -> Column {
    let bytes = content.as_bytes();
    let next = bytes[name.end..]
        .iter()
        .take(8)
        .find(|it| !matches!(it, b' ' | b'"' | b'\'' | b'`' | b'*'));
    let values = match next {
        Some(b'=' | b':') if is_plural(bytes, name) => mapped(bytes, name),
        Some(b')' | b',') if has_parenthesis(bytes, name) => inserted(bytes, name),
        Some(b'|') => rows(bytes, name, b'|', true),
        Some(b',' | b';' | b'\t' | b'\n' | b'\r') | None => {
            let before = name.start.checked_sub(1).map(|at| bytes[at]);
            let is_separator = |it: &u8| b",;\t".contains(it);
            let separator = next.copied().filter(is_separator).or(before.filter(is_separator));
            let Some(separator) = separator else { return Column::default() };
            rows(bytes, name, separator, false)
        }
        _ => return Column::default(),
    };
    let values: Vec<Range<usize>> =
        values.into_iter().map(|it| whole_characters(content, it)).collect();
    let (Some(first), Some(last)) = (values.first(), values.last()) else {
        return Column::default();
    };
    let rows = first.start..last.end;
    let class = match is_plural(bytes, name) {
        true => SecretName { kind: NameKind::Password, has_purpose: true, ..class },
        false => SecretName { has_purpose: true, ..class },
    };
    // Sentences have commas as well.
    let is_list = matches!(next, Some(b',')) && !has_parenthesis(bytes, name);
    let is_secret = |value: &Range<usize>| {
        let is_sentence = is_list && bytes[value.clone()].contains(&b' ');
        let form = if is_sentence { ValueForm::Argument } else { ValueForm::Quoted };
        verdict::is_secret(class, form, &content[value.clone()])
    };
    Column { rows, secrets: values.into_iter().filter(is_secret).collect() }
}

fn is_plural(bytes: &[u8], name: &Range<usize>) -> bool {
    bytes[name.clone()].to_ascii_lowercase().ends_with(b"passwords")
}

/// Returns the values of a map from users to passwords: `{"anna": "...", "bert": "..."}`.
fn mapped(bytes: &[u8], name: &Range<usize>) -> Vec<Range<usize>> {
    let window = &bytes[name.end..(name.end + 48).min(bytes.len())];
    let Some(open) = memchr::memchr2(b'{', b'\n', window).filter(|at| window[*at] == b'{') else {
        return Vec::new();
    };
    let mut at = name.end + open + 1;
    let mut values = Vec::new();
    while values.len() < MAX_ROWS {
        let Some(key) = read(bytes, skip_space_and_lines(bytes, at)) else { break };
        let operator = skip_space_and_lines(bytes, key.end);
        let length = match bytes.get(operator..).unwrap_or_default() {
            [b'=', b'>', ..] => 2,
            [b':', ..] => 1,
            _ => break,
        };
        let Some(value) = read(bytes, skip_space_and_lines(bytes, operator + length)) else {
            break;
        };
        values.push(value.inner);
        at = skip_space_and_lines(bytes, value.end);
        if bytes.get(at) != Some(&b',') {
            break;
        }
        at += 1;
    }
    values
}

fn has_parenthesis(bytes: &[u8], name: &Range<usize>) -> bool {
    let from = name.start.saturating_sub(MAX_HEADER_BYTES);
    memchr::memrchr2(b'(', b'\n', &bytes[from..name.start])
        .is_some_and(|at| bytes[from + at] == b'(')
}

/// Returns the cells below a header cell.
fn rows(bytes: &[u8], name: &Range<usize>, separator: u8, is_markdown: bool) -> Vec<Range<usize>> {
    let from = name.start.saturating_sub(MAX_HEADER_BYTES);
    let start = memchr::memrchr(b'\n', &bytes[from..name.start]).map_or(from, |at| from + at + 1);
    let header = line_at(bytes, start);
    // A table begins a text or follows an empty line.
    let is_first =
        start == 0 || bytes[..start].ends_with(b"\n\n") || bytes[..start].ends_with(b"\n\r\n");
    let is_header = header.len() <= MAX_HEADER_BYTES
        && bytes[header.clone()].iter().all(|it| is_header_byte(*it) || *it == separator);
    if !is_header || !(is_first || is_markdown) {
        return Vec::new();
    }
    let count = cells(bytes, header.clone(), separator).len();
    let index = bytes[header.start..name.start].iter().filter(|it| **it == separator).count();
    let mut at = header.end + 1;
    if is_markdown {
        let ruler = line_at(bytes, at);
        let is_ruler = bytes[ruler.clone()].iter().all(|it| b"|-: \t\r".contains(it));
        if !is_ruler || memchr::memmem::find(&bytes[ruler.clone()], b"--").is_none() {
            return Vec::new();
        }
        at = ruler.end + 1;
    }
    let mut values = Vec::new();
    while at < bytes.len() && values.len() < MAX_ROWS {
        let line = line_at(bytes, at);
        at = line.end + 1;
        let cells = cells(bytes, line, separator);
        match cells.get(index) {
            Some(cell) if cells.len() == count => values.push(cell.clone()),
            _ => break,
        }
    }
    values
}

fn is_header_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b" _-.\"'\r*`|".contains(&byte)
}

fn line_at(bytes: &[u8], start: usize) -> Range<usize> {
    let start = start.min(bytes.len());
    let limit = (start + MAX_ROW_BYTES).min(bytes.len());
    let end = memchr::memchr(b'\n', &bytes[start..limit]).map_or(limit, |at| start + at);
    start..end
}

/// Splits a line into cells, without whitespace and quotes.
fn cells(bytes: &[u8], line: Range<usize>, separator: u8) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let mut start = line.start;
    let ends = memchr::memchr_iter(separator, &bytes[line.clone()]).map(|at| line.start + at);
    for end in ends.chain(std::iter::once(line.end)) {
        let is_trimmed = |it: &&u8| it.is_ascii_whitespace() || b"\"'`".contains(it);
        let leading = bytes[start..end].iter().take_while(is_trimmed).count();
        let trailing = bytes[start + leading..end].iter().rev().take_while(is_trimmed).count();
        cells.push(start + leading..end - trailing);
        start = end + 1;
    }
    cells
}

/// Returns the values of a column in `INSERT INTO table (columns) VALUES (values), ...`.
fn inserted(bytes: &[u8], name: &Range<usize>) -> Vec<Range<usize>> {
    let from = name.start.saturating_sub(MAX_HEADER_BYTES);
    let Some(open) = memchr::memrchr(b'(', &bytes[from..name.start]).map(|at| from + at) else {
        return Vec::new();
    };
    let before = bytes[open.saturating_sub(128)..open].to_ascii_lowercase();
    if memchr::memmem::rfind(&before, b"into").is_none() {
        return Vec::new();
    }
    let index = bytes[open..name.start].iter().filter(|it| **it == b',').count();
    let window = &bytes[name.end..(name.end + MAX_HEADER_BYTES).min(bytes.len())];
    let Some(close) = memchr::memchr(b')', window) else { return Vec::new() };
    let mut at = skip_space_and_lines(bytes, name.end + close + 1);
    if !bytes.get(at..at + 6).is_some_and(|it| it.eq_ignore_ascii_case(b"values")) {
        return Vec::new();
    }
    at = skip_space_and_lines(bytes, at + 6);
    let mut values = Vec::new();
    while bytes.get(at) == Some(&b'(') && values.len() < MAX_ROWS {
        let (tuple, end) = tuple(bytes, at + 1);
        values.extend(tuple.into_iter().nth(index).flatten());
        at = skip_space_and_lines(bytes, end);
        if bytes.get(at) != Some(&b',') {
            break;
        }
        at = skip_space_and_lines(bytes, at + 1);
    }
    values
}

/// Reads the values of a tuple to its parenthesis. Values that are not strings are `None`.
fn tuple(bytes: &[u8], mut at: usize) -> (Vec<Option<Range<usize>>>, usize) {
    let limit = (at + (16 << 10)).min(bytes.len());
    let (mut values, mut current) = (Vec::new(), None);
    while at < limit {
        match bytes[at] {
            b')' => {
                at += 1;
                break;
            }
            b',' => values.push(current.take()),
            b'\'' | b'"' => match read(bytes, at) {
                Some(literal) => {
                    at = literal.end;
                    current = Some(literal.inner);
                    continue;
                }
                None => break,
            },
            _ => {}
        }
        at += 1;
    }
    values.push(current);
    (values, at)
}
