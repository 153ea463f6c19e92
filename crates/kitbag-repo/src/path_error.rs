//! Reasons for not reading a file, and their codes in reports.

use serde::Serialize;
use std::{fmt, io};

/// An error about a path.
#[derive(Debug)]
#[non_exhaustive]
pub enum PathError {
    /// The path is outside the root, or a link on it leads there.
    OutsideRoot {
        /// The path as given.
        path: String,
    },
    /// The path matches the denylist.
    Denied {
        /// The path as given.
        path: String,
        /// The pattern that matched.
        pattern: String,
    },
    /// The file does not exist.
    NotFound {
        /// The path as given.
        path: String,
    },
    /// The path names a folder, a pipe, a device or the like.
    NotAFile {
        /// The path as given.
        path: String,
    },
    /// The file is larger than the limit.
    TooLarge {
        /// The path as given.
        path: String,
        /// The file's size in bytes, or the number of bytes read so far.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The path cannot name a file here.
    Invalid {
        /// The path, with U+FFFD for bytes that are not UTF-8.
        path: String,
        /// The problem with the path.
        reason: &'static str,
    },
    /// The file exists but cannot be read.
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

    /// Describes the error without the path.
    pub fn reason(&self) -> String {
        match self {
            Self::OutsideRoot { .. } => "outside the root".to_owned(),
            Self::Denied { pattern, .. } => format!("denied by the pattern `{pattern}`"),
            Self::NotFound { .. } => "no such file".to_owned(),
            Self::NotAFile { .. } => "not a regular file".to_owned(),
            Self::TooLarge { size, limit, .. } => {
                format!("{size} bytes exceed the limit of {limit}")
            }
            Self::Invalid { reason, .. } => (*reason).to_owned(),
            Self::Io { source, .. } => format!("cannot be read: {source}"),
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

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "cannot read `{path}`: {source}"),
            error => write!(f, "{}: `{}`", error.reason(), error.path()),
        }
    }
}

impl std::error::Error for PathError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
