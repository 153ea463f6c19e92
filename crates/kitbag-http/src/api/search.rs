//! `POST /v1/search`.

use super::answer;
use crate::body;
use crate::problem::Problem;
use crate::repos;
use crate::state::State;
use axum::body::Body;
use axum::extract::State as Shared;
use axum::response::Response;
use kitbag::{Cancel, SearchRequest};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// The most results of a search.
const MOST: usize = 1_000;

/// What to search for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SearchRequest")]
pub(crate) struct Asked {
    /// What is looked for, in plain language: a question, a bug report, an error message, names.
    #[schemars(length(min = 1))]
    task: String,
    /// The repository; the first that is served if not given.
    repo: Option<String>,
    /// How many results there are at most; 20 if not given.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// Whether files are wanted, and not chunks.
    files: Option<bool>,
    /// Only files that match one of these globs are searched.
    include: Option<Vec<String>>,
    /// Files that match one of these globs are not searched.
    exclude: Option<Vec<String>>,
}

/// Searches.
pub(crate) async fn search(
    Shared(state): Shared<Arc<State>>,
    body: Body,
) -> Result<Response, Problem> {
    let ticket = state.gate.ticket()?;
    let json = ticket.receive(body::json(body, state.limits.request_bytes)).await?;
    let asked: Asked = body::shape(json)?;
    let default = SearchRequest::default();
    let limit = asked.limit.unwrap_or(default.limit);
    if limit > MOST {
        let detail = format!("`limit` is at most {MOST}, not {limit}");
        return Err(Problem::wrong("request", detail));
    }
    let repo = repos::find(&state.repos, asked.repo.as_deref())?;
    let request = SearchRequest {
        task: asked.task,
        repo: Some(repo.path.clone()),
        include: asked.include.unwrap_or_default(),
        exclude: asked.exclude.unwrap_or_default(),
        limit,
        files: asked.files.unwrap_or(default.files),
        ..default
    };
    let cancel = Cancel::default();
    let found = async { Ok(state.engine.search(request, &cancel).await?) };
    answer(&state.gate.work(&ticket, found).await?)
}
