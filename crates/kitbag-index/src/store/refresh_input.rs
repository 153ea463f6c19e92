//! The inputs of a refresh, and the states of files while it runs.

use crate::content_key::ContentKey;
use crate::record::AnalysisSettings;
use kitbag_text::Cancel;
use std::time::SystemTime;

/// Size of the largest file that is indexed.
pub const MAX_FILE_BYTES: u64 = 10 << 20;

/// How to bring an index up to date.
pub struct Refresh<'a> {
    /// Settings of the analysis.
    pub settings: &'a AnalysisSettings<'a>,
    /// Whether the tree lists only some of the files, so that a file which is not listed may still
    /// exist.
    pub is_partial: bool,
    /// Current time in nanoseconds since 1970.
    pub now: i64,
    /// Once cancelled, the contents analyzed so far are kept, and the rest is skipped.
    pub cancel: &'a Cancel,
    /// Called with the number of files read so far, and the number of files to read.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl<'a> Refresh<'a> {
    /// Creates a refresh of a complete tree at the current time, without progress reports.
    pub fn new(settings: &'a AnalysisSettings<'a>, cancel: &'a Cancel) -> Self {
        let now = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos() as i64);
        Self { settings, is_partial: false, now, cancel, progress: &|_, _| {} }
    }
}

/// State of a file compared with the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileState {
    /// The file has to be read.
    Unknown,
    TooLarge,
    Unreadable,
    Known {
        key: ContentKey,
        /// Whether the file was read to compute the key.
        was_read: bool,
    },
}

impl FileState {
    /// Returns the key of the content, if it is known.
    pub fn key(&self) -> Option<ContentKey> {
        match self {
            Self::Known { key, .. } => Some(*key),
            _ => None,
        }
    }
}
