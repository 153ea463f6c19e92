//! What can be wrong with a configuration, and where.

use super::names::Names;
use super::place::Place;

/// What is wrong at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Where it is wrong.
    pub place: Place,
    /// What is wrong.
    pub fault: ConfigFault,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigFault {
    /// The file cannot be read, or is no YAML.
    #[error("{message}")]
    File {
        /// Why.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// There is no such key.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// What was written.
        key: String,
        /// The nearest key that there is.
        nearest: String,
    },
    /// The key is that of a section, which has no value of its own.
    #[error("`{key}` is a section of keys, and has no value of its own")]
    Section {
        /// What was written.
        key: String,
        /// One of its keys.
        member: String,
    },
    /// The value is of another type, or not possible.
    #[error("`{key}` must be {expected}, not {found}")]
    Value {
        /// The key.
        key: String,
        /// What it takes.
        expected: String,
        /// What was written.
        found: String,
        /// What to write instead.
        hint: Option<String>,
    },
    /// A key is there twice.
    #[error("`{key}` is set twice; the first is at {first}")]
    Twice {
        /// The key.
        key: String,
        /// Where it is first.
        first: Place,
    },
    /// Only the user may set the key.
    #[error("`{key}` may be set by the user only, not by a repository")]
    UserOnly {
        /// The key.
        key: String,
    },
    /// A request may set settings of `context` only, and over HTTP or MCP not all of them.
    #[error("`{key}` cannot be set by a request")]
    NotForRequests {
        /// The key.
        key: String,
    },
    /// There is no such profile.
    #[error("unknown profile `{name}`")]
    UnknownProfile {
        /// What was asked for.
        name: String,
        /// The nearest profile that there is.
        nearest: String,
    },
    /// Values that are each possible, and not together.
    #[error("{message}")]
    Together {
        /// Which values, and where each of them is set.
        message: String,
        /// What to do about it.
        hint: String,
    },
}

/// All that is wrong with a configuration, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// What is wrong; never empty.
    pub problems: Vec<ConfigProblem>,
}

impl std::error::Error for ConfigError {}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, problem) in self.problems.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.place {
            // Whoever made the request knows where it is from.
            Place::Request => write!(f, "{}", self.fault),
            place => write!(f, "{place}: {}", self.fault),
        }
    }
}

impl ConfigError {
    /// Whether the request is at fault, and nothing that the user wrote.
    pub(crate) fn is_of_request(&self) -> bool {
        self.problems.iter().all(|problem| problem.place == Place::Request)
    }

    /// Whether a request sets what it may not set.
    pub(crate) fn is_refusal(&self) -> bool {
        let is_refused =
            |it: &ConfigProblem| matches!(it.fault, ConfigFault::NotForRequests { .. });
        self.problems.iter().any(is_refused)
    }

    /// An error, unless nothing is wrong.
    pub(super) fn unless_empty(problems: Vec<ConfigProblem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self { problems }) }
    }
}

impl ConfigProblem {
    pub(super) fn new(place: Place, fault: ConfigFault) -> Self {
        Self { place, fault }
    }

    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        match &self.fault {
            ConfigFault::File { hint, .. } | ConfigFault::Value { hint, .. } => hint.clone(),
            ConfigFault::UnknownKey { nearest, .. } => {
                Some(format!("the nearest key is `{nearest}`"))
            }
            ConfigFault::Section { member, .. } => {
                Some(format!("name one of its keys, such as `{member}`"))
            }
            ConfigFault::Twice { .. } => Some("remove one of them".to_owned()),
            ConfigFault::UserOnly { .. } => {
                Some("set it in the configuration of the user".to_owned())
            }
            ConfigFault::NotForRequests { key } if key.starts_with("context.") => {
                Some(format!("the user decides on `{key}`, in the configuration"))
            }
            ConfigFault::NotForRequests { .. } => {
                Some("a request sets keys of `context` only".to_owned())
            }
            ConfigFault::UnknownProfile { nearest, .. } => {
                Some(format!("the nearest profile is `{nearest}`"))
            }
            ConfigFault::Together { hint, .. } => Some(hint.clone()),
        }
    }
}

/// The letters of a key that are told and looked at: no key has as many.
const LONGEST_KEY: usize = 120;

/// No setting is called `key`.
pub(super) fn unknown_key(key: &str, names: &Names) -> ConfigFault {
    if let Some(member) = member_of(key, names) {
        return ConfigFault::Section { key: key.to_owned(), member };
    }
    let (key, is_cut) = match key.char_indices().nth(LONGEST_KEY) {
        Some((end, _)) => (&key[..end], true),
        None => (key, false),
    };
    let nearest = nearest_key(key, names);
    let key = if is_cut { format!("{key}...") } else { key.to_owned() };
    ConfigFault::UnknownKey { key, nearest }
}

/// The first key in a section, where `key` is one.
fn member_of(key: &str, names: &Names) -> Option<String> {
    let (profile, plain) = match key.strip_prefix("context.profiles.") {
        Some(rest) => {
            let (name, rest) = rest.split_once('.').map_or((rest, ""), |(name, rest)| (name, rest));
            let dot = if rest.is_empty() { "" } else { "." };
            (Some(name), format!("context{dot}{rest}"))
        }
        None => (None, key.to_owned()),
    };
    let begin = format!("{plain}.");
    let member = names.keys().map(|(key, _)| key).find(|key| key.starts_with(&begin))?;
    match (profile, member.strip_prefix("context.")) {
        (Some(name), Some(rest)) => Some(format!("context.profiles.{name}.{rest}")),
        _ => Some(member),
    }
}

/// Keys of other sections are so much further away than they look, where a section is right.
const ELSEWHERE: usize = 10;

/// The key of a setting or a section that is most like `key`. Who leaves out the sections around a
/// key means the key, and who is in the right section means a key of that section.
fn nearest_key(key: &str, names: &Names) -> String {
    let (profile, key) = match key.strip_prefix("context.profiles.") {
        Some(rest) => {
            let (name, rest) = rest.split_once('.').unwrap_or((rest, ""));
            (Some(name), format!("context.{rest}"))
        }
        None => (None, key.to_owned()),
    };
    let (section, last) = key.rsplit_once('.').unwrap_or(("", &key));
    let ends = key.rmatch_indices('.').map(|(at, _)| &key[..at]);
    let home = ends.filter(|end| end.contains('.')).find(|end| names.is_section(end));
    let distance = |candidate: &str| {
        let (its_section, its_last) = candidate.rsplit_once('.').unwrap_or(("", candidate));
        let whole = strsim::damerau_levenshtein(&key, candidate);
        let lasts = strsim::damerau_levenshtein(last, its_last);
        let is_left_out = its_last == last && its_section.starts_with(section);
        match section == its_section {
            true => whole.min(lasts),
            false if is_left_out => whole.min(2),
            false if home.is_some_and(|home| !its_section.starts_with(home)) => whole + ELSEWHERE,
            false if its_last == last => whole.min(ELSEWHERE),
            false => whole.min(lasts + 3),
        }
    };
    let nearest = names
        .keys()
        .flat_map(|(key, _)| with_sections(&key))
        .min_by_key(|candidate| distance(candidate))
        .unwrap_or_default();
    match (profile, nearest.strip_prefix("context.")) {
        (Some(name), Some(rest)) => format!("context.profiles.{name}.{rest}"),
        _ => nearest,
    }
}

/// A key, and the sections that it is in.
fn with_sections(key: &str) -> Vec<String> {
    let ends = key.match_indices('.').map(|(at, _)| at).chain([key.len()]);
    ends.map(|end| key[..end].to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::{ConfigFault, Names, nearest_key, unknown_key};

    #[test]
    fn the_nearest_key_is_what_was_meant() {
        for (typed, meant) in [
            ("context.budget.totl", "context.budget.total"),
            ("contxt", "context"),
            ("budget", "context.budget"),
            ("context.total", "context.budget.total"),
            ("context.buget", "context.budget"),
            ("context.source_priority.tool_result", "context.source_priority.tool_results"),
            ("context.chunking.languages.pyton", "context.chunking.languages.python"),
            ("context.rankings.min_score", "context.ranking.min_score"),
            ("context.profiles.review.budget.totl", "context.profiles.review.budget.total"),
            ("Security", "security"),
            ("context.providers.serch", "context.providers.search"),
            ("context.providers.ragg", "context.providers.rag"),
            ("context.providers.on_cal", "context.providers.on_call"),
            ("context.providers.on_cal.enabled", "context.providers.on_call.enabled"),
            ("context.providers.stile.max_items", "context.providers.style.max_items"),
        ] {
            let names = Names { own: vec!["on_call".into()] };
            assert_eq!(nearest_key(typed, &names), meant, "{typed}");
        }
    }

    #[test]
    fn a_section_is_told_as_one_with_a_key_of_it() {
        for (typed, member) in [
            ("context.formatting", "context.formatting.format"),
            ("context.providers.rag", "context.providers.rag.enabled"),
            ("context.providers.on_call", "context.providers.on_call.enabled"),
            ("context.profiles.review", "context.profiles.review.enabled"),
            ("context.profiles.review.budget", "context.profiles.review.budget.total"),
            ("security", "security.deny"),
        ] {
            let names = Names { own: vec!["on_call".into()] };
            let fault = unknown_key(typed, &names);
            let (key, member) = (typed.to_owned(), member.to_owned());
            assert_eq!(fault, ConfigFault::Section { key, member }, "{typed}");
        }
    }

    #[test]
    fn a_provider_that_nobody_knows_is_not_taken_for_a_language() {
        for typed in ["context.providers.on_call", "context.providers.on_call.enabled"] {
            let nearest = nearest_key(typed, &Names::default());
            assert!(nearest.starts_with("context.providers."), "{typed}: {nearest}");
        }
    }
}
