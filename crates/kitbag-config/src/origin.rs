//! Where values and errors come from.

use crate::yaml::LineColumn;
use std::fmt;
use std::sync::Arc;

/// The origin of a value or of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigOrigin {
    /// The default of the setting.
    Default,
    /// A built-in profile.
    Profile(&'static str),
    /// A file as a whole.
    File(Arc<str>),
    /// A position in a file.
    Position {
        /// The file, as shown to the user.
        file: Arc<str>,
        /// Line and column.
        position: LineColumn,
    },
    /// An environment variable.
    Variable(String),
    /// The rest that settings of the same sum leave to this one.
    Remainder,
    /// `--set` on the command line.
    Set,
    /// The request.
    Request,
}

impl ConfigOrigin {
    /// Whether the value was set by the user, a repository or a request.
    pub fn is_explicit(&self) -> bool {
        !matches!(self, Self::Default | Self::Profile(_) | Self::Remainder)
    }
}

impl fmt::Display for ConfigOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Profile(name) => write!(f, "profile {name}"),
            Self::File(file) => f.write_str(file),
            Self::Position { file, position } => write!(f, "{file}:{position}"),
            Self::Variable(name) => f.write_str(name),
            Self::Remainder => f.write_str("remainder"),
            Self::Set => f.write_str("--set"),
            Self::Request => f.write_str("request"),
        }
    }
}
