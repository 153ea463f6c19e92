//! The arguments of `pack_context`: the engine's request, in plain types and described for a model.

use crate::schema;
use kitbag::RequestShape;
use schemars::JsonSchema;
use serde_json::{Map, Value};

/// Members of the request that only the user may set.
const USER_ONLY: [&str; 4] = ["window", "tokenizer", "deny", "redact"];

/// The arguments whose type or description differs from the engine's. It accepts more forms, such as
/// `"budget": "8k"`, which need schemas that some clients do not understand.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the engine deserializes the arguments")]
struct PlainArguments {
    /// What you are doing, in plain language: the user's question, a bug report, an error message or
    /// stack trace, verbatim. Names of functions and files help.
    task: Option<String>,
    /// Maximum number of tokens of the pack; 8,000 by default. Use 2,000 to 4,000 for a small
    /// question, 16,000 and more for work across many files.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    budget: Option<usize>,
    /// The repository; optional if only one is served.
    repo: Option<String>,
    /// The file that the user has open.
    document: Option<OpenFile>,
    /// The position of the cursor in `document`: `42` or `42:7`.
    cursor: Option<String>,
    /// The selected lines of `document`: `10-20`.
    selection: Option<String>,
    /// Other files that the user has open.
    open_files: Option<Vec<OpenFile>>,
    /// Output of compilers, linters and tests, as printed: the code that it refers to is considered.
    diagnostics: Option<Vec<String>>,
    /// The format of the text; markdown by default.
    #[schemars(extend("enum" = ["markdown", "xml", "json", "plain"]))]
    format: Option<String>,
    /// A named set of settings: `agent` (the default), `orchestrate`, `inline-edit`, `chunks`,
    /// `situation`, or one of the project's own.
    profile: Option<String>,
    /// Maximum duration in milliseconds; what has been gathered by then is packed.
    #[schemars(range(min = 1, max = 3_600_000))]
    deadline_ms: Option<u64>,
    /// What you are in the middle of, for the project's rules.
    situation: Option<String>,
    /// The time that ages are measured from, such as `2026-11-15T12:00:00Z`; by default that of the
    /// newest change.
    now: Option<String>,
}

/// A file that is open in an editor.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the engine deserializes the arguments")]
struct OpenFile {
    /// The path, relative to the root.
    path: String,
    /// The content, if it is not saved.
    content: Option<String>,
}

/// Returns the schema of the arguments.
pub(crate) fn schema() -> Map<String, Value> {
    let mut schema = schema::arguments::<PlainArguments>();
    let request = schema::arguments::<RequestShape>();
    if let (Some(Value::Object(properties)), Some(Value::Object(request))) =
        (schema.get_mut("properties"), request.get("properties"))
    {
        for (name, property) in request {
            if !USER_ONLY.contains(&name.as_str()) {
                properties.entry(name.clone()).or_insert_with(|| property.clone());
            }
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_arguments_are_members_of_the_request() {
        let request = schema::arguments::<RequestShape>();
        for schema in [schema(), schema::arguments::<PlainArguments>()] {
            for name in schema["properties"].as_object().into_iter().flat_map(Map::keys) {
                assert!(request["properties"].get(name).is_some(), "{name}");
            }
        }
    }
}
