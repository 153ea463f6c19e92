//! Layers: the values that one file, the environment, the command line or a request sets.

use crate::keys::{KeyRegistry, PROFILES, canonical};
use crate::origin::ConfigOrigin;
use crate::problem::{ConfigProblem, ConfigProblemKind};
use crate::suggest::unknown_key;
use crate::table::{Restriction, Setting};
use crate::value::{RawValue, SettingValue};
use crate::yaml::{LineColumn, YamlNode, YamlValue};
use kitbag_repo::{Denylist, GlobError};
use kitbag_tokens::TokenizerChoice;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of problems after which a layer is not read further. Finding the nearest key of each
/// unknown one takes time.
const MAX_PROBLEMS: usize = 50;

/// A value and its origin.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConfigEntry {
    pub value: SettingValue,
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
    /// Values of a repository that take effect only if the user trusts them.
    pub needs_trust: ConfigEntries,
    pub warnings: Vec<String>,
}

/// A group of settings that is trusted as a whole: some of them without the others would mean
/// something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TrustFeature {
    Judge,
    Redaction,
}

impl TrustFeature {
    /// Returns the feature of a key in [`Layer::needs_trust`].
    pub fn of_key(key: &str) -> Self {
        if key.starts_with("judge.") { Self::Judge } else { Self::Redaction }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Redaction => "redaction",
        }
    }
}

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
    pub fn finish(self) -> Result<Layer, Vec<ConfigProblem>> {
        if self.problems.is_empty() { Ok(self.layer) } else { Err(self.problems) }
    }

    /// Reads the root of a file.
    pub fn read_document(&mut self, file: &Arc<str>, root: &YamlNode) {
        match (&root.value, RawValue::from(root)) {
            (YamlValue::Mapping(_), _) => self.read_section(file, "", root),
            (_, RawValue::Null) => {}
            (_, raw) => {
                let message = format!("a configuration must be a mapping, not {raw}");
                let hint = Some("start with a key such as `context:`".to_owned());
                self.report(at(file, root.position), ConfigProblemKind::File { message, hint });
            }
        }
    }

    /// Reads the entries of a section. Recursion is bounded by the depth of the YAML tree.
    fn read_section(&mut self, file: &Arc<str>, path: &str, node: &YamlNode) {
        let YamlValue::Mapping(entries) = &node.value else { return };
        let mut seen: BTreeMap<String, LineColumn> = BTreeMap::new();
        for entry in entries {
            if self.problems.len() > MAX_PROBLEMS {
                return;
            }
            let name = entry.key.as_str();
            let key = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            let origin = at(file, entry.position);
            if let Some(first) = seen.insert(plain_key(&key), entry.position) {
                self.report(origin, ConfigProblemKind::Duplicate { key, first: at(file, first) });
            } else if name.contains('.') {
                let message = format!("`{key}` contains a dot");
                let hint = Some("nest the parts of a key as sections".to_owned());
                self.report(origin, ConfigProblemKind::File { message, hint });
            } else {
                self.read_entry(file, key, entry.position, &entry.node);
            }
        }
    }

    fn read_entry(&mut self, file: &Arc<str>, key: String, position: LineColumn, node: &YamlNode) {
        if let Some(name) = key.strip_prefix(PROFILES)
            && !is_profile_name(name.split('.').next().unwrap_or(name))
        {
            let message = format!("invalid profile name `{name}`");
            let hint = Some("use letters, digits, `-` and `_`".to_owned());
            return self.report(at(file, position), ConfigProblemKind::File { message, hint });
        }
        let plain = plain_key(&key);
        let is_section = key == "context.profiles"
            || is_profile(&key)
            || (self.registry.is_section(&plain)
                && !is_profile(&plain)
                && plain != "context.profiles");
        let raw = RawValue::from(node);
        if !is_section {
            let is_known = self.registry.find(&plain).is_some();
            self.set(&key, &raw, at(file, if is_known { node.position } else { position }));
        } else if raw == RawValue::Mapping {
            self.read_section(file, &key, node);
        } else if raw != RawValue::Null {
            let (expected, found) = ("a mapping".to_owned(), raw.to_string());
            let kind = ConfigProblemKind::Value { key, expected, found, hint: None };
            self.report(at(file, node.position), kind);
        }
    }

    /// Sets one value.
    pub fn set(&mut self, key: &str, raw: &RawValue, origin: ConfigOrigin) {
        if self.problems.len() > MAX_PROBLEMS {
            return;
        }
        let plain = plain_key(key);
        let value = match self.check(key, &plain, raw) {
            Ok(value) => value,
            Err(kind) => return self.report(origin, kind),
        };
        let is_repository = self.authority == Authority::Repository;
        let needs_trust =
            is_repository && (is_trusted_key(&plain) || disables_redaction(&plain, &value));
        let entries = if needs_trust {
            &mut self.layer.needs_trust
        } else if let Some((profile, _)) = without_profile(key) {
            self.layer.profiles.entry(profile).or_default()
        } else {
            &mut self.layer.base
        };
        entries.insert(plain, ConfigEntry { value, origin });
    }

    /// Checks that the authority may set a key, and converts the value.
    fn check(
        &self,
        key: &str,
        plain: &str,
        raw: &RawValue,
    ) -> Result<SettingValue, ConfigProblemKind> {
        let Some(setting) = self.registry.find(plain) else {
            return Err(unknown_key(key, self.registry));
        };
        let key = key.to_owned();
        match self.authority {
            Authority::Repository if is_user_only(setting, plain, raw) => {
                return Err(ConfigProblemKind::UserOnly { key });
            }
            Authority::Caller if !key.starts_with("context.") => {
                return Err(ConfigProblemKind::NotForRequests { key });
            }
            Authority::Remote if !setting.is_remote() => {
                return Err(ConfigProblemKind::NotForRequests { key });
            }
            _ => {}
        }
        let value = match setting.value_type.parse(raw) {
            Some(value) => value,
            None if *raw == RawValue::Null && setting.is_optional() => SettingValue::Null,
            None => return Err(type_mismatch(key, setting, raw)),
        };
        match invalid_pattern(plain, &key, &value) {
            Some(problem) => Err(problem),
            None => Ok(value),
        }
    }

    /// Adds a problem, unless there are too many.
    pub fn report(&mut self, origin: ConfigOrigin, kind: ConfigProblemKind) {
        let kind = match self.problems.len() {
            ..MAX_PROBLEMS => kind,
            MAX_PROBLEMS => {
                let message = format!("more than {MAX_PROBLEMS} problems; the rest is not checked");
                ConfigProblemKind::File { message, hint: None }
            }
            _ => return,
        };
        self.problems.push(ConfigProblem::new(origin, kind));
    }
}

/// Returns the origin of a position in a file.
pub(crate) fn at(file: &Arc<str>, position: LineColumn) -> ConfigOrigin {
    let LineColumn { line, column } = position;
    ConfigOrigin::Position { file: Arc::clone(file), line, column }
}

fn type_mismatch(key: String, setting: &Setting, raw: &RawValue) -> ConfigProblemKind {
    let hint = format!("for example `{}`", setting.example());
    let (expected, found) = (setting.value_type.to_string(), raw.to_string());
    ConfigProblemKind::Value { key, expected, found, hint: Some(hint) }
}

/// Reports the first invalid glob of `security.deny`: silently ignored, it would deny nothing.
fn invalid_pattern(plain: &str, key: &str, value: &SettingValue) -> Option<ConfigProblemKind> {
    let SettingValue::List(patterns) = value else { return None };
    if plain != "security.deny" {
        return None;
    }
    let error_of = |pattern: &String| Some((pattern.clone(), Denylist::new([pattern]).err()?));
    let (pattern, error) = patterns.iter().find_map(error_of)?;
    let reason = match error {
        GlobError::Invalid { reason, .. } | GlobError::TooLarge { reason } => reason,
    };
    Some(ConfigProblemKind::Value {
        key: key.to_owned(),
        expected: "path patterns".to_owned(),
        found: RawValue::Quoted(pattern).to_string(),
        hint: Some(reason),
    })
}

/// Splits a key such as `context.profiles.review.budget.total` into the profile and the key without
/// it. Profiles cannot be nested.
fn without_profile(key: &str) -> Option<(String, String)> {
    let (name, rest) = key.strip_prefix(PROFILES)?.split_once('.')?;
    let is_nested = rest == "profiles" || rest.starts_with("profiles.");
    (!is_nested && is_profile_name(name)).then(|| (name.to_owned(), format!("context.{rest}")))
}

/// Returns the canonical key without a profile.
fn plain_key(key: &str) -> String {
    canonical(without_profile(key).as_ref().map_or(key, |(_, plain)| plain))
}

fn is_profile(key: &str) -> bool {
    key.strip_prefix(PROFILES).is_some_and(|name| !name.contains('.') && is_profile_name(name))
}

fn is_profile_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// Whether a repository may set a key if the user trusts it. `judge.key_env` is excluded: a
/// repository could name any variable.
fn is_trusted_key(key: &str) -> bool {
    key.starts_with("judge.") && key != "judge.key_env"
}

fn is_user_only(setting: &Setting, key: &str, raw: &RawValue) -> bool {
    (setting.has(Restriction::UserOnly) && !is_trusted_key(key)) || is_tokenizer_file(key, raw)
}

/// Whether a value weakens redaction. A repository may only strengthen it without trust.
fn disables_redaction(key: &str, value: &SettingValue) -> bool {
    key == "security.redact" && *value == SettingValue::Bool(false)
}

/// Whether a value is the path of a tokenizer, which may be outside the repository.
fn is_tokenizer_file(key: &str, raw: &RawValue) -> bool {
    let (RawValue::Plain(name) | RawValue::Quoted(name)) = raw else { return false };
    key == "model.tokenizer" && matches!(TokenizerChoice::parse(name), Ok(TokenizerChoice::File(_)))
}
