//! `POST /v1/pack` and `POST /v1/preview`.

use super::json_response;
use crate::body;
use crate::middleware::CorrelationId;
use crate::problem::{ApiResult, Problem};
use crate::recent_packs::{HTTP_INTERFACE, PackOrigin};
use crate::repositories::{self, ServedRepository};
use crate::state::{HttpState, SharedState};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use kitbag::{Cancel, ContextAssembled, Report, Request};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;

/// A pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Pack")]
pub(crate) struct PackResponse<'a> {
    /// Identifier for `/v1/packs/{id}`.
    id: &'a str,
    /// Report on the pack, with its text.
    #[serde(flatten)]
    report: &'a Report,
}

/// The correlation id of the request's header.
type HeaderId = Extension<CorrelationId>;

pub(crate) async fn pack(state: SharedState, id: HeaderId, body: Body) -> ApiResult {
    respond(state, id, body, false).await
}

pub(crate) async fn preview(state: SharedState, id: HeaderId, body: Body) -> ApiResult {
    respond(state, id, body, true).await
}

async fn respond(
    State(state): SharedState,
    Extension(header_id): HeaderId,
    body: Body,
    is_preview: bool,
) -> ApiResult {
    let state = &*state;
    let (slot, json) = body::receive(state, body).await?;
    let mut request = Request::from_json(&json).map_err(kitbag::Error::from)?;
    let correlation_id = correlation_id(&request, header_id)?;
    let with_id = |problem: Problem| problem.with_correlation_id(&correlation_id.0);
    let name = json["repo"].as_str();
    let repository = repositories::find(&state.repositories, name).map_err(with_id)?;
    request.repo = Some(repository.path.clone());
    request.tenant = repository.tenant();
    request.correlation_id = Some(correlation_id.0.clone());
    request.via = HTTP_INTERFACE;
    let work = make_pack(state, request, repository, &json, is_preview);
    let mut response = state.queue.run_in(&slot, work).await.map_err(with_id)?;
    response.extensions_mut().insert(correlation_id);
    Ok(response)
}

/// Returns the correlation id of the request body, or else the one of the header.
fn correlation_id(request: &Request, header_id: CorrelationId) -> Result<CorrelationId, Problem> {
    match &request.correlation_id {
        None => Ok(header_id),
        Some(id) if CorrelationId::is_valid(id) => Ok(CorrelationId(id.clone())),
        Some(_) => {
            let detail = "`correlation_id` must be 1 to 128 printable ASCII characters, \
                          without spaces";
            Err(Problem::unprocessable("request", detail))
        }
    }
}

/// Packs or previews, and stores and publishes the result. When the client disconnects this future is
/// dropped, which cancels the engine's work.
async fn make_pack(
    state: &HttpState,
    request: Request,
    repository: &ServedRepository,
    json: &Value,
    is_preview: bool,
) -> ApiResult {
    let (started, cancel) = (Instant::now(), Cancel::default());
    let (task, profile) = (request.task.clone(), request.profile.clone());
    let (agent_id, correlation_id) = (request.agent_id.clone(), request.correlation_id.clone());
    let mut report = match is_preview {
        true => state.engine.preview(request, &cancel).await?,
        false => state.engine.pack(request, &cancel).await?,
    };
    report.add_texts();
    let event = ContextAssembled {
        agent_id,
        correlation_id,
        via: HTTP_INTERFACE,
        repo: repository.path.clone(),
        profile: profile.unwrap_or_else(|| "agent".to_owned()),
        task,
        report: Arc::new(report),
        duration_ms: started.elapsed().as_secs_f64() * 1_000.0,
    };
    let origin = PackOrigin { repository: &repository.name, request: json, is_preview };
    let stored = state.packs.add(&event, origin);
    if !is_preview {
        state.feed.publish(&stored);
    }
    json_response(&PackResponse { id: &stored.summary.id, report: &event.report })
}
