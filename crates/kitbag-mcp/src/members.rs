//! The members of a JSON object, located without decoding their values.
//!
//! For messages that cannot be deserialized as a whole: the `id` of a malformed or overlong line is
//! found this way, and the proxy extends lines without changing any other byte of them. serde_json
//! skips the values. It accepts lone surrogates, numbers of any size and any depth while it does, so a
//! proxy is not stricter than the two programs that it connects.

use crate::line_reader::TAIL_BYTES;
use crate::surrogates;
use serde::de::IgnoredAny;
use serde_json::{Deserializer, Map, Value};
use std::ops::Range;

/// Depth up to which [`lenient_value`] decodes; deeper values are `null`.
const MAX_DEPTH: usize = 64;

/// The place of a value in a line, without the whitespace around it.
pub(crate) type ByteRange = Range<usize>;

/// Why an object has no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScanError {
    Truncated,
    Malformed,
}

/// The members of an object, up to the first error.
#[derive(Debug, Clone)]
pub(crate) struct Members {
    members: Vec<(String, ByteRange)>,
    pub error: Option<ScanError>,
}

impl Members {
    /// Scans the object that makes up a line. Some clients write the `id` last, so a malformed line
    /// also has the members from an `id` near its end on.
    pub fn of_line(line: &[u8]) -> Self {
        let line = line.trim_ascii_end();
        let start = skip_whitespace(line, 0);
        if line.get(start) != Some(&b'{') {
            return Self { members: Vec::new(), error: Some(ScanError::Malformed) };
        }
        let mut object = Self::scan(line, start + 1);
        let tail = line.len().saturating_sub(TAIL_BYTES);
        let id = line[tail..].windows(4).rposition(|bytes| bytes == b"\"id\"");
        if let (Some(ScanError::Malformed), Some(id)) = (object.error, id) {
            let rest = Self::scan(line, tail + id);
            if rest.error.is_none() {
                object.members.extend(rest.members);
            }
        }
        object
    }

    /// Scans the object at `range`; `None` if the value is not a well-formed object.
    pub fn of_object(line: &[u8], range: &ByteRange) -> Option<Self> {
        let object = line.get(range.clone())?.strip_prefix(b"{")?;
        let mut members = Self::scan(object, 0);
        for (_, value) in &mut members.members {
            *value = value.start + range.start + 1..value.end + range.start + 1;
        }
        members.error.is_none().then_some(members)
    }

    /// Returns the value of the last member with this name, as most parsers do; `None` if it is
    /// malformed.
    pub fn get(&self, name: &str) -> Option<ByteRange> {
        let member = self.members.iter().rfind(|(other, _)| other == name);
        member.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
    }

    /// Whether there is a member with this name, even with a malformed value.
    pub fn contains(&self, name: &str) -> bool {
        self.members.iter().any(|(other, _)| other == name)
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Scans members from `start` to the closing brace, which must end the line.
    fn scan(line: &[u8], start: usize) -> Self {
        let mut members = Vec::new();
        let end = scan_list(line, start, b'}', |start| {
            if line[start] != b'"' {
                return Err(ScanError::Malformed);
            }
            let name = start..value_end(line, start)?;
            let colon = skip_whitespace(line, name.end);
            if *line.get(colon).ok_or(ScanError::Truncated)? != b':' {
                return Err(ScanError::Malformed);
            }
            let start = skip_whitespace(line, colon + 1);
            let end = value_end(line, start);
            let name = lenient_string(&line[name]).unwrap_or_default();
            members.push((name, start..end.unwrap_or(start)));
            end
        });
        // A truncated line may have been cut off within a number.
        members.retain(|(_, value)| value.end < line.len());
        let error = match end {
            Ok(end) if end == line.len() => None,
            Ok(_) => Some(ScanError::Malformed),
            Err(error) => Some(error),
        };
        Self { members, error }
    }
}

/// Decodes a string; lone surrogates become replacement characters.
pub(crate) fn lenient_string(json: &[u8]) -> Option<String> {
    let string = serde_json::from_slice(json).ok();
    string.or_else(|| serde_json::from_slice(&surrogates::replace_lone(json)?).ok())
}

/// Decodes as much of a value as possible: numbers that are too large and values that are nested too
/// deep become `null`.
pub(crate) fn lenient_value(line: &[u8], range: &ByteRange) -> Value {
    decode(line, range, 0)
}

fn decode(line: &[u8], range: &ByteRange, depth: usize) -> Value {
    if let Ok(value) = serde_json::from_slice(&line[range.clone()]) {
        return value;
    }
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    if let Some(object) = Members::of_object(line, range) {
        let members = object.members.into_iter();
        let members = members.map(|(name, value)| (name, decode(line, &value, depth + 1)));
        return Value::Object(members.collect::<Map<_, _>>());
    }
    let mut items = Vec::new();
    if line[range.start] == b'[' {
        let end = scan_list(line, range.start + 1, b']', |start| {
            let end = value_end(line, start)?;
            items.push(decode(line, &(start..end), depth + 1));
            Ok(end)
        });
        if end.is_ok() {
            return Value::Array(items);
        }
    }
    lenient_string(&line[range.clone()]).map_or(Value::Null, Value::String)
}

/// Scans elements that are separated by commas, and returns the place behind the closing bracket.
fn scan_list(
    line: &[u8],
    start: usize,
    close: u8,
    mut element: impl FnMut(usize) -> Result<usize, ScanError>,
) -> Result<usize, ScanError> {
    let mut at = skip_whitespace(line, start);
    if line.get(at) == Some(&close) {
        return Ok(at + 1);
    }
    loop {
        if at == line.len() {
            return Err(ScanError::Truncated);
        }
        at = skip_whitespace(line, element(at)?);
        match line.get(at).ok_or(ScanError::Truncated)? {
            b',' => at = skip_whitespace(line, at + 1),
            byte if *byte == close => return Ok(at + 1),
            _ => return Err(ScanError::Malformed),
        }
    }
}

/// Returns where the value that starts at `start` ends.
fn value_end(line: &[u8], start: usize) -> Result<usize, ScanError> {
    let mut values = Deserializer::from_slice(&line[start..]).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => Ok(start + values.byte_offset()),
        Some(Err(error)) if !error.is_eof() => Err(ScanError::Malformed),
        _ => Err(ScanError::Truncated),
    }
}

fn skip_whitespace(line: &[u8], start: usize) -> usize {
    line.len() - line[start..].trim_ascii_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const LINE: &str =
        "{ \"a\" :[1, {\"b\":\"}\\\"\\\\\"} ] , \"\\u0063\": {\"d\":[]},\"a\":-1.5e7 }\t";

    fn get(line: &str, name: &str) -> Option<String> {
        let range = Members::of_line(line.as_bytes()).get(name)?;
        Some(line[range].to_owned())
    }

    #[test]
    fn members_are_found_by_name_and_the_last_one_counts() {
        assert_eq!(get(LINE, "a").as_deref(), Some("-1.5e7"));
        assert_eq!(get(LINE, "c").as_deref(), Some("{\"d\":[]}"));
        assert_eq!(get(LINE, "d"), None);
        assert_eq!(get("[]", "a"), None);
    }

    #[test]
    fn the_id_of_a_malformed_line_is_found_where_possible() {
        let long = "x".repeat(1_000);
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"a"}"#, Some("7")),
            (r#" { "params" : {"id":1,"b":[{"id":2}]}, "id" : "a\"}b" } "#, Some(r#""a\"}b""#)),
            (r#"{"method":"a","params":{"task":"\"id\":3,"},"id":-4}"#, Some("-4")),
            (r#"{"id":5,"method":"a","params":{"#, Some("5")),
            (r#"{"params":{"a":NaN},"id":5,"method":"a"}"#, Some("5")),
            (r#"{"params":{"a":NaN,"id":5}}"#, None),
            (r#"{"method":"a","params":{"id":5}"#, None),
            (&format!(r#"{{"{long}":"{long}","id":6}}"#), Some("6")),
            (r#"{"id":8"#, None),
            (r#"[{"id":9}]"#, None),
            (r#""id":9,"#, None),
            ("hello, world", None),
        ] {
            assert_eq!(get(line, "id").as_deref(), id, "{line}");
        }
    }

    #[test]
    fn truncated_and_malformed_lines_are_told_apart() {
        let line = LINE.trim_end();
        for end in 0..line.len() {
            let error = Members::of_line(&line.as_bytes()[..end]).error;
            assert!(error.is_some(), "{}", &line[..end]);
        }
        let error = |line: &str| Members::of_line(line.as_bytes()).error;
        for line in ["{", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":\"b", "{\"a\":[{", "{\"a\":1,"] {
            assert_eq!(error(line), Some(ScanError::Truncated), "{line}");
        }
        let malformed = [
            "",
            "{]",
            "{} {}",
            "hello world",
            "]",
            "{1:2}",
            "{\"a\" 1}",
            "{\"a\":1,}",
            "{\"a\":}",
            "{,}",
            "{\"a\":NaN}",
            "\u{e9}",
        ];
        for line in malformed {
            assert_eq!(error(line), Some(ScanError::Malformed), "{line}");
        }
    }

    #[test]
    fn any_byte_in_any_place_is_handled() {
        for at in 0..LINE.len() {
            for byte in *b"{}[]\":,\\ a1\x00\xff" {
                let mut line = LINE.as_bytes().to_vec();
                line[at] = byte;
                let members = Members::of_line(&line);
                if let Some(range) = members.get("a") {
                    let _ = lenient_value(&line, &range);
                }
            }
        }
    }

    #[test]
    fn values_are_decoded_as_far_as_possible() {
        let read = |json: &str| lenient_value(json.as_bytes(), &(0..json.len()));
        assert_eq!(read("{\"a\": [1.5, \"\\ud83d\\ude00\"]}"), json!({ "a": [1.5, "\u{1f600}"] }));
        assert_eq!(
            read("{\"\\ud83d\": [\"cut \\ud83d\", 1e999, 7, null, {}]}"),
            json!({ "\u{fffd}": ["cut \u{fffd}", null, 7, null, {}] })
        );
        let deep = format!("{{\"t\":\"x\",\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read(&deep)["t"], "x");
    }
}
