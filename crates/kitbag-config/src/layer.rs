//! Layers: the values that one file, the environment, the command line or a request sets.

use crate::keys::{
    KeyRegistry, canonical, is_profile_name, provider_id, reason_without_effect, split_profile,
};
use crate::origin::ConfigOrigin;
use crate::problem::{ConfigProblem, ConfigProblemKind, section_hint};
use crate::suggest::{first_member, unknown_key};
use crate::table::{RepositoryAccess, Setting};
use crate::value::to_yaml;
use crate::yaml::{LineColumn, YamlEntry, YamlNode, YamlValue};
use kitbag_repo::{Denylist, GlobError};
use kitbag_tokens::TokenizerChoice;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of problems after which a layer is not read further. Finding a similar key for each
/// unknown one takes time.
const MAX_PROBLEMS: usize = 50;

/// Maximum number of profiles in a file, because each is checked.
const MAX_PROFILES: usize = 64;

/// Maximum number of items in a list, because lists of several layers are compared.
const MAX_LIST_ITEMS: usize = 1_000;

/// A value and its origin.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConfigEntry {
    pub value: Value,
    pub origin: ConfigOrigin,
}

/// Entries by key.
pub(crate) type ConfigEntries = BTreeMap<String, ConfigEntry>;

/// The values of one source of settings.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Layer {
    /// Values for all profiles.
    pub base: ConfigEntries,
    /// Values for one profile, by the same keys as in `base`.
    pub profiles: BTreeMap<String, ConfigEntries>,
    /// Keys that are accepted and have no effect.
    pub without_effect: Vec<KeyWithoutEffect>,
}

/// A key of the packer design that has no effect here.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeyWithoutEffect {
    pub key: String,
    pub origin: ConfigOrigin,
    pub reason: &'static str,
}

/// A layer, or its problems.
pub(crate) type LayerResult = Result<Layer, Vec<ConfigProblem>>;

/// The party that sets values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Authority {
    /// The user, who may set everything.
    User,
    /// The file of a repository.
    Repository,
    /// A request of the process that runs the engine.
    Caller,
    /// A request over HTTP or MCP.
    Remote,
}

/// Reads a layer and collects its problems.
pub(crate) struct LayerReader<'a> {
    authority: Authority,
    registry: &'a KeyRegistry,
    layer: Layer,
    problems: Vec<ConfigProblem>,
}

impl<'a> LayerReader<'a> {
    pub fn new(authority: Authority, registry: &'a KeyRegistry) -> Self {
        Self { authority, registry, layer: Layer::default(), problems: Vec::new() }
    }

    /// Returns the layer, or its problems if there are any.
    pub fn finish(self) -> LayerResult {
        if self.problems.is_empty() { Ok(self.layer) } else { Err(self.problems) }
    }

    /// Reads the root of a file.
    pub fn read_document(&mut self, file: &Arc<str>, root: &YamlNode) {
        match &root.value {
            YamlValue::Mapping(entries) => self.read_section(file, "", entries),
            value if value.is_null() => {}
            value => {
                let message = format!("a configuration must be a mapping, not {value}");
                let hint = "start with a key such as `context:`";
                self.report(at(file, root.position), ConfigProblemKind::file(message, Some(hint)));
            }
        }
    }

    /// Reads the entries of a section. Recursion is bounded by the depth of the YAML tree.
    fn read_section(&mut self, file: &Arc<str>, path: &str, entries: &[YamlEntry]) {
        if path == "context.profiles"
            && let Some(entry) = entries.get(MAX_PROFILES)
        {
            let message = format!("more than {MAX_PROFILES} profiles");
            return self.report(at(file, entry.position), ConfigProblemKind::file(message, None));
        }
        let mut seen: BTreeMap<&str, LineColumn> = BTreeMap::new();
        for YamlEntry { position, key: name, node } in entries {
            let key = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let origin = at(file, *position);
            let is_invalid_profile = path == "context.profiles" && !is_profile_name(name);
            if let Some(first) = seen.insert(provider_id(name), *position) {
                self.report(origin, ConfigProblemKind::Duplicate { key, first: at(file, first) });
            } else if name.contains('.') {
                let hint = Some("nest the parts of a key as sections");
                let message = format!("`{key}` contains a dot");
                self.report(origin, ConfigProblemKind::file(message, hint));
            } else if is_invalid_profile {
                let hint = Some("use letters, digits, `-` and `_`");
                let message = format!("invalid profile name `{name}`");
                self.report(origin, ConfigProblemKind::file(message, hint));
            } else {
                self.read_entry(file, key, origin, node);
            }
        }
    }

    fn read_entry(&mut self, file: &Arc<str>, key: String, origin: ConfigOrigin, node: &YamlNode) {
        let plain = canonical(&split_profile(&key).1);
        let value_origin = at(file, node.position);
        if key != "context.profiles" && !self.registry.is_section(&plain) {
            let is_known = self.registry.find(&plain).is_some();
            return self.set(&key, &node.value, if is_known { value_origin } else { origin });
        }
        match &node.value {
            YamlValue::Mapping(entries) => self.read_section(file, &key, entries),
            value if value.is_null() => {}
            value => {
                let (expected, found) = ("a mapping".to_owned(), value.to_string());
                let hint = first_member(&key, self.registry).map(|it| section_hint(&it));
                let kind = ConfigProblemKind::Value { key, expected, found, hint };
                self.report(value_origin, kind);
            }
        }
    }

    /// Sets one value.
    pub fn set(&mut self, key: &str, raw: &YamlValue, origin: ConfigOrigin) {
        if self.problems.len() > MAX_PROBLEMS {
            return;
        }
        let (profile, plain) = split_profile(key);
        let plain = canonical(&plain);
        if let Some(reason) = reason_without_effect(&plain) {
            let key = key.to_owned();
            return self.layer.without_effect.push(KeyWithoutEffect { key, origin, reason });
        }
        let value = match self.check(key, &plain, raw) {
            Ok(value) => value,
            Err(kind) => return self.report(origin, kind),
        };
        let entries = match profile {
            Some(profile) => self.layer.profiles.entry(profile.to_owned()).or_default(),
            None => &mut self.layer.base,
        };
        entries.insert(plain, ConfigEntry { value, origin });
    }

    /// Checks that the authority may set a key, and converts the value.
    fn check(&self, key: &str, plain: &str, raw: &YamlValue) -> Result<Value, ConfigProblemKind> {
        let Some(setting) = self.registry.find(plain) else {
            return Err(unknown_key(key, self.registry));
        };
        let key = key.to_owned();
        let is_allowed = match self.authority {
            Authority::User => true,
            Authority::Repository if is_user_only(setting, plain, raw) => {
                return Err(ConfigProblemKind::UserOnly { key });
            }
            Authority::Repository => true,
            Authority::Caller => key.starts_with("context."),
            Authority::Remote => setting.is_remote(),
        };
        if !is_allowed {
            return Err(ConfigProblemKind::NotForRequests { key });
        }
        let value = match setting.value_type.parse(raw) {
            Some(value) => value,
            None if raw.is_null() && setting.is_optional() => Value::Null,
            None => {
                let hint = format!("for example `{}`", to_yaml(&setting.example()));
                let (expected, found) = (setting.value_type.to_string(), raw.to_string());
                return Err(ConfigProblemKind::Value { key, expected, found, hint: Some(hint) });
            }
        };
        if let Some(items) = value.as_array().filter(|items| items.len() > MAX_LIST_ITEMS) {
            let (expected, found) =
                (format!("a list of at most {MAX_LIST_ITEMS} strings"), items.len().to_string());
            return Err(ConfigProblemKind::Value { key, expected, found, hint: None });
        }
        if plain == "security.deny" {
            check_patterns(key, &value)?;
        }
        Ok(value)
    }

    /// Adds a problem, unless there are too many.
    pub fn report(&mut self, origin: ConfigOrigin, kind: ConfigProblemKind) {
        let kind = match self.problems.len() {
            ..MAX_PROBLEMS => kind,
            MAX_PROBLEMS => {
                let message = format!("more than {MAX_PROBLEMS} problems; the rest is not checked");
                ConfigProblemKind::file(message, None)
            }
            _ => return,
        };
        self.problems.push(ConfigProblem { origin, kind });
    }
}

/// Returns the origin of a position in a file.
pub(crate) fn at(file: &Arc<str>, position: LineColumn) -> ConfigOrigin {
    ConfigOrigin::Position { file: Arc::clone(file), position }
}

/// Rejects invalid globs of `security.deny`: silently ignored, they would deny nothing.
fn check_patterns(key: String, patterns: &Value) -> Result<(), ConfigProblemKind> {
    for pattern in patterns.as_array().into_iter().flatten().filter_map(Value::as_str) {
        let Err(GlobError::Invalid { reason, .. } | GlobError::TooLarge { reason }) =
            Denylist::new([pattern])
        else {
            continue;
        };
        return Err(ConfigProblemKind::Pattern { key, pattern: pattern.to_owned(), reason });
    }
    Ok(())
}

/// Whether a repository may not set a value even if the user trusts it.
fn is_user_only(setting: &Setting, key: &str, raw: &YamlValue) -> bool {
    setting.repository_access() == RepositoryAccess::Never || is_tokenizer_file(key, raw)
}

/// Whether a value is the path of a tokenizer, which may be outside the repository.
fn is_tokenizer_file(key: &str, raw: &YamlValue) -> bool {
    let YamlValue::Scalar { text, .. } = raw else { return false };
    key == "model.tokenizer" && matches!(TokenizerChoice::parse(text), Ok(TokenizerChoice::File(_)))
}
