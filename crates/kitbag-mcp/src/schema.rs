//! JSON schemas in the plain subset that all clients understand: no references, no formats, no unions
//! with `null`.

use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// Returns the schema of a tool's arguments.
pub(crate) fn arguments<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.contract = Contract::Deserialize;
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(simplify).transform(&mut schema);
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    // The tool has a title and a description of its own.
    schema.remove("title");
    schema.remove("description");
    schema
}

/// Returns the schema of arguments that a request of the engine has, with other keywords for some of
/// them. `null` leaves an argument out.
pub(crate) fn arguments_with<T: JsonSchema>(keywords: &Value) -> Map<String, Value> {
    let mut schema = arguments::<T>();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return schema };
    for (name, keywords) in keywords.as_object().into_iter().flatten() {
        debug_assert!(properties.contains_key(name), "unknown argument `{name}`");
        match (properties.get_mut(name), keywords) {
            (Some(Value::Object(property)), Value::Object(keywords)) => {
                property.remove("pattern");
                property.extend(keywords.clone());
            }
            _ => drop(properties.remove(name)),
        }
    }
    schema
}

fn simplify(schema: &mut Schema) {
    let Some(schema) = schema.as_object_mut() else { return };
    // Of several forms, the first is for models.
    while let Some(Value::Array(variants)) = schema.remove("anyOf") {
        let variant = variants.into_iter().find(|variant| variant["type"] != "null");
        for (name, value) in variant.as_ref().and_then(Value::as_object).into_iter().flatten() {
            schema.entry(name.clone()).or_insert(value.clone());
        }
    }
    schema.remove("format");
    schema.remove("default");
    // A range of lines: clients differ in their support for tuples.
    if let Some(Value::Array(items)) = schema.remove("prefixItems") {
        schema.extend(items.into_iter().next().map(|item| ("items".to_owned(), item)));
        schema.remove("minItems");
        schema.remove("maxItems");
    }
    // Variants of an enum with descriptions.
    if let Some(Value::Array(variants)) = schema.remove("oneOf") {
        let names = variants.into_iter().map(|mut variant| variant["const"].take()).collect();
        schema.insert("type".into(), "string".into());
        schema.insert("enum".into(), names);
    }
    if let Some(Value::Array(types)) = schema.get("type") {
        schema["type"] = types.iter().find(|name| *name != "null").cloned().unwrap_or_default();
    }
    simplify_object(schema);
}

/// Makes members optional that may be `null`, and forbids unknown members.
fn simplify_object(schema: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    let optional: Vec<Value> = properties
        .iter()
        .filter(|(_, schema)| is_nullable(schema))
        .map(|(name, _)| name.as_str().into())
        .collect();
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| !optional.contains(name));
    }
    // Last, since clients that deserialize a schema write unusual keywords at the end.
    schema.shift_remove("additionalProperties");
    schema.insert("additionalProperties".into(), false.into());
}

fn is_nullable(schema: &Value) -> bool {
    let types = schema["type"].as_array().into_iter().flatten();
    let variants = schema["anyOf"].as_array().into_iter().flatten();
    types.chain(variants.map(|variant| &variant["type"])).any(|name| name == "null")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(serde::Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only the schema is used")]
    struct ExampleInner {
        /// A number.
        number: f64,
    }

    #[derive(serde::Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[allow(dead_code, reason = "only the schema is used")]
    enum ExampleForm {
        /// All lines.
        Full,
        /// Some lines.
        Outline,
    }

    /// An example.
    #[derive(serde::Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only the schema is used")]
    struct Example {
        /// A form.
        form: ExampleForm,
        /// A name.
        name: Option<String>,
        /// Lines.
        lines: Vec<(u32, u32)>,
        /// An object.
        inner: Option<ExampleInner>,
        count: Option<usize>,
    }

    #[test]
    fn schemas_are_plain() {
        let lines = json!({ "type": "integer", "minimum": 0 });
        let inner = json!({
            "type": "object",
            "properties": { "number": { "type": "number", "description": "A number." } },
            "required": ["number"],
            "description": "An object.",
            "additionalProperties": false,
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "form": { "description": "A form.", "type": "string", "enum": ["full", "outline"] },
                "name": { "type": "string", "description": "A name." },
                "lines": {
                    "type": "array",
                    "items": { "type": "array", "items": lines },
                    "description": "Lines.",
                },
                "inner": inner,
                "count": { "type": "integer", "minimum": 0 },
            },
            "required": ["form", "lines"],
            "additionalProperties": false,
        });
        assert_eq!(Value::Object(arguments::<Example>()), expected);
    }
}
