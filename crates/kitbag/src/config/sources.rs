//! Where layers come from: files, the environment, `--set`, a request.

use super::RequestOptions;
use super::layer::{Authority, Layer, Reader, at};
use super::names::{Names, canonical};
use super::place::Place;
use super::problem::{ConfigFault, ConfigProblem, unknown_key};
use super::table;
use super::value::Raw;
use super::yaml::{self, Spot};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The configuration of a repository, relative to its root.
pub const PROJECT_FILE: &str = ".agent/config.yml";

/// No configuration is as large as this.
pub(super) const MOST_BYTES: u64 = 256 << 10;

/// What every environment variable begins with.
const PREFIX: &str = "KITBAG_";

/// Where an engine's settings come from, beside the repository's own file.
#[derive(Debug, Clone, Default)]
pub struct ConfigSources {
    /// The user-wide file; it need not exist.
    pub user_file: Option<PathBuf>,
    /// Environment variables. Those that are not Kitbag's are passed over.
    pub environment: Vec<(OsString, OsString)>,
    /// Keys with values, as `--set KEY=VALUE` gives them.
    pub set: Vec<(String, String)>,
    /// The folder in which it is recorded what the user trusts; it need not exist.
    pub trust_folder: Option<PathBuf>,
}

impl ConfigSources {
    /// The user's own: the file in the folder for configurations, the environment of this process,
    /// and the folder of what is trusted.
    pub fn of_user() -> Self {
        let absolute = |name: &str| {
            std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute())
        };
        let folder =
            absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
        let state =
            absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
        Self {
            user_file: folder.map(|folder| folder.join("kitbag/config.yml")),
            environment: std::env::vars_os().collect(),
            set: Vec::new(),
            trust_folder: state.map(|folder| folder.join("kitbag/trust")),
        }
    }
}

/// A layer, or what is wrong with it.
pub(super) type Outcome = Result<Layer, Vec<ConfigProblem>>;

/// Reads a file's content.
pub(super) fn file(name: &Path, content: &[u8], authority: Authority, names: &Names) -> Outcome {
    let name: Arc<str> = name.to_string_lossy().into();
    let mut reader = Reader::new(authority, names);
    match text(content).and_then(yaml::parse) {
        Ok(Some(root)) => reader.document(&name, &root),
        Ok(None) => {}
        Err(fault) => {
            let hint = fault.hint.map(str::to_owned);
            let problem = ConfigFault::File { message: fault.message.into_owned(), hint };
            reader.wrong(at(&name, fault.spot), problem);
        }
    }
    outcome(reader)
}

/// A file that cannot be read.
pub(super) fn unreadable(name: &Path, message: String) -> Outcome {
    let place = Place::File(name.to_string_lossy().into());
    let hint = message.contains("larger").then(|| "no configuration is so large".to_owned());
    Err(vec![ConfigProblem::new(place, ConfigFault::File { message, hint })])
}

/// Reads the environment. Whatever begins like a section of ours must be a setting.
pub(super) fn environment(variables: &[(OsString, OsString)], names: &Names) -> Outcome {
    let mut reader = Reader::new(Authority::User, names);
    let mut ours: Vec<(&str, &OsString)> = variables
        .iter()
        .filter_map(|(name, value)| Some((name.to_str()?, value)))
        .filter(|(name, _)| is_ours(name))
        .collect();
    ours.sort_unstable();
    for (name, value) in ours {
        let place = Place::Variable(name.to_owned());
        let Some((key, setting)) = names.keys().find(|(key, _)| variable(key) == name) else {
            let typed = name[PREFIX.len()..].to_ascii_lowercase();
            reader.wrong(place, unknown_variable(name, &typed, names));
            continue;
        };
        match value.to_str() {
            Some(text) => reader.set(&key, &setting.shape.raw(text), place),
            None => {
                let message = "the value is not UTF-8".to_owned();
                reader.wrong(place, ConfigFault::File { message, hint: None });
            }
        }
    }
    outcome(reader)
}

/// Reads what `--set` was given.
pub(super) fn set(pairs: &[(String, String)], names: &Names) -> Outcome {
    let mut reader = Reader::new(Authority::User, names);
    for (key, text) in pairs {
        let key = key.trim();
        let shape = names.find(&canonical(key)).map(|setting| &setting.shape);
        let raw = shape.map_or_else(|| Raw::plain(text), |shape| shape.raw(text));
        reader.set(key, &raw, Place::Set);
    }
    outcome(reader)
}

/// Reads the options of a request.
pub(super) fn options(options: &RequestOptions, names: &Names) -> Outcome {
    let authority = if options.is_remote { Authority::Remote } else { Authority::Caller };
    let mut reader = Reader::new(authority, names);
    for (key, value) in &options.pairs {
        reader.set(key, &Raw::json(value), Place::Request);
    }
    outcome(reader)
}

/// The environment variable that sets a key.
pub(super) fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace(['.', '-'], "_").to_ascii_uppercase())
}

/// Whether a variable begins like a section of ours: `KITBAG_CONTEXT_...`.
fn is_ours(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else { return false };
    let top = table::SECTIONS.iter().filter(|section| !section.key.contains('.'));
    top.map(|section| section.key.to_ascii_uppercase())
        .any(|section| rest.strip_prefix(&section).is_some_and(|rest| rest.starts_with('_')))
}

fn unknown_variable(name: &str, typed: &str, names: &Names) -> ConfigFault {
    let distance = |key: &String| strsim::damerau_levenshtein(typed, &key.replace('.', "_"));
    let nearest = names.keys().map(|(key, _)| key).min_by_key(distance);
    match nearest {
        Some(key) => ConfigFault::UnknownKey { key: name.to_owned(), nearest: variable(&key) },
        None => unknown_key(name, names),
    }
}

fn outcome(reader: Reader) -> Outcome {
    if reader.problems.is_empty() { Ok(reader.layer) } else { Err(reader.problems) }
}

/// The text of a file, which is UTF-8.
fn text(content: &[u8]) -> Result<&str, yaml::Fault> {
    std::str::from_utf8(content).map_err(|error| {
        let before = String::from_utf8_lossy(&content[..error.valid_up_to()]);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
        yaml::Fault {
            spot: Spot { line, column },
            message: "not UTF-8".into(),
            hint: Some("save the file as UTF-8"),
        }
    })
}
