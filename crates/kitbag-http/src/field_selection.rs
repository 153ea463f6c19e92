//! `?fields=`: the fields of a response that a client wants.

use crate::problem::Problem;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The wanted fields of a response; all if none are named.
#[derive(Debug, Default)]
pub(crate) struct FieldSelection(Option<BTreeSet<String>>);

impl FieldSelection {
    /// Parses names that are separated by commas. `schema` describes the response.
    pub fn parse(fields: Option<&str>, schema: &Value) -> Result<Self, Problem> {
        let Some(fields) = fields else { return Ok(Self(None)) };
        let names = fields.split(',').map(str::trim).filter(|name| !name.is_empty());
        let names: BTreeSet<String> = names.map(str::to_owned).collect();
        if names.is_empty() {
            let detail = "`fields` must name at least one field";
            return Err(Problem::unprocessable("fields", detail));
        }
        let known = schema["properties"].as_object();
        let is_unknown = |name: &&String| known.is_none_or(|it| !it.contains_key(name.as_str()));
        match names.iter().find(is_unknown) {
            None => Ok(Self(Some(names))),
            Some(unknown) => Err(unknown_field(unknown, known)),
        }
    }

    /// Returns the JSON of a response with the wanted fields.
    pub fn select(&self, response: &impl Serialize) -> serde_json::Result<Vec<u8>> {
        let Some(names) = &self.0 else { return serde_json::to_vec(response) };
        let mut json = serde_json::to_value(response)?;
        if let Value::Object(fields) = &mut json {
            fields.retain(|name, _| names.contains(name));
        }
        serde_json::to_vec(&json)
    }
}

fn unknown_field(name: &str, known: Option<&Map<String, Value>>) -> Problem {
    let problem = Problem::unprocessable("fields", format!("unknown field `{name}` in `fields`"));
    let known = || known.into_iter().flat_map(|it| it.keys().map(String::as_str));
    match kitbag::name_hint(name, known()) {
        Some(hint) => problem.with_hint(hint),
        None => problem,
    }
}
