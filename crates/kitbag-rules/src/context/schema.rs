//! The JSON schema of context files, for editors.

use super::keys::{CONTEXT, ContextKey, KeyType};
use kitbag_text::Kind;
use serde_json::{Map, Value, json};

/// Returns the JSON schema of context files.
pub fn context_schema() -> String {
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Context of Kitbag, .agent/contexts/**/*.yml",
    });
    let inner = mapping(CONTEXT);
    for (key, value) in inner.as_object().into_iter().flatten() {
        schema[key] = value.clone();
    }
    format!("{schema:#}\n")
}

fn mapping(keys: &'static [ContextKey]) -> Value {
    let properties: Map<String, Value> =
        keys.iter().map(|key| (key.name.to_owned(), described(key))).collect();
    let required: Vec<&str> =
        keys.iter().filter(|key| key.is_required).map(|key| key.name).collect();
    let is_optional = required.is_empty();
    let types = if is_optional { json!(["object", "null"]) } else { json!("object") };
    let mut schema = json!({
        "type": types, "properties": properties, "additionalProperties": false,
    });
    if !is_optional {
        schema["required"] = json!(required);
    }
    schema
}

fn described(key: &'static ContextKey) -> Value {
    let mut schema = type_schema(key.key_type);
    schema["description"] = key.doc.into();
    schema
}

fn type_schema(key_type: KeyType) -> Value {
    let scalar = json!({"type": ["string", "number", "boolean"]});
    match key_type {
        KeyType::Text => json!({"type": ["string", "number", "boolean", "null"]}),
        KeyType::Texts => {
            json!({"anyOf": [scalar, {"type": "array", "items": scalar}, {"type": "null"}]})
        }
        KeyType::Kinds => {
            let kind = json!({"enum": Kind::ALL.map(|kind| kind.1)});
            json!({"anyOf": [kind, {"type": "array", "items": kind}, {"type": "null"}]})
        }
        KeyType::Mapping(keys) => mapping(keys),
        KeyType::List(keys) => json!({"type": ["array", "null"], "items": mapping(keys)}),
    }
}
