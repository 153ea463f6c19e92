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
