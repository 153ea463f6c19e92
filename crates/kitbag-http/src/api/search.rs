//! `POST /v1/search`.

use super::json_response;
use crate::body;
use crate::problem::{ApiResult, Problem};
use crate::repositories;
use crate::state::SharedState;
use axum::body::Body;
use axum::extract::State;
use kitbag::{Cancel, SearchRequest};
use schemars::JsonSchema;
use serde::Deserialize;

const MAX_RESULTS: usize = 1_000;

/// A search.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SearchRequest")]
pub(crate) struct SearchBody {
    /// Query in plain language: a question, a bug report, an error message, names.
    #[schemars(length(min = 1))]
    task: String,
    /// Repository; the first served one by default.
    repo: Option<String>,
    /// Maximum number of results; 20 by default.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// Whether to return files instead of chunks.
    files: Option<bool>,
    /// Searches only files that match one of these globs.
    include: Option<Vec<String>>,
    /// Skips files that match one of these globs.
    exclude: Option<Vec<String>>,
}

pub(crate) async fn search(State(state): SharedState, body: Body) -> ApiResult {
    let (slot, json) = body::receive(&state, body).await?;
    let body: SearchBody = body::parse(json)?;
    let default = SearchRequest::default();
    let limit = body.limit.unwrap_or(default.limit);
    if limit > MAX_RESULTS {
        let detail = format!("`limit` must be at most {MAX_RESULTS}, not {limit}");
        return Err(Problem::unprocessable("request", detail));
    }
    let repository = repositories::find(&state.repositories, body.repo.as_deref())?;
    let request = SearchRequest {
        task: body.task,
        repo: Some(repository.path.clone()),
        include: body.include.unwrap_or_default(),
        exclude: body.exclude.unwrap_or_default(),
        limit,
        files: body.files.unwrap_or(default.files),
        ..default
    };
    let cancel = Cancel::default();
    let report = async { Ok(state.engine.search(request, &cancel).await?) };
    json_response(&state.queue.run_in(&slot, report).await?)
}
