//! Why a client's file is left as it is.

use std::io;
use std::path::PathBuf;

/// Why a client's file is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not text, or larger than a client's settings can be.
    #[error("`{}` is not a client's settings: {why}", path.display())]
    Unlikely {
        /// The file.
        path: PathBuf,
        /// Why.
        why: &'static str,
    },
    /// The file cannot be understood.
    #[error("`{}`, line {line}, column {column}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// Something in the file is not what its client expects.
    #[error("`{}`: `{key}` is not {expected}", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// Where in it.
        key: String,
        /// What it should be.
        expected: &'static str,
    },
    /// The entry is for something else, and not for a program that the client starts with our
    /// arguments.
    #[error("`{}`: `{key}` starts something else", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Where in it.
        key: String,
    },
    /// Somebody has changed the entry that is to go.
    #[error("`{}`: `{key}` has something in it that a person wrote: `{field}`", path.display())]
    Edited {
        /// The file.
        path: PathBuf,
        /// Where in it.
        key: String,
        /// The field of the entry.
        field: String,
    },
    /// The file has changed since the change was planned.
    #[error("`{}` has just been changed by somebody else", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl InitError {
    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Malformed { .. } | Self::Shape { .. } => {
                Some("put that right first; the file was left as it is")
            }
            Self::Foreign { .. } => {
                Some("rename that entry or take it out first; the file was left as it is")
            }
            Self::Edited { .. } => Some("take the entry out by hand; the file was left as it is"),
            Self::Changed { .. } => Some("close the client and try again"),
            Self::Read { .. } | Self::Unlikely { .. } | Self::Write { .. } => None,
        }
    }

    /// Whether what is there is at fault, and not the run.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Malformed { .. }
                | Self::Shape { .. }
                | Self::Foreign { .. }
                | Self::Edited { .. }
                | Self::Unlikely { .. }
        )
    }
}
