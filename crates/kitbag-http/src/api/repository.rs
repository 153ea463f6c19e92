//! What can be asked about a repository: its configuration, its profiles, lines of its files; and
//! which there are.

use super::answer;
use crate::body;
use crate::problem::Problem;
use crate::repos::{self, Repo};
use crate::state::State;
use axum::extract::State as Shared;
use axum::http::Uri;
use axum::response::Response;
use kitbag::{Cancel, ConfigReport, FileQuery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// A repository and a profile.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Named {
    /// The repository; the first that is served if not given.
    pub repo: Option<String>,
    /// The profile; `agent` if not given.
    pub profile: Option<String>,
}

/// A repository.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Of {
    /// The repository; the first that is served if not given.
    repo: Option<String>,
}

/// Lines of a file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lines {
    /// The repository; the first that is served if not given.
    repo: Option<String>,
    /// The file, relative to the root.
    path: String,
    /// The first line; 1 if not given.
    #[schemars(range(min = 1))]
    start: Option<u32>,
    /// The last line; the last of the file if not given.
    #[schemars(range(min = 1))]
    end: Option<u32>,
}

/// The repositories.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Repos {
    /// In the order in which they were named; the first is the default.
    repos: Vec<Repo>,
}

/// The models.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Models {
    /// Those that are known by name; longer names match by these prefixes.
    models: Vec<Model>,
}

/// A model.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Model {
    /// Its name.
    name: &'static str,
    /// How its tokens are counted; null where its tokenizer is not built in.
    tokenizer: Option<&'static str>,
    /// The tokens of its window.
    window: usize,
}

/// The profiles.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Profiles {
    /// Those that are built in and those that are configured, by name.
    profiles: Vec<Profile>,
}

/// A profile.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Profile {
    /// Its name.
    name: String,
    /// Whether it is taken where a request names none.
    default: bool,
}

/// Lists the repositories.
pub(crate) async fn repos(Shared(state): Shared<Arc<State>>) -> Result<Response, Problem> {
    answer(&Repos { repos: state.repos.clone() })
}

/// Lists the models.
pub(crate) async fn models() -> Result<Response, Problem> {
    let model =
        |it: &kitbag::Model| Model { name: it.name, tokenizer: it.counter, window: it.window };
    answer(&Models { models: kitbag::models().iter().map(model).collect() })
}

/// Shows the configuration.
pub(crate) async fn config(
    Shared(state): Shared<Arc<State>>,
    uri: Uri,
) -> Result<Response, Problem> {
    let Named { repo, profile } = body::query(&uri)?;
    let mut report = configured(&state, repo.as_deref(), profile.as_deref()).await?;
    for item in &mut report.settings {
        mask(&mut item.value);
    }
    answer(&report)
}

/// Lists the profiles.
pub(crate) async fn profiles(
    Shared(state): Shared<Arc<State>>,
    uri: Uri,
) -> Result<Response, Problem> {
    let Of { repo } = body::query(&uri)?;
    let report = configured(&state, repo.as_deref(), None).await?;
    let profile = |name: String| Profile { default: name == "agent", name };
    answer(&Profiles { profiles: report.profiles.into_iter().map(profile).collect() })
}

/// Shows lines of a file.
pub(crate) async fn file(Shared(state): Shared<Arc<State>>, uri: Uri) -> Result<Response, Problem> {
    let Lines { repo, path, start, end } = body::query(&uri)?;
    if start.is_some_and(|start| start == 0 || end.is_some_and(|end| end < start)) || end == Some(0)
    {
        let detail = "`start` and `end` are lines, from 1, in that order";
        return Err(Problem::wrong("lines", detail));
    }
    let repo = repos::find(&state.repos, repo.as_deref())?;
    let query = FileQuery { repo: repo.path.clone(), path, start, end };
    let (ticket, cancel) = (state.gate.ticket()?, Cancel::default());
    let lines = async { Ok(state.engine.file(query, &cancel).await?) };
    answer(&state.gate.work(&ticket, lines).await?)
}

async fn configured(
    state: &State,
    repo: Option<&str>,
    profile: Option<&str>,
) -> Result<ConfigReport, Problem> {
    let repo = repos::find(&state.repos, repo)?;
    let (ticket, cancel) = (state.gate.ticket()?, Cancel::default());
    let report = async { Ok(state.engine.config(&repo.path, profile, &cancel).await?) };
    state.gate.work(&ticket, report).await
}

/// Replaces what looks like a secret: by its form, or as the password of an address.
fn mask(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(masked) = kitbag::redact_str(text) {
                *text = masked;
            }
            if let Some((scheme, rest)) = text.split_once("://")
                && let Some((_, host)) = rest.split('/').next().and_then(|it| it.rsplit_once('@'))
            {
                let path =
                    rest.split_once('/').map_or(String::new(), |(_, path)| format!("/{path}"));
                *text = format!("{scheme}://[REDACTED]@{host}{path}");
            }
        }
        Value::Array(values) => values.iter_mut().for_each(mask),
        Value::Object(fields) => fields.values_mut().for_each(mask),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_looks_like_a_secret_is_masked() {
        let mut value =
            json!(["https://me:hush@example.org/v1", "http://localhost:11434/v1", "o200k"]);
        mask(&mut value);
        let expected =
            json!(["https://[REDACTED]@example.org/v1", "http://localhost:11434/v1", "o200k"]);
        assert_eq!(value, expected);
    }
}
