//! The effective value of every setting, with its origin.

use crate::layer::{ConfigEntries, ConfigEntry};
use crate::origin::ConfigOrigin;
use crate::table;
use crate::value::SettingValue;

/// Prefixes of the settings that can change a pack.
const PACK_SECTIONS: [&str; 3] = ["context.", "model.", "security."];

/// Every setting with its value and origin.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResolvedConfig(ConfigEntries);

impl ResolvedConfig {
    pub fn defaults() -> Self {
        let entry = |(key, setting): (String, &table::Setting)| {
            let value = setting.default_of(&key);
            (key, ConfigEntry { value, origin: ConfigOrigin::Default })
        };
        Self(table::keys().map(entry).collect())
    }

    /// Overrides values. Lists are concatenated instead, so that no layer can allow what another
    /// denies.
    pub fn apply(&mut self, entries: &ConfigEntries) {
        for (key, entry) in entries {
            let mut entry = entry.clone();
            if let (SettingValue::List(above), Some(SettingValue::List(below))) =
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

    pub fn bool(&self, key: &str) -> bool {
        matches!(self.value(key), SettingValue::Bool(true))
    }

    pub fn integer(&self, key: &str) -> Option<u64> {
        if let SettingValue::Integer(number) = self.value(key) { Some(*number) } else { None }
    }

    pub fn number(&self, key: &str) -> Option<f64> {
        if let SettingValue::Number(number) = self.value(key) { Some(*number) } else { None }
    }

    pub fn text(&self, key: &str) -> Option<&str> {
        if let SettingValue::Text(text) = self.value(key) { Some(text) } else { None }
    }

    pub fn list(&self, key: &str) -> Vec<String> {
        if let SettingValue::List(texts) = self.value(key) { texts.clone() } else { Vec::new() }
    }

    /// Whether the value has another origin than the default.
    pub fn is_set(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(|entry| entry.origin != ConfigOrigin::Default)
    }

    /// Returns the settings that can change a pack and differ from their defaults, sorted by key.
    pub fn changed(&self) -> Vec<(String, SettingValue)> {
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
    pub fn replace(&mut self, key: &str, value: SettingValue) {
        self.0.insert(key.to_owned(), ConfigEntry { value, origin: ConfigOrigin::Set });
    }

    fn value(&self, key: &str) -> &SettingValue {
        debug_assert!(self.0.contains_key(key), "`{key}` is not in the table");
        self.0.get(key).map_or(&SettingValue::Null, |entry| &entry.value)
    }
}
