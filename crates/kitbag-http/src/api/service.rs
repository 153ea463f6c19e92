//! `GET /healthz`, `/readyz`, `/metrics`, `/openapi.json` and `/v1/progress`.

use super::{document, json_response};
use crate::options::ServerPhase;
use crate::problem::ApiResult;
use crate::state::SharedState;
use crate::viewer::OfRequest;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use metrics_exporter_prometheus::PrometheusHandle;
use schemars::JsonSchema;
use serde::Serialize;

/// Health of the server.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Health {
    /// Always `ok`.
    status: &'static str,
    /// Version of the program.
    version: &'static str,
}

/// Whether requests should be sent to the server.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Readiness {
    /// `starting` until its repositories are indexed or summarized, `ready`, or `draining` before it stops.
    status: &'static str,
}

/// Progress of indexing.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Progress {
    /// Number of files read.
    done: usize,
    /// Number of files to read; equal to `done` if nothing is being indexed.
    total: usize,
    /// Number of repositories of the served folder that were done when the server started: those that have a
    /// summary, for requests to all repositories, and those that cannot be read.
    summarized: usize,
    /// Number of repositories of the served folder when the server started.
    repositories: usize,
}

pub(crate) async fn progress(State(state): SharedState, OfRequest(viewer): OfRequest) -> ApiResult {
    // The repository that is being indexed may be one that the viewer must not know of.
    let is_full = viewer.access.is_full();
    let (done, total) = if is_full { state.progress.get() } else { (0, 0) };
    let (summarized, repositories) = if is_full { state.progress.summaries() } else { (0, 0) };
    json_response(&Progress { done, total, summarized, repositories })
}

pub(crate) async fn health() -> ApiResult {
    json_response(&Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

pub(crate) async fn readiness(State(state): SharedState) -> ApiResult {
    let phase = state.phase.get();
    let mut response = json_response(&Readiness { status: phase.as_str() })?;
    if phase != ServerPhase::Ready {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    Ok(response)
}

pub(crate) async fn metrics(State(state): SharedState, OfRequest(viewer): OfRequest) -> ApiResult {
    viewer.check_full("metrics are of")?;
    let media_type = "text/plain; version=0.0.4; charset=utf-8";
    let metrics = state.metrics.as_ref().map(PrometheusHandle::render).unwrap_or_default();
    Ok(([(header::CONTENT_TYPE, media_type)], metrics).into_response())
}

pub(crate) async fn openapi(State(state): SharedState) -> ApiResult {
    json_response(document(&state))
}
