//! The JSON schema, for editors.

use crate::keys::{KeyRegistry, canonical};
use crate::table::{self, Setting};
use crate::value::ValueType;
use serde_json::{Map, Value, json};

/// Returns the JSON schema of configuration files.
pub fn config_schema() -> String {
    let mut root = Map::new();
    let mut definitions = Map::new();
    for (key, setting) in KeyRegistry::default().keys() {
        insert(&mut root, &key, leaf(&key, setting, &mut definitions));
    }
    let context = root.remove("context").unwrap_or_default();
    let mut profile = Map::new();
    for (name, inner) in context.as_object().into_iter().flatten() {
        let is_section = table::is_section(&format!("context.{name}"));
        let schema = if is_section {
            definitions.insert(name.clone(), object(&format!("context.{name}"), inner.clone()));
            json!({"$ref": format!("#/$defs/{name}")})
        } else {
            inner.clone()
        };
        profile.insert(name.clone(), schema);
    }
    let mut context = profile.clone();
    context.insert(
        "profiles".into(),
        json!({
            "description": "Settings of single profiles.",
            "type": ["object", "null"],
            "patternProperties": {"^[A-Za-z0-9_-]+$": {"$ref": "#/$defs/profile"}},
            "additionalProperties": false,
        }),
    );
    definitions.insert("profile".into(), object("context", profile.into()));
    let mut properties = Map::new();
    properties.insert("context".into(), object("context", context.into()));
    for (name, inner) in root {
        let schema = object(&name, inner);
        properties.insert(name, schema);
    }
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of Kitbag, .agent/config.yml",
        "type": ["object", "null"],
        "properties": properties,
        "additionalProperties": false,
        "$defs": definitions,
    });
    format!("{schema:#}\n")
}

/// Inserts the schema of a setting at the path of its key.
fn insert(root: &mut Map<String, Value>, key: &str, schema: Value) {
    let mut parts = key.split('.').peekable();
    let mut here = root;
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            here.insert(part.to_owned(), schema);
            return;
        }
        let inner = here.entry(part).or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(inner) = inner else { return };
        here = inner;
    }
}

/// Builds the schema of a section from those of its members.
fn object(key: &str, members: Value) -> Value {
    let Value::Object(members) = members else { return members };
    let member = |(name, inner): (String, Value)| {
        let key = format!("{key}.{name}");
        let is_section = table::is_section(&canonical(&key)) && inner.get("$ref").is_none();
        let schema = if is_section { object(&key, inner) } else { inner };
        (name, schema)
    };
    let properties: Map<String, Value> = members.into_iter().map(member).collect();
    let mut schema = Map::new();
    if let Some(section) = table::SECTIONS.iter().find(|section| section.key == key) {
        schema.insert("description".into(), section.doc.into());
    }
    schema.insert("type".into(), json!(["object", "null"]));
    schema.insert("properties".into(), properties.into());
    schema.insert("additionalProperties".into(), false.into());
    schema.into()
}

/// Builds the schema of a setting, or a reference to a shared one if the setting has many keys.
fn leaf(key: &str, setting: &Setting, definitions: &mut Map<String, Value>) -> Value {
    if !setting.has_placeholder() || setting.differs_by_name() {
        return setting_schema(key, setting);
    }
    let name = setting.key.replace(['<', '>'], "");
    definitions.entry(name.clone()).or_insert_with(|| setting_schema(key, setting));
    json!({"$ref": format!("#/$defs/{name}")})
}

fn setting_schema(key: &str, setting: &Setting) -> Value {
    let mut schema = type_schema(setting.value_type);
    if setting.is_optional() {
        schema = json!({"anyOf": [schema, {"type": "null"}]});
    }
    schema["description"] = setting.doc().into();
    schema["default"] = setting.default_of(key).to_json();
    schema["examples"] = json!([setting.example().to_json()]);
    schema
}

fn type_schema(value_type: ValueType) -> Value {
    match value_type {
        ValueType::Bool => json!({"type": "boolean"}),
        ValueType::Integer(min, max) => {
            json!({"type": "integer", "minimum": min, "maximum": max})
        }
        ValueType::Tokens(min, max) => json!({"anyOf": [
            {"type": "integer", "minimum": min, "maximum": max},
            {"type": "string", "pattern": "^[0-9][0-9_,]*[kKmM]?$"},
        ]}),
        ValueType::Number(min, max) => json!({"type": "number", "minimum": min, "maximum": max}),
        ValueType::Text => json!({"type": "string"}),
        ValueType::Choice(words) => json!({"enum": words}),
        ValueType::List => json!({"type": "array", "items": {"type": "string"}}),
    }
}
