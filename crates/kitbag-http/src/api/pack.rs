//! `POST /v1/pack` and `POST /v1/preview`.

use super::answer;
use crate::body;
use crate::correlation::{Correlation, is_plain};
use crate::packs::{Made, OWN};
use crate::problem::Problem;
use crate::repos::{self, Repo};
use crate::state::State;
use axum::Extension;
use axum::body::Body;
use axum::extract::State as Shared;
use axum::response::Response;
use kitbag::{Cancel, Report, Request};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;

/// A pack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Pack")]
pub(crate) struct Answer {
    /// What it is found by, for as long as it is kept.
    id: String,
    /// The pack, and all that there is to say about it.
    #[serde(flatten)]
    report: Report,
}

/// Packs.
pub(crate) async fn pack(
    Shared(state): Shared<Arc<State>>,
    Extension(correlation): Extension<Correlation>,
    body: Body,
) -> Result<Response, Problem> {
    decide(&state, correlation, body, false).await
}

/// Previews.
pub(crate) async fn preview(
    Shared(state): Shared<Arc<State>>,
    Extension(correlation): Extension<Correlation>,
    body: Body,
) -> Result<Response, Problem> {
    decide(&state, correlation, body, true).await
}

async fn decide(
    state: &State,
    correlation: Correlation,
    body: Body,
    is_preview: bool,
) -> Result<Response, Problem> {
    let ticket = state.gate.ticket()?;
    let json = ticket.receive(body::json(body, state.limits.request_bytes)).await?;
    let asked = Asked::read(state, &json, correlation)?;
    let correlation = asked.correlation.clone();
    let made = state.gate.work(&ticket, asked.answer(state, &json, is_preview)).await;
    let mut response = made.map_err(|problem| problem.of(&correlation.0))?;
    response.extensions_mut().insert(correlation);
    Ok(response)
}

/// A request, and the repository that it is about.
struct Asked<'a> {
    repo: &'a Repo,
    request: Request,
    correlation: Correlation,
}

impl<'a> Asked<'a> {
    fn read(state: &'a State, json: &Value, correlation: Correlation) -> Result<Self, Problem> {
        let mut request = Request::from_json(json).map_err(kitbag::Error::from)?;
        let own = request.correlation_id.as_deref();
        if own.is_some_and(|own| !is_plain(own)) {
            let detail =
                "`correlation_id` must be 1 to 128 visible ASCII characters, without blanks";
            return Err(Problem::wrong("request", detail));
        }
        let correlation = own.map_or(correlation, |own| Correlation(own.to_owned()));
        let named = json.get("repo").and_then(Value::as_str);
        let repo = repos::find(&state.repos, named);
        let repo = repo.map_err(|problem| problem.of(&correlation.0))?;
        request.repo = Some(repo.path.clone());
        request.tenant = repo.tenant();
        request.correlation_id = Some(correlation.0.clone());
        request.via = OWN;
        Ok(Self { repo, request, correlation })
    }

    async fn answer(
        self,
        state: &State,
        json: &Value,
        is_preview: bool,
    ) -> Result<Response, Problem> {
        let Self { repo, request, correlation } = self;
        let (began, cancel) = (Instant::now(), Cancel::default());
        let (task, profile) = (request.task.clone(), request.profile.clone());
        let agent_id = request.agent_id.clone();
        // Whoever breaks off drops this future, and that stops the engine's work.
        let mut report = match is_preview {
            true => state.engine.preview(request, &cancel).await?,
            false => state.engine.pack(request, &cancel).await?,
        };
        report.tell_texts();
        let made = Made {
            repo,
            request: json,
            task: &task,
            profile: profile.as_deref(),
            agent_id: agent_id.as_deref(),
            correlation_id: &correlation.0,
            duration_ms: began.elapsed().as_secs_f64() * 1_000.0,
            is_preview,
        };
        let kept = state.packs.keep(&made, &report);
        if !is_preview {
            state.feed.publish(&kept);
        }
        answer(&Answer { id: kept.summary.id.clone(), report })
    }
}
