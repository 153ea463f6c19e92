//! The server over HTTP: access, sessions and isolation.

use crate::fixture::Fixture;
use crate::wire::{initialize, with_meta};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode};
use kitbag_mcp::{HttpAccess, McpLimits, McpOptions, app};
use serde_json::{Value, json};
use tower::ServiceExt;

const HOST: &str = "127.0.0.1:7420";

/// Builds a request with these headers.
fn post(body: &Value, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::post("/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    let has = |name: &str| headers.iter().any(|(it, _)| *it == name);
    if !has("host") {
        request = request.header("host", HOST);
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from(body.to_string())).unwrap()
}

async fn send(app: &Router, request: Request<Body>) -> Response<Body> {
    app.clone().oneshot(request).await.unwrap()
}

/// Returns the message in a response, which is JSON or an event stream.
async fn answer(response: Response<Body>) -> Value {
    let bytes = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    if let Ok(value) = serde_json::from_str(&text) {
        return value;
    }
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let frames = data.filter_map(|data| serde_json::from_str::<Value>(data.trim()).ok());
    let mut frames = frames.filter(|frame| frame.get("id").is_some());
    frames.next_back().unwrap_or_else(|| panic!("{text}"))
}

fn frame(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// A client with a session.
struct Session<'a> {
    app: &'a Router,
    id: String,
}

impl<'a> Session<'a> {
    async fn open(app: &'a Router) -> Self {
        let response = send(app, post(&frame("initialize", initialize()), &[])).await;
        assert_eq!(response.status(), StatusCode::OK);
        let id = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        let session = Self { app, id };
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let response = send(app, post(&initialized, &session.headers())).await;
        assert_eq!(response.status(), StatusCode::ACCEPTED);
        session
    }

    fn headers(&self) -> Vec<(&str, &str)> {
        vec![("mcp-session-id", &self.id), ("mcp-protocol-version", "2025-11-25")]
    }

    async fn request(&self, method: &str, params: Value) -> Value {
        answer(send(self.app, post(&frame(method, params), &self.headers())).await).await
    }
}

/// Sends a request of the revision without sessions.
async fn modern(app: &Router, method: &str, name: &str, params: Value) -> Value {
    let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    if !name.is_empty() {
        headers.push(("mcp-name", name));
    }
    answer(send(app, post(&frame(method, with_meta(params)), &headers)).await).await
}

#[tokio::test]
async fn both_revisions_are_served() {
    let fixture = Fixture::new();
    let app = app(fixture.state(), &HttpAccess::default());
    let call = json!({ "name": "pack_context", "arguments": { "task": "login" } });
    let session = Session::open(&app).await;
    let old = session.request("tools/call", call.clone()).await;
    let new = modern(&app, "tools/call", "pack_context", call).await;
    let text = |answer: &Value| answer["result"]["content"][0]["text"].clone();
    assert!(text(&old).as_str().unwrap().contains("pub fn login("), "{old}");
    assert_eq!(text(&old), text(&new), "{new}");
}

#[tokio::test]
async fn clients_with_sessions_never_see_each_others_packs() {
    let fixture = Fixture::new();
    let app = app(fixture.state(), &HttpAccess::default());
    let (one, two) = (Session::open(&app).await, Session::open(&app).await);
    let call = json!({ "name": "pack_context", "arguments": { "task": "login" } });
    let made = one.request("tools/call", call).await;
    let uri = made["result"]["_meta"]["kitbag/pack"]["uri"].clone();
    let list = one.request("resources/list", json!({})).await;
    assert_eq!(list["result"]["resources"][0]["uri"], uri, "{list}");
    let list = two.request("resources/list", json!({})).await;
    assert_eq!(list["result"]["resources"], json!([]), "{list}");
    let read = two.request("resources/read", json!({ "uri": uri })).await;
    assert_eq!(read["error"]["code"], -32002, "{read}");
    let name = uri.as_str().unwrap();
    let read = modern(&app, "resources/read", name, json!({ "uri": uri })).await;
    assert_eq!(read["error"]["code"], -32602, "{read}");
}

#[tokio::test]
async fn clients_that_choose_the_same_session_name_share_no_memory() {
    let fixture = Fixture::new();
    let app = app(fixture.state(), &HttpAccess::default());
    let (one, two) = (Session::open(&app).await, Session::open(&app).await);
    let arguments = json!({ "task": "login", "session": "work" });
    let call = json!({ "name": "pack_context", "arguments": arguments });
    let text = |answer: Value| answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    let is_sent = |text: String| text.contains("pub fn login(");
    assert!(is_sent(text(one.request("tools/call", call.clone()).await)));
    assert!(is_sent(text(two.request("tools/call", call.clone()).await)), "another client");
    assert!(!is_sent(text(one.request("tools/call", call.clone()).await)), "the same client");
    // In the revision without sessions of the protocol, the name alone identifies the memory.
    let modern = async || text(modern(&app, "tools/call", "pack_context", call.clone()).await);
    assert!(is_sent(modern().await) && !is_sent(modern().await));
}

#[tokio::test]
async fn without_a_session_a_pack_is_found_only_by_its_uri() {
    let fixture = Fixture::new();
    let app = app(fixture.state(), &HttpAccess::default());
    let call = json!({ "name": "pack_context", "arguments": { "task": "login" } });
    let made = modern(&app, "tools/call", "pack_context", call).await;
    let uri = made["result"]["_meta"]["kitbag/pack"]["uri"].clone();
    let list = modern(&app, "resources/list", "", json!({})).await;
    assert_eq!(list["result"]["resources"], json!([]), "{list}");
    let name = uri.as_str().unwrap();
    let read = modern(&app, "resources/read", name, json!({ "uri": uri })).await;
    let text = &read["result"]["contents"][0]["text"];
    assert_eq!(text, &made["result"]["content"][0]["text"], "{read}");
    let session = Session::open(&app).await;
    let read = session.request("resources/read", json!({ "uri": uri })).await;
    assert_eq!(read["error"]["code"], -32002, "{read}");
}

#[tokio::test]
async fn a_forged_host_or_origin_is_forbidden() {
    let fixture = Fixture::new();
    let app = app(fixture.state(), &HttpAccess::default());
    let body = frame("initialize", initialize());
    for headers in [
        vec![("host", "evil.test")],
        vec![("host", "127.0.0.1.evil.test:7420")],
        vec![("host", "192.0.2.1:7420")],
        vec![("origin", "http://evil.test")],
        vec![("origin", "https://127.0.0.1.evil.test")],
        vec![("origin", "null")],
        vec![("origin", "file://")],
    ] {
        let response = send(&app, post(&body, &headers)).await;
        assert!(response.status().is_client_error(), "{headers:?}: {}", response.status());
        assert!(response.headers().get("mcp-session-id").is_none(), "{headers:?}");
        for method in ["GET", "DELETE", "OPTIONS"] {
            let mut request = Request::builder().method(method).uri("/mcp");
            if !headers.iter().any(|(name, _)| *name == "host") {
                request = request.header("host", HOST);
            }
            for (name, value) in &headers {
                request = request.header(*name, *value);
            }
            let response = send(&app, request.body(Body::empty()).unwrap()).await;
            assert!(response.status().is_client_error(), "{method} {headers:?}");
        }
    }
    for headers in [
        vec![("host", "localhost:7420")],
        vec![("host", "[::1]:7420")],
        vec![("origin", "http://localhost:5173")],
        vec![("origin", "http://127.0.0.1:7420")],
    ] {
        let response = send(&app, post(&body, &headers)).await;
        assert_eq!(response.status(), StatusCode::OK, "{headers:?}");
    }
}

#[tokio::test]
async fn an_allowed_host_is_accepted() {
    let fixture = Fixture::new();
    let access = HttpAccess { hosts: vec!["build.example".into()], token: Some("secret".into()) };
    let app = app(fixture.state(), &access);
    let body = frame("initialize", initialize());
    let headers = [("host", "build.example:7420"), ("authorization", "Bearer secret")];
    assert_eq!(send(&app, post(&body, &headers)).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn an_ended_session_is_not_found() {
    let fixture = Fixture::new();
    let app = app(fixture.state(), &HttpAccess::default());
    let session = Session::open(&app).await;
    let mut end = Request::delete("/mcp").header("host", HOST);
    for (name, value) in session.headers() {
        end = end.header(name, value);
    }
    let response = send(&app, end.body(Body::empty()).unwrap()).await;
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    let response = send(&app, post(&frame("tools/list", json!({})), &session.headers())).await;
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_least_recently_used_session_is_closed_for_a_new_one() {
    let fixture = Fixture::new();
    let limits = McpLimits { sessions: 3, ..McpLimits::default() };
    let options = McpOptions { limits, ..McpOptions::default() };
    let app = app(fixture.state_of(&["app"], options), &HttpAccess::default());
    let mut sessions = Vec::new();
    for _ in 0..3 {
        sessions.push(Session::open(&app).await);
    }
    let list = frame("tools/list", json!({}));
    let status =
        async |session: &Session<'_>| send(&app, post(&list, &session.headers())).await.status();
    assert_eq!(status(&sessions[0]).await, StatusCode::OK);
    sessions.push(Session::open(&app).await);
    assert_eq!(status(&sessions[1]).await, StatusCode::NOT_FOUND);
    for kept in [0, 2, 3] {
        assert_eq!(status(&sessions[kept]).await, StatusCode::OK, "{kept}");
    }
}

#[tokio::test]
async fn a_token_is_required_if_configured() {
    let fixture = Fixture::new();
    let access = HttpAccess { token: Some("secret".into()), ..HttpAccess::default() };
    let app = app(fixture.state(), &access);
    let body = frame("initialize", initialize());
    for given in ["", "secret", "Bearer", "Bearer secre", "Bearer secretx", "Basic secret"] {
        let response = send(&app, post(&body, &[("authorization", given)])).await;
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED, "{given}");
    }
    assert_eq!(send(&app, post(&body, &[])).await.status(), StatusCode::UNAUTHORIZED);
    for scheme in ["bearer", "BEARER"] {
        let response = send(&app, post(&body, &[("authorization", &format!("{scheme} secret"))]));
        assert_eq!(response.await.status(), 200, "{scheme}");
    }
    let response = send(&app, post(&body, &[("authorization", "Bearer secret")])).await;
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn oversized_and_malformed_messages_are_rejected() {
    let fixture = Fixture::new();
    let limits = McpLimits { request_bytes: 10_000, ..McpLimits::default() };
    let app = app(
        fixture.state_of(&["app"], McpOptions { limits, ..McpOptions::default() }),
        &HttpAccess::default(),
    );
    let large = frame("tools/list", json!({ "cursor": "x".repeat(20_000) }));
    let response = send(&app, post(&large, &[])).await;
    assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
    for body in [json!({}), json!([]), json!("hello")] {
        let response = send(&app, post(&body, &[])).await;
        assert!(response.status().is_client_error(), "{body}: {}", response.status());
    }
    let unknown = [("mcp-session-id", "made-up"), ("mcp-protocol-version", "2025-11-25")];
    let response = send(&app, post(&frame("tools/list", json!({})), &unknown)).await;
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    let elsewhere = Request::get("/").header("host", HOST).body(Body::empty()).unwrap();
    assert_eq!(send(&app, elsewhere).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn parameters_of_the_wrong_type_are_not_an_unknown_method_over_http() {
    let fixture = Fixture::new();
    let app = app(fixture.state(), &HttpAccess::default());
    let session = Session::open(&app).await;
    let wrong = json!({ "name": "search_code", "arguments": [1] });
    let old = session.request("tools/call", wrong.clone()).await;
    let new = modern(&app, "tools/call", "search_code", wrong).await;
    let read = session.request("resources/read", json!({})).await;
    for answer in [old, new, read] {
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let error = answer["error"]["message"].as_str().unwrap();
        assert!(error.starts_with("invalid parameters for `"), "{error}");
    }
    let answer = session.request("tools/juggle", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[tokio::test]
async fn a_public_address_requires_a_token() {
    let address = "0.0.0.0:0".parse().unwrap();
    let access = HttpAccess::default();
    let listener = kitbag_mcp::listen(address, &access).await;
    assert!(matches!(listener, Err(kitbag_mcp::McpError::TokenRequired { .. })));
}
