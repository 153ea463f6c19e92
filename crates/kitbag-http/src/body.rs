//! Reading of request bodies and query strings.

use crate::incoming_body::BodyError;
use crate::problem::Problem;
use crate::request_queue::QueueSlot;
use crate::state::HttpState;
use axum::body::Body;
use axum::extract::Query;
use axum::http::{StatusCode, Uri};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::error::Error;

/// Reads the body as JSON and reserves a queue slot. A client that is slow to send its body occupies
/// none.
pub(crate) async fn receive(state: &HttpState, body: Body) -> Result<(QueueSlot, Value), Problem> {
    state.queue.check()?;
    let json = read_json(body, state.limits.request_bytes).await?;
    Ok((state.queue.enter()?, json))
}

async fn read_json(body: Body, max_bytes: usize) -> Result<Value, Problem> {
    let collected = Limited::new(body, max_bytes).collect().await;
    let bytes = collected.map_err(|error| read_error(&*error, max_bytes))?.to_bytes();
    if bytes.is_empty() {
        return Err(Problem::malformed("the body is empty").with_hint("send a JSON object"));
    }
    serde_json::from_slice(&bytes)
        .map_err(|error| Problem::malformed(format!("the body is not valid JSON: {error}")))
}

fn read_error(error: &(dyn Error + 'static), max_bytes: usize) -> Problem {
    match BodyError::find(error) {
        Some(slow @ BodyError::Slow) => return Problem::timeout(slow.to_string()),
        Some(busy @ BodyError::Busy) => return Problem::busy(busy.to_string()),
        None => {}
    }
    if !error.is::<LengthLimitError>() {
        return Problem::malformed("the connection closed before the body was complete");
    }
    let detail = format!("the body exceeds {max_bytes} bytes");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail)
        .with_hint("the limit is `server.limits.request_bytes`")
}

/// Deserializes a body; a type mismatch is a 422.
pub(crate) fn parse<T: DeserializeOwned>(json: &Value) -> Result<T, Problem> {
    Ok(kitbag::parse_json(json).map_err(kitbag::Error::from)?)
}

/// Deserializes the query string of `uri`.
pub(crate) fn query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Problem> {
    let Query(query) = Query::try_from_uri(uri).map_err(|error| {
        let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
        Problem::malformed(format!("invalid query string{cause}"))
    })?;
    Ok(query)
}
