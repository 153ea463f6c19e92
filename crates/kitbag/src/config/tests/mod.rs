//! The configuration as a whole: files in, values or errors out.

mod errors;
mod inputs;
mod layers;
mod pages;
mod remote;

use super::layer::{Authority, Layer};
use super::names::Names;
use super::resolve::{Layers, Resolved};
use super::{ConfigError, RequestOptions, sources};
use std::path::Path;
use std::sync::Arc;

/// The layers of a user-wide file and a repository's file.
fn layers(user: &str, project: &str) -> Result<Layers, ConfigError> {
    let mut problems = Vec::new();
    let mut take = |outcome: sources::Outcome| {
        Arc::new(outcome.unwrap_or_else(|wrong| {
            problems.extend(wrong);
            Layer::default()
        }))
    };
    let layers = Layers {
        user: take(sources::file(
            Path::new("user.yml"),
            user.as_bytes(),
            Authority::User,
            &Names::default(),
        )),
        project: take(sources::file(
            Path::new("config.yml"),
            project.as_bytes(),
            Authority::Repository,
            &Names::default(),
        )),
        ..Layers::default()
    };
    ConfigError::unless_empty(problems)?;
    layers.check()?;
    Ok(layers)
}

/// What a repository's file comes to.
fn resolved(project: &str) -> Resolved {
    let layers = layers("", project).unwrap_or_else(|error| panic!("{error}"));
    layers.resolve(None, &Layer::default()).expect("checked")
}

/// What the user's own file comes to.
fn resolved_of_user(file: &str) -> Resolved {
    let layers = layers(file, "").unwrap_or_else(|error| panic!("{error}"));
    layers.resolve(None, &Layer::default()).expect("checked")
}

/// Everything that is wrong, with hints, a line each.
fn told(result: Result<Layers, ConfigError>) -> String {
    let Err(error) = result else { return "nothing is wrong".to_owned() };
    let line = |problem: &super::ConfigProblem| match problem.hint() {
        Some(hint) => format!("{problem} [{hint}]"),
        None => problem.to_string(),
    };
    error.problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What a request sets.
fn options(key: &str, value: serde_json::Value, is_remote: bool) -> sources::Outcome {
    let options = RequestOptions { pairs: vec![(key.to_owned(), value)], is_remote };
    sources::options(&options, &Names::default())
}
