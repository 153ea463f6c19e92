//! The JSON schema of context files, for editors.

use super::keys::{CONTEXT, Key, Shape};
use kitbag_text::Kind;
use serde_json::{Map, Value, json};

/// The JSON schema of a context file.
pub fn context_schema() -> String {
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A context of Kitbag, .agent/contexts/**/*.yml",
    });
    let inner = section(CONTEXT);
    for (key, value) in inner.as_object().into_iter().flatten() {
        schema[key] = value.clone();
    }
    format!("{schema:#}\n")
}

fn section(keys: &'static [Key]) -> Value {
    let properties: Map<String, Value> =
        keys.iter().map(|key| (key.name.to_owned(), described(key))).collect();
    let required: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let is_free = required.is_empty();
    let kinds = if is_free { json!(["object", "null"]) } else { json!("object") };
    let mut schema = json!({
        "type": kinds, "properties": properties, "additionalProperties": false,
    });
    if !is_free {
        schema["required"] = json!(required);
    }
    schema
}

fn described(key: &'static Key) -> Value {
    let mut schema = shape(key.shape);
    schema["description"] = key.doc.into();
    schema
}

fn shape(shape: Shape) -> Value {
    let word = json!({"type": ["string", "number", "boolean"]});
    match shape {
        Shape::Text => json!({"type": ["string", "number", "boolean", "null"]}),
        Shape::Texts => {
            json!({"anyOf": [word, {"type": "array", "items": word}, {"type": "null"}]})
        }
        Shape::Kinds => {
            let kind = json!({"enum": Kind::ALL.map(|kind| kind.1)});
            json!({"anyOf": [kind, {"type": "array", "items": kind}, {"type": "null"}]})
        }
        Shape::Section(keys) => section(keys),
        Shape::List(keys) => json!({"type": ["array", "null"], "items": section(keys)}),
    }
}
