//! Tests of the whole configuration: files in, values or errors out.

mod errors;
mod inputs;
mod layers;
mod pages;
mod remote;

use crate::files::ConfigFile;
use crate::keys::KeyRegistry;
use crate::layer::{Authority, Layer, LayerResult};
use crate::layers::Layers;
use crate::resolved::ResolvedConfig;
use crate::sources;
use crate::{ConfigError, ConfigProblem, RequestOptions};

/// Reads a user-wide file and a repository's file.
fn layers(user: &str, project: &str) -> Result<Layers, ConfigError> {
    let mut problems = Vec::new();
    let mut read = |name: &str, text: &str, authority: Authority| {
        let registry = KeyRegistry::default();
        let layer = ConfigFile::new(name, text.as_bytes()).layer(authority, &registry);
        layer.unwrap_or_else(|wrong| {
            problems.extend(wrong);
            Layer::default()
        })
    };
    let layers = Layers {
        user: read("user.yml", user, Authority::User),
        project: read("config.yml", project, Authority::Repository),
        ..Layers::default()
    };
    ConfigError::unless_empty(problems)?;
    layers.check()?;
    Ok(layers)
}

/// Resolves a repository's file.
fn resolved(project: &str) -> ResolvedConfig {
    resolve(layers("", project))
}

/// Resolves a user-wide file.
fn resolved_of_user(file: &str) -> ResolvedConfig {
    resolve(layers(file, ""))
}

fn resolve(layers: Result<Layers, ConfigError>) -> ResolvedConfig {
    let layers = layers.unwrap_or_else(|error| panic!("{error}"));
    layers.resolve(None, &Layer::default()).expect("checked")
}

/// Formats all errors with their hints, one per line.
fn errors(result: Result<Layers, ConfigError>) -> String {
    let Err(error) = result else { return "valid".to_owned() };
    let line = |problem: &ConfigProblem| match problem.hint() {
        Some(hint) => format!("{problem} [{hint}]"),
        None => problem.to_string(),
    };
    error.problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Reads a single option of a request.
fn option(key: &str, value: serde_json::Value, is_remote: bool) -> LayerResult {
    let options = RequestOptions { pairs: vec![(key.to_owned(), value)], is_remote };
    sources::read_options(&options, &KeyRegistry::default())
}
