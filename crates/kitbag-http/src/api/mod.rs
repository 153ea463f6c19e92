//! The routes, grouped by subject. Each is declared once, with its handler and its types.

mod events;
mod pack;
mod packs;
mod providers;
mod repository;
mod search;
mod service;

use crate::incoming_body::BodyLimits;
use crate::openapi::{Operation, Routes, Tag};
use crate::options::HttpLimits;
use crate::problem::{ApiResult, Problem};
use crate::recent_packs::PackEvent;
use crate::state::HttpState;
use crate::{accept, access, middleware, page, request_form};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state, map_request};
use axum::response::Response;
use kitbag::{ConfigReport, FileLines, ProviderInfo, Request, SearchReport, SearchRequest};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::future::{Ready, ready};
use std::sync::Arc;
use tower_http::compression::CompressionLayer;

/// Returns the service: every route and the `extra` ones, behind the access checks.
pub fn app(state: Arc<HttpState>, extra: Router) -> Router {
    routes()
        .into_router()
        .fallback(page::file)
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(Arc::clone(&state))
        .merge(extra)
        .layer(from_fn_with_state(Arc::clone(&state), access::check))
        .layer(from_fn(request_form::check))
        .layer(map_request(limited_bodies(&state.limits)))
        .layer(from_fn(middleware::observe))
        // Streams of events are not compressed: they would be sent late.
        .layer(CompressionLayer::new())
}

/// Adds to the routes of another protocol the checks and limits of requests that do not depend on their
/// access rules.
pub(crate) fn with_limits(routes: Router, limits: &HttpLimits) -> Router {
    routes.layer(from_fn(request_form::check)).layer(map_request(limited_bodies(limits)))
}

/// Returns a function that limits the body of a request.
fn limited_bodies(
    limits: &HttpLimits,
) -> impl Fn(axum::extract::Request) -> Ready<axum::extract::Request> + Clone + use<> {
    let limits = BodyLimits::new(limits);
    move |request| ready(request.map(|body| limits.apply(body)))
}

/// Returns the OpenAPI 3.1 document of the service.
pub fn openapi_document() -> Value {
    routes().document()
}

/// Returns the document, which is made once.
fn document(state: &HttpState) -> &Value {
    state.openapi.get_or_init(openapi_document)
}

fn routes() -> Routes {
    let groups = [
        (Tag::Packs, pack_operations()),
        (Tag::Repositories, repository_operations()),
        (Tag::Service, service_operations()),
    ];
    let tagged = |(tag, operations): (Tag, Vec<Operation>)| {
        operations.into_iter().map(move |operation| operation.tag(tag))
    };
    Routes(groups.into_iter().flat_map(tagged).collect())
}

fn pack_operations() -> Vec<Operation> {
    let task = json!({ "task": "why does login fail?", "budget": 8000 });
    let options = json!({
        "task": "login", "budget": "4k", "format": "xml",
        "options": { "selection": { "overflow": "skip" }, "formatting.line_numbers": true },
    });
    let search = json!({ "task": "where is login checked?", "limit": 5 });
    let text = &accept::TEXT_MEDIA_TYPES;
    vec![
        Operation::post("create_pack", "/v1/pack", "Packs the context for a task.", pack::pack)
            .query::<pack::FieldsQuery>()
            .body::<Request>()
            .example("task", task.clone())
            .example("options", options)
            .json_or_text::<pack::PackResponse<'_>>(text),
        Operation::post(
            "preview_pack",
            "/v1/preview",
            "Selects chunks without rendering the text.",
            pack::preview,
        )
        .query::<pack::FieldsQuery>()
        .body::<Request>()
        .example("task", task)
        .json::<pack::PackResponse<'_>>(),
        Operation::post(
            "search_code",
            "/v1/search",
            "Searches, and explains the ranking.",
            search::search,
        )
        .query::<pack::FieldsQuery>()
        .body::<SearchRequest>()
        .example("task", search)
        .json::<SearchReport>(),
        Operation::get(
            "list_packs",
            "/v1/packs",
            "Lists recent packs, newest first, page by page.",
            packs::list,
        )
        .query::<packs::PackListQuery>()
        .json::<packs::PackList>(),
        Operation::get("get_pack", "/v1/packs/{id}", "Shows a recent pack.", packs::show)
            .json::<packs::PackDetails>(),
        Operation::get(
            "stream_events",
            "/v1/events",
            "Streams packs as they are made.",
            events::events,
        )
        .query::<events::EventsQuery>()
        .events::<PackEvent>(),
    ]
}

fn repository_operations() -> Vec<Operation> {
    vec![
        Operation::get("list_providers", "/v1/providers", "Lists the providers.", providers::list)
            .query::<repository::ProfileQuery>()
            .json::<providers::ProviderList>(),
        Operation::put(
            "switch_provider",
            "/v1/providers/{id}",
            "Enables or disables a provider for all later packs.",
            providers::switch,
        )
        .body::<providers::ProviderSwitch>()
        .example("disable", json!({ "enabled": false }))
        .example("configured", json!({ "enabled": null }))
        .json::<ProviderInfo>(),
        Operation::get(
            "get_config",
            "/v1/config",
            "Lists every setting and its origin.",
            repository::config,
        )
        .query::<repository::ProfileQuery>()
        .json::<ConfigReport>(),
        Operation::get(
            "list_repositories",
            "/v1/repos",
            "Lists the served repositories.",
            repository::repositories,
        )
        .json::<repository::RepositoryList>(),
        Operation::get(
            "get_file",
            "/v1/file",
            "Shows lines of a file, secrets redacted.",
            repository::file,
        )
        .query::<repository::FileLinesQuery>()
        .json::<FileLines>(),
        Operation::get("list_models", "/v1/models", "Lists the known models.", repository::models)
            .json::<repository::ModelList>(),
        Operation::get(
            "list_profiles",
            "/v1/profiles",
            "Lists the profiles.",
            repository::profiles,
        )
        .query::<repository::RepositoryQuery>()
        .json::<repository::ProfileList>(),
    ]
}

fn service_operations() -> Vec<Operation> {
    vec![
        Operation::get(
            "get_progress",
            "/v1/progress",
            "Shows how far indexing is.",
            service::progress,
        )
        .json::<service::Progress>(),
        Operation::get(
            "get_metrics",
            "/metrics",
            "Exports metrics for Prometheus.",
            service::metrics,
        )
        .text("text/plain"),
        Operation::get("get_health", "/healthz", "Reports that the server is up.", service::health)
            .json::<service::Health>(),
        Operation::get(
            "get_readiness",
            "/readyz",
            "Reports whether requests should be sent to the server; 503 while it starts or stops.",
            service::readiness,
        )
        .json::<service::Readiness>(),
        Operation::get("get_openapi", "/openapi.json", "Returns this document.", service::openapi)
            .json::<Map<String, Value>>(),
    ]
}

async fn method_not_allowed() -> Problem {
    let detail = "this route does not support the method";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
        .with_hint("`/openapi.json` lists the routes")
}

fn json_response(value: &impl Serialize) -> ApiResult {
    Ok(raw_json_response(serde_json::to_vec(value).map_err(|_| Problem::unwritable())?))
}

fn raw_json_response(json: impl Into<Body>) -> Response {
    let mut response = Response::new(json.into());
    let media_type = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response
}
