//! The live feed, and how a client resumes it.

use crate::fixture::{Fixture, request};
use axum::body::{Body, BodyDataStream};
use futures_util::StreamExt;
use kitbag::{Cancel, Request};
use serde_json::{Value, json};
use tower::ServiceExt;

struct Client {
    stream: BodyDataStream,
    text: String,
}

#[derive(Debug)]
struct Event {
    name: String,
    id: Option<String>,
    data: Value,
}

impl Client {
    async fn connect(fixture: &Fixture, last: Option<&str>) -> Self {
        let mut request = request("GET", "/v1/events");
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let response =
            fixture.app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { stream: response.into_body().into_data_stream(), text: String::new() }
    }

    /// Returns the next event, skipping comments.
    async fn next(&mut self) -> Option<Event> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                if let Some(event) = read(&block) {
                    return Some(event);
                }
            }
            let bytes = self.stream.next().await?.unwrap();
            self.text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }
}

fn read(block: &str) -> Option<Event> {
    let field = |name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.map(str::to_owned)
    };
    let data = serde_json::from_str(&field("data")?).unwrap();
    Some(Event { name: field("event")?, id: field("id"), data })
}

async fn pack(fixture: &Fixture, task: &str) -> String {
    let pack = fixture.post("/v1/pack", &json!({"task": task, "budget": 200})).await.json();
    pack["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_pack_is_published_when_it_is_made() {
    let fixture = Fixture::new();
    pack(&fixture, "before").await;
    let mut client = Client::connect(&fixture, None).await;
    let id = pack(&fixture, "login").await;
    let event = client.next().await.unwrap();
    assert_eq!(event.name, "context_assembled");
    assert_eq!(event.data["id"], id);
    assert_eq!(event.data["task"], "login");
    let mut data = event.data;
    let chunks = data.as_object_mut().unwrap().remove("chunks").unwrap();
    assert_eq!(data, fixture.get("/v1/packs").await.json()["packs"][0]);
    let chunk = &chunks[0];
    assert_eq!((&chunk["path"], &chunk["form"]), (&json!("src/auth.rs"), &json!("full")));
    assert_eq!((&chunk["start_line"], &chunk["end_line"]), (&json!(1), &json!(9)), "{chunks}");
    assert!(chunk["tokens"].as_u64().unwrap() > 0);
    assert_eq!(chunks.as_array().unwrap().len() as u64, data["included"].as_u64().unwrap());
}

#[tokio::test]
async fn a_client_resumes_after_its_last_event() {
    let fixture = Fixture::new();
    let mut client = Client::connect(&fixture, None).await;
    pack(&fixture, "first").await;
    let first = client.next().await.unwrap();
    drop(client);
    pack(&fixture, "second").await;
    pack(&fixture, "third").await;
    let mut client = Client::connect(&fixture, first.id.as_deref()).await;
    pack(&fixture, "fourth").await;
    for task in ["second", "third", "fourth"] {
        let event = client.next().await.unwrap();
        assert_eq!((event.name.as_str(), &event.data["task"]), ("context_assembled", &json!(task)));
    }
}

#[tokio::test]
async fn a_client_of_an_earlier_server_is_sent_restarted() {
    let before = Fixture::new();
    let mut client = Client::connect(&before, None).await;
    pack(&before, "long ago").await;
    let last = client.next().await.unwrap().id;
    let after = Fixture::new();
    pack(&after, "first").await;
    for last in [last.as_deref(), Some("nonsense"), Some("-1"), Some("abc-xyz")] {
        let mut client = Client::connect(&after, last).await;
        let event = client.next().await.unwrap();
        assert_eq!(event.name, "restarted");
        assert!(event.id.unwrap().ends_with("-0"));
        assert_eq!(client.next().await.unwrap().data["task"], "first");
    }
}

#[tokio::test]
async fn packs_of_other_interfaces_of_the_engine_are_published() {
    let fixture = Fixture::new();
    let stop = tokio::sync::oneshot::channel::<()>();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let ended = async { drop(stop.1.await) };
    let serving = tokio::spawn(kitbag_http::serve(
        fixture.state.clone(),
        listener,
        kitbag_http::Router::new(),
        ended,
    ));
    let mut client = Client::connect(&fixture, None).await;
    let own = async {
        // The server subscribes at some point after it starts, so pack until one arrives.
        loop {
            let request = Request {
                task: "by an agent".into(),
                repo: Some(fixture.dir.path().join("app").canonicalize().unwrap()),
                agent_id: Some("claude".into()),
                via: "mcp",
                ..Request::default()
            };
            fixture.engine.pack(request, &Cancel::default()).await.unwrap();
            if !fixture.get("/v1/packs").await.json()["packs"].as_array().unwrap().is_empty() {
                break;
            }
        }
    };
    let (event, ()) = tokio::join!(client.next(), own);
    let event = event.unwrap();
    assert_eq!(event.data["interface"], "mcp");
    assert_eq!(event.data["repo"], "app");
    assert_eq!(event.data["agent_id"], "claude");
    let id = event.data["id"].as_str().unwrap();
    let kept = fixture.get(&format!("/v1/packs/{id}")).await.json();
    assert_eq!(kept["request"]["task"], "by an agent");
    stop.0.send(()).unwrap();
    serving.await.unwrap().unwrap();
    // The stream ends with the server.
    while client.next().await.is_some() {}
}
