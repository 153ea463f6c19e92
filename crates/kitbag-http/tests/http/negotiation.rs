//! What a response has: media types, fields, compression and pages.

use crate::fixture::{Fixture, request};
use axum::body::Body;
use flate2::read::GzDecoder;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::io::Read;
use tower::ServiceExt;

async fn accepting(fixture: &Fixture, accept: &str, body: Value) -> crate::fixture::TestResponse {
    let request = request("POST", "/v1/pack").header("accept", accept);
    let request = request.header("content-type", "application/json");
    fixture.send(request.body(Body::from(body.to_string())).unwrap()).await
}

#[tokio::test]
async fn a_pack_is_returned_as_text_alone_if_the_client_prefers_it() {
    let fixture = Fixture::new();
    let body = json!({ "task": "login", "budget": 500 });
    for (accept, content_type, start) in [
        ("text/markdown", "text/markdown; charset=utf-8", "### src/auth.rs"),
        ("text/plain", "text/plain; charset=utf-8", "File: src/auth.rs"),
        ("application/xml", "application/xml; charset=utf-8", "<context>"),
        ("text/html;q=0.9, text/*;q=0.5", "text/markdown; charset=utf-8", "### src/auth.rs"),
    ] {
        let response = accepting(&fixture, accept, body.clone()).await;
        assert_eq!(
            (response.status.as_u16(), response.header("content-type")),
            (200, content_type)
        );
        assert!(response.text.starts_with(start), "{accept}: {}", response.text);
        let tokens: usize = response.header("x-kitbag-total-tokens").parse().unwrap();
        assert!(0 < tokens && tokens <= 500);
        let id = response.header("x-kitbag-pack-id").to_owned();
        let stored = fixture.get(&format!("/v1/packs/{id}")).await.json();
        assert_eq!(stored["report"]["content"], response.text);
        assert_eq!(stored["report"]["total_tokens"], tokens);
    }
    for accept in ["application/json", "*/*", "application/*;q=0.1"] {
        let response = accepting(&fixture, accept, body.clone()).await;
        assert_eq!(response.header("content-type"), "application/json");
        assert!(response.json()["included"].is_array());
    }
    // An error is a problem, whatever is accepted.
    let invalid = json!({ "task": "x", "cursor": 5 });
    accepting(&fixture, "text/markdown", invalid).await.problem(422, "no_document");
    let problem = accepting(&fixture, "text/html", body).await.problem(406, "not_acceptable");
    assert!(problem["hint"].as_str().unwrap().contains("`text/markdown`"), "{problem}");
    let body = json!({ "task": "login", "format": "xml" });
    let problem = accepting(&fixture, "text/markdown", body).await.problem(406, "not_acceptable");
    assert_eq!(problem["detail"], "`format` is `xml`, but `accept` is `text/markdown`");
}

#[tokio::test]
async fn only_the_wanted_fields_are_returned() {
    let fixture = Fixture::new();
    let body = json!({ "task": "login" });
    let fields = |response: Value| -> Vec<String> {
        response.as_object().unwrap().keys().cloned().collect()
    };
    let pack = fixture.post("/v1/pack?fields=content,total_tokens", &body).await.json();
    assert_eq!(fields(pack), ["content", "total_tokens"]);
    let preview = fixture.post("/v1/preview?fields=%20included%20,", &body).await.json();
    assert_eq!(fields(preview), ["included"]);
    let search = fixture.post("/v1/search?fields=results", &body).await.json();
    assert_eq!(fields(search), ["results"]);
    let response = fixture.post("/v1/pack?fields=contents", &body).await;
    let problem = response.problem(422, "fields");
    assert_eq!(problem["detail"], "unknown field `contents` in `fields`");
    assert_eq!(problem["hint"], "did you mean `content`?");
    fixture.post("/v1/pack?fields=", &body).await.problem(422, "fields");
    fixture.post("/v1/pack?feilds=content", &body).await.problem(400, "malformed");
}

#[tokio::test]
async fn responses_are_compressed_if_the_client_asks() {
    let fixture = Fixture::new();
    let body = json!({ "task": "login" }).to_string();
    let send = async |encoding: &str| {
        let request = request("POST", "/v1/pack").header("accept-encoding", encoding);
        let request = request.header("content-type", "application/json");
        let request = request.body(Body::from(body.clone())).unwrap();
        let response = fixture.app.clone().oneshot(request).await.unwrap();
        let encoding = response.headers().get("content-encoding").cloned();
        (encoding, response.into_body().collect().await.unwrap().to_bytes())
    };
    let (encoding, plain) = send("identity").await;
    assert_eq!(encoding, None);
    let (encoding, compressed) = send("gzip, br").await;
    assert_eq!(encoding.unwrap(), "gzip");
    assert!(compressed.len() * 2 < plain.len(), "{} of {}", compressed.len(), plain.len());
    let mut text = String::new();
    GzDecoder::new(&compressed[..]).read_to_string(&mut text).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert!(json["content"].as_str().unwrap().contains("pub fn login("));
    let events = request("GET", "/v1/events").header("accept-encoding", "gzip");
    let events = fixture.app.clone().oneshot(events.body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(events.headers().get("content-encoding"), None, "a stream is sent at once");
}

#[tokio::test]
async fn packs_are_listed_page_by_page() {
    let fixture = Fixture::new();
    for number in 0..5 {
        fixture.post("/v1/pack", &json!({ "task": format!("login {number}") })).await;
    }
    let tasks = |page: &Value| -> Vec<String> {
        let packs = page["packs"].as_array().unwrap().iter();
        packs.map(|it| it["task"].as_str().unwrap().to_owned()).collect()
    };
    let first = fixture.get("/v1/packs?limit=2").await.json();
    assert_eq!(tasks(&first), ["login 4", "login 3"]);
    // A pack that is made meanwhile does not move the others.
    fixture.post("/v1/pack", &json!({ "task": "new" })).await;
    let next = async |page: &Value| {
        let cursor = page["next_cursor"].as_str().unwrap();
        fixture.get(&format!("/v1/packs?limit=2&cursor={cursor}")).await.json()
    };
    let second = next(&first).await;
    assert_eq!(tasks(&second), ["login 2", "login 1"]);
    let third = next(&second).await;
    assert_eq!((tasks(&third), &third["next_cursor"]), (vec!["login 0".to_owned()], &Value::Null));
    let library = fixture.get("/v1/packs?repo=library").await.json();
    assert_eq!(library, json!({ "packs": [], "next_cursor": null }));
    for cursor in ["nonsense", "-1", "000000000000-3", "%F0%9F%98%80"] {
        let response = fixture.get(&format!("/v1/packs?cursor={cursor}")).await;
        let problem = response.problem(422, "cursor");
        assert!(problem["hint"].as_str().unwrap().contains("leave it out"), "{problem}");
    }
    fixture.get("/v1/packs?limit=0").await.problem(422, "limit");
}

#[tokio::test]
async fn nested_options_are_settings() {
    let fixture = Fixture::new();
    let nested = json!({ "context": { "formatting": { "format": "xml" } } });
    let pack = fixture.post("/v1/pack", &json!({ "task": "login", "options": nested })).await;
    assert!(pack.json()["content"].as_str().unwrap().starts_with("<context>"), "{}", pack.text);
    let unknown = json!({ "selection": { "overflw": "skip" } });
    let response = fixture.post("/v1/pack", &json!({ "task": "login", "options": unknown })).await;
    let problem = response.problem(422, "configuration");
    assert!(
        problem["detail"].as_str().unwrap().contains("`context.selection.overflw`"),
        "{problem}"
    );
}

#[tokio::test]
async fn advice_is_in_terms_of_the_request() {
    let fixture = Fixture::new();
    for (path, body, code, hint) in [
        ("/v1/search", json!({ "task": " " }), "empty_search", "describe in `task` what"),
        ("/v1/pack", json!({ "task": "x", "cursor": 5 }), "no_document", "set `document`"),
        ("/v1/pack", json!({ "task": "x", "window": 5 }), "budget", "set a larger `window`"),
        (
            "/v1/pack",
            json!({ "task": "x", "model": "llama-3" }),
            "needs_tokenizer",
            "set `tokenizer`",
        ),
    ] {
        let response = fixture.post(path, &body).await;
        let problem = response.problem(422, code);
        let advice = problem["hint"].as_str().unwrap();
        assert!(advice.contains(hint), "{problem}");
        assert!(!advice.contains("--") && !advice.contains("kitbag "), "{problem}");
    }
}
