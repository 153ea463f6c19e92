//! Configuration: every setting declared once, read from layers, each value with its place.
//!
//! `table` declares the settings. `yaml` and `layer` read what a file, the environment, `--set` or a
//! request says; `resolve` lays the layers over each other; `together` holds what must be right of
//! several settings; `settle` turns the result into what the engine works with. `load` keeps the
//! configurations of a running engine fresh. The pages for people are made in `pages`.

mod layer;
mod load;
mod names;
mod pages;
mod place;
mod problem;
mod profiles;
mod resolve;
mod service;
mod settle;
mod sources;
mod table;
#[cfg(test)]
mod tests;
mod together;
mod value;
pub(crate) mod yaml;

pub use pages::{config_init, config_reference, config_schema};
pub use place::Place;
pub use problem::{ConfigError, ConfigFault, ConfigProblem};
pub use service::{LogFormat, LogLevel, LoggingSettings, ServerSettings};
pub use settle::{ProviderSettings, Settled};
pub use sources::{ConfigSources, PROJECT_FILE};

pub(crate) use load::Configurations;
pub(crate) use names::{PROVIDER_ALIASES, provider_id};
pub(crate) use value::Value;

use crate::error::Error;
use kitbag_repo::Root;
use layer::Layer;
use names::Names;
use resolve::{Layers, Resolved};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// Changes when a field changes its meaning or goes.
pub const CONFIG_VERSION: u32 = 1;

/// The configuration of a repository, to be shown.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfigReport {
    /// The version of this shape.
    pub version: u32,
    /// The files that were read.
    pub files: Vec<String>,
    /// The settings, in the order of the reference.
    pub settings: Vec<ConfigItem>,
    /// The names of all profiles.
    pub profiles: Vec<String>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// A setting, to be shown.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfigItem {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: serde_json::Value,
    /// The same as it would stand in a file.
    #[serde(skip)]
    pub written: String,
    /// Where the value comes from: a file with line and column, an environment variable, `--set`,
    /// a profile, or `default`.
    pub from: String,
}

impl ConfigReport {
    /// What `key` names: a setting, all settings of a section, or everything for the empty key.
    pub fn only(mut self, key: &str) -> Result<Self, ConfigError> {
        let key = names::canonical(key);
        let key = key.as_str();
        let is_below = |item: &ConfigItem| {
            let rest = item.key.strip_prefix(key);
            key.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_known = table::find(key).is_some() || table::is_section(key);
        if !key.is_empty() && !is_known && !self.settings.iter().any(is_below) {
            let fault = problem::unknown_key(key, &Names::default());
            let problem = ConfigProblem::new(Place::Request, fault);
            return Err(ConfigError { problems: vec![problem] });
        }
        self.settings.retain(is_below);
        Ok(self)
    }
}

/// What the settings come to where nothing is set but by keys, as `--set` gives them.
pub fn settled_with(set: &[(String, String)]) -> Result<Settled, ConfigError> {
    let failed = |problems| ConfigError { problems };
    let set = Arc::new(sources::set(set, &Names::default()).map_err(failed)?);
    let layers = Layers { set, ..Layers::default() };
    layers.check()?;
    let resolved = layers.resolve(None, &Layer::default()).map_err(failed)?;
    Ok(settle::settle(&resolved))
}

/// The only setting of `context` whose key ends so, where there is one.
pub(crate) fn setting_called(name: &str) -> Option<String> {
    let is_it = |setting: &&table::Setting| {
        setting.key.starts_with("context.") && setting.key.rsplit('.').next() == Some(name)
    };
    let mut found = table::settings().filter(is_it);
    let first = found.next().filter(|it| !it.key.contains('<'))?;
    found.next().is_none().then(|| first.key.to_owned())
}

/// Whether somebody who asks over HTTP or MCP may set a key.
pub(crate) fn is_for_callers(key: &str) -> bool {
    table::find(key).is_some_and(table::Setting::is_for_callers)
}

/// Settings that a request brings.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestOptions {
    /// Keys and their values.
    pub pairs: Vec<(String, serde_json::Value)>,
    /// Whether they are from somebody who asks over HTTP or MCP.
    pub is_remote: bool,
}

/// What a setting is by default, as `--set` takes it; `None` where there is no such setting.
pub(crate) fn default_of(key: &str) -> Option<String> {
    table::find(key).map(|setting| setting.default_of(key).typed())
}

/// What a request gets of the configuration.
#[derive(Debug, Clone)]
pub(crate) struct Configured {
    pub settled: Settled,
    pub warnings: Vec<String>,
    /// What a pack depends on and is not as by default.
    pub changed: Vec<(String, Value)>,
}

impl Configurations {
    /// What the configuration of a repository comes to, for a profile and the options of a request.
    pub fn configure(
        &self,
        root: &Root,
        shown: &Path,
        (profile, options): (Option<&str>, &RequestOptions),
    ) -> Result<Configured, ConfigError> {
        let (loaded, mut warnings) = self.load(root, shown)?;
        let options = options_layer(options, self.names())?;
        warnings.extend(options.warnings.iter().cloned());
        let resolved = loaded.layers.resolve(profile, &options);
        let resolved = resolved.map_err(|problems| ConfigError { problems })?;
        let changed = resolved.changed();
        Ok(Configured { settled: settle::settle(&resolved), warnings, changed })
    }

    /// What the user's own settings come to, in no repository.
    pub fn of_user(&self) -> Result<Settled, ConfigError> {
        let layers = self.load_user()?;
        let resolved = layers.resolve(None, &Layer::default());
        let resolved = resolved.map_err(|problems| ConfigError { problems })?;
        Ok(settle::settle(&resolved))
    }

    /// Every setting of a repository, with its value and where that comes from. Where nobody set it,
    /// one that has no effect yet or is one of many alike is left out.
    pub fn show(
        &self,
        root: &Root,
        shown: &Path,
        profile: Option<&str>,
    ) -> Result<ConfigReport, ConfigError> {
        let (loaded, warnings) = self.load(root, shown)?;
        let resolved = loaded.layers.resolve(profile, &Layer::default());
        let resolved = resolved.map_err(|problems| ConfigError { problems })?;
        Ok(ConfigReport {
            version: CONFIG_VERSION,
            files: loaded.files.clone(),
            settings: items(&resolved, self.names()),
            profiles: loaded.layers.profiles().into_iter().collect(),
            warnings,
        })
    }
}

impl ConfigSources {
    /// What is to be logged: what a repository's configuration says, or without one the user's own.
    /// It can be asked before there is an engine.
    pub fn logging(self, repo: Option<&Path>) -> Result<LoggingSettings, Error> {
        let configurations = Configurations::new(self);
        Ok(match repo {
            Some(repo) => {
                let root = Root::open(repo)?;
                configurations
                    .configure(&root, repo, (None, &RequestOptions::default()))?
                    .settled
                    .logging
            }
            None => configurations.of_user()?.logging,
        })
    }
}

fn options_layer(options: &RequestOptions, names: &Names) -> Result<Layer, ConfigError> {
    sources::options(options, names).map_err(|problems| ConfigError { problems })
}

fn items(resolved: &Resolved, names: &Names) -> Vec<ConfigItem> {
    let item = |(key, setting): (String, &table::Setting)| {
        let entry = resolved.entry(&key)?;
        let is_many = setting.key.contains('<') && !setting.differs_by_name();
        if is_many && entry.place == Place::Default {
            return None;
        }
        let (value, written) = (entry.value.json(), entry.value.to_string());
        Some(ConfigItem { key, value, written, from: entry.place.to_string() })
    };
    table::keys().chain(names.own_keys()).filter_map(item).collect()
}
