//! Packs, previews, searches and recent packs.

use crate::fixture::{Fixture, request};
use axum::body::Body;
use serde_json::json;

#[tokio::test]
async fn a_pack_is_within_its_budget_and_can_be_fetched_by_id() {
    let fixture = Fixture::new();
    let body = json!({"task": "why does login fail?", "budget": 400, "agent_id": "me"});
    let response = fixture.post("/v1/pack", &body).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let pack = response.json();
    assert!(pack["content"].as_str().unwrap().contains("pub fn login"));
    assert!(pack["total_tokens"].as_u64().unwrap() <= 400);
    let id = pack["id"].as_str().unwrap();
    let kept = fixture.get(&format!("/v1/packs/{id}")).await.json();
    assert_eq!(kept["id"], id);
    assert_eq!(kept["request"], body);
    assert_eq!(kept["report"]["content"], pack["content"]);
    let listed = fixture.get("/v1/packs").await.json();
    let first = &listed["packs"][0];
    assert_eq!(first["id"], id);
    assert_eq!(first["repo"], "app");
    assert_eq!(first["task"], "why does login fail?");
    assert_eq!(first["profile"], "agent");
    assert_eq!(first["agent_id"], "me");
    assert_eq!(first["interface"], "http");
    assert_eq!(first["total_tokens"], pack["total_tokens"]);
    assert_eq!(first["included"], pack["included"].as_array().unwrap().len());
}

#[tokio::test]
async fn a_preview_has_no_text_and_is_not_listed() {
    let fixture = Fixture::new();
    let body = json!({"task": "why does login fail?", "budget": "1k"});
    let preview = fixture.post("/v1/preview", &body).await.json();
    assert!(preview["content"].is_null());
    assert!(!preview["included"].as_array().unwrap().is_empty());
    let id = preview["id"].as_str().unwrap();
    assert_eq!(fixture.get(&format!("/v1/packs/{id}")).await.status, 200);
    assert_eq!(fixture.get("/v1/packs").await.json(), json!({"packs": [], "next_cursor": null}));
}

#[tokio::test]
async fn a_request_names_a_repository_by_name_or_folder() {
    let fixture = Fixture::new();
    let folder = fixture.dir.path().join("library").canonicalize().unwrap();
    for repo in ["library", folder.to_str().unwrap()] {
        let body = json!({"task": "parse a date", "repo": repo});
        let pack = fixture.post("/v1/pack", &body).await.json();
        assert_eq!(pack["included"][0]["path"], "src/lib.rs");
    }
    let listed = fixture.get("/v1/packs?repo=app").await.json();
    assert_eq!(listed, json!({"packs": [], "next_cursor": null}));
    let listed = fixture.get("/v1/packs?repo=library&limit=1").await.json();
    assert_eq!(listed["packs"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_search_finds_the_matching_file() {
    let fixture = Fixture::new();
    let body = json!({"task": "mix paint", "limit": 1, "files": true});
    let found = fixture.post("/v1/search", &body).await.json();
    assert_eq!(found["results"][0]["path"], "src/colour.rs");
    let body = json!({"task": "parse a date", "repo": "library", "include": ["src/**"]});
    let found = fixture.post("/v1/search", &body).await.json();
    assert_eq!(found["results"][0]["path"], "src/lib.rs");
}

// Shows: NFR-016-65
#[tokio::test]
async fn the_correlation_id_is_the_clients_or_generated() {
    let fixture = Fixture::new();
    let body = json!({"task": "login"}).to_string();
    let named = request("POST", "/v1/pack")
        .header("content-type", "application/json")
        .header("x-correlation-id", "from-header");
    let response = fixture.send(named.body(Body::from(body)).unwrap()).await;
    assert_eq!(response.header("x-correlation-id"), "from-header");
    assert_eq!(response.json()["correlation_id"], "from-header");
    let own = json!({"task": "login", "correlation_id": "from-body"});
    let response = fixture.post("/v1/pack", &own).await;
    assert_eq!(response.header("x-correlation-id"), "from-body");
    let listed = fixture.get("/v1/packs").await.json();
    let ids: Vec<_> =
        listed["packs"].as_array().unwrap().iter().map(|it| &it["correlation_id"]).collect();
    assert_eq!(ids, ["from-body", "from-header"]);
    let response = fixture.get("/healthz").await;
    assert_eq!(response.header("x-correlation-id").len(), 32);
}

#[tokio::test]
async fn the_same_request_gives_the_same_text() {
    let fixture = Fixture::new();
    let body = json!({"task": "why does login fail?", "budget": 300});
    let first = fixture.post("/v1/pack", &body).await.json();
    let second = fixture.post("/v1/pack", &body).await.json();
    assert_eq!(first["content"], second["content"]);
    assert_ne!(first["id"], second["id"]);
}

#[tokio::test]
async fn previews_evict_no_packs() {
    let fixture = Fixture::new();
    let body = json!({"task": "login", "budget": 200});
    let pack = fixture.post("/v1/pack", &body).await.json();
    let mut last = String::new();
    for _ in 0..260 {
        let preview = fixture.post("/v1/preview", &body).await.json();
        last = preview["id"].as_str().unwrap().to_owned();
    }
    let listed = fixture.get("/v1/packs").await.json();
    assert_eq!(listed["packs"][0]["id"], pack["id"]);
    let id = pack["id"].as_str().unwrap();
    assert_eq!(fixture.get(&format!("/v1/packs/{id}")).await.status, 200);
    assert_eq!(fixture.get(&format!("/v1/packs/{last}")).await.status, 200);
}

#[tokio::test]
async fn chunks_that_are_not_files_have_a_text() {
    let fixture = Fixture::new();
    let body = json!({
        "task": "why does login fail?",
        "document": {"path": "src/colour.rs", "content": "pub fn unsaved() {}\n"},
        "tool_results": [{"label": "cargo test", "content": "login failed\nAKIAQ3EGUS4KSVDHG6TN\n"}],
    });
    let pack = fixture.post("/v1/pack", &body).await.json();
    let id = pack["id"].as_str().unwrap();
    let kept = fixture.get(&format!("/v1/packs/{id}")).await.json();
    for report in [&pack, &kept["report"]] {
        let included = report["included"].as_array().unwrap();
        let text = |path: &str| {
            let item = included.iter().find(|it| it["path"].as_str().unwrap().contains(path));
            item.unwrap_or_else(|| panic!("{path}: {included:?}")).get("text").cloned()
        };
        assert_eq!(text("src/auth.rs"), None);
        assert_eq!(text("src/colour.rs"), Some(json!("pub fn unsaved() {}\n")));
        let tool_text = text("cargo test").unwrap();
        assert!(tool_text.as_str().unwrap().starts_with("login failed\n[REDACTED:"), "{tool_text}");
    }
}

#[tokio::test]
async fn search_results_have_reasons() {
    let fixture = Fixture::new();
    let body = json!({"task": "why does login fail for a user?", "tool_results": [
        {"label": "test", "content": "login"},
    ]});
    let pack = fixture.post("/v1/pack", &body).await.json();
    let included = pack["included"].as_array().unwrap();
    let auth = included.iter().find(|it| it["path"] == "src/auth.rs").unwrap();
    let why: Vec<&str> =
        auth["why"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert!(why.iter().any(|phrase| phrase.contains("`login`")), "{why:?}");
    assert!(why.len() <= 4);
    let others = included.iter().filter(|it| it["provider"] != "search");
    assert!(others.clone().count() > 0 && others.into_iter().all(|it| it.get("why").is_none()));
}
