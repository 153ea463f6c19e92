//! `GET /v1/providers` and `PUT /v1/providers/{id}`.

use super::answer;
use super::repository::Named;
use crate::body;
use crate::problem::Problem;
use crate::repos;
use crate::state::State;
use axum::body::Body;
use axum::extract::{Path, State as Shared};
use axum::http::Uri;
use axum::response::Response;
use kitbag::{Cancel, ProviderInfo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The providers.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProviderList")]
pub(crate) struct Listed {
    /// In the order in which their answers are merged.
    providers: Vec<Provider>,
}

/// A provider.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Provider {
    /// What there is to say about it.
    #[serde(flatten)]
    info: ProviderInfo,
    /// Whether it is asked, by the configuration or because it was switched.
    enabled: bool,
}

/// Whether a provider is asked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProviderSwitch")]
pub(crate) struct Switch {
    /// Whether it is asked from now on; null leaves that to the configuration again.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schemars(schema_with = "flag_or_null")]
    enabled: Option<bool>,
}

/// The field must be there, though it may be null.
fn flag_or_null(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": ["boolean", "null"] })
}

/// Lists the providers.
pub(crate) async fn list(Shared(state): Shared<Arc<State>>, uri: Uri) -> Result<Response, Problem> {
    let Named { repo, profile } = body::query(&uri)?;
    let repo = repos::find(&state.repos, repo.as_deref())?;
    let (ticket, cancel) = (state.gate.ticket()?, Cancel::default());
    let listed = async {
        let all = state.engine.providers_of(&repo.path, profile.as_deref(), &cancel).await?;
        let provider = |(info, enabled): (ProviderInfo, bool)| Provider { info, enabled };
        Ok(Listed { providers: all.into_iter().map(provider).collect() })
    };
    answer(&state.gate.work(&ticket, listed).await?)
}

/// Switches a provider.
pub(crate) async fn switch(
    Shared(state): Shared<Arc<State>>,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, Problem> {
    let ticket = state.gate.ticket()?;
    let json = ticket.receive(body::json(body, state.limits.request_bytes)).await?;
    let Switch { enabled } = body::shape(json)?;
    let id = state.engine.provider_id(&id).map_err(kitbag::Error::from)?;
    state.engine.set_enabled(&id, enabled).map_err(kitbag::Error::from)?;
    let all = state.engine.providers();
    let switched = all.iter().find(|provider| provider.id == id);
    answer(switched.ok_or_else(|| Problem::not_found(format!("no provider is called `{id}`")))?)
}
