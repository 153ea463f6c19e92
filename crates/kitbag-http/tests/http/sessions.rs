//! Sessions that a client names, and repositories that vanish.

use crate::fixture::{AUTH, Fixture};
use serde_json::{Value, json};

async fn pack(fixture: &Fixture, body: Value) -> Value {
    let response = fixture.post("/v1/pack", &body).await;
    assert_eq!(response.status, 200, "{}", response.text);
    response.json()
}

fn has_login(pack: &Value) -> bool {
    pack["content"].as_str().unwrap().contains("pub fn login(")
}

#[tokio::test]
async fn code_is_sent_once_in_a_session() {
    let fixture = Fixture::new();
    let request = |session: &str, repeat: bool| json!({ "task": "why does login fail?", "session": session, "repeat": repeat });
    assert!(has_login(&pack(&fixture, request("one", false)).await));
    let second = pack(&fixture, request("one", false)).await;
    assert!(!has_login(&second), "{second}");
    let text = second["content"].as_str().unwrap();
    assert!(text.starts_with("Already sent: ") && text.contains("src/auth.rs:1-"), "{text}");
    let reasons: Vec<&Value> =
        second["excluded"].as_array().unwrap().iter().map(|it| &it["reason"]).collect();
    assert!(reasons.contains(&&json!("already_sent")), "{second}");
    assert!(has_login(&pack(&fixture, request("two", false)).await), "sessions share nothing");
    assert!(has_login(&pack(&fixture, json!({ "task": "why does login fail?" })).await));
    assert!(has_login(&pack(&fixture, request("one", true)).await), "it starts over");
    assert!(!has_login(&pack(&fixture, request("one", false)).await));
    let changed = AUTH.replace("check(user)", "check(user) || false");
    std::fs::write(fixture.dir.path().join("app/src/auth.rs"), changed).unwrap();
    assert!(has_login(&pack(&fixture, request("one", false)).await), "it has changed");
}

#[tokio::test]
async fn a_wrong_session_is_a_problem() {
    let fixture = Fixture::new();
    for (body, expected) in [
        (json!({ "task": "a", "session": " " }), "`session` must have from 1 to 200 characters"),
        (json!({ "task": "a", "repeat": true }), "`repeat` requires `session`"),
        (json!({ "task": "a", "session": 5 }), "`session` must be a string"),
    ] {
        let response = fixture.post("/v1/pack", &body).await;
        assert_eq!(response.status, 422, "{}", response.text);
        assert!(response.text.contains(expected), "{}", response.text);
    }
}

#[tokio::test]
async fn a_repository_that_is_deleted_between_requests_is_a_problem_of_its_own() {
    let fixture = Fixture::new();
    let body = json!({ "task": "parse a date", "repo": "library" });
    pack(&fixture, body.clone()).await;
    std::fs::remove_dir_all(fixture.dir.path().join("library")).unwrap();
    for route in ["/v1/pack", "/v1/preview", "/v1/search"] {
        let response = fixture.post(route, &body).await;
        assert!(response.status.is_client_error(), "{route}: {}", response.text);
        let problem = response.json();
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("library"), "{problem}");
        assert!(!response.text.contains("--"), "no flags over HTTP: {problem}");
    }
    assert!(has_login(&pack(&fixture, json!({ "task": "login", "repo": "app" })).await));
}

#[tokio::test]
async fn a_thousand_requests_are_answered() {
    let fixture = Fixture::new();
    let first = pack(&fixture, json!({ "task": "login", "budget": 300 })).await;
    for _ in 0..1_000 {
        let next = pack(&fixture, json!({ "task": "login", "budget": 300 })).await;
        assert_eq!(next["content"], first["content"]);
    }
}
