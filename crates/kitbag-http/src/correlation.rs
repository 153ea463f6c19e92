//! What every request goes through first and every answer last: a correlation id, the headers that
//! guard a browser, a metric, and a log line.

use crate::meters;
use crate::problem::Problem;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::time::Instant;

/// The header that names a request.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-correlation-id");

/// The longest id that is taken over.
const LONGEST: usize = 128;

/// What a page may do: load its own files and talk to this server, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What a request is called.
#[derive(Debug, Clone)]
pub(crate) struct Correlation(pub String);

impl Correlation {
    /// The id that the caller gives, if it can stand in a header and in a log; else a new one.
    fn of(headers: &HeaderMap) -> Self {
        let given = headers.get(HEADER).and_then(|value| value.to_str().ok()).map(str::trim);
        let given = given.filter(|id| is_plain(id)).map(str::to_owned);
        Self(given.unwrap_or_else(|| uuid::Uuid::new_v4().simple().to_string()))
    }
}

/// Whether an id can stand in a header.
pub(crate) fn is_plain(id: &str) -> bool {
    (1..=LONGEST).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Runs a request, and finishes its answer.
pub(crate) async fn accompany(mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let mut correlation = Correlation::of(request.headers());
    request.extensions_mut().insert(correlation.clone());
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let route = route.unwrap_or_else(|| "other".to_owned());
    let method = request.method().clone();
    let _in_flight = meters::in_flight();
    // A panic is a defect of ours; it must not cost other requests of the connection.
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let mut response = answered.unwrap_or_else(|_| {
        let detail = "the server made a mistake";
        let problem = Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "panic", detail);
        axum::response::IntoResponse::into_response(problem)
    });
    if let Some(own) = response.extensions_mut().remove::<Correlation>() {
        correlation = own;
    }
    if let Some(mut problem) = response.extensions_mut().remove::<Problem>() {
        if problem.correlation_id.is_empty() {
            problem.correlation_id.clone_from(&correlation.0);
        }
        correlation = Correlation(problem.correlation_id.clone());
        let kept = response.headers().get(header::ALLOW).cloned();
        response = problem.render();
        if let Some(allow) = kept {
            response.headers_mut().insert(header::ALLOW, allow);
        }
    }
    protect(response.headers_mut(), &correlation);
    let (status, seconds) = (response.status().as_u16(), began.elapsed().as_secs_f64());
    meters::answered(&route, method.as_str(), status, seconds);
    let (correlation_id, ms) = (correlation.0.as_str(), seconds * 1_000.0);
    if status >= 500 {
        tracing::error!(correlation_id, method = method.as_str(), route, status, ms, "answered");
    } else {
        tracing::info!(correlation_id, method = method.as_str(), route, status, ms, "answered");
    }
    response
}

/// The headers that every answer has.
fn protect(headers: &mut HeaderMap, correlation: &Correlation) {
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if let Ok(id) = HeaderValue::from_str(&correlation.0) {
        headers.insert(HEADER, id);
    }
}
