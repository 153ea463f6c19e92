//! The one request shape as a type, from which its JSON schema is made. Requests are read by
//! `request_json`, whose errors say more; a test holds the two together.

use crate::request::{Moment, SourceLine};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A request for a pack. Everything is optional, but a task, sources, a document, references, open
/// files, tool results, diagnostics or a situation must be there.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PackRequest")]
pub struct RequestShape {
    /// What the agent is doing, in plain language: a question, a bug report, a stack trace.
    pub task: Option<String>,
    /// The most tokens that the pack may have, as a number or as `32k`.
    pub budget: Option<Tokens>,
    /// The model's window, from which the reserves are taken, where no budget is given.
    pub window: Option<Tokens>,
    /// The model that reads the pack, such as `gpt-4o`: it decides how tokens are counted.
    pub model: Option<String>,
    /// How tokens are counted, in place of what the model says: the name of a vocabulary or estimate.
    pub tokenizer: Option<String>,
    /// The profile, a named set of settings; `agent` if not given.
    pub profile: Option<String>,
    /// How the text looks: `markdown`, `xml`, `json` or `plain`.
    pub format: Option<String>,
    /// The repository.
    pub repo: Option<String>,
    /// The current context of the rules; `default` if not given.
    pub context: Option<String>,
    /// What the caller intends, for rules.
    pub intent: Option<String>,
    /// Settings of this request alone: keys of `context`, which itself may be left out, with values.
    pub options: Option<BTreeMap<String, serde_json::Value>>,
    /// The open document.
    pub document: Option<DocumentShape>,
    /// Where the cursor is in the document.
    pub cursor: Option<CursorShape>,
    /// What is selected in the document.
    pub selection: Option<SelectionShape>,
    /// Files that are open, saved or not.
    pub open_files: Option<Vec<DocumentShape>>,
    /// What tools said.
    pub tool_results: Option<Vec<ToolResultShape>>,
    /// Paths that must be considered, each with an optional line range: `src/a.rs:10-40`.
    pub references: Option<Vec<String>>,
    /// What compilers, linters and tests said: as text, as an object with `name` and `content`, or as
    /// the JSON that they wrote.
    pub diagnostics: Option<Vec<DiagnosticsShape>>,
    /// Sources that the caller brings.
    pub sources: Option<Vec<SourceLine>>,
    /// Providers that are switched on for this request.
    pub providers: Option<Vec<String>>,
    /// Providers that are switched off for this request.
    pub no_providers: Option<Vec<String>>,
    /// Only files that match one of these globs are searched.
    pub include: Option<Vec<String>>,
    /// Files that match one of these globs are not searched.
    pub exclude: Option<Vec<String>>,
    /// Files that match one of these are never read, beside those that are denied anyway.
    pub deny: Option<Vec<String>>,
    /// Whether secrets inside texts are replaced by markers; they are if not given.
    pub redact: Option<bool>,
    /// How many milliseconds the pack may take: what has arrived by then is packed.
    pub deadline_ms: Option<u64>,
    /// Who asks.
    pub agent_id: Option<String>,
    /// What the caller is in the middle of, in free form, for rules.
    pub situation: Option<serde_json::Value>,
    /// What the request is called in logs and events.
    pub correlation_id: Option<String>,
    /// The time that ages are measured from: seconds since 1970, or a time such as
    /// `2026-11-15T12:00:00Z`.
    pub now: Option<Moment>,
}

/// A number of tokens.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Tokens {
    /// As a number.
    Number(u64),
    /// As people write it: `8000`, `32k`, `1m`.
    Text(#[schemars(regex(pattern = r"^[1-9][0-9]{0,4}[kK]?$"))] String),
}

/// A path, or a path with a content that is not saved.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DocumentShape {
    /// The path.
    Path(String),
    /// A path and its content.
    Unsaved(UnsavedShape),
}

/// A path and its content.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnsavedShape {
    /// The path, relative to the root.
    pub path: String,
    /// The content, where it is not what the file has.
    pub content: Option<String>,
}

/// A line, `42:7`, or an object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CursorShape {
    /// The line, from 1.
    Line(#[schemars(range(min = 1, max = 1_073_741_824))] u32),
    /// The line and the column.
    Text(#[schemars(regex(pattern = r"^[1-9][0-9]{0,6}(:[1-9][0-9]{0,6})?$"))] String),
    /// The same as an object.
    Place(PlaceShape),
}

/// A line and a column.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceShape {
    /// The line, from 1.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub line: u32,
    /// The column, from 1.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub column: Option<u32>,
}

/// `10-20`, or an object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SelectionShape {
    /// The first and the last line.
    Text(#[schemars(regex(pattern = r"^[1-9][0-9]{0,6}(-[1-9][0-9]{0,6})?$"))] String),
    /// The same as an object.
    Lines(LinesShape),
}

/// Lines that are selected.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinesShape {
    /// The first line, from 1.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub start_line: u32,
    /// The last line; the first if not given.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub end_line: Option<u32>,
    /// The selected text: it is looked for where the document has changed since.
    pub text: Option<String>,
}

/// What a tool said.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolResultShape {
    /// What the pack calls it.
    pub label: String,
    /// What it said.
    pub content: String,
}

/// Output of a compiler, a linter or tests.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DiagnosticsShape {
    /// As it was printed.
    Text(String),
    /// As it was printed or written, or an object with `name` and `content`.
    Object(BTreeMap<String, serde_json::Value>),
    /// JSON that is a list.
    List(Vec<serde_json::Value>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Request;
    use crate::request_json::FIELDS;
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
