//! Errors in requests and sources, with the place, the value and a suggestion.

use crate::request::forms::TIME_FORMS;
use kitbag_config::{is_remote_key, unique_key};
use kitbag_tokens::name_hint;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

/// Number of characters of a value that an error shows.
const MAX_VALUE_CHARS: usize = 60;

/// An invalid request in JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    /// Field with the problem, such as `open_files[2]`; empty if it concerns the whole request.
    pub field: String,
    /// Description of the problem.
    pub message: String,
    hint: Option<String>,
}

impl RequestError {
    /// Suggests how to fix the request.
    pub fn hint(&self) -> Option<String> {
        self.hint.clone()
    }

    pub(super) fn new(field: &str, message: &str) -> Self {
        let prefix = if field.is_empty() { String::new() } else { format!("`{field}`: ") };
        let message = format!("{prefix}{message}");
        Self { field: field.to_owned(), message, ..Self::default() }
    }

    pub(super) fn not_an_object(json: &Value) -> Self {
        Self::new("", &format!("not a JSON object: `{}`", shown(json)))
    }

    /// Describes why `json` could not be deserialized.
    pub(super) fn in_json(
        json: &Value,
        error: &serde_path_to_error::Error<serde_json::Error>,
    ) -> Self {
        let message = error.inner().to_string();
        let field = display(error.path());
        match message.rsplit_once(", expected ") {
            Some((problem, expected)) if problem.starts_with("unknown ") => {
                Self::unknown(&field, problem, expected)
            }
            Some((problem, expected)) if problem.starts_with("invalid ") => {
                let value = find(json, error.path()).map(shown).unwrap_or_default();
                let message = format!("`{field}` must be {}, not `{value}`", in_words(expected));
                Self { field, message, ..Self::default() }
            }
            _ => Self::new(&field, &message),
        }
    }

    /// Creates the error for an unknown name. It suggests a setting of that name, or else a similar
    /// name. If there is neither, it lists the known names.
    fn unknown(field: &str, problem: &str, expected: &str) -> Self {
        let name = problem.split('`').nth(1).unwrap_or_default();
        let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        let setting = unique_key(name).filter(|_| field == name);
        let hint = match setting {
            Some(key) if is_remote_key(&key) => {
                Some(format!("it is a setting: `\"options\": {{\"{key}\": ...}}`"))
            }
            Some(key) => Some(format!("only the user can set `{key}`, in the configuration")),
            None => name_hint(name, known.iter().copied()),
        };
        let parent = match field.strip_suffix(name) {
            Some(parent) => parent.trim_end_matches('.'),
            None => field.rsplit_once('.').map_or("", |(parent, _)| parent),
        };
        Self { field: field.to_owned(), hint, ..Self::new(parent, problem) }
    }
}

/// An invalid line in a file of sources.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{line}: {error}")]
pub struct SourceLineError {
    /// Name of the file.
    pub name: String,
    /// Number of the line, starting at 1.
    pub line: usize,
    /// The problem.
    pub error: RequestError,
}

impl SourceLineError {
    /// Suggests how to fix the line.
    pub fn hint(&self) -> Option<String> {
        let example = "each line is a JSON object such as {\"path\": \"src/a.rs\", \"kind\": \
                       \"open_file\"}";
        // A message about a field says what the field must be.
        let is_whole_line = self.error.field.is_empty();
        self.error.hint().or_else(|| is_whole_line.then(|| example.to_owned()))
    }
}

/// Formats a path; empty if it is that of the whole value.
fn display(path: &Path) -> String {
    if path.iter().next().is_none() { String::new() } else { path.to_string() }
}

fn find<'a>(json: &'a Value, path: &Path) -> Option<&'a Value> {
    path.iter().try_fold(json, |value, segment| match segment {
        Segment::Seq { index } => value.get(index),
        Segment::Map { key } => value.get(key),
        _ => None,
    })
}

/// Returns the plain words for a type in an error of serde. Signed numbers are times, and floating
/// point numbers relevances.
fn in_words(expected: &str) -> &str {
    match expected {
        "u32" => "a line number",
        "u64" | "usize" => "a whole number",
        "i64" => TIME_FORMS,
        "f64" => "a number from 0 to 1",
        "a sequence" => "a list",
        "a map" => "an object",
        "a boolean" => "true or false",
        "path string" => "a string",
        other => other,
    }
}

/// Formats a value for a message, truncated if long.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
