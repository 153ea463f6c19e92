//! Errors of configurations.

use crate::origin::ConfigOrigin;

/// An error of a configuration and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Where the error is.
    pub origin: ConfigOrigin,
    /// The error.
    pub kind: ConfigProblemKind,
}

/// The kind of a [`ConfigProblem`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigProblemKind {
    /// The file cannot be read or parsed.
    #[error("{message}")]
    File {
        /// The reason.
        message: String,
        /// How to fix it.
        hint: Option<String>,
    },
    /// The key does not exist.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// The key as written.
        key: String,
        /// Suggests a similar key, or lists the keys of its section.
        hint: Option<String>,
    },
    /// The key names a section, which cannot have a value.
    #[error("`{key}` is a section and cannot have a value")]
    Section {
        /// The key as written.
        key: String,
        /// A key of the section.
        member: String,
    },
    /// The value has the wrong type or is out of bounds.
    #[error("`{key}` must be {expected}, not {found}")]
    Value {
        /// The key.
        key: String,
        /// The values that the key accepts.
        expected: String,
        /// The value as written.
        found: String,
        /// A value to write instead.
        hint: Option<String>,
    },
    /// A pattern cannot be used.
    #[error("invalid pattern `{pattern}` in `{key}`: {reason}")]
    Pattern {
        /// The key of the list that has the pattern.
        key: String,
        /// The pattern as written.
        pattern: String,
        /// What is wrong with the pattern.
        reason: String,
    },
    /// The key is set twice in one file.
    #[error("`{key}` is set twice; it was first set at {first}")]
    Duplicate {
        /// The key.
        key: String,
        /// Where it was set first.
        first: ConfigOrigin,
    },
    /// A repository sets a key that only the user may set.
    #[error("`{key}` can only be set by the user, not by a repository")]
    UserOnly {
        /// The key.
        key: String,
    },
    /// A request sets a key that it may not set.
    #[error("`{key}` cannot be set by a request")]
    NotForRequests {
        /// The key.
        key: String,
    },
    /// The profile does not exist.
    #[error("unknown profile `{name}`")]
    UnknownProfile {
        /// The requested profile.
        name: String,
        /// Suggests a similar profile, or lists the known ones.
        hint: Option<String>,
    },
    /// Several values, each valid, contradict each other.
    #[error("{message}")]
    Conflict {
        /// The values and their origins.
        message: String,
        /// How to fix it.
        hint: String,
    },
}

/// All errors of a configuration, in order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct ConfigError {
    /// The errors; never empty.
    pub problems: Vec<ConfigProblem>,
}

impl std::fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.origin {
            // The caller knows where its own request comes from.
            ConfigOrigin::Request => write!(f, "{}", self.kind),
            origin => write!(f, "{origin}: {}", self.kind),
        }
    }
}

impl From<ConfigProblem> for ConfigError {
    fn from(problem: ConfigProblem) -> Self {
        Self { problems: vec![problem] }
    }
}

impl From<Vec<ConfigProblem>> for ConfigError {
    fn from(problems: Vec<ConfigProblem>) -> Self {
        Self { problems }
    }
}

impl ConfigError {
    /// Whether all errors are in the request, none in files or the environment.
    pub fn is_request_error(&self) -> bool {
        self.problems.iter().all(|problem| problem.origin == ConfigOrigin::Request)
    }

    /// Whether a request sets a key that it may not set.
    pub fn is_forbidden(&self) -> bool {
        self.problems.iter().any(|it| matches!(it.kind, ConfigProblemKind::NotForRequests { .. }))
    }

    /// Returns an error unless `problems` is empty.
    pub(crate) fn unless_empty(problems: Vec<ConfigProblem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self { problems }) }
    }
}

impl ConfigProblemKind {
    pub(crate) fn file(message: impl Into<String>, hint: Option<&str>) -> Self {
        Self::File { message: message.into(), hint: hint.map(str::to_owned) }
    }
}

impl ConfigProblem {
    /// Returns how to fix the error, if there is advice.
    pub fn hint(&self) -> Option<String> {
        use ConfigProblemKind as Kind;
        Some(match &self.kind {
            Kind::File { hint, .. }
            | Kind::Value { hint, .. }
            | Kind::UnknownKey { hint, .. }
            | Kind::UnknownProfile { hint, .. } => return hint.clone(),
            Kind::Section { member, .. } => section_hint(member),
            Kind::Pattern { .. } => return None,
            Kind::Duplicate { .. } => "remove one of the two".to_owned(),
            Kind::UserOnly { .. } => "set it in the user configuration".to_owned(),
            Kind::NotForRequests { key } if key.starts_with("context.") => {
                format!("set `{key}` in the configuration")
            }
            Kind::NotForRequests { .. } => "a request can only set keys of `context`".to_owned(),
            Kind::Conflict { hint, .. } => hint.clone(),
        })
    }
}

/// Advises to set a key of a section instead of the section.
pub(crate) fn section_hint(member: &str) -> String {
    format!("set one of its keys, such as `{member}`")
}
