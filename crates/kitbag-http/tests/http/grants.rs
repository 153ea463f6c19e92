//! Tokens for some of the repositories: nothing reveals the others.

use crate::fixture::{Fixture, TestResponse, request};
use axum::body::Body;
use kitbag::RepoAccess;
use kitbag_http::{AccessPolicy, HttpOptions, TokenGrant};
use serde_json::{Value, json};

const FULL: &str = "full";
const APP: &str = "of the app";
const LIBRARY: &str = "of the library";

/// A service of `app` and `library`, with a token for both and one for each.
fn fixture() -> Fixture {
    let grant = |token: &str, repo: &str| TokenGrant {
        token: token.to_owned(),
        access: RepoAccess::granted(token, [repo]).unwrap(),
    };
    let grants = vec![grant(APP, "app"), grant(LIBRARY, "library")];
    let access = AccessPolicy { token: Some(FULL.to_owned()), grants, hosts: Vec::new() };
    Fixture::with_options(HttpOptions { access, ..HttpOptions::default() })
}

async fn get(fixture: &Fixture, token: &str, path: &str) -> TestResponse {
    let request = request("GET", path).header("authorization", format!("Bearer {token}"));
    fixture.send(request.body(Body::empty()).unwrap()).await
}

async fn send(
    fixture: &Fixture,
    token: &str,
    method: &str,
    path: &str,
    body: Value,
) -> TestResponse {
    let request = request(method, path)
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json");
    fixture.send(request.body(Body::from(body.to_string())).unwrap()).await
}

async fn post(fixture: &Fixture, token: &str, path: &str, body: Value) -> TestResponse {
    send(fixture, token, "POST", path, body).await
}

/// Returns a response without what differs from request to request, and with `name` replaced.
fn comparable(response: &TestResponse, name: &str) -> (u16, Value) {
    let mut json: Value = serde_json::from_str(&response.text.replace(name, "NAME")).expect("JSON");
    for field in ["correlation_id", "id", "timings", "providers", "stats"] {
        json.as_object_mut().unwrap().remove(field);
    }
    (response.status.as_u16(), json)
}

fn names(response: &TestResponse, list: &str) -> Vec<String> {
    let json = response.json();
    let items = json[list].as_array().unwrap_or_else(|| panic!("{json}")).iter();
    let name = |it: &Value| it["name"].as_str().or(it["repo"].as_str()).unwrap().to_owned();
    items.map(name).collect()
}

#[tokio::test]
async fn a_token_lists_its_own_repositories() {
    let fixture = fixture();
    for (token, expected) in
        [(FULL, &["app", "library"][..]), (APP, &["app"]), (LIBRARY, &["library"])]
    {
        assert_eq!(names(&get(&fixture, token, "/v1/repos").await, "repos"), expected);
    }
    fixture.get("/v1/repos").await.problem(401, "token");
    get(&fixture, "of the ap", "/v1/repos").await.problem(401, "token");
}

#[tokio::test]
async fn a_forbidden_repository_is_as_unknown_as_one_that_does_not_exist() {
    let fixture = fixture();
    let path = fixture.dir.path().join("library").canonicalize().unwrap();
    let path = path.to_str().unwrap().to_owned();
    for route in ["/v1/pack", "/v1/preview", "/v1/search"] {
        let ask = async |name: &str| {
            let body = json!({ "task": "parse a date", "repo": name });
            comparable(&post(&fixture, APP, route, body).await, name)
        };
        let missing = ask("missing").await;
        assert_eq!(missing.0, 404);
        assert_eq!(ask("library").await, missing, "{route}");
        assert_eq!(ask(&path).await, missing, "{route}");
        assert!(!missing.1.to_string().contains("library"), "{}", missing.1);
    }
    for route in [
        "/v1/config?",
        "/v1/profiles?",
        "/v1/providers?",
        "/v1/file?path=src/lib.rs&",
        "/v1/packs?",
    ] {
        let ask = async |name: &str| {
            let response = get(&fixture, APP, &format!("{route}repo={name}")).await;
            comparable(&response, name)
        };
        assert_eq!(ask("library").await, ask("missing").await, "{route}");
        assert_eq!(ask("library").await.0, 404, "{route}");
    }
    let first = post(&fixture, LIBRARY, "/v1/search", json!({ "task": "parse a date" })).await;
    assert_eq!(first.json()["results"][0]["path"], "src/lib.rs", "the first of its own");
}

#[tokio::test]
async fn packs_of_other_repositories_are_neither_listed_nor_found() {
    let fixture = fixture();
    let pack = async |token: &str, repo: &str| {
        let body = json!({ "task": "login with a date", "repo": repo });
        let made = post(&fixture, token, "/v1/pack", body).await;
        made.json()["id"].as_str().unwrap_or_else(|| panic!("{}", made.text)).to_owned()
    };
    let of_library = pack(FULL, "library").await;
    let of_app = pack(FULL, "app").await;
    let of_all = pack(FULL, "*").await;
    let own_of_all = pack(APP, "*").await;
    let listed = get(&fixture, FULL, "/v1/packs").await;
    assert_eq!(names(&listed, "packs"), ["*", "*", "app", "library"]);
    assert_eq!(names(&get(&fixture, APP, "/v1/packs").await, "packs"), ["*", "app"]);
    assert_eq!(names(&get(&fixture, LIBRARY, "/v1/packs").await, "packs"), ["library"]);
    for (token, id, is_found) in [
        (FULL, &of_library, true),
        (FULL, &own_of_all, true),
        (APP, &of_app, true),
        (APP, &own_of_all, true),
        (APP, &of_library, false),
        (APP, &of_all, false),
        (LIBRARY, &own_of_all, false),
    ] {
        let response = get(&fixture, token, &format!("/v1/packs/{id}")).await;
        assert_eq!(response.status == 200, is_found, "{token}: {}", response.text);
        if !is_found {
            let unknown = get(&fixture, token, "/v1/packs/0123").await;
            assert_eq!(comparable(&response, id), comparable(&unknown, "0123"));
        }
    }
}

#[tokio::test]
async fn cursors_and_events_do_not_count_the_packs_of_other_repositories() {
    let fixture = fixture();
    for repo in ["app", "library", "library", "app"] {
        let body = json!({ "task": "login with a date", "repo": repo });
        assert_eq!(post(&fixture, FULL, "/v1/pack", body).await.status, 200);
    }
    let page = get(&fixture, APP, "/v1/packs?limit=1").await.json();
    let cursor = page["next_cursor"].as_str().unwrap().to_owned();
    assert!(cursor.ends_with("-2"), "{cursor}: of two packs, not of four");
    let resumed = request("GET", "/v1/events")
        .header("authorization", format!("Bearer {APP}"))
        .header("last-event-id", "another-0")
        .body(Body::empty())
        .unwrap();
    let response = tower::ServiceExt::oneshot(fixture.app.clone(), resumed).await.unwrap();
    let mut stream = response.into_body().into_data_stream();
    let mut text = String::new();
    while text.matches("event: context_assembled").count() < 2 {
        let bytes = futures_util::StreamExt::next(&mut stream).await.unwrap().unwrap();
        text.push_str(std::str::from_utf8(&bytes).unwrap());
    }
    assert!(!text.contains("library"), "{text}");
    let ids: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    let numbers: Vec<&str> = ids.iter().map(|id| id.rsplit('-').next().unwrap()).collect();
    assert_eq!(numbers, ["0", "1", "2"]);
}

#[tokio::test]
async fn a_request_to_all_repositories_depends_on_the_granted_ones_alone() {
    let fixture = fixture();
    let alone = Fixture::of_app(HttpOptions::default());
    let body =
        json!({ "task": "who checks the login of a user, and parses the date?", "repo": "*" });
    for route in ["/v1/search", "/v1/pack", "/v1/preview"] {
        let granted = post(&fixture, APP, route, body.clone()).await;
        let without = alone.post(route, &body).await;
        assert_eq!(comparable(&granted, "no name"), comparable(&without, "no name"), "{route}");
        assert!(granted.text.contains("app/src/auth.rs") && !granted.text.contains("library"));
        let full = post(&fixture, FULL, route, body.clone()).await;
        assert!(full.text.contains("library/src/lib.rs"), "{route}: {}", full.text);
    }
}

#[tokio::test]
async fn what_covers_all_repositories_requires_a_token_for_all() {
    let fixture = fixture();
    get(&fixture, APP, "/metrics").await.problem(403, "token");
    assert_eq!(get(&fixture, FULL, "/metrics").await.status, 200);
    let switch = json!({ "enabled": false });
    let refused = send(&fixture, APP, "PUT", "/v1/providers/history", switch.clone()).await;
    refused.problem(403, "token");
    assert_eq!(send(&fixture, FULL, "PUT", "/v1/providers/history", switch).await.status, 200);
    let progress = get(&fixture, APP, "/v1/progress").await.json();
    assert_eq!(progress, json!({ "done": 0, "total": 0, "summarized": 0, "repositories": 0 }));
}

#[tokio::test]
async fn a_session_belongs_to_the_token_that_named_it() {
    let fixture = fixture();
    let body = json!({ "task": "login", "repo": "app", "session": "work" });
    let has_code = async |token: &str| {
        post(&fixture, token, "/v1/pack", body.clone()).await.text.contains("pub fn login(")
    };
    assert!(has_code(FULL).await && has_code(APP).await, "two memories");
    assert!(!has_code(APP).await, "sent before");
}

#[tokio::test]
async fn fields_of_one_repository_are_refused_for_all_of_them() {
    let fixture = Fixture::new();
    for (field, value) in
        [("ref", json!("HEAD")), ("document", json!("a.rs")), ("diff", json!(true))]
    {
        let body = json!({ "task": "login", "repo": "*", field: value });
        let problem = fixture.post("/v1/pack", &body).await.problem(422, "all_repositories");
        assert!(problem["detail"].as_str().unwrap().contains(field), "{problem}");
    }
    fixture.post("/v1/pack", &json!({ "repo": "*" })).await.problem(422, "all_repositories");
    fixture
        .post("/v1/search", &json!({ "task": " ", "repo": "*" }))
        .await
        .problem(422, "empty_search");
}
