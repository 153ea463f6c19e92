//! The arguments of the tools, and how they are checked.

use crate::repos::UnknownRepo;
use kitbag::RequestError;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The arguments of a call.
pub(crate) type Arguments = Map<String, Value>;

/// Arguments of `search_code`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchArguments {
    /// What you look for, in plain language: a question, a bug report, an error message, names.
    pub task: String,
    /// Maximum number of results; 20 by default.
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<usize>,
    /// Return files instead of functions and classes.
    pub files: Option<bool>,
    /// The repository; optional if only one is served.
    pub repo: Option<String>,
    /// Search only files that match one of these globs, such as `src/**`.
    #[serde(default)]
    pub include: Vec<String>,
    /// Do not search files that match one of these globs.
    #[serde(default)]
    pub exclude: Vec<String>,
}

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
    pub repo: Option<String>,
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

/// An error in the arguments of a call.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArgumentError {
    #[error("unknown argument `{name}`{hint}")]
    Unknown { name: String, hint: String },
    #[error("`{name}` is required: {description}")]
    Missing { name: String, description: String },
    #[error("`{name}` must be from {min} to {max}, not {value}")]
    OutOfRange { name: String, min: u64, max: u64, value: Value },
    #[error("`{name}`: {source}")]
    Type { name: String, source: serde_json::Error },
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error("{0}")]
    Repo(UnknownRepo),
}

/// Checks the names of arguments, the range of numbers, and that the required ones are present.
/// `null` counts as absent, since many clients send it for optional arguments.
pub(crate) fn check(
    arguments: &mut Arguments,
    schema: &Map<String, Value>,
) -> Result<(), ArgumentError> {
    arguments.retain(|_, value| !value.is_null());
    let Some(properties) = schema["properties"].as_object() else { return Ok(()) };
    for (name, value) in arguments.iter() {
        let Some(property) = properties.get(name) else {
            let hint = did_you_mean(name, properties.keys().map(String::as_str));
            return Err(ArgumentError::Unknown { name: name.clone(), hint });
        };
        check_range(name, value, property)?;
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if !arguments.contains_key(name) {
            let description = properties[name]["description"].as_str().unwrap_or_default();
            let (name, description) = (name.to_owned(), description.to_owned());
            return Err(ArgumentError::Missing { name, description });
        }
    }
    Ok(())
}

fn check_range(name: &str, value: &Value, property: &Value) -> Result<(), ArgumentError> {
    let bounds = (property["minimum"].as_u64(), property["maximum"].as_u64());
    let ((Some(min), Some(max)), Some(number)) = (bounds, value.as_f64()) else { return Ok(()) };
    if (min as f64..=max as f64).contains(&number) {
        return Ok(());
    }
    Err(ArgumentError::OutOfRange { name: name.to_owned(), min, max, value: value.clone() })
}

/// Deserializes arguments that have been checked.
pub(crate) fn parse<T: DeserializeOwned>(arguments: Arguments) -> Result<T, ArgumentError> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let name = error.path().to_string();
        ArgumentError::Type { name, source: error.into_inner() }
    })
}

/// Returns the end of a message about an unknown name; empty if no name is similar.
pub(crate) fn did_you_mean<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    let similar = kitbag::similar(name, names);
    similar.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;
    use serde_json::json;

    fn error(arguments: Value) -> String {
        let Value::Object(mut arguments) = arguments else { return "not an object".into() };
        let checked = check(&mut arguments, &schema::arguments::<SearchArguments>());
        match checked.and_then(|()| parse::<SearchArguments>(arguments)) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn errors_name_the_argument() {
        assert_eq!(error(json!({ "task": "a", "limit": 5, "include": ["src"] })), "");
        assert_eq!(error(json!({ "task": "a", "limit": null })), "");
        assert_eq!(
            error(json!({ "task": "a", "limt": 5 })),
            "unknown argument `limt`; did you mean `limit`?"
        );
        assert_eq!(error(json!({ "task": "a", "zzz": 5 })), "unknown argument `zzz`");
        assert_eq!(
            error(json!({ "task": 5 })),
            "`task`: invalid type: integer `5`, expected a string"
        );
        assert_eq!(
            error(json!({ "task": "a", "include": ["b", 5] })),
            "`include[1]`: invalid type: integer `5`, expected a string"
        );
        for limit in [json!(0), json!(-1), json!(201), json!(1e9)] {
            let message = format!("`limit` must be from 1 to 200, not {limit}");
            assert_eq!(error(json!({ "task": "a", "limit": limit })), message);
        }
        assert!(
            error(json!({ "task": null })).starts_with("`task` is required: What you look for")
        );
    }
}
