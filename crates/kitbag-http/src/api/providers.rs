//! `GET /v1/providers` and `PUT /v1/providers/{id}`.

use super::json_response;
use super::repository::ProfileQuery;
use crate::body;
use crate::problem::{ApiResult, Problem};
use crate::state::SharedState;
use crate::viewer::OfRequest;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Uri;
use kitbag::{Cancel, ProviderInfo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Providers of a repository and profile.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ProviderList {
    /// Providers, in the order in which their answers are merged.
    providers: Vec<ProviderEntry>,
}

/// A provider.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ProviderEntry {
    #[serde(flatten)]
    info: ProviderInfo,
    /// Whether it is enabled, by the configuration or by a switch.
    enabled: bool,
}

/// Switch of a provider.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProviderSwitch {
    /// Whether the provider is enabled from now on; null restores the configured state.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schemars(schema_with = "required_nullable_boolean")]
    enabled: Option<bool>,
}

/// Schema of a field that must be present, but may be null.
fn required_nullable_boolean(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": ["boolean", "null"] })
}

pub(crate) async fn list(
    State(state): SharedState,
    OfRequest(viewer): OfRequest,
    uri: Uri,
) -> ApiResult {
    let ProfileQuery { repo, profile, revision } = body::query(&uri)?;
    let folder = state.repositories.find(repo.as_deref(), &viewer.access)?.path;
    let (profile, revision) = (profile.as_deref(), revision.as_deref());
    let cancel = Cancel::default();
    let providers = state.engine.providers_of(&folder, revision, profile, &cancel);
    let providers = state.queue.run(async { Ok(providers.await?) }).await?;
    let entry = |(info, enabled)| ProviderEntry { info, enabled };
    json_response(&ProviderList { providers: providers.into_iter().map(entry).collect() })
}

pub(crate) async fn switch(
    State(state): SharedState,
    OfRequest(viewer): OfRequest,
    Path(id): Path<String>,
    body: Body,
) -> ApiResult {
    viewer.check_full("providers are switched for")?;
    let (_slot, json) = body::receive(&state, body).await?;
    let ProviderSwitch { enabled } = serde_json::from_value(json)
        .map_err(|error| Problem::unprocessable("request", error.to_string()))?;
    let id = state.engine.provider_id(&id).map_err(kitbag::Error::from)?;
    state.engine.set_enabled(&id, enabled).map_err(kitbag::Error::from)?;
    let providers = state.engine.providers();
    let switched = providers.iter().find(|provider| provider.id == id);
    json_response(switched.ok_or_else(|| Problem::not_found(format!("unknown provider `{id}`")))?)
}
