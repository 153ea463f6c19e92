//! `GET /v1/packs` and `GET /v1/packs/{id}`.

use super::{json_response, raw_json_response};
use crate::body;
use crate::problem::{ApiResult, Problem};
use crate::recent_packs::{PackBody, PackSummary};
use crate::recorded_pack;
use crate::state::{HttpState, SharedState};
use crate::viewer::{OfRequest, Viewer};
use axum::extract::{Path, State};
use axum::http::Uri;
use kitbag::{ALL_REPOSITORIES, Report};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Number of packs on a page by default.
const DEFAULT_LIMIT: u32 = 50;

/// Number of hexadecimal digits of a pack's id.
const ID_CHARS: usize = 32;

/// Query of `/v1/packs`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PackListQuery {
    /// Lists only packs of this repository.
    repo: Option<String>,
    /// Maximum number of packs; 50 by default.
    #[schemars(range(min = 1, max = 100_000))]
    limit: Option<u32>,
    /// `next_cursor` of the page before; the newest packs by default.
    cursor: Option<String>,
}

/// Recent packs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PackList {
    /// Packs, newest first.
    packs: Vec<PackSummary>,
    /// Cursor of the next page; null on the last one.
    next_cursor: Option<String>,
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

pub(crate) async fn list(
    State(state): SharedState,
    OfRequest(viewer): OfRequest,
    uri: Uri,
) -> ApiResult {
    let PackListQuery { repo, limit, cursor } = body::query(&uri)?;
    if limit == Some(0) {
        return Err(Problem::unprocessable("limit", "`limit` must be at least 1"));
    }
    let repository = match repo {
        Some(all) if all == ALL_REPOSITORIES => Some(all),
        repo => {
            let found = repo.map(|name| state.repositories.find(Some(&name), &viewer.access));
            found.transpose()?.map(|repository| repository.name)
        }
    };
    let limit = limit.unwrap_or(DEFAULT_LIMIT) as usize;
    let page =
        viewer.packs.page(repository.as_deref(), limit, cursor.as_deref()).ok_or_else(|| {
            Problem::unprocessable(
                "cursor",
                format!("unknown cursor `{}`", cursor.unwrap_or_default()),
            )
            .with_hint("the server may have been restarted; leave it out to start again")
        })?;
    json_response(&PackList { packs: page.packs, next_cursor: page.next_cursor })
}

pub(crate) async fn show(
    State(state): SharedState,
    OfRequest(viewer): OfRequest,
    Path(id): Path<String>,
) -> ApiResult {
    let Some(pack) = viewer.packs.find(&id) else {
        let shared = show_shared(&state, &viewer, &id);
        return json_response(&state.queue.run(shared).await?);
    };
    match &pack.body {
        PackBody::Json { request, report } => {
            let id = Value::from(id);
            let json = format!("{{\"id\":{id},\"request\":{request},\"report\":{report}}}");
            Ok(raw_json_response(json))
        }
        PackBody::Record { repository } => {
            let restored = recorded_pack::load(&state, &viewer, &id, &id, repository);
            json_response(&state.queue.run(restored).await?)
        }
    }
}

/// Shows a pack that another server made, if it is in the store and the viewer may see its repository.
async fn show_shared(state: &HttpState, viewer: &Viewer, id: &str) -> Result<Value, Problem> {
    let unknown = || {
        Problem::not_found(format!("no recent pack has the id `{id}`"))
            .with_code("unknown_pack")
            .with_hint("`/v1/packs` lists recent packs")
    };
    let is_id = id.len() == ID_CHARS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let shared = if is_id { state.engine.shared_pack(id).await? } else { None };
    let shared = shared.ok_or_else(unknown)?;
    let repository = state.repositories.find(Some(&shared.repository), &viewer.access);
    let folder = repository.map_err(|_| unknown())?.path;
    let record = state.engine.keep_shared_pack(&folder, shared.record).ok_or_else(unknown)?;
    recorded_pack::load(state, viewer, id, &record, &folder).await
}
