//! The OpenAPI document matches the service.

use crate::fixture::Fixture;
use serde_json::{Value, json};

#[tokio::test]
async fn every_documented_route_exists() {
    let fixture = Fixture::new();
    let document = fixture.get("/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    for path in [
        "/v1/pack",
        "/v1/preview",
        "/v1/search",
        "/v1/packs",
        "/v1/packs/{id}",
        "/v1/events",
        "/v1/providers",
        "/v1/providers/{id}",
        "/v1/config",
        "/v1/repos",
        "/v1/file",
        "/v1/models",
        "/v1/profiles",
        "/metrics",
        "/healthz",
        "/openapi.json",
    ] {
        assert!(paths.contains_key(path), "{path}");
    }
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.contains_key("200") && responses.contains_key("403"), "{path}");
            // The event stream never ends, so it is not requested here.
            if path == "/v1/events" {
                continue;
            }
            let response =
                fixture.raw(&method.to_uppercase(), &path.replace("{id}", "none"), "!").await;
            assert_ne!(response.status, 405, "{method} {path}");
            if response.status == 404 {
                assert_ne!(response.json()["type"], "urn:kitbag:not_found", "{path}");
            }
        }
    }
    let schemas = &document["components"]["schemas"];
    let request = schemas["PackRequest"]["properties"].as_object().unwrap();
    assert!(request.contains_key("task") && request.contains_key("no_providers"));
    assert_eq!(schemas["PackRequest"]["additionalProperties"], false);
}

#[tokio::test]
async fn every_reference_resolves() {
    let fixture = Fixture::new();
    let document = fixture.get("/openapi.json").await.json();
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 20);
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[tokio::test]
async fn operations_have_ids_tags_and_a_server() {
    let fixture = Fixture::new();
    let document = fixture.get("/openapi.json").await.json();
    let names = |list: &Value, field: &str| -> Vec<String> {
        let items = list.as_array().unwrap().iter();
        items.map(|it| it[field].as_str().unwrap().to_owned()).collect()
    };
    let tags = names(&document["tags"], "name");
    let mut ids = Vec::new();
    for (path, method, operation) in operations(&document) {
        let own = operation["tags"].as_array().unwrap();
        assert!(own.len() == 1 && tags.iter().any(|tag| own[0] == *tag), "{method} {path}");
        let id = operation["operationId"].as_str().unwrap();
        let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
        assert!(id.chars().all(is_name), "{id}");
        ids.push(id.to_owned());
        assert!(operation["summary"].as_str().unwrap().ends_with('.'), "{id}");
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "ids are unique");
    assert_eq!(names(&document["servers"], "url"), ["http://127.0.0.1:7420"]);
    let schemas = &document["components"]["schemas"];
    let formats = &schemas["PackRequest"]["properties"]["format"]["enum"];
    assert_eq!(*formats, json!(["markdown", "xml", "json", "plain", null]));
    assert_eq!(schemas["ProviderOutcome"]["enum"][0], "ok");
    assert_eq!(schemas["PackEvent"]["properties"]["chunks"]["type"], "array");
}

#[tokio::test]
async fn every_example_is_accepted() {
    let fixture = Fixture::new();
    let document = fixture.get("/openapi.json").await.json();
    let mut sent = 0;
    for (path, method, operation) in operations(&document) {
        let Some(body) = operation.get("requestBody") else { continue };
        let examples = body["content"]["application/json"]["examples"].as_object().unwrap();
        for (name, example) in examples {
            let path = path.replace("{id}", "search");
            let body = example["value"].to_string();
            let response = fixture.raw(&method.to_uppercase(), &path, body).await;
            assert_eq!(response.status, 200, "{method} {path} {name}: {}", response.text);
            sent += 1;
        }
    }
    assert!(sent >= 5);
}

/// Generators of clients read these only in part.
#[tokio::test]
async fn schemas_are_portable() {
    let fixture = Fixture::new();
    let document = fixture.get("/openapi.json").await.json();
    check_portable(&document["components"]["schemas"], "");
    check_portable(&document["paths"], "");
}

fn check_portable(value: &Value, place: &str) {
    match value {
        Value::Object(fields) => {
            let types = fields.get("type").and_then(Value::as_array);
            let types = types.into_iter().flatten().filter(|it| *it != "null");
            assert!(types.count() < 2, "{place}: several types");
            let format = fields.get("format").and_then(Value::as_str).unwrap_or_default();
            assert!(!format.starts_with("uint"), "{place}: {format}");
            assert!(fields.get("default") != Some(&Value::Null), "{place}: default");
            for keyword in ["const", "prefixItems"] {
                assert!(!fields.contains_key(keyword), "{place}: {keyword}");
            }
            if fields.get("type") == Some(&json!("array")) {
                assert!(fields.contains_key("items"), "{place}: items");
            }
            for (name, value) in fields.iter().filter(|(name, _)| *name != "examples") {
                check_portable(value, &format!("{place}/{name}"));
            }
        }
        Value::Array(values) => values.iter().for_each(|value| check_portable(value, place)),
        _ => {}
    }
}

fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let methods = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
    });
    methods.collect()
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(reference) if name == "$ref" => {
                        references.push(reference.clone())
                    }
                    value => collect(value, references),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, references)),
        _ => {}
    }
}

#[tokio::test]
async fn a_response_has_the_documented_fields() {
    let fixture = Fixture::new();
    let document = fixture.get("/openapi.json").await.json();
    let pack = fixture.post("/v1/pack", &json!({"task": "login"})).await.json();
    let properties = &document["components"]["schemas"]["Pack"]["properties"];
    let properties = properties.as_object().unwrap();
    for field in pack.as_object().unwrap().keys() {
        assert!(properties.contains_key(field), "{field}");
    }
}
