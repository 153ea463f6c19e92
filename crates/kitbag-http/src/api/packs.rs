//! `GET /v1/packs` and `GET /v1/packs/{id}`.

use super::{answer, written};
use crate::body;
use crate::packs::{PackSummary, What};
use crate::problem::Problem;
use crate::recorded;
use crate::repos;
use crate::state::State;
use axum::extract::{Path, State as Shared};
use axum::http::Uri;
use axum::response::Response;
use kitbag::Report;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Which packs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    /// Only those of this repository.
    repo: Option<String>,
    /// How many at most; 50 if not given.
    #[schemars(range(min = 0, max = 100_000))]
    limit: Option<u32>,
}

/// Packs that were made lately.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PackList")]
pub(crate) struct Listed {
    /// The packs, the newest first.
    packs: Vec<PackSummary>,
}

/// A pack that was made lately. It is kept as JSON; this says what is in it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KeptPack")]
#[allow(dead_code, reason = "it is kept as JSON, and this only describes it")]
pub(crate) struct Shown {
    /// What it is found by.
    id: String,
    /// The request as it came.
    request: serde_json::Map<String, serde_json::Value>,
    /// The pack, and all that there is to say about it.
    report: Report,
}

/// Lists packs.
pub(crate) async fn list(Shared(state): Shared<Arc<State>>, uri: Uri) -> Result<Response, Problem> {
    let Which { repo, limit } = body::query(&uri)?;
    let repo = repo.map(|repo| repos::find(&state.repos, Some(&repo))).transpose()?;
    let limit = limit.unwrap_or(50) as usize;
    answer(&Listed { packs: state.packs.list(repo.map(|repo| repo.name.as_str()), limit) })
}

/// Shows a pack.
pub(crate) async fn show(
    Shared(state): Shared<Arc<State>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let kept = state.packs.find(&id).ok_or_else(|| {
        Problem::not_found("there is no such pack, or not any more")
            .code("unknown_pack")
            .hint("`/v1/packs` lists those that are kept")
    })?;
    match &kept.what {
        What::Whole { request, report } => {
            let id = serde_json::Value::from(id);
            Ok(written(format!("{{\"id\":{id},\"request\":{request},\"report\":{report}}}")))
        }
        What::Recorded { repo } => {
            let ticket = state.gate.ticket()?;
            let shown = recorded::shown(&state, &id, repo);
            answer(&state.gate.work(&ticket, shown).await?)
        }
    }
}
