//! The configuration of a repository as `kitbag config show` reports it.

use crate::keys::{KeyRegistry, canonical};
use crate::layer::ConfigEntry;
use crate::origin::ConfigOrigin;
use crate::problem::{ConfigError, ConfigProblem};
use crate::resolved::ResolvedConfig;
use crate::suggest::unknown_key;
use crate::table;
use crate::value::to_yaml;
use serde::Serialize;

/// Version of [`ConfigReport`]; changes when a field is removed or changes its meaning.
pub const CONFIG_VERSION: u32 = 1;

/// The configuration of a repository.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfigReport {
    /// Version of this format.
    pub version: u32,
    /// Configuration files that were read.
    pub files: Vec<String>,
    /// Settings, in the order of the reference.
    pub settings: Vec<ConfigItem>,
    /// Names of all profiles.
    pub profiles: Vec<String>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// A setting and its effective value.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfigItem {
    /// Key of the setting.
    pub key: String,
    /// Effective value.
    pub value: serde_json::Value,
    /// The value as YAML.
    #[serde(skip)]
    pub written: String,
    /// Origin of the value: a file with line and column, an environment variable, `--set`, a
    /// profile, `remainder` for a weight that gets what the others leave, or `default`.
    pub from: String,
}

/// Lists all settings, except those with many keys that have their default.
pub(crate) fn config_items(config: &ResolvedConfig, registry: &KeyRegistry) -> Vec<ConfigItem> {
    let item = |(key, setting): (String, &table::Setting)| {
        let ConfigEntry { value, origin } = config.entry(&key)?;
        let is_one_of_many = setting.has_placeholder() && !setting.differs_by_name();
        if is_one_of_many && *origin == ConfigOrigin::Default {
            return None;
        }
        let (value, written, from) = (value.clone(), to_yaml(value), origin.to_string());
        Some(ConfigItem { key, value, written, from })
    };
    table::keys().chain(registry.custom_keys()).filter_map(item).collect()
}

impl ConfigReport {
    /// Keeps only the setting or section `key`; an empty key keeps everything.
    pub fn only(mut self, key: &str) -> Result<Self, ConfigError> {
        let key = canonical(key);
        let key = key.as_str();
        let is_below = |item: &ConfigItem| {
            let rest = item.key.strip_prefix(key);
            key.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_known = table::find(key).is_some() || table::is_section(key);
        if !key.is_empty() && !is_known && !self.settings.iter().any(is_below) {
            let kind = unknown_key(key, &KeyRegistry::default());
            return Err(ConfigProblem { origin: ConfigOrigin::Request, kind }.into());
        }
        self.settings.retain(is_below);
        Ok(self)
    }
}
