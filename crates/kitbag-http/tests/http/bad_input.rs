//! Invalid requests: each error names the problem and how to fix it.

use crate::fixture::Fixture;
use serde_json::json;

#[tokio::test]
async fn invalid_json_is_refused_with_its_position() {
    let fixture = Fixture::new();
    for path in ["/v1/pack", "/v1/preview", "/v1/search"] {
        let problem = fixture.raw("POST", path, "{\"task\": ").await.problem(400, "malformed");
        assert!(problem["detail"].as_str().unwrap().contains("line 1 column 9"), "{problem}");
        fixture.raw("POST", path, "").await.problem(400, "malformed");
        fixture.raw("POST", path, vec![0xff, 0xfe]).await.problem(400, "malformed");
        let deep = "[".repeat(100_000);
        fixture.raw("POST", path, deep).await.problem(400, "malformed");
    }
}

#[tokio::test]
async fn an_invalid_field_or_value_is_named() {
    let fixture = Fixture::new();
    for (request, message) in [
        (json!([]), "not a JSON object"),
        (json!({"profile": "agent"}), "nothing to pack"),
        (json!({"diff": 5}), "`diff` must be `true`, or a base or range"),
        (json!({"diff": "main"}), "a diff needs a git repository"),
        (json!({"task": 5}), "`task` must be a string"),
        (json!({"task": "t", "budget": -1}), "`budget` must be a number of tokens"),
        (json!({"task": "t", "budget": "many"}), "`budget` must be a number of tokens"),
        (json!({"task": "t", "budget": 1e30}), "`budget` must be a number of tokens"),
        (json!({"task": "t", "model": "gpt-4q"}), "unknown model `gpt-4q`"),
        (json!({"task": "t", "profile": "agnet"}), "agnet"),
        (json!({"task": "t", "format": "pdf"}), "pdf"),
        (json!({"task": "t", "options": {"ranking.wieght": 1}}), "wieght"),
        (json!({"task": "t", "providers": ["serach"]}), "unknown provider `serach`"),
        (json!({"task": "t", "include": ["a["]}), "a["),
        (json!({"task": "t", "correlation_id": "a\nb"}), "`correlation_id`"),
        (json!({"references": ["src/auth.rs:9-1"]}), "src/auth.rs:9-1"),
    ] {
        let response = fixture.post("/v1/pack", &request).await;
        let problem = response.json();
        assert!((404..=422).contains(&response.status.as_u16()), "{request}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(message), "{request}: {problem}");
    }
    let problem = fixture.post("/v1/pack", &json!({"tsk": "t"})).await.problem(422, "request");
    assert_eq!(problem["detail"], "unknown field `tsk`");
    assert_eq!(problem["hint"], "did you mean `task`?");
}

#[tokio::test]
async fn unknown_repositories_packs_providers_and_routes_are_not_found() {
    let fixture = Fixture::new();
    let body = json!({"task": "t", "repo": "ap"});
    for path in ["/v1/pack", "/v1/preview", "/v1/search"] {
        let problem = fixture.post(path, &body).await.problem(404, "unknown_repository");
        assert_eq!(problem["hint"], "served repositories: `app`, `library`");
    }
    // A folder that exists but is not served cannot be reached.
    let folder = fixture.dir.path().display().to_string();
    let body = json!({"task": "t", "repo": folder});
    fixture.post("/v1/pack", &body).await.problem(404, "unknown_repository");
    fixture.get("/v1/packs/none").await.problem(404, "unknown_pack");
    fixture.get("/v1/packs?repo=none").await.problem(404, "unknown_repository");
    fixture.get("/v1/nothing").await.problem(404, "not_found");
    let enabled = json!({"enabled": true}).to_string();
    let response = fixture.raw("PUT", "/v1/providers/serach", enabled).await;
    assert_eq!(response.problem(404, "unknown_provider")["hint"], "did you mean `search`?");
}

#[tokio::test]
async fn an_unsupported_method_is_refused_with_the_allowed_ones() {
    let fixture = Fixture::new();
    let response = fixture.get("/v1/pack").await;
    response.problem(405, "method_not_allowed");
    assert_eq!(response.header("allow"), "POST");
    let response = fixture.raw("DELETE", "/", "{}").await;
    response.problem(405, "method_not_allowed");
    assert_eq!(response.header("allow"), "GET, HEAD");
}

#[tokio::test]
async fn invalid_query_strings_are_refused() {
    let fixture = Fixture::new();
    for path in [
        "/v1/packs?limit=many",
        "/v1/packs?limit=-1",
        "/v1/packs?unknown=1",
        "/v1/file",
        "/v1/file?path=README.md&start=x",
        "/v1/config?profil=agent",
    ] {
        fixture.get(path).await.problem(400, "malformed");
    }
    fixture.get("/v1/file?path=README.md&start=3&end=1").await.problem(422, "lines");
    fixture.get("/v1/file?path=README.md&start=0").await.problem(422, "lines");
}

#[tokio::test]
async fn user_only_settings_are_refused() {
    let fixture = Fixture::new();
    let path = fixture.dir.path().join("tokenizer.json");
    for body in [json!({"task": "t", "tokenizer": path}), json!({"task": "t", "redact": false})] {
        fixture.post("/v1/pack", &body).await.problem(422, "not_for_requests");
    }
    // Requests can set keys of `context` only.
    let body = json!({"task": "t", "options": {"security.redact": false}});
    fixture.post("/v1/pack", &body).await.problem(422, "configuration");
    for (key, value) in [
        ("context.enabled", json!(true)),
        ("context.record.enabled", json!(false)),
        ("context.tokenizer.timing_mitigation", json!(false)),
        ("chunking.max_chunk_tokens", json!(777)),
    ] {
        let body = json!({"task": "t", "options": {key: value}});
        let response = fixture.post("/v1/pack", &body).await;
        let problem = response.problem(422, "not_for_requests");
        assert!(problem["hint"].as_str().unwrap().starts_with("set `context."));
    }
}

/// A template without placeholders renders as itself, so a request that names a file as its template
/// would disclose the file, secrets included.
#[tokio::test]
async fn a_request_cannot_use_a_file_as_template() {
    let fixture = Fixture::new();
    for key in [
        "context.formatting.template",
        "formatting.template",
        "context.profiles.agent.formatting.template",
        "profiles.agent.formatting.template",
    ] {
        for route in ["/v1/pack", "/v1/preview"] {
            let body = json!({"task": "aws keys", "budget": 500, "options": {key: "keys.txt"}});
            let response = fixture.post(route, &body).await;
            assert!(!response.text.contains("AKIAQ3EGUS4KSVDHG6TN"), "{}", response.text);
            let problem = response.problem(422, "not_for_requests");
            let detail = problem["detail"].as_str().unwrap();
            assert!(
                detail.ends_with("formatting.template` cannot be set by a request"),
                "{detail}"
            );
        }
    }
}

#[tokio::test]
async fn an_invalid_provider_switch_is_refused() {
    let fixture = Fixture::new();
    for body in [json!({}), json!({"enabled": "yes"}), json!({"enabled": true, "x": 1}), json!([])]
    {
        let response = fixture.raw("PUT", "/v1/providers/search", body.to_string()).await;
        response.problem(422, "request");
    }
}
