//! Error responses as problem details (RFC 9457).

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use kitbag::PathError;
use schemars::JsonSchema;
use serde::Serialize;

/// Result of a handler.
pub(crate) type ApiResult = Result<Response, Problem>;

pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

/// An error response.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Problem {
    /// Kind of problem: `urn:kitbag:` followed by a code.
    #[serde(rename = "type")]
    pub kind: Box<str>,
    /// Reason phrase of the status.
    pub title: Box<str>,
    /// HTTP status.
    pub status: u16,
    /// Explanation of this occurrence.
    pub detail: String,
    /// Advice on how to fix it.
    pub hint: Option<String>,
    /// Correlation id of the request.
    pub correlation_id: String,
    /// Value of the `Retry-After` header.
    #[serde(skip)]
    pub retry_after_seconds: Option<u32>,
}

impl Problem {
    pub fn new(status: StatusCode, code: &str, detail: impl Into<String>) -> Self {
        Self {
            kind: urn(code),
            title: status.canonical_reason().unwrap_or("Error").into(),
            status: status.as_u16(),
            detail: detail.into(),
            hint: None,
            correlation_id: String::new(),
            retry_after_seconds: None,
        }
    }

    /// 400: the request cannot be parsed.
    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", detail)
    }

    /// 422: the request can be parsed, but a value is invalid.
    pub fn unprocessable(code: &str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail)
    }

    /// 404.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", detail)
    }

    /// 403.
    pub fn forbidden(code: &str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, detail)
    }

    /// 503, with `Retry-After`.
    pub fn busy(detail: impl Into<String>) -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail);
        Self { retry_after_seconds: Some(1), ..problem }
            .with_hint("retry after the number of seconds in `Retry-After`")
    }

    /// 408.
    pub fn timeout(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "timeout", detail)
    }

    /// 500: the response cannot be written.
    pub fn unwritable() -> Self {
        let detail = "the response cannot be serialized";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "unwritable", detail)
    }

    pub fn with_code(self, code: &str) -> Self {
        Self { kind: urn(code), ..self }
    }

    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub fn with_correlation_id(self, id: &str) -> Self {
        Self { correlation_id: id.to_owned(), ..self }
    }

    /// Renders the response, body and headers.
    pub fn render(&self) -> Response {
        let json = serde_json::to_vec(self).unwrap_or_default();
        let status = StatusCode::from_u16(self.status);
        let mut response = Response::new(Body::from(json));
        *response.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        if let Some(seconds) = self.retry_after_seconds {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED.as_u16() {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

fn urn(code: &str) -> Box<str> {
    format!("urn:kitbag:{code}").into()
}

/// Attaches the problem to the response as an extension, so that the middleware can render it again
/// with the correlation id.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.render();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<kitbag::Error> for Problem {
    fn from(error: kitbag::Error) -> Self {
        let status = match &error {
            kitbag::Error::Provider(_)
            | kitbag::Error::Path(PathError::NotFound { .. } | PathError::NotAFile { .. }) => {
                StatusCode::NOT_FOUND
            }
            kitbag::Error::Path(PathError::Denied { .. } | PathError::OutsideRoot { .. }) => {
                StatusCode::FORBIDDEN
            }
            kitbag::Error::Store { .. } => StatusCode::SERVICE_UNAVAILABLE,
            _ if error.is_cancelled() => StatusCode::REQUEST_TIMEOUT,
            _ if error.is_usage() => StatusCode::UNPROCESSABLE_ENTITY,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { hint: hint(&error), ..Self::new(status, error.code(), error.to_string()) }
    }
}

/// Returns advice for a client: nothing that only the operator can do on the server's machine.
fn hint(error: &kitbag::Error) -> Option<String> {
    error.request_hint().filter(|hint| !hint.contains("`kitbag "))
}
