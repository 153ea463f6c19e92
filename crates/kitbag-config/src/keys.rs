//! Keys of settings: those of the table, provider aliases, custom providers and profiles.

use crate::table::{self, Setting};
use crate::value::to_flag_value;

/// Alternative names of built-in providers, with the provider's id.
pub const PROVIDER_ALIASES: [(&str, &str); 2] = [("rag", "search"), ("semantic", "search")];

/// Prefix of the keys of all providers.
const PROVIDERS: &str = "context.providers.";

/// Prefix of the keys of all profiles.
pub(crate) const PROFILES: &str = "context.profiles.";

/// Keys that the packer design has and that have no effect here, with the reason.
const WITHOUT_EFFECT: [(&str, &str); 4] = [
    ("context.chunking.languages.unknown", "files without a grammar are always split by lines"),
    ("context.chunking.snapshot_files", "each file is read once per pack"),
    ("context.chunking.validate_syntax", "whole items are kept, and broken files are reported"),
    ("context.formatting.validate_line_numbers", "`kitbag verify` checks line numbers"),
];

/// Returns why a key of the packer design has no effect, if it has none.
pub(crate) fn reason_without_effect(key: &str) -> Option<&'static str> {
    WITHOUT_EFFECT.iter().find(|(known, _)| *known == key).map(|(_, reason)| *reason)
}

/// Resolves an alias to the id of its provider; other names are returned unchanged.
pub fn provider_id(name: &str) -> &str {
    PROVIDER_ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, id)| id)
}

/// Replaces a provider alias in a key by the provider's id.
pub(crate) fn canonical(key: &str) -> String {
    let Some(rest) = key.strip_prefix(PROVIDERS) else { return key.to_owned() };
    let (name, after) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    format!("{PROVIDERS}{}{after}", provider_id(name))
}

/// Splits a key into the profile and the key without it: `context.profiles.review.budget` is
/// `context.budget` of `review`.
pub(crate) fn split_profile(key: &str) -> (Option<&str>, String) {
    let Some(rest) = key.strip_prefix(PROFILES) else { return (None, key.to_owned()) };
    let (name, rest) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    match is_profile_name(name) {
        true => (Some(name), format!("context{rest}")),
        false => (None, key.to_owned()),
    }
}

pub(crate) fn is_profile_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// Moves a key of `context` into a profile; the inverse of [`split_profile`].
pub(crate) fn join_profile(profile: Option<&str>, key: String) -> String {
    match (profile, key.strip_prefix("context.")) {
        (Some(name), Some(rest)) => format!("{PROFILES}{name}.{rest}"),
        _ => key,
    }
}

/// Returns the provider ids that occur in keys.
pub(crate) fn provider_ids<'a>(
    keys: impl Iterator<Item = &'a str>,
) -> impl Iterator<Item = &'a str> {
    keys.filter_map(|key| key.strip_prefix(PROVIDERS)?.split('.').next())
}

/// Returns the key of the only setting of `context` whose last part is `name`.
pub fn unique_key(name: &str) -> Option<String> {
    let has_name = |setting: &&Setting| {
        setting.key.starts_with("context.") && setting.key.rsplit('.').next() == Some(name)
    };
    let mut found = table::settings().filter(has_name);
    let first = found.next().filter(|it| !it.has_placeholder())?;
    found.next().is_none().then(|| first.key.to_owned())
}

/// Whether a request over HTTP or MCP may set a key.
pub fn is_remote_key(key: &str) -> bool {
    table::find(key).is_some_and(Setting::is_remote)
}

/// Returns the default of a setting as `--set` takes it; `None` for unknown keys.
pub fn default_of(key: &str) -> Option<String> {
    table::find(key).map(|setting| to_flag_value(&setting.default_of(key)))
}

/// The known keys: those of the table and of custom providers.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeyRegistry {
    /// Ids of the custom providers.
    pub custom_providers: Vec<String>,
}

impl KeyRegistry {
    /// Returns the setting of a canonical key without a profile.
    pub fn find(&self, key: &str) -> Option<&'static Setting> {
        table::find(key).or_else(|| {
            self.provider_keys().find(|(known, _)| known == key).map(|(_, setting)| setting)
        })
    }

    /// Whether a key is a section.
    pub fn is_section(&self, key: &str) -> bool {
        let prefix = format!("{key}.");
        table::is_section(key) || self.provider_keys().any(|(known, _)| known.starts_with(&prefix))
    }

    /// Returns all keys, including those of aliases and custom providers.
    pub fn keys(&self) -> impl Iterator<Item = (String, &'static Setting)> {
        table::keys().chain(self.provider_keys())
    }

    /// Returns the keys that are not in the table: those of aliases and custom providers.
    fn provider_keys(&self) -> impl Iterator<Item = (String, &'static Setting)> {
        let aliases = PROVIDER_ALIASES.iter().flat_map(|(alias, _)| keys_of_provider(alias));
        aliases.chain(self.custom_keys())
    }

    /// Returns the keys of the custom providers.
    pub fn custom_keys(&self) -> impl Iterator<Item = (String, &'static Setting)> {
        self.custom_providers.iter().flat_map(|id| keys_of_provider(id))
    }
}

fn keys_of_provider(id: &str) -> impl Iterator<Item = (String, &'static Setting)> {
    let of_providers = table::settings().filter(|setting| setting.key.starts_with(PROVIDERS));
    of_providers.map(move |setting| (setting.key.replace("<provider>", id), setting))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn custom_providers_have_the_common_settings() {
        let registry = KeyRegistry { custom_providers: vec!["on_call".into()] };
        assert!(registry.find("context.providers.on_call.max_items").is_some());
        assert!(registry.find("context.providers.on_call.color").is_none());
        assert!(registry.find("context.providers.off_call.max_items").is_none());
        assert!(registry.is_section("context.providers.on_call"));
        assert!(!KeyRegistry::default().is_section("context.providers.on_call"));
        let keys: Vec<String> = registry.keys().map(|(key, _)| key).collect();
        assert!(keys.contains(&"context.providers.on_call.timeout_ms".to_owned()));
        assert!(keys.contains(&"context.providers.rag.enabled".to_owned()));
    }

    #[test]
    fn aliases_are_canonicalized() {
        assert_eq!(canonical("context.providers.rag.enabled"), "context.providers.search.enabled");
        assert_eq!(canonical("context.providers.semantic"), "context.providers.search");
        assert_eq!(canonical("context.providers.style.rag"), "context.providers.style.rag");
        assert_eq!(canonical("context.budget"), "context.budget");
    }
}
