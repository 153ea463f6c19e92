//! Detects the format of a text from its content, never from its name.

use super::{DiagnosticsError, Input, frames, json, text};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// The supported formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// SARIF 2.1, as written by clang, gcc, ruff, eslint, CodeQL and many others.
    Sarif,
    /// JSON lines from cargo or rustc.
    Cargo,
    /// Output of `eslint -f json`.
    Eslint,
    /// Output of `ruff --output-format json`.
    Ruff,
    /// Output of `pyright --outputjson`.
    Pyright,
    /// Output of `gcc -fdiagnostics-format=json`.
    Gcc,
    /// JUnit XML.
    Junit,
    /// Text from tsc, gcc, clang, rustc, ruff and any other tool that prints
    /// `file:line:column: message`.
    Text,
    /// Stack traces of any supported language.
    Trace,
}

impl Format {
    /// All supported formats.
    pub const ALL: [Self; 9] = [
        Self::Sarif,
        Self::Cargo,
        Self::Eslint,
        Self::Ruff,
        Self::Pyright,
        Self::Gcc,
        Self::Junit,
        Self::Text,
        Self::Trace,
    ];

    /// Returns the display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sarif => "SARIF 2.1",
            Self::Cargo => "cargo and rustc JSON",
            Self::Eslint => "eslint JSON",
            Self::Ruff => "ruff JSON",
            Self::Pyright => "pyright JSON",
            Self::Gcc => "gcc JSON",
            Self::Junit => "JUnit XML",
            Self::Text => "text of tsc, gcc, clang, rustc or ruff",
            Self::Trace => {
                "stack traces of Python, Java, Kotlin, JavaScript, Rust, Go, C#, Ruby or PHP"
            }
        }
    }
}

/// Detects the format of a text. Returns `None` for output that reports no problems.
pub(super) fn recognise(input: &Input<'_>) -> Result<Option<Format>, DiagnosticsError> {
    let trimmed = input.text.trim();
    if says_nothing(trimmed) {
        return Ok(None);
    }
    if trimmed.starts_with('<') && !trimmed.starts_with("<anonymous>") {
        return Ok(Some(Format::Junit));
    }
    if let Some(format) = recognise_json(input)? {
        return Ok(Some(format));
    }
    if text::has_any(input.text) {
        return Ok(Some(Format::Text));
    }
    if !frames::frames(input.text).is_empty() {
        return Ok(Some(Format::Trace));
    }
    Err(unknown(input))
}

/// Returns whether the output is that of a tool that found no problems.
fn says_nothing(trimmed: &str) -> bool {
    let is_empty_list = trimmed.starts_with('[')
        && trimmed.ends_with(']')
        && trimmed[1..trimmed.len().max(2) - 1].trim().is_empty();
    trimmed.is_empty() || is_empty_list || trimmed == "All checks passed!"
}

/// Detects the format of the first JSON value. A text that begins with JSON must be in a known
/// format; JSON after other text may be ignored.
fn recognise_json(input: &Input<'_>) -> Result<Option<Format>, DiagnosticsError> {
    let mut at = 0;
    for (lines, line) in input.text.split_inclusive('\n').enumerate() {
        let rest = &input.text[at..];
        at += line.len();
        if !json::begins_json(rest) {
            continue;
        }
        let at_start = input.text[..at - line.len()].trim().is_empty();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Keys>();
        match values.next() {
            Some(Ok(keys)) => match keys.format() {
                Some(format) => return Ok(Some(format)),
                None if at_start => return Err(unknown(input)),
                None => {}
            },
            Some(Err(error)) if at_start => {
                return Err(json::malformed(input, "JSON", lines, &error));
            }
            _ => {}
        }
        // After other text, only the first value is examined.
        if !at_start {
            return Ok(None);
        }
    }
    Ok(None)
}

fn unknown(input: &Input<'_>) -> DiagnosticsError {
    DiagnosticsError::UnknownFormat { name: input.name.to_owned() }
}

/// The keys of an object, or of the first object in a list.
struct Keys {
    in_list: bool,
    keys: Vec<String>,
}

impl Keys {
    fn format(&self) -> Option<Format> {
        let has =
            |wanted: &[&str]| wanted.iter().all(|wanted| self.keys.iter().any(|key| key == wanted));
        if self.in_list {
            let formats: [(&[&str], Format); 3] = [
                (&["filePath", "messages"], Format::Eslint),
                (&["filename", "location"], Format::Ruff),
                (&["kind", "locations"], Format::Gcc),
            ];
            return formats.into_iter().find(|(keys, _)| has(keys)).map(|(_, format)| format);
        }
        let formats: [(&[&str], Format); 5] = [
            (&["runs"], Format::Sarif),
            (&["generalDiagnostics"], Format::Pyright),
            (&["reason"], Format::Cargo),
            (&["$message_type"], Format::Cargo),
            (&["message", "level", "spans"], Format::Cargo),
        ];
        formats.into_iter().find(|(keys, _)| has(keys)).map(|(_, format)| format)
    }
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeysVisitor)
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object or a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
        let mut keys = Vec::new();
        while let Some((key, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
            if keys.len() < 100 {
                keys.push(key);
            }
        }
        Ok(Keys { in_list: false, keys })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Keys, A::Error> {
        let first = list.next_element::<Keys>()?;
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Keys { in_list: true, keys: first.map_or_else(Vec::new, |first| first.keys) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(text: &str) -> Result<Option<Format>, DiagnosticsError> {
        recognise(&Input { name: "in", text })
    }

    #[test]
    fn formats_are_told_by_their_content() {
        let cases = [
            ("{\"version\": \"2.1.0\", \"runs\": []}", Format::Sarif),
            ("{\"reason\":\"build-finished\"}", Format::Cargo),
            ("   Compiling a v0.1.0\n{\"reason\":\"compiler-message\"}\n", Format::Cargo),
            ("{\"message\": \"m\", \"level\": \"error\", \"spans\": []}", Format::Cargo),
            ("[{\"filePath\": \"a\", \"messages\": []}]", Format::Eslint),
            (
                "\n> lint\n> eslint -f json\n\n[{\"filePath\": \"a\", \"messages\": []}]",
                Format::Eslint,
            ),
            ("[\n  {\n \"filename\": \"a\", \"location\": {}}]", Format::Ruff),
            ("{\"generalDiagnostics\": []}", Format::Pyright),
            ("[{\"kind\": \"error\", \"locations\": []}]", Format::Gcc),
            ("<testsuites/>", Format::Junit),
            ("a.ts(1,2): error TS1: m", Format::Text),
            ("[ERROR] it failed\na.c:1:2: error: m", Format::Text),
            ("log\n[]\n{x\n  File \"a.py\", line 3, in f\n", Format::Trace),
        ];
        for (text, expected) in cases {
            assert_eq!(format(text), Ok(Some(expected)), "{text}");
        }
    }

    #[test]
    fn output_that_found_nothing_is_no_error() {
        for text in ["", " \n", "[]", "[ \n ]\n", "All checks passed!\n"] {
            assert_eq!(format(text), Ok(None), "{text:?}");
        }
    }

    #[test]
    fn an_unknown_format_names_the_known_ones() {
        for text in ["hello", "{\"a\": 1}", "[{\"a\": 1}]", "[", "{ x"] {
            let error = format(text).expect_err(text);
            if matches!(error, DiagnosticsError::UnknownFormat { .. }) {
                assert_eq!(error.to_string(), "in: unknown format");
                assert!(error.hint().contains("SARIF 2.1, cargo and rustc JSON, eslint JSON"));
            } else {
                assert_eq!(text, "[", "{error}");
            }
        }
    }
}
