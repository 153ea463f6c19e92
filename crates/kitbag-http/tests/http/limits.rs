//! Limits on bytes, time and concurrency.

use crate::fixture::{Fixture, request};
use axum::body::Body;
use axum::http::StatusCode;
use bytes::Bytes;
use futures_util::stream;
use kitbag::{Engine, Gathered, Gathering, Provider, ProviderError, Request};
use kitbag_http::{HttpLimits, HttpOptions};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tower::ServiceExt;

fn limited(limits: HttpLimits) -> HttpOptions {
    HttpOptions { limits, ..HttpOptions::default() }
}

/// A provider that blocks until it is cancelled.
#[derive(Default, Clone)]
struct BlockingProvider {
    started: Arc<AtomicBool>,
    cancelled: Arc<AtomicBool>,
}

impl Provider for BlockingProvider {
    fn id(&self) -> &str {
        "blocking"
    }

    fn title(&self) -> &str {
        "Blocking"
    }

    fn applies(&self, request: &Request) -> bool {
        request.agent_id.as_deref() == Some("slow")
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        self.started.store(true, Ordering::SeqCst);
        while gathering.cancel().check().is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.cancelled.store(true, Ordering::SeqCst);
        Ok(Gathered::default())
    }
}

async fn wait_for(flag: &AtomicBool) {
    while !flag.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

fn slow_fixture(limits: HttpLimits) -> (Fixture, BlockingProvider) {
    let provider = BlockingProvider::default();
    let engine = Engine::with_threads(2).unwrap().with_provider(provider.clone()).unwrap();
    (Fixture::with_engine(engine, limited(limits)), provider)
}

fn slow() -> axum::http::Request<Body> {
    let body = json!({"task": "login", "agent_id": "slow"}).to_string();
    let request = request("POST", "/v1/pack").header("content-type", "application/json");
    request.body(Body::from(body)).unwrap()
}

#[tokio::test]
async fn an_oversized_body_is_refused() {
    let fixture = Fixture::with_options(limited(HttpLimits {
        request_bytes: 1_000,
        ..HttpLimits::default()
    }));
    let body = json!({"task": "x".repeat(2_000)});
    let problem = fixture.post("/v1/pack", &body).await.problem(413, "too_large");
    assert_eq!(problem["detail"], "the body exceeds 1000 bytes");
    let fitting = json!({"task": "x".repeat(900)});
    assert_eq!(fixture.post("/v1/pack", &fitting).await.status, 200);
}

#[tokio::test]
async fn a_body_that_does_not_arrive_times_out() {
    let limits = HttpLimits { body_timeout: Duration::from_millis(20), ..HttpLimits::default() };
    let fixture = Fixture::with_options(limited(limits));
    let never = stream::pending::<Result<Bytes, Infallible>>();
    let response = fixture.raw("POST", "/v1/pack", Body::from_stream(never)).await;
    response.problem(408, "timeout");
}

#[tokio::test]
async fn work_that_takes_too_long_is_cancelled() {
    let limits = HttpLimits { timeout: Duration::from_millis(400), ..HttpLimits::default() };
    let (fixture, provider) = slow_fixture(limits);
    fixture.send(slow()).await.problem(408, "timeout");
    wait_for(&provider.cancelled).await;
}

#[tokio::test]
async fn a_request_over_the_queue_limit_is_refused_with_retry_after() {
    let limits = HttpLimits { concurrency: 1, queue: 0, ..HttpLimits::default() };
    let (fixture, provider) = slow_fixture(limits);
    let first = tokio::spawn(fixture.app.clone().oneshot(slow()));
    wait_for(&provider.started).await;
    let response = fixture.post("/v1/pack", &json!({"task": "login"})).await;
    response.problem(503, "busy");
    assert_eq!(response.header("retry-after"), "1");
    // Cheap routes bypass the queue.
    assert_eq!(fixture.get("/healthz").await.status, StatusCode::OK);
    first.abort();
    wait_for(&provider.cancelled).await;
    let mut response = fixture.post("/v1/pack", &json!({"task": "login"})).await;
    while response.status == 503 {
        response = fixture.post("/v1/pack", &json!({"task": "login"})).await;
    }
    assert_eq!(response.status, 200);
}

#[tokio::test]
async fn queued_requests_are_answered() {
    let limits = HttpLimits { concurrency: 1, queue: 100, ..HttpLimits::default() };
    let fixture = Arc::new(Fixture::with_options(limited(limits)));
    let ask = |number: usize| {
        let fixture = Arc::clone(&fixture);
        let body = json!({"task": format!("login {number}"), "budget": 200});
        tokio::spawn(async move { fixture.post("/v1/pack", &body).await })
    };
    let all: Vec<_> = (0..20).map(ask).collect();
    for one in all {
        let response = one.await.unwrap();
        assert_eq!(response.status, 200, "{}", response.text);
        assert!(response.json()["total_tokens"].as_u64().unwrap() <= 200);
    }
}

#[tokio::test]
async fn a_disconnect_cancels_the_work() {
    let (fixture, provider) = slow_fixture(HttpLimits::default());
    let first = tokio::spawn(fixture.app.clone().oneshot(slow()));
    wait_for(&provider.started).await;
    first.abort();
    wait_for(&provider.cancelled).await;
}

#[tokio::test]
async fn event_streams_over_the_limit_are_refused() {
    let fixture =
        Fixture::with_options(limited(HttpLimits { event_streams: 1, ..HttpLimits::default() }));
    let listen = || request("GET", "/v1/events").body(Body::empty()).unwrap();
    let first = fixture.app.clone().oneshot(listen()).await.unwrap();
    assert_eq!(first.status(), 200);
    fixture.send(listen()).await.problem(503, "busy");
    drop(first);
    let again = fixture.app.clone().oneshot(listen()).await.unwrap();
    assert_eq!(again.status(), 200);
}
