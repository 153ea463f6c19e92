//! The arguments of the tools, and how they are checked.

use crate::tool_error::ToolError;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The arguments of a call.
pub(crate) type Arguments = Map<String, Value>;

/// Arguments of `explain_chunk`, in addition to those of `pack_context`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ExplainArguments {
    /// The file, relative to the root of the repository.
    pub path: String,
    /// The line, from 1.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub line: u32,
}

/// Arguments of `list_providers`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ListProvidersArguments {
    /// The repository; optional if only one is served.
    pub repo: Option<PathBuf>,
    /// The profile whose settings apply; `agent` by default.
    pub profile: Option<String>,
}

/// Arguments of `set_provider_enabled`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SetProviderArguments {
    /// The id of the provider, as in `list_providers`.
    pub id: String,
    /// Whether it is enabled from now on.
    pub enabled: bool,
}

/// Other names that models use for arguments.
const ALIASES: [(&str, &str); 10] = [
    ("query", "task"),
    ("question", "task"),
    ("prompt", "task"),
    ("query", "name"),
    ("symbol", "name"),
    ("max_tokens", "budget"),
    ("paths", "files"),
    ("references", "files"),
    ("max_results", "limit"),
    ("session_id", "session"),
];

/// Renames arguments that are given under another name, and puts a single string into a list where a list is
/// expected.
pub(crate) fn normalize(arguments: Arguments, schema: &Map<String, Value>) -> Arguments {
    let mut normalized = Arguments::new();
    let properties = &schema["properties"];
    for (name, value) in &arguments {
        let is_free = |alias: &&(&str, &str)| {
            alias.0 == name && properties.get(alias.1).is_some() && !arguments.contains_key(alias.1)
        };
        let alias = ALIASES.iter().find(is_free).filter(|_| properties.get(name).is_none());
        let name = alias.map_or(name.as_str(), |alias| alias.1);
        let is_single = value.is_string() && properties[name]["type"] == "array";
        let value = if is_single { Value::from(vec![value.clone()]) } else { value.clone() };
        normalized.insert(name.to_owned(), value);
    }
    normalized
}

/// Checks the names of arguments, and the range of numbers.
pub(crate) fn check(arguments: &Arguments, schema: &Map<String, Value>) -> Result<(), ToolError> {
    let Some(properties) = schema["properties"].as_object() else { return Ok(()) };
    for (name, value) in arguments {
        let Some(property) = properties.get(name) else {
            let hint = name_hint(name, properties.keys().map(String::as_str));
            let known: Vec<&str> = properties.keys().map(String::as_str).collect();
            let hint = match hint.contains("did you mean") {
                true => format!("{hint} Arguments: `{}`", known.join("`, `")),
                false => hint,
            };
            return Err(ToolError::UnknownArgument { name: name.clone(), hint });
        };
        let bounds = property["minimum"].as_u64().zip(property["maximum"].as_u64());
        if let (Some((min, max)), Some(number)) = (bounds, value.as_f64())
            && !(min as f64..=max as f64).contains(&number)
        {
            let (name, value) = (name.clone(), value.clone());
            return Err(ToolError::OutOfRange { name, min, max, value });
        }
    }
    Ok(())
}

/// Returns the end of a message about an unknown name: a similar name, or else the known ones.
pub(crate) fn name_hint<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    kitbag::name_hint(name, known).map(|hint| format!("; {hint}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request_schemas;
    use kitbag::SearchRequest;
    use serde_json::json;

    fn error(arguments: Value) -> String {
        let Value::Object(arguments) = arguments else { return "not an object".into() };
        let schema = request_schemas::search();
        let arguments = normalize(arguments, &schema);
        let checked = check(&arguments, &schema);
        let parsed = checked
            .and_then(|()| Ok(kitbag::parse_json::<SearchRequest>(&Value::Object(arguments))?));
        parsed.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn errors_name_the_argument() {
        assert_eq!(error(json!({ "task": "a", "limit": 5, "include": ["src"] })), "");
        assert_eq!(error(json!({ "task": "a", "limit": null })), "");
        assert_eq!(
            error(json!({ "task": "a", "limt": 5 })),
            "unknown argument `limt`; did you mean `limit`? Arguments: `task`, `limit`, `files`, `include`, \
             `exclude`, `repo`, `ref`"
        );
        assert_eq!(
            error(json!({ "task": "a", "zzz": 5 })),
            "unknown argument `zzz`; expected one of `task`, `limit`, `files`, `include`, `exclude`, `repo`, \
             `ref`"
        );
        assert_eq!(error(json!({ "task": 5 })), "`task` must be a string, not `5`");
        assert_eq!(
            error(json!({ "task": "a", "include": ["b", 5] })),
            "`include[1]` must be a string, not `5`"
        );
        assert_eq!(error(json!({ "query": "a", "include": "src" })), "", "another name, no list");
        assert_eq!(
            error(json!({ "task": "a", "query": "b" })),
            "unknown argument `query`; expected one of `task`, `limit`, `files`, `include`, `exclude`, `repo`, \
             `ref`"
        );
        for limit in [json!(0), json!(-1), json!(201), json!(1e9)] {
            let message = format!("`limit` must be from 1 to 200, not {limit}");
            assert_eq!(error(json!({ "task": "a", "limit": limit })), message);
        }
    }
}
