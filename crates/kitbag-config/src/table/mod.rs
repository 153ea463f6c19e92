//! Every setting, declared once: key, documentation, type, default and example.
//!
//! The reference, the JSON schema, `kitbag config init`, environment variables and all checks of single
//! values derive from here. To add a setting, add an entry to one of the lists, and its effect in
//! `settings`.

/// Declares settings: doc comment, key, type, default, example, access rules.
macro_rules! settings {
    (@default "null") => { $crate::table::DefaultValue::None };
    (@default "of_kind") => { $crate::table::DefaultValue::ByKind };
    (@default "of_provider") => { $crate::table::DefaultValue::ByProvider };
    (@default $default:literal) => { $crate::table::DefaultValue::Yaml($default) };
    ($($(#[doc = $doc:literal])+ $key:literal: $value_type:expr, $default:tt, $example:literal
       $(, $rule:ident)*;)+) => {
        &[$($crate::table::Setting {
            key: $key,
            value_type: $value_type,
            default: settings!(@default $default),
            example: $example,
            docs: &[$($doc),+],
            rules: &[$($crate::table::AccessRule::$rule),*],
        }),+]
    };
}

mod access;
mod decision;
mod environment;
mod result;

pub(crate) use access::{AccessRule, Bound, RepositoryAccess};

use crate::value::ValueType;
use kitbag_text::{Kind, languages};
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::sync::LazyLock;

/// The declaration of a setting.
pub(crate) struct Setting {
    /// The key, such as `context.budget.total`. A part in angle brackets stands for several names.
    pub key: &'static str,
    pub value_type: ValueType,
    default: DefaultValue,
    /// A value other than the default, as YAML.
    example: &'static str,
    /// The lines of the documentation.
    docs: &'static [&'static str],
    rules: &'static [AccessRule],
}

/// The default of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DefaultValue {
    /// Declared as `null`: the setting is optional.
    None,
    /// The same for all keys.
    Yaml(&'static str),
    /// Declared as `of_kind`: the priority of the kind in the key.
    ByKind,
    /// Declared as `of_provider`: whether the provider in the key is enabled.
    ByProvider,
}

/// The documentation of a section.
pub(crate) struct SectionDoc {
    pub key: &'static str,
    pub doc: &'static str,
}

/// The sections, in the order of the settings.
pub(crate) const SECTIONS: &[SectionDoc] = &[
    section("context", "Settings of packs."),
    section("context.budget", "Token budget of a pack."),
    section("context.budget.categories", "Shares of the budget by kind of source."),
    section("context.source_priority", "Priorities by kind of source."),
    section("context.ranking", "Weights and order of chunks."),
    section("context.chunking", "Splitting of files into chunks."),
    section("context.chunking.languages", "Splitting of files, by language."),
    section("context.deduplication", "Detection of duplicates."),
    section("context.selection", "Selection of chunks, and treatment of those that do not fit."),
    section("context.formatting", "Format of the pack."),
    section("context.tokenizer", "Token counting."),
    section("context.cache", "Data that is kept between runs."),
    section("context.record", "Records of packs."),
    section("context.providers", "Providers of sources."),
    section("context.style", "Settings of the provider `style`."),
    section("context.rules", "Rules that are injected under a condition."),
    section("model", "The model that reads the packs."),
    section("judge", "The model that judges the conditions of rules."),
    section("store", "The object store that shares indexes between machines."),
    section("security", "Access to files and redaction of secrets."),
    section("logging", "Logging."),
    section("server", "The HTTP service."),
    section("server.limits", "Limits of the HTTP service."),
];

const fn section(key: &'static str, doc: &'static str) -> SectionDoc {
    SectionDoc { key, doc }
}

/// Ids of the built-in providers.
const PROVIDERS: [&str; 16] = [
    "diff",
    "tree",
    "overview",
    "document",
    "selection",
    "cursor",
    "heading",
    "open_files",
    "tool_results",
    "references",
    "sources",
    "search",
    "diagnostics",
    "history",
    "style",
    "rules",
];

/// Providers that are disabled by default.
const DISABLED_PROVIDERS: [&str; 5] = ["tree", "overview", "history", "style", "rules"];

/// Returns all settings, in the order of the reference.
pub(crate) fn settings() -> impl Iterator<Item = &'static Setting> {
    decision::SETTINGS.iter().chain(result::SETTINGS).chain(environment::SETTINGS)
}

static KEYS: LazyLock<Vec<(String, &Setting)>> = LazyLock::new(|| {
    let keys =
        |setting: &'static Setting| setting.keys().into_iter().map(move |key| (key, setting));
    settings().flat_map(keys).collect()
});

/// Returns all keys in order, with parts in angle brackets expanded.
pub(crate) fn keys() -> impl Iterator<Item = (String, &'static Setting)> {
    KEYS.iter().cloned()
}

static SETTINGS_BY_KEY: LazyLock<FxHashMap<&str, &Setting>> =
    LazyLock::new(|| KEYS.iter().map(|(key, setting)| (key.as_str(), *setting)).collect());

/// Returns the setting of a key.
pub(crate) fn find(key: &str) -> Option<&'static Setting> {
    SETTINGS_BY_KEY.get(key).copied()
}

/// Whether a key is a section.
pub(crate) fn is_section(key: &str) -> bool {
    KEYS.iter().any(|(known, _)| known.strip_prefix(key).is_some_and(|rest| rest.starts_with('.')))
}

impl Setting {
    /// Returns the keys of this setting.
    pub fn keys(&self) -> Vec<String> {
        let Some((before, rest)) = self.key.split_once('<') else {
            return vec![self.key.to_owned()];
        };
        let Some((placeholder, after)) = rest.split_once('>') else { return Vec::new() };
        names(placeholder).iter().map(|name| format!("{before}{name}{after}")).collect()
    }

    /// Returns the section, without a part in angle brackets.
    pub fn section(&self) -> &'static str {
        let (section, _) = self.key.rsplit_once('.').unwrap_or_default();
        section.split(".<").next().unwrap_or(section)
    }

    /// Returns the documentation on one line.
    pub fn doc(&self) -> String {
        let lines: Vec<&str> = self.docs.iter().map(|line| line.trim()).collect();
        lines.join(" ")
    }

    /// Returns the default of one of the keys.
    pub fn default_of(&self, key: &str) -> Value {
        match self.default {
            DefaultValue::None => Value::Null,
            DefaultValue::Yaml(text) => self.parse(text),
            DefaultValue::ByKind => {
                let name = key.rsplit('.').next().unwrap_or(key);
                let kind = Kind::ALL.into_iter().find(|kind| plural(kind.name()) == name);
                kind.map_or(0, Kind::default_priority).into()
            }
            DefaultValue::ByProvider => {
                let is_key_of = |id: &&str| key.contains(&format!(".{id}."));
                Value::Bool(!DISABLED_PROVIDERS.iter().any(is_key_of))
            }
        }
    }

    pub fn example(&self) -> Value {
        self.parse(self.example)
    }

    /// Returns a value other than the default of a key.
    #[cfg(test)]
    pub fn other_than_default(&self, key: &str) -> Value {
        match self.default_of(key) {
            Value::Bool(value) => Value::Bool(!value),
            _ => self.example(),
        }
    }

    /// Whether the value may be null.
    pub fn is_optional(&self) -> bool {
        self.default == DefaultValue::None
    }

    /// Whether the key has a part in angle brackets.
    pub fn has_placeholder(&self) -> bool {
        self.key.contains('<')
    }

    pub fn has(&self, rule: AccessRule) -> bool {
        self.rules.contains(&rule)
    }

    /// What the file of a repository may do with this setting. Without a rule it requires trust, so
    /// that no new setting is open to a repository by accident.
    pub fn repository_access(&self) -> RepositoryAccess {
        self.rules.iter().find_map(|rule| rule.repository_access()).unwrap_or_default()
    }

    /// Whether a request over HTTP or MCP may set it. Such requests configure their own pack, but
    /// neither what is disclosed or stored nor what requests cost.
    pub fn is_remote(&self) -> bool {
        self.key.starts_with("context.")
            && !self.has(AccessRule::UserOnly)
            && !self.has(AccessRule::NotRemote)
    }

    /// Whether each of the keys has its own default.
    pub fn differs_by_name(&self) -> bool {
        self.default == DefaultValue::ByKind
    }

    /// Parses a value of the table; a test covers them all.
    fn parse(&self, text: &str) -> Value {
        let raw = self.value_type.raw(text.trim_matches(['[', ']']));
        self.value_type.parse(&raw).unwrap_or_default()
    }
}

/// Returns the ids of the built-in providers.
pub fn built_in_providers() -> &'static [&'static str] {
    &PROVIDERS
}

/// Returns the names that a placeholder stands for.
pub(crate) fn names(placeholder: &str) -> Vec<String> {
    match placeholder {
        "kind" => Kind::ALL.iter().map(|kind| kind.name().to_owned()).collect(),
        "kinds" => Kind::ALL.iter().map(|kind| plural(kind.name())).collect(),
        "language" => languages().iter().map(|language| language.name().to_owned()).collect(),
        "provider" => PROVIDERS.iter().map(|id| (*id).to_owned()).collect(),
        _ => Vec::new(),
    }
}

/// Returns the plural of a kind's name.
pub(crate) fn plural(name: &str) -> String {
    match name {
        "history" => "histories".to_owned(),
        name if name.ends_with('s') => name.to_owned(),
        name => format!("{name}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_setting_is_fully_declared() {
        for (key, setting) in keys() {
            let default = setting.default_of(&key);
            assert!(setting.is_optional() || default != Value::Null, "{key} has no default");
            let example = setting.example();
            assert!(example != Value::Null, "{key} has no example");
            let other = setting.other_than_default(&key);
            assert!(
                setting.differs_by_name() || other != default,
                "{key}: the example is the default"
            );
            let doc = setting.doc();
            assert!(doc.ends_with('.') && doc.starts_with(char::is_uppercase), "{key}: {doc}");
            assert_eq!(find(&key).map(|it| it.key), Some(setting.key));
        }
    }

    #[test]
    fn keys_are_unique() {
        let all: Vec<String> = keys().map(|(key, _)| key).collect();
        let unique: BTreeSet<&String> = all.iter().collect();
        assert_eq!(all.len(), unique.len());
    }

    #[test]
    fn every_section_is_documented() {
        let is_documented = |key: &str| SECTIONS.iter().any(|section| section.key == key);
        for setting in settings() {
            let section = setting.section();
            assert!(is_documented(section), "{section} of {}", setting.key);
        }
    }

    #[test]
    fn sections_are_not_settings() {
        assert!(is_section("context") && is_section("context.providers.search"));
        assert!(!is_section("context.enabled") && !is_section("context.providers.unknown"));
        assert!(find("context.budget").is_none());
        assert!(find("context.source_priority.tool_results").is_some());
        assert!(find("context.source_priority.tool_result").is_none());
    }
}
