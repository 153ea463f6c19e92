//! The routes, grouped by subject. Each is declared once, with its handler and its types.

mod events;
mod pack;
mod packs;
mod providers;
mod repository;
mod search;
mod service;

use crate::incoming_body::BodyLimits;
use crate::openapi::{Operation, Routes};
use crate::options::HttpLimits;
use crate::problem::{ApiResult, Problem};
use crate::state::HttpState;
use crate::{access, middleware, page, request_form};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state, map_request};
use axum::response::Response;
use axum::routing::put;
use kitbag::{ConfigReport, FileLines, ProviderInfo, Request, SearchReport, SearchRequest};
use serde::Serialize;
use serde_json::{Map, Value};
use std::future::{Ready, ready};
use std::sync::Arc;

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

fn routes() -> Routes {
    let mut operations = pack_operations();
    operations.extend(repository_operations());
    operations.extend(service_operations());
    Routes(operations)
}

fn pack_operations() -> Vec<Operation> {
    vec![
        Operation::post("/v1/pack", "Packs the context for a task.", pack::pack)
            .body::<Request>()
            .json::<pack::PackResponse<'_>>(),
        Operation::post("/v1/preview", "Selects chunks without rendering the text.", pack::preview)
            .body::<Request>()
            .json::<pack::PackResponse<'_>>(),
        Operation::post("/v1/search", "Searches, and explains the ranking.", search::search)
            .body::<SearchRequest>()
            .json::<SearchReport>(),
        Operation::get("/v1/packs", "Lists recent packs, newest first.", packs::list)
            .query::<packs::PackListQuery>()
            .json::<packs::PackList>(),
        Operation::get("/v1/packs/{id}", "Shows a recent pack.", packs::show)
            .json::<packs::PackDetails>(),
        Operation::get("/v1/events", "Streams packs as they are made.", events::events)
            .query::<events::EventsQuery>()
            .text("text/event-stream"),
    ]
}

fn repository_operations() -> Vec<Operation> {
    let switch_summary = "Enables or disables a provider for all later packs.";
    vec![
        Operation::get("/v1/providers", "Lists the providers.", providers::list)
            .query::<repository::ProfileQuery>()
            .json::<providers::ProviderList>(),
        Operation::new("put", "/v1/providers/{id}", switch_summary, put(providers::switch))
            .body::<providers::ProviderSwitch>()
            .json::<ProviderInfo>(),
        Operation::get("/v1/config", "Lists every setting and its origin.", repository::config)
            .query::<repository::ProfileQuery>()
            .json::<ConfigReport>(),
        Operation::get("/v1/repos", "Lists the served repositories.", repository::repositories)
            .json::<repository::RepositoryList>(),
        Operation::get("/v1/file", "Shows lines of a file, secrets redacted.", repository::file)
            .query::<repository::FileLinesQuery>()
            .json::<FileLines>(),
        Operation::get("/v1/models", "Lists the known models.", repository::models)
            .json::<repository::ModelList>(),
        Operation::get("/v1/profiles", "Lists the profiles.", repository::profiles)
            .query::<repository::RepositoryQuery>()
            .json::<repository::ProfileList>(),
    ]
}

fn service_operations() -> Vec<Operation> {
    vec![
        Operation::get("/metrics", "Exports metrics for Prometheus.", service::metrics)
            .text("text/plain"),
        Operation::get("/healthz", "Reports that the server is up.", service::health)
            .json::<service::Health>(),
        Operation::get("/openapi.json", "Returns this document.", service::openapi)
            .json::<Map<String, Value>>(),
    ]
}

async fn method_not_allowed() -> Problem {
    let detail = "this route does not support the method";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
        .with_hint("`/openapi.json` lists the routes")
}

fn json_response(value: &impl Serialize) -> ApiResult {
    let json = serde_json::to_vec(value).map_err(|_| {
        let detail = "the response cannot be serialized";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "unwritable", detail)
    })?;
    Ok(raw_json_response(json))
}

fn raw_json_response(json: impl Into<Body>) -> Response {
    let mut response = Response::new(json.into());
    let media_type = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response
}
