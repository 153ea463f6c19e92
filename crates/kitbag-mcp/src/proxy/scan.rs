//! Where things are in a line of JSON, found without understanding them.
//!
//! A proxy must not be stricter than the two that it stands between. So a string may have half a
//! surrogate pair, a number any size, and nesting any depth: only brackets, strings, colons and
//! commas are looked at, and what is nested is passed over without recursion.

use serde::Deserializer;
use serde::de::{Error, Visitor};
use serde_json::{Map, Value};
use std::fmt;
use std::ops::Range;

/// How deep a value is read; what is deeper counts as `null`.
const DEEPEST: usize = 64;

/// A value in a line, without the white space around it.
pub(super) type Span = Range<usize>;

/// The one value of a line; `None` where there is none, or more than that.
pub(super) fn whole(line: &[u8]) -> Option<Span> {
    let start = space(line, 0);
    let end = skip(line, start)?;
    (space(line, end) == line.len()).then_some(start..end)
}

/// The names and the values of an object; `None` where it is none.
pub(super) fn fields(line: &[u8], object: &Span) -> Option<Vec<(Span, Span)>> {
    parts(line, object, (b'{', b'}'), |at| {
        let name = at..string(line, at)?;
        let colon = space(line, name.end);
        let start = (line.get(colon) == Some(&b':')).then(|| space(line, colon + 1))?;
        Some((name, start..skip(line, start)?))
    })
}

/// The items of a list; `None` where it is none.
pub(super) fn items(line: &[u8], list: &Span) -> Option<Vec<Span>> {
    let items = parts(line, list, (b'[', b']'), |at| Some((0..0, at..skip(line, at)?)))?;
    Some(items.into_iter().map(|(_, item)| item).collect())
}

/// The value of a field of an object. Of several the last one counts, as for most readers.
pub(super) fn field(line: &[u8], object: &Span, name: &str) -> Option<Span> {
    let fields = fields(line, object)?;
    let mut found = fields.into_iter().rev().filter(|(at, _)| is_name(&line[at.clone()], name));
    found.next().map(|(_, value)| value)
}

/// The text of a string. Halves of surrogate pairs are replaced.
pub(super) fn text(line: &[u8], value: &Span) -> Option<String> {
    let text = line.get(value.clone())?;
    serde_json::Deserializer::from_slice(text).deserialize_bytes(Text).ok()
}

/// A value as far as it can be had: numbers that are none of ours, and what is too deep, are `null`.
pub(super) fn value(line: &[u8], value: &Span) -> Value {
    let read = serde_json::from_slice(&line[value.clone()]);
    read.unwrap_or_else(|_| loose(line, value, 0))
}

fn loose(line: &[u8], value: &Span, depth: usize) -> Value {
    if depth > DEEPEST {
        return Value::Null;
    }
    let loosely = |value: &Span| loose(line, value, depth + 1);
    if let Some(fields) = fields(line, value) {
        let field = |(name, value)| Some((text(line, &name)?, loosely(&value)));
        return Value::Object(fields.into_iter().filter_map(field).collect::<Map<_, _>>());
    }
    if let Some(items) = items(line, value) {
        return items.iter().map(loosely).collect();
    }
    let text = text(line, value).map(Value::from);
    text.or_else(|| serde_json::from_slice(&line[value.clone()]).ok()).unwrap_or_default()
}

fn is_name(found: &[u8], name: &str) -> bool {
    let inside = found.get(1..found.len() - 1);
    // Few names are written with escapes, and nothing else needs decoding.
    inside == Some(name.as_bytes())
        || (found.contains(&b'\\')
            && serde_json::from_slice::<String>(found).is_ok_and(|it| it == name))
}

/// What stands between brackets with commas between it, each read by `part`.
fn parts(
    line: &[u8],
    whole: &Span,
    (open, close): (u8, u8),
    part: impl Fn(usize) -> Option<(Span, Span)>,
) -> Option<Vec<(Span, Span)>> {
    if line.get(whole.start) != Some(&open) {
        return None;
    }
    let mut parts = Vec::new();
    let mut at = space(line, whole.start + 1);
    if line.get(at) == Some(&close) {
        return Some(parts);
    }
    loop {
        let found = part(at)?;
        at = space(line, found.1.end);
        parts.push(found);
        match line.get(at)? {
            b',' => at = space(line, at + 1),
            byte if *byte == close => return Some(parts),
            _ => return None,
        }
    }
}

/// Where a value ends.
fn skip(line: &[u8], start: usize) -> Option<usize> {
    let mut open = Vec::new();
    let mut at = start;
    loop {
        at = match *line.get(at)? {
            b'"' => string(line, at)?,
            b'{' => {
                open.push(b'}');
                at + 1
            }
            b'[' => {
                open.push(b']');
                at + 1
            }
            byte @ (b'}' | b']') if open.pop()? == byte => at + 1,
            b',' | b':' if !open.is_empty() => at + 1,
            byte if byte.is_ascii_whitespace() && !open.is_empty() => at + 1,
            byte if is_plain(byte) => {
                let length = line[at..].iter().position(|&byte| !is_plain(byte));
                length.map_or(line.len(), |length| at + length)
            }
            _ => return None,
        };
        if open.is_empty() {
            return Some(at);
        }
    }
}

/// Where a string ends.
fn string(line: &[u8], start: usize) -> Option<usize> {
    if line.get(start) != Some(&b'"') {
        return None;
    }
    let mut at = start + 1;
    loop {
        match line.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Whether a byte is one of a number or a word.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

fn space(line: &[u8], start: usize) -> usize {
    let rest = line.get(start..).unwrap_or_default();
    let length = rest.iter().position(|byte| !byte.is_ascii_whitespace());
    length.map_or(line.len(), |length| start + length)
}

/// Reads a string as bytes, which may be what no text has.
struct Text;

impl Visitor<'_> for Text {
    type Value = String;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<String, E> {
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const LINE: &str =
        "{ \"a\" :[1, {\"b\":\"}\\\"\\\\\"} ] , \"\\u0063\": {\"d\":[]},\"a\":-1.5e7 }\t";

    fn get(line: &str, name: &str) -> Option<String> {
        let line = line.as_bytes();
        let found = field(line, &whole(line)?, name)?;
        Some(String::from_utf8_lossy(&line[found]).into_owned())
    }

    #[test]
    fn fields_are_found_by_their_names_and_the_last_one_counts() {
        assert_eq!(get(LINE, "a").as_deref(), Some("-1.5e7"));
        assert_eq!(get(LINE, "c").as_deref(), Some("{\"d\":[]}"));
        assert_eq!(get(LINE, "d"), None);
        assert_eq!(get("[]", "a"), None);
        let line = b"[ 1 ,\"]\" , [2 ] ]";
        assert_eq!(items(line, &whole(line).expect("a value")), Some(vec![2..3, 5..8, 11..15]));
    }

    #[test]
    fn what_is_cut_anywhere_is_no_value() {
        let line = LINE.trim_end();
        for end in 0..line.len() {
            assert_eq!(whole(&line.as_bytes()[..end]), None, "{}", &line[..end]);
        }
        for line in ["{]", "[}", "{} {}", "hello world", "\"", "]", ":", "{\"a\":1", "\u{e9}"] {
            assert_eq!(whole(line.as_bytes()), None, "{line}");
        }
        for line in ["{1:2}", "{\"a\" 1}", "{\"a\":1,}", "{\"a\":}", "{,}"] {
            let line = line.as_bytes();
            assert_eq!(whole(line).and_then(|whole| fields(line, &whole)), None);
        }
    }

    #[test]
    fn no_byte_in_any_place_upsets_it() {
        for at in 0..LINE.len() {
            for byte in *b"{}[]\":,\\ a1\x00\xff" {
                let mut line = LINE.as_bytes().to_vec();
                line[at] = byte;
                let Some(whole) = whole(&line) else { continue };
                let _ = value(&line, &whole);
                assert_eq!(fields(&line, &whole).is_some(), field(&line, &whole, "a").is_some());
            }
        }
    }

    #[test]
    fn values_are_read_as_far_as_they_can_be() {
        let read = |line: &str| value(line.as_bytes(), &whole(line.as_bytes()).expect("a value"));
        assert_eq!(read("{\"a\": [1.5, \"\\ud83d\\ude00\"]}"), json!({ "a": [1.5, "\u{1f600}"] }));
        assert_eq!(
            read("{\"\\ud83d\": [\"cut \\ud83d\", 1e999, NaN, 7, null, {}]}"),
            json!({ "\u{fffd}\u{fffd}\u{fffd}":
                ["cut \u{fffd}\u{fffd}\u{fffd}", null, null, 7, null, {}] })
        );
        let deep = format!("{{\"t\":\"x\",\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read(&deep)["t"], "x");
        assert!(whole("[".repeat(100_000).as_bytes()).is_none());
    }
}
