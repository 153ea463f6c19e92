//! `GET /healthz`, `/metrics` and `/openapi.json`.

use super::{answer, routes};
use crate::problem::Problem;
use crate::state::State;
use axum::extract::State as Shared;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// That the server lives.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
    /// The version of the program.
    version: &'static str,
}

/// Tells that the server lives.
pub(crate) async fn health() -> Result<Response, Problem> {
    answer(&Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// Everything that is counted.
pub(crate) async fn metrics(Shared(state): Shared<Arc<State>>) -> Response {
    let media_type = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, media_type)], state.recorded.render()).into_response()
}

/// The description of the routes.
pub(crate) async fn document(Shared(state): Shared<Arc<State>>) -> Result<Response, Problem> {
    answer(state.document.get_or_init(|| routes().document()))
}
