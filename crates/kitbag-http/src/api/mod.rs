//! The routes: one file a subject. Each is declared once, with its description.

mod events;
mod pack;
mod packs;
mod providers;
mod repository;
mod search;
mod service;

use crate::document::{Operation, Routes};
use crate::problem::Problem;
use crate::state::State;
use crate::{correlation, guard, page};
use axum::Router;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post, put};
use kitbag::{FileLines, RequestShape, SearchReport};
use serde::Serialize;
use std::sync::Arc;

/// The whole service: every route, with its guards.
pub fn app(state: Arc<State>) -> Router {
    app_with(state, Router::new())
}

/// The same with more routes, behind the same guards.
pub fn app_with(state: Arc<State>, more: Router) -> Router {
    routes()
        .router()
        .fallback(page::file)
        .method_not_allowed_fallback(not_allowed)
        .with_state(Arc::clone(&state))
        .merge(more)
        .layer(from_fn_with_state(state, guard::check))
        .layer(from_fn(correlation::accompany))
}

/// Every route.
fn routes() -> Routes {
    Routes::default()
        .add(
            Operation::post("/v1/pack", "Packs the context for a task.")
                .takes::<RequestShape>()
                .gives::<pack::Answer>(),
            post(pack::pack),
        )
        .add(
            Operation::post("/v1/preview", "Makes the same decision, without the text.")
                .takes::<RequestShape>()
                .gives::<pack::Answer>(),
            post(pack::preview),
        )
        .add(
            Operation::post("/v1/search", "Tells what the index finds for a task, and why.")
                .takes::<search::Asked>()
                .gives::<SearchReport>(),
            post(search::search),
        )
        .add(
            Operation::get("/v1/packs", "Lists the packs that were made lately, the newest first.")
                .query::<packs::Which>()
                .names()
                .gives::<packs::Listed>(),
            get(packs::list),
        )
        .add(
            Operation::get("/v1/packs/{id}", "Shows a pack that was made lately.")
                .names()
                .gives::<packs::Shown>(),
            get(packs::show),
        )
        .add(
            Operation::get("/v1/events", "Tells of packs as they are made (server-sent events).")
                .query::<events::From>()
                .names()
                .gives_text("text/event-stream"),
            get(events::events),
        )
        .add(
            Operation::get("/v1/providers", "Lists the providers, and whether each is asked.")
                .query::<repository::Named>()
                .names()
                .gives::<providers::Listed>(),
            get(providers::list),
        )
        .add(
            Operation::put("/v1/providers/{id}", "Switches a provider for all later packs.")
                .takes::<providers::Switch>()
                .gives::<kitbag::ProviderInfo>(),
            put(providers::switch),
        )
        .add_repository()
        .add_service()
}

impl Routes {
    fn add_repository(self) -> Self {
        self.add(
            Operation::get("/v1/config", "Shows every setting, and where its value comes from.")
                .query::<repository::Named>()
                .names()
                .gives::<kitbag::ConfigReport>(),
            get(repository::config),
        )
        .add(
            Operation::get("/v1/repos", "Lists the repositories that are served.")
                .gives::<repository::Repos>(),
            get(repository::repos),
        )
        .add(
            Operation::get("/v1/file", "Shows lines of a file, with secrets replaced.")
                .query::<repository::Lines>()
                .names()
                .gives::<FileLines>(),
            get(repository::file),
        )
        .add(
            Operation::get("/v1/models", "Lists the models that are known by name.")
                .gives::<repository::Models>(),
            get(repository::models),
        )
        .add(
            Operation::get("/v1/profiles", "Lists the profiles of a repository.")
                .query::<repository::Of>()
                .names()
                .gives::<repository::Profiles>(),
            get(repository::profiles),
        )
    }

    fn add_service(self) -> Self {
        self.add(
            Operation::get("/metrics", "Everything that is counted, for Prometheus.")
                .gives_text("text/plain"),
            get(service::metrics),
        )
        .add(
            Operation::get("/healthz", "Tells that the server lives.").gives::<service::Health>(),
            get(service::health),
        )
        .add(
            Operation::get("/openapi.json", "Describes these routes.")
                .gives::<serde_json::Map<String, serde_json::Value>>(),
            get(service::document),
        )
    }
}

async fn not_allowed() -> Problem {
    let detail = "this route has no such method";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
        .hint("`/openapi.json` lists the routes")
}

/// An answer in JSON.
fn answer(value: &impl Serialize) -> Result<Response, Problem> {
    let json = serde_json::to_vec(value).map_err(|_| {
        let detail = "the answer cannot be written";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "unwritable", detail)
    })?;
    Ok(written(json))
}

/// An answer that is JSON already.
fn written(json: impl Into<Body>) -> Response {
    let mut response = Response::new(json.into());
    let json = axum::http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
