//! Layers: what one file, the environment, the command line or a request sets.

use super::names::{Names, canonical};
use super::place::Place;
use super::problem::{ConfigFault, ConfigProblem, unknown_key};
use super::table::{Mark, Setting};
use super::value::{Raw, Value};
use super::yaml::{Content, Node, Spot};
use kitbag_repo::{Denylist, GlobError};
use kitbag_tokens::Choice;
use std::collections::BTreeMap;
use std::sync::Arc;

/// So many problems are told; a file that has more is no configuration.
const MOST_PROBLEMS: usize = 50;

/// A value and where it was set.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub value: Value,
    pub place: Place,
}

/// Values by key.
pub(crate) type Entries = BTreeMap<String, Entry>;

/// What one source of settings says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Layer {
    /// What holds for every profile.
    pub base: Entries,
    /// What holds for a profile only, under the same keys as in `base`.
    pub profiles: BTreeMap<String, Entries>,
    /// What a repository sets and may set only where the user trusts it.
    pub wanting: Entries,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Authority {
    /// The user: everything may be set.
    User,
    /// A repository, which is not trusted.
    Repository,
    /// Whoever holds the engine and makes a request with it.
    Caller,
    /// Somebody who sends requests over HTTP or MCP.
    Remote,
}

/// Reads a layer, and collects what is wrong with it.
pub(super) struct Reader<'a> {
    authority: Authority,
    names: &'a Names,
    pub layer: Layer,
    pub problems: Vec<ConfigProblem>,
}

impl<'a> Reader<'a> {
    pub fn new(authority: Authority, names: &'a Names) -> Self {
        Self { authority, names, layer: Layer::default(), problems: Vec::new() }
    }

    /// Reads the root of a file.
    pub fn document(&mut self, file: &Arc<str>, root: &Node) {
        match &root.content {
            Content::Section(_) => self.section(file, "", root),
            _ if root.raw() == Raw::Nothing => {}
            _ => {
                let message = format!("a configuration is a section of keys, not {}", root.raw());
                let hint = Some("begin with a key such as `context:`".to_owned());
                self.wrong(at(file, root.spot), ConfigFault::File { message, hint });
            }
        }
    }

    /// Reads the members of a section. The depth of a tree is bounded, so this can call itself.
    fn section(&mut self, file: &Arc<str>, path: &str, node: &Node) {
        let Content::Section(members) = &node.content else { return };
        let mut seen: BTreeMap<String, Spot> = BTreeMap::new();
        for member in members {
            if self.problems.len() > MOST_PROBLEMS {
                return;
            }
            let name = member.key.as_str();
            let key = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            if let Some(first) = seen.insert(plain_key(&key), member.spot) {
                let fault = ConfigFault::Twice { key, first: at(file, first) };
                self.wrong(at(file, member.spot), fault);
            } else if name.contains('.') {
                let message = format!("`{key}` has a dot in it");
                let hint = Some("write a section for each part of a key".to_owned());
                self.wrong(at(file, member.spot), ConfigFault::File { message, hint });
            } else {
                self.member(file, key, member.spot, &member.node);
            }
        }
    }

    fn member(&mut self, file: &Arc<str>, key: String, spot: Spot, node: &Node) {
        if let Some(name) = key.strip_prefix("context.profiles.")
            && !is_name(name.split('.').next().unwrap_or(name))
        {
            let message = format!("a profile cannot be called `{name}`");
            let hint = Some("names are made of letters, digits, `-` and `_`".to_owned());
            return self.wrong(at(file, spot), ConfigFault::File { message, hint });
        }
        let plain = plain_key(&key);
        let is_section = key == "context.profiles"
            || is_profile(&key)
            || (self.names.is_section(&plain)
                && !is_profile(&plain)
                && plain != "context.profiles");
        if !is_section {
            let place = at(file, if self.names.find(&plain).is_some() { node.spot } else { spot });
            self.set(&key, &node.raw(), place);
        } else if matches!(node.content, Content::Section(_)) {
            self.section(file, &key, node);
        } else if node.raw() != Raw::Nothing {
            let expected = "a section of keys".to_owned();
            let found = node.raw().to_string();
            self.wrong(
                at(file, node.spot),
                ConfigFault::Value { key, expected, found, hint: None },
            );
        }
    }

    /// Takes one value.
    pub fn set(&mut self, key: &str, raw: &Raw, place: Place) {
        if self.problems.len() > MOST_PROBLEMS {
            return;
        }
        let (profile, plain) = (without_profile(key).map(|(profile, _)| profile), plain_key(key));
        let Some(setting) = self.names.find(&plain) else {
            return self.wrong(place, unknown_key(key, self.names));
        };
        let key = key.to_owned();
        let is_repository = self.authority == Authority::Repository;
        let may_with_trust = is_repository && needs_trust(&plain);
        if is_repository && setting.has(Mark::UserOnly) && !may_with_trust {
            return self.wrong(place, ConfigFault::UserOnly { key });
        }
        if is_repository && names_a_file(&plain, raw) {
            return self.wrong(place, ConfigFault::UserOnly { key });
        }
        let is_refused = match self.authority {
            Authority::User | Authority::Repository => false,
            Authority::Caller => !key.starts_with("context."),
            Authority::Remote => !setting.is_for_callers(),
        };
        if is_refused {
            return self.wrong(place, ConfigFault::NotForRequests { key });
        }
        let value = match setting.shape.read(raw) {
            Some(value) => value,
            None if *raw == Raw::Nothing && setting.is_optional() => Value::Nothing,
            None => return self.wrong(place, misfit(key, setting, raw)),
        };
        if let Some(fault) = no_pattern(&plain, &key, &value) {
            return self.wrong(place, fault);
        }
        if may_with_trust || (is_repository && loosens(&plain, &value)) {
            self.layer.wanting.insert(plain, Entry { value, place });
            return;
        }
        let entries = match profile {
            Some(profile) => self.layer.profiles.entry(profile).or_default(),
            None => &mut self.layer.base,
        };
        entries.insert(plain, Entry { value, place });
    }

    /// Notes what is wrong, as long as there are not too many problems.
    pub fn wrong(&mut self, place: Place, fault: ConfigFault) {
        let fault = match self.problems.len() {
            ..MOST_PROBLEMS => fault,
            MOST_PROBLEMS => {
                let message = format!("more than {MOST_PROBLEMS} problems: the rest is not read");
                ConfigFault::File { message, hint: None }
            }
            _ => return,
        };
        self.problems.push(ConfigProblem::new(place, fault));
    }
}

/// A place in a file.
pub(super) fn at(file: &Arc<str>, spot: Spot) -> Place {
    Place::Spot { file: Arc::clone(file), line: spot.line, column: spot.column }
}

fn misfit(key: String, setting: &Setting, raw: &Raw) -> ConfigFault {
    let hint = format!("for example `{}`", setting.example());
    let (expected, found) = (setting.shape.to_string(), raw.to_string());
    ConfigFault::Value { key, expected, found, hint: Some(hint) }
}

/// What is wrong with the patterns of paths that a value has, if it has any. One that matches nothing
/// would deny nothing.
fn no_pattern(plain: &str, key: &str, value: &Value) -> Option<ConfigFault> {
    let Value::List(patterns) = value else { return None };
    if plain != "security.deny" {
        return None;
    }
    let reason = |pattern: &String| Some((pattern.clone(), Denylist::new([pattern]).err()?));
    let (pattern, error) = patterns.iter().find_map(reason)?;
    let reason = match error {
        GlobError::Invalid { reason, .. } | GlobError::TooLarge { reason } => reason,
    };
    Some(ConfigFault::Value {
        key: key.to_owned(),
        expected: "patterns of paths".to_owned(),
        found: Raw::Quoted(pattern).to_string(),
        hint: Some(reason),
    })
}

/// The profile of a key such as `context.profiles.review.budget.total`, and the key without it.
/// Profiles have none of their own.
fn without_profile(key: &str) -> Option<(String, String)> {
    let (name, rest) = key.strip_prefix("context.profiles.")?.split_once('.')?;
    let is_nested = rest == "profiles" || rest.starts_with("profiles.");
    (!is_nested && is_name(name)).then(|| (name.to_owned(), format!("context.{rest}")))
}

/// The key that holds the value, whatever the profile and however a provider is called.
fn plain_key(key: &str) -> String {
    canonical(without_profile(key).as_ref().map_or(key, |(_, plain)| plain))
}

fn is_profile(key: &str) -> bool {
    key.strip_prefix("context.profiles.").is_some_and(|name| !name.contains('.') && is_name(name))
}

/// Whether a profile can be called so.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// Whether a repository may set a key where the user trusts it. Which variable holds the key stays
/// the user's: a repository could name any.
fn needs_trust(key: &str) -> bool {
    key.starts_with("judge.") && key != "judge.key_env"
}

/// Whether a value takes back what keeps secrets in. A repository may add to that by itself, and not
/// take away from what the user relies on.
fn loosens(key: &str, value: &Value) -> bool {
    key == "security.redact" && *value == Value::Flag(false)
}

/// What needs trust together: of the keys of one piece, some without the others would be something
/// else.
pub(super) fn piece_of(key: &str) -> &'static str {
    if key.starts_with("judge.") { "judge" } else { "redaction" }
}

/// Whether a value names a file that only the user may name: a tokenizer may lie anywhere.
fn names_a_file(key: &str, raw: &Raw) -> bool {
    let (Raw::Plain(name) | Raw::Quoted(name)) = raw else { return false };
    key == "model.tokenizer" && matches!(Choice::parse(name), Ok(Choice::File(_)))
}
