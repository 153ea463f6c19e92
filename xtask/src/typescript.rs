//! TypeScript types: of the HTTP API, from its OpenAPI document, and of the library.

use crate::schemas::{LibrarySchemas, is_required, properties, reference};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write;

const HEADER: &str = "\
// Types of the HTTP API. Generated from its OpenAPI document by `cargo xtask generate`; do not edit.
";

/// Renders a type for each schema, and `Routes`, which maps each JSON route to its types.
pub fn api_types(document: &Value) -> Result<String> {
    let mut text = HEADER.to_owned();
    let schemas = document["components"]["schemas"].as_object().context("no schemas")?;
    for (name, schema) in schemas {
        write!(text, "\n{}", type_definition(name, schema)?)?;
    }
    text.push_str(
        "\n/** Types of each JSON route, by method and path. */\nexport interface Routes {\n",
    );
    for (path, methods) in document["paths"].as_object().context("no paths")? {
        for (method, operation) in methods.as_object().context("a path without methods")? {
            let Some(types) = route_types(operation)? else { continue };
            writeln!(text, "  \"{} {path}\": {{ {types} }};", method.to_uppercase())?;
        }
    }
    text.push_str("}\n");
    Ok(text)
}

/// Renders a type for each request and report of the library, and for what is in them.
pub fn library_types() -> Result<String> {
    let mut text = "\
// Types of requests and reports. Generated from those of the library by `cargo xtask generate`; do not edit.
"
    .to_owned();
    let LibrarySchemas { requests, reports } = LibrarySchemas::new();
    for (name, schema) in requests.iter().chain(&reports) {
        write!(text, "\n{}", type_definition(name, schema)?)?;
    }
    Ok(text)
}

fn type_definition(name: &str, schema: &Value) -> Result<String> {
    let docs = doc_comment(schema, "");
    Ok(if schema["properties"].is_object() {
        format!("{docs}export interface {name} {}\n", documented_object(schema)?)
    } else {
        format!("{docs}export type {name} = {};\n", type_of(schema)?)
    })
}

/// Returns the types of a route; `None` if its response is not JSON.
fn route_types(operation: &Value) -> Result<Option<String>> {
    const JSON_SCHEMA: &str = "content/application~1json/schema";
    let Some(response) = operation.pointer(&format!("/responses/200/{JSON_SCHEMA}")) else {
        return Ok(None);
    };
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let query = joined(parameters.filter(|it| it["in"] == "query"), "; ", |parameter| {
        let name = parameter["name"].as_str().context("a parameter without a name")?;
        Ok(field(name, parameter["required"] == true, &type_of(&parameter["schema"])?))
    })?;
    let body =
        operation.pointer(&format!("/requestBody/{JSON_SCHEMA}")).map(type_of).transpose()?;
    let query = (!query.is_empty()).then(|| format!("query: {{ {query} }}; "));
    let body = body.map(|body| format!("body: {body}; "));
    let response = type_of(response)?;
    let [query, body] = [query, body].map(Option::unwrap_or_default);
    Ok(Some(format!("{query}{body}response: {response}")))
}

/// Renders the fields of an object on lines of their own, with doc comments.
fn documented_object(schema: &Value) -> Result<String> {
    let mut text = "{\n".to_owned();
    for (name, property) in properties(schema) {
        text.push_str(&doc_comment(property, "  "));
        writeln!(text, "  {};", field(name, is_required(schema, name), &type_of(property)?))?;
    }
    text.push('}');
    Ok(text)
}

fn type_of(schema: &Value) -> Result<String> {
    if let Some(name) = reference(schema) {
        return Ok(name.to_owned());
    }
    if let Some(value) = schema.get("const") {
        return Ok(value.to_string());
    }
    if let Some(values) = schema["enum"].as_array() {
        return joined(values, " | ", |value| Ok(value.to_string()));
    }
    if let Some(variants) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        return joined(variants, " | ", type_of);
    }
    match &schema["type"] {
        Value::Null => Ok("unknown".to_owned()),
        Value::Array(names) => joined(names, " | ", |name| named_type(name, schema)),
        name => named_type(name, schema),
    }
}

fn named_type(name: &Value, schema: &Value) -> Result<String> {
    Ok(match name.as_str() {
        Some(name @ ("string" | "boolean" | "null")) => name.to_owned(),
        Some("integer" | "number") => "number".to_owned(),
        Some("array") => array_type(schema)?,
        Some("object") => object_type(schema)?,
        _ => bail!("unsupported `type`: {name}"),
    })
}

fn array_type(schema: &Value) -> Result<String> {
    if let Some(items) = schema["prefixItems"].as_array() {
        return Ok(format!("[{}]", joined(items, ", ", type_of)?));
    }
    let item = type_of(&schema["items"])?;
    // An array of a fixed length is a tuple.
    let length = schema["minItems"].as_u64().filter(|_| schema["minItems"] == schema["maxItems"]);
    if let Some(length @ 1..=4) = length {
        return Ok(format!("[{}]", vec![item; length as usize].join(", ")));
    }
    Ok(if item.contains(' ') { format!("({item})[]") } else { format!("{item}[]") })
}

fn object_type(schema: &Value) -> Result<String> {
    let field =
        |(name, it): (&String, _)| Ok(field(name, is_required(schema, name), &type_of(it)?));
    let fields = joined(properties(schema), "; ", field)?;
    if !fields.is_empty() {
        return Ok(format!("{{ {fields} }}"));
    }
    Ok(format!("Record<string, {}>", type_of(&schema["additionalProperties"])?))
}

fn joined<T>(
    items: impl IntoIterator<Item = T>,
    separator: &str,
    to_text: impl FnMut(T) -> Result<String>,
) -> Result<String> {
    Ok(items.into_iter().map(to_text).collect::<Result<Vec<_>>>()?.join(separator))
}

fn field(name: &str, is_required: bool, value: &str) -> String {
    let optional = if is_required { "" } else { "?" };
    format!("{name}{optional}: {value}")
}

fn doc_comment(schema: &Value, indent: &str) -> String {
    let Some(description) = schema["description"].as_str() else { return String::new() };
    let lines: Vec<&str> = description.lines().map(str::trim).collect();
    match lines.as_slice() {
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let body: String = lines.iter().map(|line| format!("{indent} * {line}\n")).collect();
            format!("{indent}/**\n{body}{indent} */\n")
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic fails the test")]

    use super::*;
    use serde_json::json;

    #[test]
    fn schemas_become_types() {
        for (schema, expected) in [
            (json!(true), "unknown"),
            (json!({"$ref": "#/components/schemas/Pack"}), "Pack"),
            (json!({"type": ["string", "null"]}), "string | null"),
            (json!({"enum": ["a", "b"]}), "\"a\" | \"b\""),
            (json!({"type": "array", "items": {"type": "integer"}}), "number[]"),
            (json!({"type": "array", "items": {"type": ["string", "null"]}}), "(string | null)[]"),
            (
                json!({"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}),
                "[number, number]",
            ),
            (
                json!({"type": "array", "prefixItems": [{"type": "integer"}, true]}),
                "[number, unknown]",
            ),
            (json!({"type": "object", "additionalProperties": true}), "Record<string, unknown>"),
            (
                json!({"type": "object", "properties": {"a": {"type": "boolean"}, "b": true}, "required": ["a"]}),
                "{ a: boolean; b?: unknown }",
            ),
            (json!({"anyOf": [{"const": 1}, {"type": "null"}]}), "1 | null"),
        ] {
            assert_eq!(type_of(&schema).unwrap(), expected);
        }
        assert!(type_of(&json!({"type": "date"})).is_err());
    }

    #[test]
    fn routes_have_their_query_body_and_response() {
        let schema = |name: &str| json!({"application/json": {"schema": {"type": name}}});
        let document = json!({
            "components": {"schemas": {"Item": {
                "description": "An item.", "type": "object",
                "properties": {"id": {"type": "string", "description": "Its id."}},
            }}},
            "paths": {"/items": {
                "get": {
                    "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer"}}],
                    "responses": {"200": {"content": schema("string")}},
                },
                "post": {
                    "requestBody": {"content": schema("boolean")},
                    "responses": {"200": {"content": schema("null")}},
                },
            }, "/stream": {"get": {"responses": {"200": {"content": {"text/plain": {}}}}}}},
        });
        let types = api_types(&document).unwrap();
        let expected = "
/** An item. */
export interface Item {
  /** Its id. */
  id?: string;
}

/** Types of each JSON route, by method and path. */
export interface Routes {
  \"GET /items\": { query: { limit?: number }; response: string };
  \"POST /items\": { body: boolean; response: null };
}
";
        assert_eq!(types, format!("{HEADER}{expected}"));
    }
}
