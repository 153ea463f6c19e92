//! What an answer says when something is wrong: problem details (RFC 9457).

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

/// The media type of problems.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

/// What is wrong.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Problem {
    /// What kind of problem it is.
    #[serde(rename = "type")]
    pub kind: Box<str>,
    /// The status, in words.
    pub title: Box<str>,
    /// The status.
    pub status: u16,
    /// What is wrong.
    pub detail: String,
    /// What to do about it, where there is something to say.
    pub hint: Option<String>,
    /// What the request is called in logs and events.
    pub correlation_id: String,
    /// When to come back, in seconds.
    #[serde(skip)]
    pub retry_after: Option<u32>,
}

impl Problem {
    /// A problem of a kind.
    pub fn new(status: StatusCode, code: &str, detail: impl Into<String>) -> Self {
        Self {
            kind: kind(code).into(),
            title: status.canonical_reason().unwrap_or("Error").into(),
            status: status.as_u16(),
            detail: detail.into(),
            hint: None,
            correlation_id: String::new(),
            retry_after: None,
        }
    }

    /// The request cannot be read.
    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", detail)
    }

    /// The request can be read, and cannot be right.
    pub fn wrong(code: &str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail)
    }

    /// What is named is not there.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", detail)
    }

    /// Who asks may not.
    pub fn forbidden(code: &str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, detail)
    }

    /// There is too much to do.
    pub fn busy(detail: impl Into<String>) -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail);
        Self { retry_after: Some(1), ..problem }.hint("come back after `Retry-After` seconds")
    }

    /// It took too long.
    pub fn late(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "timeout", detail)
    }

    /// The same with another kind.
    pub fn code(self, code: &str) -> Self {
        Self { kind: kind(code).into(), ..self }
    }

    /// The same with what to do about it.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same for a request that is called so.
    pub fn of(self, correlation_id: &str) -> Self {
        Self { correlation_id: correlation_id.to_owned(), ..self }
    }

    /// The finished answer.
    pub fn render(&self) -> Response {
        let json = serde_json::to_vec(self).unwrap_or_default();
        let status = StatusCode::from_u16(self.status);
        let mut response = Response::new(Body::from(json));
        *response.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED.as_u16() {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

fn kind(code: &str) -> String {
    format!("urn:kitbag:{code}")
}

/// An answer that is rendered where the correlation id is known.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.render();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<kitbag::Error> for Problem {
    fn from(error: kitbag::Error) -> Self {
        let code = error.code();
        let status = match code {
            "not_found" | "not_a_file" | "unknown_provider" => StatusCode::NOT_FOUND,
            "denied" | "outside_root" => StatusCode::FORBIDDEN,
            _ if error.is_cancelled() => StatusCode::REQUEST_TIMEOUT,
            _ if error.is_usage() => StatusCode::UNPROCESSABLE_ENTITY,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let problem = Self::new(status, code, error.to_string());
        match error.hint() {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    }
}
