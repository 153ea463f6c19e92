//! The JSON schema of context files, for editors.

use super::keys::{CONTEXT, ContextKey, KeyType};
use kitbag_text::Kind;
use serde_json::{Map, Value, json};

/// Returns the JSON schema of context files.
pub fn context_schema() -> String {
    let mut schema = Map::new();
    schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("title".into(), "Context of Kitbag, .agent/contexts/**/*.yml".into());
    schema.extend(mapping(CONTEXT));
    format!("{:#}\n", Value::Object(schema))
}

fn mapping(keys: &'static [ContextKey]) -> Map<String, Value> {
    let mut properties = Map::new();
    for key in keys {
        let mut schema = type_schema(key.key_type);
        schema["description"] = key.doc.into();
        properties.insert(key.name.to_owned(), schema);
    }
    let required: Vec<&str> =
        keys.iter().filter(|key| key.is_required).map(|key| key.name).collect();
    let types = if required.is_empty() { json!(["object", "null"]) } else { json!("object") };
    let mut schema = Map::new();
    schema.insert("type".into(), types);
    schema.insert("properties".into(), properties.into());
    schema.insert("additionalProperties".into(), false.into());
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
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
            let kind = json!({"enum": Kind::ALL.map(Kind::name)});
            json!({"anyOf": [kind, {"type": "array", "items": kind}, {"type": "null"}]})
        }
        KeyType::Mapping(keys) => mapping(keys).into(),
        KeyType::List(keys) => json!({"type": ["array", "null"], "items": mapping(keys)}),
    }
}
