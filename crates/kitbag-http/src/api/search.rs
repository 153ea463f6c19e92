//! `POST /v1/search`.

use super::pack::selected_fields;
use super::raw_json_response;
use crate::body;
use crate::problem::{ApiResult, Problem};
use crate::state::SharedState;
use crate::viewer::OfRequest;
use axum::body::Body;
use axum::extract::State;
use axum::http::Uri;
use kitbag::{ALL_REPOSITORIES, Cancel, SearchRequest};
use std::sync::Arc;

const MAX_RESULTS: usize = 1_000;

pub(crate) async fn search(
    State(state): SharedState,
    OfRequest(viewer): OfRequest,
    uri: Uri,
    body: Body,
) -> ApiResult {
    let fields = selected_fields(&state, &uri, "SearchReport")?;
    let (slot, json) = body::receive(&state, body).await?;
    let mut request: SearchRequest = body::parse(&json)?;
    if request.limit > MAX_RESULTS {
        let detail = format!("`limit` must be at most {MAX_RESULTS}, not {}", request.limit);
        return Err(Problem::unprocessable("request", detail));
    }
    match json["repo"].as_str() {
        Some(ALL_REPOSITORIES) => {
            request.fleet = Some(Arc::new(state.fleet(&viewer).await));
        }
        name => request.repo = Some(state.repositories.find(name, &viewer.access)?.path),
    }
    let cancel = Cancel::default();
    let report = async { Ok(state.engine.search(request, &cancel).await?) };
    let mut report = state.queue.run_in(&slot, report).await?;
    if !viewer.access.is_full() {
        for warning in &mut report.warnings {
            *warning = state.repositories.without_folders(warning, &viewer.access);
        }
    }
    Ok(raw_json_response(fields.select(&report).map_err(|_| Problem::unwritable())?))
}
