//! Sources of layers: files, the environment, `--set` and requests.

use crate::keys::{KeyRegistry, canonical};
use crate::layer::{Authority, Layer, LayerReader, at};
use crate::origin::ConfigOrigin;
use crate::problem::{ConfigProblem, ConfigProblemKind};
use crate::suggest::unknown_key;
use crate::table;
use crate::value::RawValue;
use crate::yaml::{self, LineColumn, YamlError};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The configuration file of a repository, relative to its root.
pub const PROJECT_FILE: &str = ".agent/config.yml";

/// Maximum size of a configuration file.
pub(crate) const MAX_FILE_BYTES: u64 = 256 << 10;

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
    /// Returns the sources of the user who runs this process: the file in the configuration folder,
    /// the environment, and the folder of trust records.
    pub fn of_user() -> Self {
        let absolute = |name: &str| {
            std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute())
        };
        let config =
            absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
        let state =
            absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
        Self {
            user_file: config.map(|folder| folder.join("kitbag/config.yml")),
            environment: std::env::vars_os().collect(),
            set: Vec::new(),
            trust_folder: state.map(|folder| folder.join("kitbag/trust")),
        }
    }
}

/// Settings that a request sets.
#[derive(Debug, Clone, Default)]
pub struct RequestOptions {
    /// Keys and values.
    pub pairs: Vec<(String, serde_json::Value)>,
    /// Whether the request came over HTTP or MCP.
    pub is_remote: bool,
}

/// A layer, or its problems.
pub(crate) type LayerResult = Result<Layer, Vec<ConfigProblem>>;

/// Reads the content of a file.
pub(crate) fn read_file(
    name: &Path,
    content: &[u8],
    authority: Authority,
    registry: &KeyRegistry,
) -> LayerResult {
    let name: Arc<str> = name.to_string_lossy().into();
    let mut reader = LayerReader::new(authority, registry);
    match decode(content).and_then(yaml::parse) {
        Ok(Some(root)) => reader.read_document(&name, &root),
        Ok(None) => {}
        Err(YamlError { position, message, hint }) => {
            let (message, hint) = (message.into_owned(), hint.map(str::to_owned));
            reader.report(at(&name, position), ConfigProblemKind::File { message, hint });
        }
    }
    reader.finish()
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
        let Some((key, setting)) = registry.keys().find(|(key, _)| variable(key) == name) else {
            reader.report(origin, unknown_variable(name, registry));
            continue;
        };
        match value.to_str() {
            Some(text) => reader.set(&key, &setting.value_type.raw(text), origin),
            None => {
                let message = "the value is not UTF-8".to_owned();
                reader.report(origin, ConfigProblemKind::File { message, hint: None });
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
        let raw = match registry.find(&canonical(key)) {
            Some(setting) => setting.value_type.raw(text),
            None => RawValue::plain(text),
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
        reader.set(key, &RawValue::from(value), ConfigOrigin::Request);
    }
    reader.finish()
}

/// Returns the environment variable that sets a key.
pub(crate) fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace(['.', '-'], "_").to_ascii_uppercase())
}

/// Whether a variable starts with a section: `KITBAG_CONTEXT_...`.
fn is_ours(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else { return false };
    let sections = table::SECTIONS.iter().filter(|section| !section.key.contains('.'));
    sections
        .map(|section| format!("{}_", section.key.to_ascii_uppercase()))
        .any(|section| rest.starts_with(&section))
}

fn unknown_variable(name: &str, registry: &KeyRegistry) -> ConfigProblemKind {
    let typed = name[PREFIX.len()..].to_ascii_lowercase();
    let distance = |key: &String| strsim::damerau_levenshtein(&typed, &key.replace('.', "_"));
    match registry.keys().map(|(key, _)| key).min_by_key(distance) {
        Some(key) => {
            ConfigProblemKind::UnknownKey { key: name.to_owned(), nearest: variable(&key) }
        }
        None => unknown_key(name, registry),
    }
}

fn decode(content: &[u8]) -> Result<&str, YamlError> {
    std::str::from_utf8(content).map_err(|error| YamlError {
        position: LineColumn::of_byte(content, error.valid_up_to()),
        message: "not UTF-8".into(),
        hint: Some("save the file as UTF-8"),
    })
}
