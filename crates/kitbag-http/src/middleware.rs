//! Outermost middleware: correlation ids, security headers, request metrics and the access log.

use crate::access::READINESS_PATH;
use crate::http_metrics;
use crate::problem::Problem;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::time::Instant;

const CORRELATION_HEADER: HeaderName = HeaderName::from_static("x-correlation-id");

const MAX_CORRELATION_ID_LENGTH: usize = 128;

/// Lets the page load its own files and call this server, and nothing else.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// Identifier of a request in logs, events and errors.
#[derive(Debug, Clone)]
pub(crate) struct CorrelationId(pub String);

impl CorrelationId {
    /// Takes the id of the client if it is valid; generates one otherwise.
    fn from_headers(headers: &HeaderMap) -> Self {
        let sent = headers.get(CORRELATION_HEADER).and_then(|value| value.to_str().ok());
        let sent = sent.map(str::trim).filter(|id| Self::is_valid(id)).map(str::to_owned);
        Self(sent.unwrap_or_else(|| uuid::Uuid::new_v4().simple().to_string()))
    }

    /// Returns whether `id` can be sent in a header.
    pub fn is_valid(id: &str) -> bool {
        (1..=MAX_CORRELATION_ID_LENGTH).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_graphic())
    }
}

/// Runs a request with a correlation id, and completes, counts and logs its response.
pub(crate) async fn observe(mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let header_id = CorrelationId::from_headers(request.headers());
    request.extensions_mut().insert(header_id.clone());
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let route = route.unwrap_or_else(|| "other".to_owned());
    let method = request.method().clone();
    let _in_flight = http_metrics::request_in_flight();
    // A panic in a handler must not close the connection, which may carry other requests.
    let response = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let response = response.unwrap_or_else(|_| {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Problem::new(status, "panic", "internal error").into_response()
    });
    let (mut response, correlation_id) = with_correlation_id(response, header_id);
    add_headers(response.headers_mut(), &correlation_id);
    let (status, seconds) = (response.status().as_u16(), started.elapsed().as_secs_f64());
    http_metrics::count_request(&route, method.as_str(), status, seconds);
    let (correlation_id, method) = (correlation_id.0.as_str(), method.as_str());
    let ms = seconds * 1_000.0;
    // A probe that has to wait has worked.
    if status >= 500 && route != READINESS_PATH {
        tracing::error!(correlation_id, method, route, status, ms, "request finished");
    } else {
        tracing::info!(correlation_id, method, route, status, ms, "request finished");
    }
    response
}

/// Determines the final correlation id, since a request body can set its own, and renders a problem
/// again with it.
fn with_correlation_id(
    mut response: Response,
    header_id: CorrelationId,
) -> (Response, CorrelationId) {
    let body_id = response.extensions_mut().remove::<CorrelationId>();
    let mut id = body_id.unwrap_or(header_id);
    if let Some(mut problem) = response.extensions_mut().remove::<Problem>() {
        if problem.correlation_id.is_empty() {
            problem.correlation_id.clone_from(&id.0);
        }
        id = CorrelationId(problem.correlation_id.clone());
        let allow = response.headers().get(header::ALLOW).cloned();
        response = problem.render();
        if let Some(allow) = allow {
            response.headers_mut().insert(header::ALLOW, allow);
        }
    }
    (response, id)
}

fn add_headers(headers: &mut HeaderMap, correlation_id: &CorrelationId) {
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
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
    if let Ok(id) = HeaderValue::from_str(&correlation_id.0) {
        headers.insert(CORRELATION_HEADER, id);
    }
}
