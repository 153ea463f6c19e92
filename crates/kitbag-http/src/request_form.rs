//! The form of a request: ambiguous ones are refused before anything else looks at them.
//!
//! Two values of a header, or a target that names a host of its own, could be understood differently by
//! a proxy in front of the server and by the server's own checks.

use crate::http_metrics;
use crate::problem::Problem;
use axum::extract::Request;
use axum::http::{HeaderName, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Headers that decide about access or the meaning of the body.
const UNIQUE_HEADERS: [HeaderName; 4] =
    [header::HOST, header::ORIGIN, header::AUTHORIZATION, header::CONTENT_TYPE];

/// Middleware that refuses ambiguous requests with 400.
pub(crate) async fn check(request: Request, next: Next) -> Response {
    match check_form(&request) {
        Ok(()) => next.run(request).await,
        Err(problem) => {
            http_metrics::count_refused(&problem.kind);
            problem.into_response()
        }
    }
}

fn check_form(request: &Request) -> Result<(), Problem> {
    if request.uri().scheme().is_some() || request.uri().authority().is_some() {
        let detail = "the request target must be a path, not a URL";
        return Err(Problem::malformed(detail).with_code("target"));
    }
    for name in UNIQUE_HEADERS {
        if request.headers().get_all(&name).iter().nth(1).is_some() {
            let detail = format!("the header `{name}` is repeated");
            return Err(Problem::malformed(detail).with_code("repeated_header"));
        }
    }
    Ok(())
}
