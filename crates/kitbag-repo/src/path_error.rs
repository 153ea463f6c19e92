//! Why a file is not taken, in the words and codes of reports.

use std::io;
use thiserror::Error;

/// Why a file is not taken.
#[derive(Debug, Error)]
pub enum PathError {
    /// It is, or leads, outside the root.
    #[error("outside the root: `{path}`")]
    OutsideRoot {
        /// The path as it was given.
        path: String,
    },
    /// The denylist has it.
    #[error("denied by the pattern `{pattern}`: `{path}`")]
    Denied {
        /// The path as it was given.
        path: String,
        /// The pattern that matched.
        pattern: String,
    },
    /// There is nothing there.
    #[error("no such file: `{path}`")]
    NotFound {
        /// The path as it was given.
        path: String,
    },
    /// It is a folder, a pipe, a device or the like.
    #[error("not a regular file: `{path}`")]
    NotAFile {
        /// The path as it was given.
        path: String,
    },
    /// It has more bytes than were wanted.
    #[error("{size} bytes are more than {limit}: `{path}`")]
    TooLarge {
        /// The path as it was given.
        path: String,
        /// How many bytes it has, or had when reading stopped.
        size: u64,
        /// How many it may have.
        limit: u64,
    },
    /// No file can be called that here.
    #[error("{reason}: `{path}`")]
    Invalid {
        /// The path; what is not UTF-8 in it is replaced.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// It is there and cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The path as it was given.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl PathError {
    /// The reason's name in reports.
    pub fn code(&self) -> &'static str {
        match self {
            Self::OutsideRoot { .. } => "outside_root",
            Self::Denied { .. } => "denied",
            Self::NotFound { .. } => "not_found",
            Self::NotAFile { .. } => "not_a_file",
            Self::TooLarge { .. } => "too_large",
            Self::Invalid { .. } => "invalid_path",
            Self::Io { .. } => "unreadable",
        }
    }

    /// The path that it is about.
    pub fn path(&self) -> &str {
        match self {
            Self::OutsideRoot { path }
            | Self::Denied { path, .. }
            | Self::NotFound { path }
            | Self::NotAFile { path }
            | Self::TooLarge { path, .. }
            | Self::Invalid { path, .. }
            | Self::Io { path, .. } => path,
        }
    }

    pub(crate) fn io(path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::NotFound { path },
            _ => Self::Io { path, source },
        }
    }
}
