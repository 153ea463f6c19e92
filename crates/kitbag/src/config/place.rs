//! Where a value comes from.

use std::fmt;
use std::sync::Arc;

/// Where a value comes from, or where something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Nobody set it.
    Default,
    /// A profile that is built in.
    Profile(&'static str),
    /// A file as a whole.
    File(Arc<str>),
    /// A line and column of a file, both from 1.
    Spot {
        /// The file.
        file: Arc<str>,
        /// The line.
        line: usize,
        /// The column, in characters.
        column: usize,
    },
    /// An environment variable.
    Variable(String),
    /// `--set` on the command line.
    Set,
    /// The request.
    Request,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Profile(name) => write!(f, "profile {name}"),
            Self::File(file) => f.write_str(file),
            Self::Spot { file, line, column } => write!(f, "{file}:{line}:{column}"),
            Self::Variable(name) => f.write_str(name),
            Self::Set => f.write_str("--set"),
            Self::Request => f.write_str("request"),
        }
    }
}
