//! Detects the format of a text from its content, never from its name.

use super::{DiagnosticsError, Input, frames, json, text};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The supported formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolFormat {
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

/// Detects the format of a text. Returns `None` for output that reports no problems.
pub(super) fn detect(input: &Input<'_>) -> Result<Option<ToolFormat>, DiagnosticsError> {
    let trimmed = input.text.trim();
    if is_empty_output(trimmed) {
        return Ok(None);
    }
    if trimmed.starts_with('<') && !trimmed.starts_with("<anonymous>") {
        return Ok(Some(ToolFormat::Junit));
    }
    if let Some(format) = detect_json(input)? {
        return Ok(Some(format));
    }
    if text::has_any(input.text) {
        return Ok(Some(ToolFormat::Text));
    }
    if !frames::frames(input.text).is_empty() {
        return Ok(Some(ToolFormat::Trace));
    }
    Err(input.unknown_format())
}

/// Returns whether the output is that of a tool that found no problems.
fn is_empty_output(trimmed: &str) -> bool {
    let list = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    trimmed.is_empty()
        || list.is_some_and(|items| items.trim().is_empty())
        || trimmed == "All checks passed!"
}

/// Detects the format of the first JSON value. A text that begins with JSON must be in a known
/// format; JSON after other text may be ignored.
fn detect_json(input: &Input<'_>) -> Result<Option<ToolFormat>, DiagnosticsError> {
    let mut at = 0;
    for (lines, line) in input.text.split_inclusive('\n').enumerate() {
        let (before, rest) = input.text.split_at(at);
        at += line.len();
        if json::begins_json(rest) {
            let is_first = before.trim().is_empty();
            return match json_format(rest) {
                Ok(None) if is_first => Err(input.unknown_format()),
                Err(error) if is_first => Err(json::malformed(input, "JSON", lines, &error)),
                format => Ok(format.unwrap_or(None)),
            };
        }
    }
    Ok(None)
}

/// Detects the format of a JSON value by its keys, or by those of the first item of a list.
fn json_format(text: &str) -> Result<Option<ToolFormat>, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    if text.trim_start().starts_with('[') {
        let items = Vec::<Keys>::deserialize(&mut json)?;
        return Ok(items.first().and_then(|keys| match keys {
            Keys { file_path: Some(_), messages: Some(_), .. } => Some(ToolFormat::Eslint),
            Keys { filename: Some(_), location: Some(_), .. } => Some(ToolFormat::Ruff),
            Keys { kind: Some(_), locations: Some(_), .. } => Some(ToolFormat::Gcc),
            _ => None,
        }));
    }
    Ok(match Keys::deserialize(&mut json)? {
        Keys { runs: Some(_), .. } => Some(ToolFormat::Sarif),
        Keys { general_diagnostics: Some(_), .. } => Some(ToolFormat::Pyright),
        Keys { reason: Some(_), .. } | Keys { message_type: Some(_), .. } => {
            Some(ToolFormat::Cargo)
        }
        Keys { message: Some(_), level: Some(_), spans: Some(_), .. } => Some(ToolFormat::Cargo),
        _ => None,
    })
}

/// The keys of an object that tell formats apart.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Keys {
    file_path: Option<IgnoredAny>,
    filename: Option<IgnoredAny>,
    general_diagnostics: Option<IgnoredAny>,
    kind: Option<IgnoredAny>,
    level: Option<IgnoredAny>,
    location: Option<IgnoredAny>,
    locations: Option<IgnoredAny>,
    message: Option<IgnoredAny>,
    #[serde(rename = "$message_type")]
    message_type: Option<IgnoredAny>,
    messages: Option<IgnoredAny>,
    reason: Option<IgnoredAny>,
    runs: Option<IgnoredAny>,
    spans: Option<IgnoredAny>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(text: &str) -> Result<Option<ToolFormat>, DiagnosticsError> {
        detect(&Input { name: "in", text })
    }

    #[test]
    fn format_is_detected_from_the_content() {
        let cases = [
            ("{\"version\": \"2.1.0\", \"runs\": []}", ToolFormat::Sarif),
            ("{\"reason\":\"build-finished\"}", ToolFormat::Cargo),
            ("   Compiling a v0.1.0\n{\"reason\":\"compiler-message\"}\n", ToolFormat::Cargo),
            ("{\"message\": \"m\", \"level\": \"error\", \"spans\": []}", ToolFormat::Cargo),
            ("[{\"filePath\": \"a\", \"messages\": []}]", ToolFormat::Eslint),
            (
                "\n> lint\n> eslint -f json\n\n[{\"filePath\": \"a\", \"messages\": []}]",
                ToolFormat::Eslint,
            ),
            ("[\n  {\n \"filename\": \"a\", \"location\": {}}]", ToolFormat::Ruff),
            ("{\"generalDiagnostics\": []}", ToolFormat::Pyright),
            ("[{\"kind\": \"error\", \"locations\": []}]", ToolFormat::Gcc),
            ("<testsuites/>", ToolFormat::Junit),
            ("a.ts(1,2): error TS1: m", ToolFormat::Text),
            ("[ERROR] it failed\na.c:1:2: error: m", ToolFormat::Text),
            ("log\n[]\n{x\n  File \"a.py\", line 3, in f\n", ToolFormat::Trace),
        ];
        for (text, expected) in cases {
            assert_eq!(format(text), Ok(Some(expected)), "{text}");
        }
    }

    #[test]
    fn output_without_problems_is_not_an_error() {
        for text in ["", " \n", "[]", "[ \n ]\n", "All checks passed!\n"] {
            assert_eq!(format(text), Ok(None), "{text:?}");
        }
    }

    #[test]
    fn hint_lists_the_supported_formats() {
        for text in ["hello", "{\"a\": 1}", "[{\"a\": 1}]", "[", "{ x"] {
            let error = format(text).expect_err(text);
            if matches!(error, DiagnosticsError::UnknownFormat { .. }) {
                assert_eq!(error.to_string(), "in: unknown format");
                assert!(error.hint().contains("SARIF 2.1; JSON of cargo, rustc, eslint"));
            } else {
                assert_eq!(text, "[", "{error}");
            }
        }
    }
}
