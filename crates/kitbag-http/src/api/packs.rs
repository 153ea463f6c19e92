//! `GET /v1/packs` and `GET /v1/packs/{id}`.

use super::{json_response, raw_json_response};
use crate::body;
use crate::problem::{ApiResult, Problem};
use crate::recent_packs::{PackBody, PackSummary};
use crate::recorded_pack;
use crate::repositories;
use crate::state::SharedState;
use axum::extract::{Path, State};
use axum::http::Uri;
use kitbag::Report;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Query of `/v1/packs`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PackListQuery {
    /// Lists only packs of this repository.
    repo: Option<String>,
    /// Maximum number of packs; 50 by default.
    #[schemars(range(min = 0, max = 100_000))]
    limit: Option<u32>,
}

/// Recent packs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PackList {
    /// Packs, newest first.
    packs: Vec<PackSummary>,
}

/// A recent pack with its request.
#[derive(Serialize, JsonSchema)]
#[allow(dead_code, reason = "packs are stored as JSON; this type only describes it")]
pub(crate) struct PackDetails {
    /// Identifier of the pack.
    id: String,
    /// Request as it was received.
    request: Map<String, Value>,
    /// Report on the pack, with its text.
    report: Report,
}

pub(crate) async fn list(State(state): SharedState, uri: Uri) -> ApiResult {
    let PackListQuery { repo, limit } = body::query(&uri)?;
    let repository = repo.map(|name| repositories::find(&state.repositories, Some(&name)));
    let repository = repository.transpose()?.map(|repository| repository.name.as_str());
    json_response(&PackList { packs: state.packs.list(repository, limit.unwrap_or(50) as usize) })
}

pub(crate) async fn show(State(state): SharedState, Path(id): Path<String>) -> ApiResult {
    let pack = state.packs.find(&id).ok_or_else(|| {
        Problem::not_found(format!("no recent pack has the id `{id}`"))
            .with_code("unknown_pack")
            .with_hint("`/v1/packs` lists recent packs")
    })?;
    match &pack.body {
        PackBody::Json { request, report } => {
            let id = Value::from(id);
            let json = format!("{{\"id\":{id},\"request\":{request},\"report\":{report}}}");
            Ok(raw_json_response(json))
        }
        PackBody::Record { repository } => {
            let restored = recorded_pack::load(&state, &id, repository);
            json_response(&state.queue.run(restored).await?)
        }
    }
}
