//! Who may set a value, besides the user, who may set everything.

use serde_json::Value;

/// A rule of the table about who may set a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessRule {
    /// Only the user, never a repository.
    UserOnly,
    /// Not a request over HTTP or MCP.
    NotRemote,
    /// A repository, without trust: the value only decides among what the caller asked for.
    Free,
    /// A repository that is not trusted may only lower the value.
    Lower,
    /// A repository that is not trusted may only make the budget smaller.
    Budget,
    /// A repository that is not trusted may only set `true`.
    Enable,
    /// A repository that is not trusted may only set `false`.
    Disable,
}

/// What the file of a repository may do with a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum RepositoryAccess {
    /// Set it.
    Free,
    /// Set it within a bound, and to any value if the user trusts it.
    Bounded(Bound),
    /// Set it if the user trusts it.
    #[default]
    Trust,
    /// Nothing: setting it is an error.
    Never,
}

/// The direction in which a repository may change a value without trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    Lower,
    /// The settings of the budget together determine its size.
    Budget,
    Enable,
    Disable,
}

impl AccessRule {
    pub fn repository_access(self) -> Option<RepositoryAccess> {
        match self {
            Self::NotRemote => None,
            Self::UserOnly => Some(RepositoryAccess::Never),
            Self::Free => Some(RepositoryAccess::Free),
            Self::Lower => Some(RepositoryAccess::Bounded(Bound::Lower)),
            Self::Budget => Some(RepositoryAccess::Bounded(Bound::Budget)),
            Self::Enable => Some(RepositoryAccess::Bounded(Bound::Enable)),
            Self::Disable => Some(RepositoryAccess::Bounded(Bound::Disable)),
        }
    }
}

impl RepositoryAccess {
    /// Describes the access in the reference.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Free => "yes",
            Self::Bounded(Bound::Lower) => "lower",
            Self::Bounded(Bound::Budget) => "smaller budget",
            Self::Bounded(Bound::Enable) => "`true`",
            Self::Bounded(Bound::Disable) => "`false`",
            Self::Trust => "trust",
            Self::Never => "no",
        }
    }

    /// Whether the value of a setting takes effect only with trust, or may do so.
    pub fn involves_trust(self, value: &Value) -> bool {
        match self {
            Self::Free => false,
            Self::Bounded(Bound::Enable) => *value != Value::Bool(true),
            Self::Bounded(Bound::Disable) => *value != Value::Bool(false),
            Self::Bounded(_) | Self::Trust | Self::Never => true,
        }
    }
}

impl Bound {
    /// Whether a repository may replace the value `current`. An optional limit that is not set is
    /// infinite. Settings of the budget are compared as a whole instead.
    pub fn allows(self, current: &Value, value: &Value) -> bool {
        let number = |value: &Value| value.as_f64().unwrap_or(f64::INFINITY);
        match self {
            Self::Lower => number(value) <= number(current),
            Self::Budget => false,
            Self::Enable => *value == Value::Bool(true),
            Self::Disable => *value == Value::Bool(false),
        }
    }

    /// Describes the values that are accepted without trust.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Lower => "only a lower value is accepted",
            Self::Budget => "only a smaller budget is accepted",
            Self::Enable => "only `true` is accepted",
            Self::Disable => "only `false` is accepted",
        }
    }
}
