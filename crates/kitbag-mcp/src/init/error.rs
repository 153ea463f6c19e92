//! Why a client's file cannot be edited.

use std::io;
use std::path::PathBuf;

/// Why a client's file cannot be edited.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The path is not a configuration file.
    #[error("`{}` is not a configuration file: {reason}", path.display())]
    NotConfig {
        /// The path.
        path: PathBuf,
        /// Why not.
        reason: &'static str,
    },
    /// A symbolic link leads out of the repository.
    #[error("`{}` leads out of the repository, to `{}`", path.display(), target.display())]
    OutsideRepository {
        /// The path in the repository.
        path: PathBuf,
        /// The place that it leads to.
        target: PathBuf,
    },
    /// The file has a syntax error.
    #[error("`{}`, line {line}, column {column}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The syntax error.
        message: String,
    },
    /// A value has the wrong type.
    #[error("`{}`: `{key}` must be {expected}", path.display())]
    WrongType {
        /// The file.
        path: PathBuf,
        /// The key of the value.
        key: String,
        /// The expected type, with its article.
        expected: &'static str,
    },
    /// The entry starts another program, or names a remote server.
    #[error("`{}`: `{key}` starts another server", path.display())]
    OtherServer {
        /// The file.
        path: PathBuf,
        /// The key of the entry.
        key: String,
    },
    /// The entry to remove was edited.
    #[error("`{}`: `{key}.{field}` was edited by the user", path.display())]
    Edited {
        /// The file.
        path: PathBuf,
        /// The key of the entry.
        key: String,
        /// The edited field.
        field: String,
    },
    /// A file that is Kitbag's own by its name has another content.
    #[error("`{}` exists, and Kitbag did not write it", path.display())]
    OtherFile {
        /// The file.
        path: PathBuf,
    },
    /// The file has changed since the edit was planned.
    #[error("`{}` was just changed by another program", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl InitError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Malformed { .. } | Self::WrongType { .. } => {
                Some("fix the file first; it was not changed")
            }
            Self::OtherServer { .. } => {
                Some("rename or remove the entry first; the file was not changed")
            }
            Self::OtherFile { .. } => Some("rename or remove the file first; it was not changed"),
            Self::Edited { .. } => Some("remove the entry by hand; the file was not changed"),
            Self::OutsideRepository { .. } => {
                Some("replace the symbolic link first; nothing was changed")
            }
            Self::Changed { .. } => Some("close the client and try again"),
            Self::Read { .. } | Self::NotConfig { .. } | Self::Write { .. } => None,
        }
    }

    /// Whether the file is invalid, as opposed to a failure at run time.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Malformed { .. }
            | Self::WrongType { .. }
            | Self::OtherServer { .. }
            | Self::Edited { .. }
            | Self::OtherFile { .. }
            | Self::OutsideRepository { .. }
            | Self::NotConfig { .. } => true,
            Self::Read { .. } | Self::Changed { .. } | Self::Write { .. } => false,
        }
    }
}
