//! `POST /v1/pack` and `POST /v1/preview`.

use super::{document, raw_json_response};
use crate::accept::{Accepted, accepted};
use crate::body;
use crate::field_selection::FieldSelection;
use crate::middleware::CorrelationId;
use crate::problem::{ApiResult, Problem};
use crate::recent_packs::{HTTP_INTERFACE, PackChunk, PackOrigin, StoredPack};
use crate::repositories::ServedRepository;
use crate::state::{HttpState, SharedState};
use crate::viewer::{OfRequest, Viewer};
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use kitbag::{ALL_REPOSITORIES, Cancel, ContextAssembled, Report, Request};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
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

/// Query with the wanted fields of a response.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldsQuery {
    /// Fields of the response to return, separated by commas, such as `content,total_tokens`; all by
    /// default.
    fields: Option<String>,
}

/// Number of tokens and id of a pack whose text is sent alone.
const TOKENS_HEADER: HeaderName = HeaderName::from_static("x-kitbag-total-tokens");
const ID_HEADER: HeaderName = HeaderName::from_static("x-kitbag-pack-id");

/// The correlation id of the request's header.
type HeaderId = Extension<CorrelationId>;

/// What a client wants to have in the response.
struct Wanted {
    accepted: Accepted,
    fields: FieldSelection,
    is_preview: bool,
}

pub(crate) async fn pack(
    state: SharedState,
    OfRequest(viewer): OfRequest,
    id: HeaderId,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> ApiResult {
    let fields = selected_fields(&state, &uri, "Pack")?;
    let wanted = Wanted { accepted: accepted(&headers)?, fields, is_preview: false };
    respond(state, &viewer, id, body, wanted).await
}

pub(crate) async fn preview(
    state: SharedState,
    OfRequest(viewer): OfRequest,
    id: HeaderId,
    uri: Uri,
    body: Body,
) -> ApiResult {
    let fields = selected_fields(&state, &uri, "Pack")?;
    let wanted = Wanted { accepted: Accepted::Report, fields, is_preview: true };
    respond(state, &viewer, id, body, wanted).await
}

/// Returns the fields that a query names. `schema` is the name of the response's schema.
pub(crate) fn selected_fields(
    state: &HttpState,
    uri: &Uri,
    schema: &str,
) -> Result<FieldSelection, Problem> {
    let FieldsQuery { fields } = body::query(uri)?;
    let schema = &document(state)["components"]["schemas"][schema];
    FieldSelection::parse(fields.as_deref(), schema)
}

async fn respond(
    State(state): SharedState,
    viewer: &Viewer,
    Extension(header_id): HeaderId,
    body: Body,
    wanted: Wanted,
) -> ApiResult {
    let state = &state;
    let (slot, json) = body::receive(state, body).await?;
    let mut request = Request::from_json(&json).map_err(kitbag::Error::from)?;
    let correlation_id = correlation_id(&request, header_id)?;
    let with_id = |problem: Problem| problem.with_correlation_id(&correlation_id.0);
    let name = json["repo"].as_str();
    let repository = match name {
        Some(ALL_REPOSITORIES) => {
            request.fleet = Some(Arc::new(state.fleet(viewer).await));
            ServedRepository { name: ALL_REPOSITORIES.into(), path: ALL_REPOSITORIES.into() }
        }
        name => state.repositories.find(name, &viewer.access).map_err(with_id)?,
    };
    request.repo = Some(repository.path.clone());
    request.tenant = repository.tenant(&viewer.access);
    // Folders may differ between servers that share their sessions.
    request.session_scope = Some(format!("{HTTP_INTERFACE} {}", viewer.access.caller()));
    request.access = viewer.access.clone();
    request.correlation_id = Some(correlation_id.0.clone());
    request.via = HTTP_INTERFACE;
    request.tool = "/v1/pack";
    if let Accepted::Text { format, media_type } = wanted.accepted {
        set_format(&mut request, format, media_type).map_err(with_id)?;
    }
    let work = make_pack(state, request, &repository, &json, &wanted);
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

/// Sets the format that the client accepts, unless the request has another one.
fn set_format(request: &mut Request, format: &str, media_type: &str) -> Result<(), Problem> {
    match request.format.as_deref() {
        Some(other) if other != format => {
            let detail = format!("`format` is `{other}`, but `accept` is `{media_type}`");
            let problem = Problem::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", detail);
            Err(problem.with_hint("leave out one of them"))
        }
        _ => {
            request.format = Some(format.to_owned());
            Ok(())
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
    wanted: &Wanted,
) -> ApiResult {
    let is_preview = wanted.is_preview;
    let (started, cancel) = (Instant::now(), Cancel::default());
    let (task, profile) = (request.task.clone(), request.profile.clone());
    let (agent_id, correlation_id) = (request.agent_id.clone(), request.correlation_id.clone());
    let access = request.access.clone();
    let mut report = match is_preview {
        true => state.engine.preview(request, &cancel).await?,
        false => state.engine.pack(request, &cancel).await?,
    };
    // Those whose token is for the repository may see the pack later.
    if !state.access.grants.is_empty() {
        for warning in &mut report.warnings {
            *warning = state.repositories.without_folders(warning, &access);
        }
    }
    report.add_texts();
    let event = ContextAssembled {
        agent_id,
        correlation_id,
        via: HTTP_INTERFACE,
        repo: repository.path.clone(),
        access,
        profile: profile.unwrap_or_else(|| "agent".to_owned()),
        task,
        report: Arc::new(report),
        duration_ms: started.elapsed().as_secs_f64() * 1_000.0,
    };
    let origin = PackOrigin { repository: &repository.name, request: json, is_preview };
    let stored = StoredPack::new(&event, origin);
    let chunks: Vec<PackChunk> = event.report.included.iter().map(PackChunk::from).collect();
    let published = (!is_preview).then_some(&*chunks);
    state.viewers.iter().for_each(|viewer| viewer.add(&stored, &event.access, published));
    if let Some(record) = event.report.record.clone().filter(|_| !is_preview) {
        let (engine, repository) = (Arc::clone(&state.engine), repository.clone());
        let id = stored.summary.id.clone();
        state.uploads.spawn(async move {
            engine.share_pack(&id, &repository.name, &repository.path, &record).await;
        });
    }
    if let Accepted::Text { media_type, .. } = wanted.accepted {
        return Ok(text_response(&stored.summary.id, &event.report, media_type));
    }
    let response = PackResponse { id: &stored.summary.id, report: &event.report };
    Ok(raw_json_response(wanted.fields.select(&response).map_err(|_| Problem::unwritable())?))
}

/// Returns the text of a pack alone. The id leads to the rest.
fn text_response(id: &str, report: &Report, media_type: &str) -> Response {
    let mut response = report.content.clone().unwrap_or_default().into_response();
    let headers = response.headers_mut();
    headers.insert(TOKENS_HEADER, HeaderValue::from(report.total_tokens));
    let media_type = format!("{media_type}; charset=utf-8");
    for (name, value) in [(header::CONTENT_TYPE, media_type.as_str()), (ID_HEADER, id)] {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
    response
}
