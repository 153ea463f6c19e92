//! Schemas in the form that generators of clients understand.
//!
//! schemars writes correct JSON Schema that `openapi-python-client`, `openapi-typescript` and
//! openapi-generator read only in part: lists of types, unsigned formats, tuples, constants, and `null` as
//! a default. Each has an equivalent that all of them read.

use kitbag::{ChunkForm, Format, Kind};
use serde_json::{Map, Value, json};

/// Keywords that apply to one type only.
const TYPE_KEYWORDS: [(&str, &[&str]); 4] = [
    ("string", &["pattern", "minLength", "maxLength", "format"]),
    ("integer", &["minimum", "maximum", "format"]),
    ("array", &["items", "minItems", "maxItems"]),
    ("object", &["properties", "required", "additionalProperties"]),
];

/// Rewrites every schema in `value`.
pub(crate) fn make_portable(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            rewrite(fields);
            for (name, value) in fields.iter_mut() {
                // An example or a default is data.
                if name != "example" && name != "examples" && name != "default" {
                    make_portable(value);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(make_portable),
        _ => {}
    }
}

fn rewrite(schema: &mut Map<String, Value>) {
    collect_constants(schema);
    split_types(schema);
    if let Some(items) = schema.remove("prefixItems") {
        let first = items.get(0).cloned().unwrap_or_else(|| json!({}));
        schema.insert("items".into(), first);
    }
    if schema.get("type") == Some(&json!("array")) {
        schema.entry("items").or_insert_with(|| json!({}));
    }
    // Every integer of the API fits into 64 bits with a sign.
    if schema.get("format").and_then(Value::as_str).is_some_and(|it| it.starts_with("uint")) {
        schema.insert("format".into(), json!("int64"));
    }
    let is_object = schema.get("type") == Some(&json!("object"));
    match schema.get("default") {
        Some(Value::Null) => drop(schema.remove("default")),
        Some(Value::Array(values)) if is_object && values.is_empty() => {
            schema.insert("default".into(), json!({}));
        }
        _ => {}
    }
}

/// Turns alternatives that are documented constants into an `enum`.
fn collect_constants(schema: &mut Map<String, Value>) {
    if let Some(constant) = schema.remove("const") {
        schema.insert("enum".into(), json!([constant]));
    }
    let Some(alternatives) = schema.get("oneOf").and_then(Value::as_array) else { return };
    let mut values = Vec::new();
    for alternative in alternatives {
        let constants = alternative.get("enum").and_then(Value::as_array).cloned();
        match (alternative.get("const"), constants) {
            (Some(constant), _) => values.push(constant.clone()),
            (None, Some(constants)) => values.extend(constants),
            (None, None) => return,
        }
    }
    schema.remove("oneOf");
    schema.insert("type".into(), json!("string"));
    schema.insert("enum".into(), values.into());
}

/// Turns a list of types into alternatives, each with its own keywords. `null` beside one other type is
/// understood as it is.
fn split_types(schema: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = schema.get("type") else { return };
    let types: Vec<String> = types.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if types.iter().filter(|name| *name != "null").count() < 2 {
        return;
    }
    schema.remove("type");
    let mut alternatives = Vec::new();
    for name in &types {
        let mut alternative = Map::from_iter([("type".to_owned(), name.as_str().into())]);
        let keywords = TYPE_KEYWORDS.iter().find(|(it, _)| it == name);
        for keyword in keywords.into_iter().flat_map(|(_, keywords)| keywords.iter()) {
            let value = schema.get(*keyword).cloned();
            alternative.extend(value.map(|value| ((*keyword).to_owned(), value)));
        }
        alternatives.push(Value::Object(alternative));
    }
    for (_, keywords) in TYPE_KEYWORDS {
        keywords.iter().for_each(|keyword| drop(schema.remove(*keyword)));
    }
    schema.insert("anyOf".into(), alternatives.into());
}

/// Adds the values of fields that are strings in the code's types.
pub(crate) fn add_enums(schemas: &mut Map<String, Value>) {
    let formats: Vec<&str> = Format::ALL.map(Format::name).to_vec();
    let kinds: Vec<&str> = Kind::ALL.map(Kind::name).to_vec();
    let forms = [ChunkForm::Full, ChunkForm::Outline, ChunkForm::Truncated].map(ChunkForm::as_str);
    let fields: [(&str, &str, &[&str]); 7] = [
        ("PackRequest", "format", &formats),
        ("SourceLine", "kind", &kinds),
        ("IncludedItem", "kind", &kinds),
        ("ExcludedItem", "kind", &kinds),
        ("OriginItem", "kind", &kinds),
        ("IncludedItem", "form", &forms),
        ("PackChunk", "form", &forms),
    ];
    for (schema, field, values) in fields {
        let field = schemas.get_mut(schema).and_then(|it| it["properties"].get_mut(field));
        let Some(Value::Object(field)) = field else { continue };
        let is_nullable = matches!(field.get("type"), Some(Value::Array(_)));
        let values = values.iter().map(|value| Value::from(*value));
        let values: Vec<Value> = values.chain(is_nullable.then_some(Value::Null)).collect();
        field.insert("enum".into(), values.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_rewritten_to_equivalent_ones() {
        for (schema, expected) in [
            (
                json!({ "type": ["integer", "string"], "minimum": 1, "pattern": "^1$", "description": "d" }),
                json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "string", "pattern": "^1$" }], "description": "d" }),
            ),
            (json!({ "type": ["string", "null"] }), json!({ "type": ["string", "null"] })),
            (
                json!({ "oneOf": [{ "const": "a", "description": "A." }, { "enum": ["b", "c"] }] }),
                json!({ "type": "string", "enum": ["a", "b", "c"] }),
            ),
            (
                json!({ "oneOf": [{ "const": "a" }, { "type": "integer" }] }),
                json!({ "oneOf": [{ "enum": ["a"] }, { "type": "integer" }] }),
            ),
            (
                json!({ "type": "array", "prefixItems": [{ "type": "integer", "format": "uint32" }], "maxItems": 2 }),
                json!({ "type": "array", "items": { "type": "integer", "format": "int64" }, "maxItems": 2 }),
            ),
            (json!({ "type": "array" }), json!({ "type": "array", "items": {} })),
            (
                json!({ "type": "object", "default": [] }),
                json!({ "type": "object", "default": {} }),
            ),
            (json!({ "type": "string", "default": null }), json!({ "type": "string" })),
            (
                json!({ "example": { "type": ["integer", "string"], "default": null } }),
                json!({ "example": { "type": ["integer", "string"], "default": null } }),
            ),
        ] {
            let mut rewritten = schema.clone();
            make_portable(&mut rewritten);
            assert_eq!(rewritten, expected, "{schema}");
        }
    }
}
