//! The effective value of every setting, with its origin.

use crate::layer::{ConfigEntries, ConfigEntry};
use crate::origin::ConfigOrigin;
use crate::table;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::LazyLock;

/// Prefixes of the settings that can change a pack.
const PACK_SECTIONS: [&str; 3] = ["context.", "model.", "security."];

/// Every setting with its value and origin.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResolvedConfig(ConfigEntries);

impl ResolvedConfig {
    pub fn defaults() -> Self {
        static DEFAULTS: LazyLock<ResolvedConfig> = LazyLock::new(ResolvedConfig::from_table);
        DEFAULTS.clone()
    }

    fn from_table() -> Self {
        let entry = |(key, setting): (String, &table::Setting)| {
            let value = setting.default_of(&key);
            (key, ConfigEntry { value, origin: ConfigOrigin::Default })
        };
        Self(table::keys().map(entry).collect())
    }

    /// Overrides values. Lists are concatenated instead, so that no layer can allow what another
    /// denies.
    pub fn apply<'a>(&mut self, entries: impl IntoIterator<Item = (&'a String, &'a ConfigEntry)>) {
        for (key, entry) in entries {
            let mut entry = entry.clone();
            if let (Value::Array(above), Some(Value::Array(below))) =
                (&mut entry.value, self.0.get(key).map(|it| &it.value))
            {
                above.retain(|item| !below.contains(item));
                above.splice(0..0, below.iter().cloned());
            }
            self.0.insert(key.clone(), entry);
        }
    }

    pub fn entry(&self, key: &str) -> Option<&ConfigEntry> {
        self.0.get(key)
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns a value as the type that it has in the settings. The table and the types agree: tests
    /// convert every key.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> T {
        let entry = self.0.get(key).unwrap_or_else(|| panic!("`{key}` is not in the table"));
        T::deserialize(&entry.value).unwrap_or_else(|error| panic!("`{key}` in the table: {error}"))
    }

    /// Returns the settings of a section, without those of its subsections, as a struct.
    pub fn section<T: DeserializeOwned>(&self, section: &str) -> T {
        let members = self.0.iter().filter_map(|(key, entry)| {
            let name = key.strip_prefix(section)?.strip_prefix('.')?;
            (!name.contains('.')).then(|| (name.to_owned(), entry.value.clone()))
        });
        serde_json::from_value(members.collect())
            .unwrap_or_else(|error| panic!("`{section}` in the table: {error}"))
    }

    /// Whether the value has another origin than the default.
    pub fn is_set(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(|entry| entry.origin != ConfigOrigin::Default)
    }

    /// Returns the settings that can change a pack and differ from their defaults, sorted by key.
    pub fn changed(&self) -> Vec<(String, Value)> {
        let is_changed = |(key, entry): &(&String, &ConfigEntry)| {
            let default = table::find(key).map(|setting| setting.default_of(key));
            entry.origin != ConfigOrigin::Default
                && default.as_ref() != Some(&entry.value)
                && PACK_SECTIONS.iter().any(|section| key.starts_with(section))
        };
        let changed = self.0.iter().filter(is_changed);
        changed.map(|(key, entry)| (key.clone(), entry.value.clone())).collect()
    }

    #[cfg(test)]
    pub fn replace(&mut self, key: &str, value: Value) {
        self.0.insert(key.to_owned(), ConfigEntry { value, origin: ConfigOrigin::Set });
    }
}
