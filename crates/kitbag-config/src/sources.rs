//! Sources of layers: files, the environment, `--set` and requests.

use crate::keys::{KeyRegistry, canonical, split_profile};
use crate::layer::{Authority, LayerReader, LayerResult};
use crate::origin::ConfigOrigin;
use crate::problem::ConfigProblemKind;
use crate::table;
use crate::yaml::YamlValue;
use std::ffi::OsString;
use std::path::PathBuf;

/// Prefix of environment variables.
const PREFIX: &str = "KITBAG_";

/// Sources of settings outside the repository.
#[derive(Debug, Clone, Default)]
pub struct ConfigSources {
    /// The user-wide file; it need not exist.
    pub user_file: Option<PathBuf>,
    /// Environment variables. Those without the prefix `KITBAG_` are ignored.
    pub environment: Vec<(OsString, OsString)>,
    /// Keys and values of `--set KEY=VALUE`.
    pub set: Vec<(String, String)>,
    /// The folder of trust records; it need not exist.
    pub trust_folder: Option<PathBuf>,
}

impl ConfigSources {
    /// Returns the home folder that the environment names.
    pub(crate) fn home(&self) -> Option<PathBuf> {
        let value = |name: &str| self.environment.iter().find(|it| it.0 == name);
        home_in(|name| value(name).map(|it| it.1.clone()))?.canonicalize().ok()
    }

    /// Returns the sources of the user who runs this process: the file in the configuration folder,
    /// the environment, and the folder of trust records.
    pub fn of_user() -> Self {
        let config = user_folder("XDG_CONFIG_HOME", ".config");
        let state = user_folder("XDG_STATE_HOME", ".local/state");
        Self {
            user_file: config.map(|folder| folder.join("kitbag/config.yml")),
            environment: std::env::vars_os().collect(),
            set: Vec::new(),
            trust_folder: state.map(|folder| folder.join("kitbag/trust")),
        }
    }
}

/// Returns a folder of the user: the one that a variable names, or one in the home folder.
pub fn user_folder(variable: &str, in_home: &str) -> Option<PathBuf> {
    absolute(std::env::var_os(variable)).or_else(|| Some(home_folder()?.join(in_home)))
}

/// Returns the home folder that the environment names.
pub fn home_folder() -> Option<PathBuf> {
    home_in(|name| std::env::var_os(name))
}

/// Windows names the home folder in a variable of its own; some shells there set both.
fn home_in(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    absolute(variable("HOME")).or_else(|| absolute(variable("USERPROFILE")))
}

fn absolute(folder: Option<OsString>) -> Option<PathBuf> {
    folder.map(PathBuf::from).filter(|folder| folder.is_absolute())
}

/// Settings that a request sets.
#[derive(Debug, Clone, Default)]
pub struct RequestOptions {
    /// Keys and values.
    pub pairs: Vec<(String, serde_json::Value)>,
    /// Whether the request came over HTTP or MCP.
    pub is_remote: bool,
}

/// Reads environment variables. A variable whose name starts with a section must be a setting.
pub(crate) fn read_environment(
    variables: &[(OsString, OsString)],
    registry: &KeyRegistry,
) -> LayerResult {
    let mut reader = LayerReader::new(Authority::User, registry);
    let mut ours: Vec<(&str, &OsString)> = variables
        .iter()
        .filter_map(|(name, value)| Some((name.to_str()?, value)))
        .filter(|(name, _)| is_ours(name))
        .collect();
    ours.sort_unstable();
    for (name, value) in ours {
        let origin = ConfigOrigin::Variable(name.to_owned());
        match (registry.keys().find(|(key, _)| variable(key) == name), value.to_str()) {
            (None, _) => reader.report(origin, unknown_variable(name, registry)),
            (_, None) => {
                reader.report(origin, ConfigProblemKind::file("the value is not UTF-8", None));
            }
            (Some((key, setting)), Some(text)) => {
                reader.set(&key, &setting.value_type.raw(text), origin);
            }
        }
    }
    reader.finish()
}

/// Reads the pairs of `--set`.
pub(crate) fn read_set(pairs: &[(String, String)], registry: &KeyRegistry) -> LayerResult {
    let mut reader = LayerReader::new(Authority::User, registry);
    for (key, text) in pairs {
        let key = key.trim();
        let raw = match registry.find(&canonical(&split_profile(key).1)) {
            Some(setting) => setting.value_type.raw(text),
            None => YamlValue::plain(text),
        };
        reader.set(key, &raw, ConfigOrigin::Set);
    }
    reader.finish()
}

/// Reads the options of a request.
pub(crate) fn read_options(options: &RequestOptions, registry: &KeyRegistry) -> LayerResult {
    let authority = if options.is_remote { Authority::Remote } else { Authority::Caller };
    let mut reader = LayerReader::new(authority, registry);
    for (key, value) in &options.pairs {
        reader.set(key, &YamlValue::from(value), ConfigOrigin::Request);
    }
    reader.finish()
}

/// Returns the environment variable that sets a key.
pub(crate) fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace(['.', '-'], "_").to_ascii_uppercase())
}

/// Whether a variable starts with a section: `KITBAG_CONTEXT_...`.
fn is_ours(name: &str) -> bool {
    let sections = table::SECTIONS.iter().filter(|section| !section.key.contains('.'));
    sections.map(|section| variable(section.key) + "_").any(|prefix| name.starts_with(&prefix))
}

fn unknown_variable(name: &str, registry: &KeyRegistry) -> ConfigProblemKind {
    let known: Vec<String> = registry.keys().map(|(key, _)| variable(&key)).collect();
    let hint = kitbag_tokens::did_you_mean(name, known.iter().map(String::as_str));
    ConfigProblemKind::UnknownKey { key: name.to_owned(), hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_is_the_first_absolute_folder_that_a_variable_names() {
        let home = |home: Option<&str>, profile: Option<&str>| {
            home_in(|name| if name == "HOME" { home } else { profile }.map(OsString::from))
        };
        let folder = |name: &str| std::env::temp_dir().join(name);
        let (own, profile) = (folder("own"), folder("profile"));
        let (first, second) = (own.to_str(), profile.to_str());
        assert_eq!(home(first, second), Some(own.clone()));
        assert_eq!(home(None, second), Some(profile.clone()));
        assert_eq!(home(Some("relative"), second), Some(profile.clone()));
        assert_eq!(home(Some(""), None), None);
    }
}
