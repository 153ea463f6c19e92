//! What one caller may cost: bytes, time, places.

use crate::fixture::{Fixture, request};
use axum::body::Body;
use axum::http::StatusCode;
use bytes::Bytes;
use futures_util::stream;
use kitbag::{Engine, Gathered, Gathering, Provider, ProviderError, Request};
use kitbag_http::{Limits, Options};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tower::ServiceExt;

fn limited(limits: Limits) -> Options {
    Options { limits, ..Options::default() }
}

/// A provider that waits until it is stopped, and tells both.
#[derive(Default, Clone)]
struct Waiting {
    began: Arc<AtomicBool>,
    stopped: Arc<AtomicBool>,
}

impl Provider for Waiting {
    fn id(&self) -> &str {
        "waiting"
    }

    fn title(&self) -> &str {
        "Waiting"
    }

    fn applies(&self, request: &Request) -> bool {
        request.agent_id.as_deref() == Some("slow")
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        self.began.store(true, Ordering::SeqCst);
        while gathering.cancel().check().is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.stopped.store(true, Ordering::SeqCst);
        Ok(Gathered::default())
    }
}

async fn until(flag: &AtomicBool) {
    while !flag.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

fn slow_fixture(limits: Limits) -> (Fixture, Waiting) {
    let waiting = Waiting::default();
    let engine = Engine::with_threads(2).unwrap().with_provider(waiting.clone()).unwrap();
    (Fixture::of(engine, limited(limits)), waiting)
}

fn slow() -> axum::http::Request<Body> {
    let body = json!({"task": "login", "agent_id": "slow"}).to_string();
    let request = request("POST", "/v1/pack").header("content-type", "application/json");
    request.body(Body::from(body)).unwrap()
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let fixture = Fixture::with(limited(Limits { request_bytes: 1_000, ..Limits::default() }));
    let asked = json!({"task": "x".repeat(2_000)});
    let problem = fixture.post("/v1/pack", &asked).await.problem(413, "too_large");
    assert_eq!(problem["detail"], "the body has more than 1000 bytes");
    let fitting = json!({"task": "x".repeat(900)});
    assert_eq!(fixture.post("/v1/pack", &fitting).await.status, 200);
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let limits = Limits { timeout: Duration::from_millis(20), ..Limits::default() };
    let fixture = Fixture::with(limited(limits));
    let never = stream::pending::<Result<Bytes, Infallible>>();
    let answer = fixture.raw("POST", "/v1/pack", Body::from_stream(never)).await;
    answer.problem(408, "timeout");
}

#[tokio::test]
async fn work_that_takes_too_long_is_stopped() {
    let limits = Limits { timeout: Duration::from_millis(400), ..Limits::default() };
    let (fixture, waiting) = slow_fixture(limits);
    fixture.send(slow()).await.problem(408, "timeout");
    until(&waiting.stopped).await;
}

#[tokio::test]
async fn whoever_finds_all_places_taken_is_asked_to_come_back() {
    let limits = Limits { concurrency: 1, queue: 0, ..Limits::default() };
    let (fixture, waiting) = slow_fixture(limits);
    let first = tokio::spawn(fixture.app.clone().oneshot(slow()));
    until(&waiting.began).await;
    let answer = fixture.post("/v1/pack", &json!({"task": "login"})).await;
    answer.problem(503, "busy");
    assert_eq!(answer.header("retry-after"), "1");
    // What costs little is answered all the same.
    assert_eq!(fixture.get("/healthz").await.status, StatusCode::OK);
    first.abort();
    until(&waiting.stopped).await;
    let mut answer = fixture.post("/v1/pack", &json!({"task": "login"})).await;
    while answer.status == 503 {
        answer = fixture.post("/v1/pack", &json!({"task": "login"})).await;
    }
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn those_who_wait_get_their_turn() {
    let limits = Limits { concurrency: 1, queue: 100, ..Limits::default() };
    let fixture = Arc::new(Fixture::with(limited(limits)));
    let ask = |number: usize| {
        let fixture = Arc::clone(&fixture);
        let asked = json!({"task": format!("login {number}"), "budget": 200});
        tokio::spawn(async move { fixture.post("/v1/pack", &asked).await })
    };
    let all: Vec<_> = (0..20).map(ask).collect();
    for one in all {
        let answer = one.await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(answer.json()["total_tokens"].as_u64().unwrap() <= 200);
    }
}

#[tokio::test]
async fn whoever_breaks_off_stops_the_work() {
    let (fixture, waiting) = slow_fixture(Limits::default());
    let first = tokio::spawn(fixture.app.clone().oneshot(slow()));
    until(&waiting.began).await;
    first.abort();
    until(&waiting.stopped).await;
}

#[tokio::test]
async fn only_so_many_may_listen_to_events() {
    let fixture = Fixture::with(limited(Limits { streams: 1, ..Limits::default() }));
    let listen = || request("GET", "/v1/events").body(Body::empty()).unwrap();
    let first = fixture.app.clone().oneshot(listen()).await.unwrap();
    assert_eq!(first.status(), 200);
    fixture.send(listen()).await.problem(503, "busy");
    drop(first);
    let again = fixture.app.clone().oneshot(listen()).await.unwrap();
    assert_eq!(again.status(), 200);
}
