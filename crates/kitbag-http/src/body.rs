//! Bodies and queries of requests, read within bounds.

use crate::problem::Problem;
use axum::body::Body;
use axum::extract::Query;
use axum::http::{StatusCode, Uri};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The JSON of a body that has at most so many bytes.
pub(crate) async fn json(body: Body, most: usize) -> Result<Value, Problem> {
    let collected = Limited::new(body, most).collect().await;
    let bytes = collected.map_err(|error| unreadable(&*error, most))?.to_bytes();
    if bytes.is_empty() {
        return Err(Problem::malformed("there is no body").hint("send a JSON object"));
    }
    serde_json::from_slice(&bytes)
        .map_err(|error| Problem::malformed(format!("the body is not JSON: {error}")))
}

fn unreadable(error: &(dyn std::error::Error + 'static), most: usize) -> Problem {
    if error.is::<LengthLimitError>() {
        let detail = format!("the body has more than {most} bytes");
        return Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail)
            .hint("`server.limits.request_bytes` is the limit");
    }
    Problem::malformed("the body ended before it was whole")
}

/// What a body says, as a type whose fields are all known.
pub(crate) fn shape<T: DeserializeOwned>(json: Value) -> Result<T, Problem> {
    serde_json::from_value(json).map_err(|error| Problem::wrong("request", error.to_string()))
}

/// What the query of an address says.
pub(crate) fn query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Problem> {
    let query = Query::<T>::try_from_uri(uri);
    query.map(|query| query.0).map_err(|error| {
        let why =
            std::error::Error::source(&error).map_or_else(String::new, |it| format!(": {it}"));
        Problem::malformed(format!("the query cannot be read{why}"))
    })
}
