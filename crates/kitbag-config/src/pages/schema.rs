//! The JSON schema, for editors.

use crate::keys::KeyRegistry;
use crate::table::{self, Setting};
use crate::value::ValueType;
use serde_json::{Map, Value, json};

/// Returns the JSON schema of configuration files.
pub fn config_schema() -> String {
    let mut definitions = Map::new();
    let mut root = members("", &mut definitions);
    // Sections of `context` are shared with profiles.
    let mut context = members("context", &mut definitions);
    for (name, member) in &mut context {
        if member.get("properties").is_some() {
            let reference = json!({"$ref": format!("#/$defs/{name}")});
            definitions.insert(name.clone(), std::mem::replace(member, reference));
        }
    }
    definitions.insert("profile".into(), section_schema("context", context.clone()));
    context.insert(
        "profiles".into(),
        json!({
            "description": "Settings of single profiles.",
            "type": ["object", "null"],
            "patternProperties": {"^[A-Za-z0-9_-]+$": {"$ref": "#/$defs/profile"}},
            "additionalProperties": false,
        }),
    );
    root["context"] = section_schema("context", context);
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of Kitbag, .agent/config.yml",
        "type": ["object", "null"],
        "properties": root,
        "additionalProperties": false,
        "$defs": definitions,
    });
    format!("{schema:#}\n")
}

/// Builds the schemas of the settings and sections directly below a section.
fn members(section: &str, definitions: &mut Map<String, Value>) -> Map<String, Value> {
    let prefix = if section.is_empty() { String::new() } else { format!("{section}.") };
    let mut schemas = Map::new();
    for (key, setting) in KeyRegistry::default().keys() {
        let Some(rest) = key.strip_prefix(&prefix) else { continue };
        let name = rest.split('.').next().unwrap_or(rest);
        if schemas.contains_key(name) {
            continue;
        }
        let schema = if name == rest {
            leaf(&key, setting, definitions)
        } else {
            let section = format!("{prefix}{name}");
            section_schema(&section, members(&section, definitions))
        };
        schemas.insert(name.to_owned(), schema);
    }
    schemas
}

fn section_schema(key: &str, members: Map<String, Value>) -> Value {
    let mut schema = Map::new();
    if let Some(section) = table::SECTIONS.iter().find(|section| section.key == key) {
        schema.insert("description".into(), section.doc.into());
    }
    schema.insert("type".into(), json!(["object", "null"]));
    schema.insert("properties".into(), members.into());
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
    schema["default"] = setting.default_of(key);
    schema["examples"] = json!([setting.example()]);
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
