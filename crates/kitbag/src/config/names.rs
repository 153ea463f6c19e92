//! The names of settings that the table does not have by itself: those of providers that the caller
//! registered, and other names of built-in ones.

use super::table::{self, Setting};

/// Other names of providers.
pub(crate) const PROVIDER_ALIASES: [(&str, &str); 2] = [("rag", "search"), ("semantic", "search")];

/// What the keys of all providers begin with.
const PROVIDERS: &str = "context.providers.";

/// A provider of the caller's own has the settings that this one has.
const ANY: &str = "search";

/// The id that a name of a provider means.
pub(crate) fn provider_id(name: &str) -> &str {
    PROVIDER_ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, id)| id)
}

/// A key without a profile, with the id of a provider in place of another name of it.
pub(super) fn canonical(key: &str) -> String {
    with_provider(key, |name| Some(provider_id(name)))
}

/// The names that may stand in keys beside those of the table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    /// The ids of the caller's own providers.
    pub own: Vec<String>,
}

impl Names {
    /// The setting that a key names, which is canonical and has no profile.
    pub fn find(&self, key: &str) -> Option<&'static Setting> {
        table::find(&self.as_any(key))
    }

    /// Whether settings lie below such a key.
    pub fn is_section(&self, key: &str) -> bool {
        table::is_section(&self.as_any(key))
    }

    /// Every key that can be named, those of the table first.
    pub fn keys(&self) -> impl Iterator<Item = (String, &'static Setting)> {
        let aliases = PROVIDER_ALIASES.iter().flat_map(|(alias, _)| keys_of(alias));
        table::keys().chain(aliases).chain(self.own_keys())
    }

    /// The keys of the caller's own providers.
    pub fn own_keys(&self) -> impl Iterator<Item = (String, &'static Setting)> {
        self.own.iter().flat_map(|id| keys_of(id))
    }

    /// The key with a provider of the table in place of one of the caller's own.
    fn as_any(&self, key: &str) -> String {
        with_provider(key, |id| self.own.iter().any(|own| own == id).then_some(ANY))
    }
}

/// The keys of one provider.
fn keys_of(id: &str) -> impl Iterator<Item = (String, &'static Setting)> {
    let of_providers = table::settings().filter(|setting| setting.key.starts_with(PROVIDERS));
    of_providers.map(move |setting| (setting.key.replace("<provider>", id), setting))
}

/// The ids of providers that some keys are about.
pub(super) fn provider_ids<'a>(
    keys: impl Iterator<Item = &'a str>,
) -> impl Iterator<Item = &'a str> {
    keys.filter_map(|key| key.strip_prefix(PROVIDERS)?.split('.').next())
}

/// A key with another provider, if it names one that `other` knows another for.
fn with_provider<'a>(key: &'a str, other: impl Fn(&'a str) -> Option<&'a str>) -> String {
    let Some(rest) = key.strip_prefix(PROVIDERS) else { return key.to_owned() };
    let (id, after) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    format!("{PROVIDERS}{}{after}", other(id).unwrap_or(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_providers_have_the_settings_of_any() {
        let names = Names { own: vec!["on_call".into()] };
        assert!(names.find("context.providers.on_call.max_items").is_some());
        assert!(names.find("context.providers.on_call.colour").is_none());
        assert!(names.find("context.providers.off_call.max_items").is_none());
        assert!(names.is_section("context.providers.on_call"));
        assert!(!Names::default().is_section("context.providers.on_call"));
        let keys: Vec<String> = names.keys().map(|(key, _)| key).collect();
        assert!(keys.contains(&"context.providers.on_call.timeout_ms".to_owned()));
        assert!(keys.contains(&"context.providers.rag.enabled".to_owned()));
    }

    #[test]
    fn other_names_of_providers_are_the_provider() {
        assert_eq!(canonical("context.providers.rag.enabled"), "context.providers.search.enabled");
        assert_eq!(canonical("context.providers.semantic"), "context.providers.search");
        assert_eq!(canonical("context.providers.style.rag"), "context.providers.style.rag");
        assert_eq!(canonical("context.budget"), "context.budget");
    }
}
