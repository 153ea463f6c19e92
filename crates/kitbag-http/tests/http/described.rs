//! The description of the routes is true.

use crate::fixture::Fixture;
use serde_json::{Value, json};

#[tokio::test]
async fn every_route_is_described_with_the_types_that_it_has() {
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
            // The stream of events has no end; the others must be there.
            if path == "/v1/events" {
                continue;
            }
            let answer =
                fixture.raw(&method.to_uppercase(), &path.replace("{id}", "none"), "!").await;
            assert_ne!(answer.status, 405, "{method} {path}");
            if answer.status == 404 {
                assert_ne!(answer.json()["type"], "urn:kitbag:not_found", "{path}");
            }
        }
    }
    let schemas = &document["components"]["schemas"];
    let request = schemas["PackRequest"]["properties"].as_object().unwrap();
    assert!(request.contains_key("task") && request.contains_key("no_providers"));
    assert_eq!(schemas["PackRequest"]["additionalProperties"], false);
}

#[tokio::test]
async fn every_reference_of_the_description_leads_somewhere() {
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
async fn an_answer_has_the_fields_that_are_described() {
    let fixture = Fixture::new();
    let document = fixture.get("/openapi.json").await.json();
    let pack = fixture.post("/v1/pack", &json!({"task": "login"})).await.json();
    let described = &document["components"]["schemas"]["Pack"]["properties"];
    let described = described.as_object().unwrap();
    for field in pack.as_object().unwrap().keys() {
        assert!(described.contains_key(field), "{field}");
    }
}
