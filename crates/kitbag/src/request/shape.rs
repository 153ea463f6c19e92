//! The request as a type from which its JSON schema is generated. Requests are parsed by
//! `request::json`, which gives better errors; a test ensures that the two agree.

use crate::request::{Moment, SourceLine};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A request for a pack. Every field is optional, but at least one of task, sources, document,
/// references, open files, tool results, diagnostics and situation is required.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PackRequest")]
pub struct RequestShape {
    /// Task of the agent, in plain language: a question, a bug report, a stack trace.
    pub task: Option<String>,
    /// Maximum number of tokens in the pack, as a number or as `32k`.
    pub budget: Option<Tokens>,
    /// Size of the model's context window in tokens. The budget, if not given, is this size minus
    /// the reserves.
    pub window: Option<Tokens>,
    /// Model that reads the pack, such as `gpt-4o`. It determines the tokenizer.
    pub model: Option<String>,
    /// Tokenizer, which overrides the model's: the name of a vocabulary or of an estimate.
    pub tokenizer: Option<String>,
    /// Profile, a named set of settings; defaults to `agent`.
    pub profile: Option<String>,
    /// Format of the text: `markdown`, `xml`, `json` or `plain`.
    pub format: Option<String>,
    /// Folder of the repository.
    pub repo: Option<String>,
    /// Current context of the rules; defaults to `default`.
    pub context: Option<String>,
    /// Intent of the caller, for rules.
    pub intent: Option<String>,
    /// Settings for this request only: keys of `context`, with or without that prefix, and their
    /// values.
    pub options: Option<BTreeMap<String, serde_json::Value>>,
    /// Document open in the editor.
    pub document: Option<DocumentShape>,
    /// Position of the cursor in the document.
    pub cursor: Option<CursorShape>,
    /// Selected lines of the document.
    pub selection: Option<SelectionShape>,
    /// Open files, saved or not.
    pub open_files: Option<Vec<DocumentShape>>,
    /// Output of tools, each with a label.
    pub tool_results: Option<Vec<ToolResultShape>>,
    /// Paths that must be considered, each with an optional line range: `src/a.rs:10-40`.
    pub references: Option<Vec<String>>,
    /// Output of compilers, linters and tests: as text, as an object with `name` and `content`, or
    /// as the JSON that they wrote.
    pub diagnostics: Option<Vec<DiagnosticsShape>>,
    /// Sources that the caller supplies.
    pub sources: Option<Vec<SourceLine>>,
    /// Providers to switch on for this request.
    pub providers: Option<Vec<String>>,
    /// Providers to switch off for this request.
    pub no_providers: Option<Vec<String>>,
    /// Globs of the files to search; all files if empty.
    pub include: Option<Vec<String>>,
    /// Globs of files that are not searched.
    pub exclude: Option<Vec<String>>,
    /// Patterns of files that are never read, in addition to those that are always denied.
    pub deny: Option<Vec<String>>,
    /// Whether secrets in texts are replaced by markers; defaults to true.
    pub redact: Option<bool>,
    /// Maximum duration of the request in milliseconds. Sources that arrive later are not packed.
    pub deadline_ms: Option<u64>,
    /// Identifier of the agent that makes the request.
    pub agent_id: Option<String>,
    /// Situation of the caller, in free form, for rules.
    pub situation: Option<serde_json::Value>,
    /// Identifier of the request in logs and events.
    pub correlation_id: Option<String>,
    /// Time from which ages are measured: seconds since 1970, or a time such as
    /// `2026-11-15T12:00:00Z`.
    pub now: Option<Moment>,
}

/// A number of tokens.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Tokens {
    /// A plain number.
    Number(u64),
    /// A string such as `8000` or `32k`.
    Text(#[schemars(regex(pattern = r"^[1-9][0-9]{0,4}[kK]?$"))] String),
}

/// A path, or a path with unsaved content.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DocumentShape {
    /// Path of a saved file, relative to the root.
    Path(String),
    /// A path with its content.
    Unsaved(UnsavedShape),
}

/// A path with its content.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnsavedShape {
    /// Path relative to the root.
    pub path: String,
    /// Content, if it differs from the file.
    pub content: Option<String>,
}

/// A line, `42:7`, or an object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CursorShape {
    /// Line, starting at 1.
    Line(#[schemars(range(min = 1, max = 1_073_741_824))] u32),
    /// Line and optional column, such as `42:7`.
    Text(#[schemars(regex(pattern = r"^[1-9][0-9]{0,6}(:[1-9][0-9]{0,6})?$"))] String),
    /// An object with `line` and `column`.
    Place(PlaceShape),
}

/// A line and a column.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceShape {
    /// Line, starting at 1.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub line: u32,
    /// Column, starting at 1.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub column: Option<u32>,
}

/// `10-20`, or an object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SelectionShape {
    /// First and last line, such as `10-20`.
    Text(#[schemars(regex(pattern = r"^[1-9][0-9]{0,6}(-[1-9][0-9]{0,6})?$"))] String),
    /// An object with `start_line`, `end_line` and `text`.
    Lines(LinesShape),
}

/// Selected lines.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinesShape {
    /// First line, starting at 1.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub start_line: u32,
    /// Last line; defaults to the first.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub end_line: Option<u32>,
    /// Selected text, used to find the selection if the document has changed since.
    pub text: Option<String>,
}

/// Output of a tool, shown under a label.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolResultShape {
    /// Label of the output in the pack.
    pub label: String,
    /// Text that the tool printed.
    pub content: String,
}

/// Output of a compiler, a linter or tests.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DiagnosticsShape {
    /// Output as printed.
    Text(String),
    /// Output as a JSON object, or an object with `name` and `content`.
    Object(BTreeMap<String, serde_json::Value>),
    /// Output as a JSON array.
    List(Vec<serde_json::Value>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Request;
    use crate::request::json::FIELDS;
    use serde_json::json;

    #[test]
    fn the_shape_has_the_fields_that_are_read() {
        let schema = schemars::schema_for!(RequestShape);
        let properties = schema.get("properties").and_then(|it| it.as_object());
        let names: Vec<&str> =
            properties.map(|it| it.keys().map(String::as_str).collect()).unwrap_or_default();
        let mut known = FIELDS.to_vec();
        known.sort_unstable();
        let mut names = names;
        names.sort_unstable();
        assert_eq!(names, known);
    }

    #[test]
    fn what_the_shape_takes_is_read_and_what_it_refuses_is_not() {
        let right = json!({
            "task": "t", "budget": "32k", "window": 9000, "document": {"path": "a", "content": "b"},
            "cursor": "42:7", "selection": {"start_line": 2}, "open_files": ["a", {"path": "b"}],
            "tool_results": [{"label": "l", "content": "c"}], "diagnostics": ["x", {}, []],
            "sources": [{"path": "a.rs", "content": "x", "kind": "open_file"}],
            "options": {"ranking.min_score": 0.2}, "now": "2026-11-15T12:00:00Z", "situation": {"a": 1},
        });
        assert!(serde_json::from_value::<RequestShape>(right.clone()).is_ok());
        assert!(Request::from_json(&right).is_ok());
        for wrong in [
            json!({"tsk": "t"}),
            json!({"task": 5}),
            json!({"cursor": {"line": 1, "row": 2}}),
            json!({"tool_results": [{"label": "l"}]}),
            json!({"include": "src"}),
        ] {
            assert!(serde_json::from_value::<RequestShape>(wrong.clone()).is_err(), "{wrong}");
            assert!(Request::from_json(&wrong).is_err(), "{wrong}");
        }
    }
}
