//! Reasons for not reading a file, and their codes in reports.

use serde::Serialize;
use std::io;
use thiserror::Error;

/// An error about a path.
#[derive(Debug, Error)]
pub enum PathError {
    /// The path is outside the root, or a link on it leads there.
    #[error("outside the root: `{path}`")]
    OutsideRoot {
        /// The path as given.
        path: String,
    },
    /// The path matches the denylist.
    #[error("denied by the pattern `{pattern}`: `{path}`")]
    Denied {
        /// The path as given.
        path: String,
        /// The pattern that matched.
        pattern: String,
    },
    /// The file does not exist.
    #[error("no such file: `{path}`")]
    NotFound {
        /// The path as given.
        path: String,
    },
    /// The path names a folder, a pipe, a device or the like.
    #[error("not a regular file: `{path}`")]
    NotAFile {
        /// The path as given.
        path: String,
    },
    /// The file is larger than the limit.
    #[error("{size} bytes exceed the limit of {limit}: `{path}`")]
    TooLarge {
        /// The path as given.
        path: String,
        /// The file's size in bytes, or the number of bytes read so far.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The path cannot name a file here.
    #[error("{reason}: `{path}`")]
    Invalid {
        /// The path, with U+FFFD for bytes that are not UTF-8.
        path: String,
        /// The problem with the path.
        reason: &'static str,
    },
    /// The file exists but cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The path as given.
        path: String,
        /// The system's error.
        source: io::Error,
    },
}

/// The reason why a file was left out, as reports name it. Sorts by that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipCode {
    /// [`PathError::Denied`].
    Denied,
    /// [`PathError::Invalid`].
    InvalidPath,
    /// [`PathError::NotAFile`].
    NotAFile,
    /// [`PathError::NotFound`].
    NotFound,
    /// [`PathError::OutsideRoot`].
    OutsideRoot,
    /// The folder is nested too deeply to be listed.
    TooDeep,
    /// [`PathError::TooLarge`].
    TooLarge,
    /// The folder has more files than are listed.
    TooMany,
    /// [`PathError::Io`].
    Unreadable,
}

impl SkipCode {
    /// Returns the name in reports, such as `outside_root`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::InvalidPath => "invalid_path",
            Self::NotAFile => "not_a_file",
            Self::NotFound => "not_found",
            Self::OutsideRoot => "outside_root",
            Self::TooDeep => "too_deep",
            Self::TooLarge => "too_large",
            Self::TooMany => "too_many",
            Self::Unreadable => "unreadable",
        }
    }
}

impl PathError {
    /// Returns the reason's code in reports.
    pub fn code(&self) -> SkipCode {
        match self {
            Self::OutsideRoot { .. } => SkipCode::OutsideRoot,
            Self::Denied { .. } => SkipCode::Denied,
            Self::NotFound { .. } => SkipCode::NotFound,
            Self::NotAFile { .. } => SkipCode::NotAFile,
            Self::TooLarge { .. } => SkipCode::TooLarge,
            Self::Invalid { .. } => SkipCode::InvalidPath,
            Self::Io { .. } => SkipCode::Unreadable,
        }
    }

    /// Returns the path that the error is about.
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
        if is_missing(&source) { Self::NotFound { path } } else { Self::Io { path, source } }
    }
}

pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
