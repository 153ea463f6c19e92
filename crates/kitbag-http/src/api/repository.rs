//! Routes about repositories and their configuration, and the list of models.

use super::json_response;
use crate::body;
use crate::problem::{ApiResult, Problem};
use crate::repositories::ServedRepository;
use crate::state::{HttpState, SharedState};
use crate::viewer::{OfRequest, Viewer};
use axum::extract::State;
use axum::http::Uri;
use kitbag::{Cancel, ConfigReport, FileQuery, RepoAccess};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Profile of a request that names none.
const DEFAULT_PROFILE: &str = "agent";

/// Query with a repository and a profile.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProfileQuery {
    /// Repository; the first served one by default.
    pub repo: Option<String>,
    /// Profile; `agent` by default.
    pub profile: Option<String>,
    /// Branch, tag or commit whose configuration is read, instead of that of the work tree.
    #[serde(rename = "ref")]
    pub revision: Option<String>,
}

/// Query with a repository.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RepositoryQuery {
    /// Repository; the first served one by default.
    repo: Option<String>,
    /// Branch, tag or commit whose configuration is read, instead of that of the work tree.
    #[serde(rename = "ref")]
    revision: Option<String>,
}

/// Query of `/v1/file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileLinesQuery {
    /// Repository; the first served one by default.
    repo: Option<String>,
    /// Branch, tag or commit to read the file from, instead of the work tree.
    #[serde(rename = "ref")]
    revision: Option<String>,
    /// File, relative to the root of the repository.
    path: String,
    /// First line; 1 by default.
    #[schemars(range(min = 1))]
    start: Option<u32>,
    /// Last line; the last line of the file by default.
    #[schemars(range(min = 1))]
    end: Option<u32>,
}

/// Served repositories.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RepositoryList {
    /// Repositories, in the order given on the command line, the first of which is the default; then those
    /// of the served folder, by name.
    repos: Vec<ServedRepository>,
}

/// Known models.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ModelList {
    /// Models known by name; longer names match by these prefixes.
    models: Vec<ModelEntry>,
}

/// A model that requests can name.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ModelEntry {
    /// Name, as used in requests.
    name: &'static str,
    /// Tokenizer; null if it is not built in.
    tokenizer: Option<&'static str>,
    /// Size of the context window, in tokens.
    window: usize,
}

/// Profiles of a repository.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ProfileList {
    /// Built-in and configured profiles, by name.
    profiles: Vec<ProfileEntry>,
}

/// A profile that requests can name.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ProfileEntry {
    /// Name, as used in requests.
    name: String,
    /// Whether requests that name no profile use this one.
    default: bool,
}

pub(crate) async fn repositories(
    State(state): SharedState,
    OfRequest(viewer): OfRequest,
) -> ApiResult {
    let mut repos = state.repositories.list(&viewer.access);
    if !viewer.access.is_full() {
        repos.iter_mut().for_each(|it| it.path = it.name.clone().into());
    }
    json_response(&RepositoryList { repos })
}

pub(crate) async fn models() -> ApiResult {
    let models = kitbag::models().map(|it| ModelEntry {
        name: it.name,
        tokenizer: it.counter,
        window: it.window,
    });
    json_response(&ModelList { models: models.collect() })
}

pub(crate) async fn config(
    State(state): SharedState,
    OfRequest(viewer): OfRequest,
    uri: Uri,
) -> ApiResult {
    let query: ProfileQuery = body::query(&uri)?;
    let mut report = load_config(&state, &viewer, &query).await?;
    for item in &mut report.settings {
        redact(&mut item.value);
    }
    if !viewer.access.is_full() {
        report.settings.retain(|item| !is_of_server(&item.key));
        let from = report.settings.iter_mut().map(|item| &mut item.from);
        for text in from.chain(&mut report.files).chain(&mut report.warnings) {
            *text = without_folders(&state, &viewer.access, text);
        }
    }
    json_response(&report)
}

pub(crate) async fn profiles(
    State(state): SharedState,
    OfRequest(viewer): OfRequest,
    uri: Uri,
) -> ApiResult {
    let RepositoryQuery { repo, revision } = body::query(&uri)?;
    let query = ProfileQuery { repo, profile: None, revision };
    let report = load_config(&state, &viewer, &query).await?;
    let entry = |name: String| ProfileEntry { default: name == DEFAULT_PROFILE, name };
    json_response(&ProfileList { profiles: report.profiles.into_iter().map(entry).collect() })
}

pub(crate) async fn file(
    State(state): SharedState,
    OfRequest(viewer): OfRequest,
    uri: Uri,
) -> ApiResult {
    let FileLinesQuery { repo, revision, path, start, end } = body::query(&uri)?;
    if start == Some(0) || end == Some(0) {
        return Err(Problem::unprocessable("lines", "`start` and `end` must be at least 1"));
    }
    if start.zip(end).is_some_and(|(start, end)| end < start) {
        return Err(Problem::unprocessable("lines", "`end` must not be less than `start`"));
    }
    let repository = state.repositories.find(repo.as_deref(), &viewer.access)?;
    let query = FileQuery { repo: repository.path.clone(), revision, path, start, end };
    let cancel = Cancel::default();
    let lines = async { Ok(state.engine.file(query, &cancel).await?) };
    json_response(&state.queue.run(lines).await?)
}

async fn load_config(
    state: &HttpState,
    viewer: &Viewer,
    query: &ProfileQuery,
) -> Result<ConfigReport, Problem> {
    let folder = state.repositories.find(query.repo.as_deref(), &viewer.access)?.path;
    let (profile, revision) = (query.profile.as_deref(), query.revision.as_deref());
    let cancel = Cancel::default();
    let report = state.engine.config_at(&folder, revision, profile, &cancel);
    state.queue.run(async { Ok(report.await?) }).await
}

/// Whether a setting is about the server as a whole, such as the repositories of other tokens.
fn is_of_server(key: &str) -> bool {
    ["server.", "store."].iter().any(|section| key.starts_with(section))
}

/// Replaces the folders of repositories in a message, and that of the user's configuration file.
fn without_folders(state: &HttpState, access: &RepoAccess, text: &str) -> String {
    let text = state.repositories.without_folders(text, access);
    match state.engine.user_config().and_then(|file| file.parent()) {
        Some(folder) => text.replace(&format!("{}/", folder.display()), ""),
        None => text,
    }
}

/// Redacts known secret formats and the credentials of URLs.
fn redact(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(redacted) = kitbag::redact_str(text) {
                *text = redacted;
            }
            if let Some(redacted) = without_credentials(text) {
                *text = redacted;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(redact),
        Value::Object(fields) => fields.values_mut().for_each(redact),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Replaces `user:password` in a URL; `None` if there is none.
fn without_credentials(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split('/').next()?;
    let (_, host) = authority.rsplit_once('@')?;
    Some(format!("{scheme}://[REDACTED]@{host}{}", &rest[authority.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn credentials_of_urls_are_redacted() {
        let mut value =
            json!(["https://me:hush@example.org/v1", "http://localhost:11434/v1", "o200k"]);
        redact(&mut value);
        let expected =
            json!(["https://[REDACTED]@example.org/v1", "http://localhost:11434/v1", "o200k"]);
        assert_eq!(value, expected);
    }
}
