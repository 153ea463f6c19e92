//! `POST /v1/search`.

use super::json_response;
use crate::body;
use crate::problem::{ApiResult, Problem};
use crate::repositories;
use crate::state::SharedState;
use axum::body::Body;
use axum::extract::State;
use kitbag::{Cancel, SearchRequest};

const MAX_RESULTS: usize = 1_000;

pub(crate) async fn search(State(state): SharedState, body: Body) -> ApiResult {
    let (slot, json) = body::receive(&state, body).await?;
    let mut request: SearchRequest = body::parse(&json)?;
    if request.limit > MAX_RESULTS {
        let detail = format!("`limit` must be at most {MAX_RESULTS}, not {}", request.limit);
        return Err(Problem::unprocessable("request", detail));
    }
    let repository = repositories::find(&state.repositories, json["repo"].as_str())?;
    request.repo = Some(repository.path.clone());
    let cancel = Cancel::default();
    let report = async { Ok(state.engine.search(request, &cancel).await?) };
    json_response(&state.queue.run_in(&slot, report).await?)
}
