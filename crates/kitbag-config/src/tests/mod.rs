//! Tests of the whole configuration: files in, values or errors out.

mod errors;
mod inputs;
mod layers;
mod pages;
mod remote;
mod repository;

use crate::files::ConfigFile;
use crate::keys::KeyRegistry;
use crate::layer::{Authority, Layer, LayerResult};
use crate::layers::Layers;
use crate::resolved::ResolvedConfig;
use crate::sources;
use crate::{ConfigError, ConfigProblem, RequestOptions, TrustFeature};

/// Reads a user-wide file and a repository's file that the user trusts.
fn layers(user: &str, project: &str) -> Result<Layers, ConfigError> {
    layers_with_trust(user, project, &FEATURES)
}

const FEATURES: [TrustFeature; 3] =
    [TrustFeature::Judge, TrustFeature::Redaction, TrustFeature::Settings];

/// Reads a user-wide file and a repository's file of which the user trusts some features.
fn layers_with_trust(
    user: &str,
    project: &str,
    trusted: &[TrustFeature],
) -> Result<Layers, ConfigError> {
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
        trusted: trusted.to_vec(),
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
    layers.resolve(None, &Layer::default()).expect("checked").resolved
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
