//! Whatever is sent, the answer says what is wrong and what to do.

use crate::fixture::Fixture;
use serde_json::json;

#[tokio::test]
async fn what_is_not_json_is_refused_with_its_place() {
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
async fn a_wrong_type_field_or_value_is_named() {
    let fixture = Fixture::new();
    for (asked, said) in [
        (json!([]), "not a JSON object"),
        (json!({}), "nothing to pack"),
        (json!({"task": 5}), "`task` must be a string"),
        (json!({"task": "t", "budget": -1}), "`budget` must be a number of tokens"),
        (json!({"task": "t", "budget": "many"}), "`budget` must be a number of tokens"),
        (json!({"task": "t", "budget": 1e30}), "`budget` must be a number of tokens"),
        (json!({"task": "t", "model": "gpt-4q"}), "unknown model `gpt-4q`"),
        (json!({"task": "t", "profile": "agnet"}), "agnet"),
        (json!({"task": "t", "format": "pdf"}), "pdf"),
        (json!({"task": "t", "options": {"ranking.wieght": 1}}), "wieght"),
        (json!({"task": "t", "providers": ["serach"]}), "no provider is called `serach`"),
        (json!({"task": "t", "include": ["a["]}), "a["),
        (json!({"task": "t", "correlation_id": "a\nb"}), "`correlation_id`"),
        (json!({"references": ["src/auth.rs:9-1"]}), "src/auth.rs:9-1"),
    ] {
        let answer = fixture.post("/v1/pack", &asked).await;
        let problem = answer.json();
        assert!((404..=422).contains(&answer.status.as_u16()), "{asked}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(said), "{asked}: {problem}");
    }
    let problem = fixture.post("/v1/pack", &json!({"tsk": "t"})).await.problem(422, "request");
    assert_eq!(problem["detail"], "unknown field `tsk`");
    assert_eq!(problem["hint"], "did you mean `task`?");
}

#[tokio::test]
async fn unknown_repositories_packs_providers_and_routes_are_not_found() {
    let fixture = Fixture::new();
    let asked = json!({"task": "t", "repo": "ap"});
    for path in ["/v1/pack", "/v1/preview", "/v1/search"] {
        let problem = fixture.post(path, &asked).await.problem(404, "unknown_repository");
        assert_eq!(problem["hint"], "those that are served are `app`, `library`");
    }
    // What is not served is not reached, though it is there.
    let folder = fixture.dir.path().display().to_string();
    let asked = json!({"task": "t", "repo": folder});
    fixture.post("/v1/pack", &asked).await.problem(404, "unknown_repository");
    fixture.get("/v1/packs/none").await.problem(404, "unknown_pack");
    fixture.get("/v1/packs?repo=none").await.problem(404, "unknown_repository");
    fixture.get("/v1/nothing").await.problem(404, "not_found");
    let enabled = json!({"enabled": true}).to_string();
    let answer = fixture.raw("PUT", "/v1/providers/serach", enabled).await;
    assert_eq!(answer.problem(404, "unknown_provider")["hint"], "the nearest provider is `search`");
}

#[tokio::test]
async fn a_method_that_a_route_has_not_is_refused_with_those_that_it_has() {
    let fixture = Fixture::new();
    let answer = fixture.get("/v1/pack").await;
    answer.problem(405, "method_not_allowed");
    assert_eq!(answer.header("allow"), "POST");
    let answer = fixture.raw("DELETE", "/", "{}").await;
    answer.problem(405, "method_not_allowed");
    assert_eq!(answer.header("allow"), "GET, HEAD");
}

#[tokio::test]
async fn wrong_queries_are_refused() {
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
async fn what_is_for_the_user_to_decide_is_refused() {
    let fixture = Fixture::new();
    let path = fixture.dir.path().join("tokenizer.json");
    for asked in [json!({"task": "t", "tokenizer": path}), json!({"task": "t", "redact": false})] {
        fixture.post("/v1/pack", &asked).await.problem(422, "not_for_requests");
    }
    // There is no such key of `context`, and a request sets no others.
    let asked = json!({"task": "t", "options": {"security.redact": false}});
    fixture.post("/v1/pack", &asked).await.problem(422, "configuration");
    for (key, value) in [
        ("context.enabled", json!(true)),
        ("context.record.enabled", json!(false)),
        ("context.tokenizer.timing_mitigation", json!(false)),
        ("chunking.max_chunk_tokens", json!(777)),
    ] {
        let asked = json!({"task": "t", "options": {key: value}});
        let answer = fixture.post("/v1/pack", &asked).await;
        let problem = answer.problem(422, "not_for_requests");
        assert!(problem["hint"].as_str().unwrap().starts_with("the user decides on `context."));
    }
}

/// A file that is no template comes out as it is when it is used as one: over the wire that would
/// bring every secret of a repository out in clear.
#[tokio::test]
async fn a_file_with_secrets_does_not_come_out_as_a_template() {
    let fixture = Fixture::new();
    for key in [
        "context.formatting.template",
        "formatting.template",
        "context.profiles.agent.formatting.template",
        "profiles.agent.formatting.template",
    ] {
        for route in ["/v1/pack", "/v1/preview"] {
            let asked = json!({"task": "aws keys", "budget": 500, "options": {key: "keys.txt"}});
            let answer = fixture.post(route, &asked).await;
            assert!(!answer.text.contains("AKIAQ3EGUS4KSVDHG6TN"), "{}", answer.text);
            let problem = answer.problem(422, "not_for_requests");
            let detail = problem["detail"].as_str().unwrap();
            assert!(
                detail.ends_with("formatting.template` cannot be set by a request"),
                "{detail}"
            );
        }
    }
}

#[tokio::test]
async fn a_wrong_switch_is_refused() {
    let fixture = Fixture::new();
    for body in [json!({}), json!({"enabled": "yes"}), json!({"enabled": true, "x": 1}), json!([])]
    {
        let answer = fixture.raw("PUT", "/v1/providers/search", body.to_string()).await;
        answer.problem(422, "request");
    }
}
