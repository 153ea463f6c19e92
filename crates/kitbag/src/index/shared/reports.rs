//! Reports of commands about the store.

use super::Exchange;
use crate::error::Error;
use crate::index::Prepared;
use kitbag_repo::{Root, shared_name};
use kitbag_store::{Collected, IndexListing, ObjectStore, SharedIndex, StoreError};
use serde::Serialize;

/// Version of [`IndexPush`], [`IndexPull`], [`SharedIndexStatus`] and [`IndexGc`]. Incremented when a
/// field is removed or changes its meaning.
pub const INDEX_STORE_VERSION: u32 = 1;

pub(crate) fn store_error(error: &StoreError) -> Error {
    if let StoreError::Settings { .. } = error {
        let hint = error.hint().unwrap_or("correct the variable, or remove it").to_owned();
        return Error::StoreSettings { message: error.to_string(), hint };
    }
    Error::Store { message: error.to_string(), hint: error.hint().map(str::to_owned) }
}

/// Returns the message of a problem with what can be done about it.
pub(crate) fn explained(error: &StoreError) -> String {
    match error.hint() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    }
}

/// Requests and bytes exchanged with a store.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct StoreTraffic {
    /// Number of requests, without retries.
    pub requests: u64,
    /// Bytes received.
    pub received: u64,
    /// Bytes sent.
    pub sent: u64,
}

impl From<kitbag_store::Usage> for StoreTraffic {
    fn from(usage: kitbag_store::Usage) -> Self {
        Self { requests: usage.requests, received: usage.received, sent: usage.sent }
    }
}

/// Result of adding a repository's index to a store.
#[derive(Debug, Clone, Serialize)]
pub struct IndexPush {
    /// Version of this format.
    pub version: u32,
    /// Name of the repository in the store.
    pub repository: String,
    /// Number of files in the tree.
    pub files: usize,
    /// Number of contents that were taken from the store.
    pub pulled: usize,
    /// Number of contents that were analyzed here.
    pub analyzed: usize,
    /// Number of contents that were added to the store.
    pub pushed: usize,
    /// Number of segments that were added to the store.
    pub segments: usize,
    /// Number of segments that were kept from expiring.
    pub renewed: usize,
    /// Requests and bytes.
    #[serde(flatten)]
    pub traffic: StoreTraffic,
    /// Duration in milliseconds.
    pub ms: f64,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// Result of taking a repository's index from a store.
#[derive(Debug, Clone, Serialize)]
pub struct IndexPull {
    /// Version of this format.
    pub version: u32,
    /// Name of the repository in the store.
    pub repository: String,
    /// Number of files in the tree.
    pub files: usize,
    /// Number of contents that were missing here.
    pub missing: usize,
    /// Number of contents that were taken from the store.
    pub pulled: usize,
    /// Number of segments that they were in.
    pub segments: usize,
    /// Number of contents that the store lacks, and that were analyzed here.
    pub analyzed: usize,
    /// Requests and bytes.
    #[serde(flatten)]
    pub traffic: StoreTraffic,
    /// Objects that are damaged or missing. Contents that only they have were analyzed here.
    pub problems: Vec<String>,
    /// Reason why the index could not be saved for the next run.
    pub unkept: Option<String>,
    /// Duration in milliseconds.
    pub ms: f64,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl IndexPush {
    pub(crate) fn new(root: &Root, prepared: Prepared, ms: f64) -> Self {
        let Prepared { exchange, stats, warnings, .. } = prepared;
        let Exchange { pulled, pushed, pushed_segments, renewed_segments, usage, .. } = exchange;
        Self {
            version: INDEX_STORE_VERSION,
            repository: shared_name(root.path()),
            files: stats.files,
            pulled,
            analyzed: stats.analyzed,
            pushed,
            segments: pushed_segments,
            renewed: renewed_segments,
            traffic: usage.into(),
            ms,
            warnings,
        }
    }
}

impl IndexPull {
    pub(crate) fn new(root: &Root, prepared: Prepared, ms: f64) -> Self {
        let Prepared { exchange, stats, warnings, unsaved_warning, .. } = prepared;
        let Exchange { missing, pulled, pulled_segments, problems, usage, .. } = exchange;
        Self {
            version: INDEX_STORE_VERSION,
            repository: shared_name(root.path()),
            files: stats.files,
            missing,
            pulled,
            segments: pulled_segments,
            analyzed: stats.analyzed,
            traffic: usage.into(),
            problems,
            unkept: unsaved_warning,
            ms,
            warnings,
        }
    }
}

/// State of a repository's index in a store.
#[derive(Debug, Clone, Serialize)]
pub struct SharedIndexStatus {
    /// Version of this format.
    pub version: u32,
    /// URL of the store.
    pub store: String,
    /// Whether the store is encrypted.
    pub encrypted: bool,
    /// Name of the repository in the store.
    pub repository: String,
    /// Number of lists. A collection makes them one.
    pub lists: usize,
    /// Number of segments.
    pub segments: usize,
    /// Number of contents.
    pub contents: usize,
    /// Size of the segments in the store, in bytes.
    pub bytes: u64,
    /// Requests and bytes.
    #[serde(flatten)]
    pub traffic: StoreTraffic,
    /// Objects that are damaged or missing.
    pub problems: Vec<String>,
}

impl SharedIndexStatus {
    pub(super) fn new(index: &SharedIndex, repository: String, listing: &IndexListing) -> Self {
        let store = index.store();
        let missing: Vec<StoreError> = listing.missing.iter().map(|it| index.missing(it)).collect();
        let problems = listing.problems.iter().chain(&missing).map(explained).collect();
        Self {
            version: INDEX_STORE_VERSION,
            store: store.url().to_owned(),
            encrypted: store.is_encrypted(),
            repository,
            lists: listing.lists,
            segments: listing.segments.len(),
            contents: listing.contents(),
            bytes: listing.segments.iter().map(kitbag_store::SegmentEntry::size).sum(),
            traffic: store.usage().into(),
            problems,
        }
    }
}

/// Result of a collection in a store.
#[derive(Debug, Clone, Serialize)]
pub struct IndexGc {
    /// Version of this format.
    pub version: u32,
    /// URL of the store.
    pub store: String,
    /// Number of indexes, of repositories and analysis settings.
    pub indexes: usize,
    /// Number of segments in use.
    pub segments: usize,
    /// Size of the segments in use, in bytes.
    pub bytes: u64,
    /// Number of segments that expired.
    pub expired: usize,
    /// Number of segments that were merged into others.
    pub merged: usize,
    /// Number of lists that were replaced.
    pub replaced_lists: usize,
    /// Number of lists that were deleted.
    pub deleted_lists: usize,
    /// Number of segments that were deleted.
    pub deleted_segments: usize,
    /// Number of summaries, sessions and packs that were deleted.
    pub deleted_objects: usize,
    /// Size of all that was deleted but lists, in bytes.
    pub freed_bytes: u64,
    /// Requests and bytes.
    #[serde(flatten)]
    pub traffic: StoreTraffic,
    /// Problems with single indexes, which were left as they are.
    pub problems: Vec<String>,
}

impl IndexGc {
    pub(super) fn new(store: &ObjectStore, collected: Collected) -> Self {
        Self {
            version: INDEX_STORE_VERSION,
            store: store.url().to_owned(),
            indexes: collected.indexes,
            segments: collected.segments,
            bytes: collected.bytes,
            expired: collected.expired,
            merged: collected.merged,
            replaced_lists: collected.replaced_lists,
            deleted_lists: collected.deleted_lists,
            deleted_segments: collected.deleted_segments,
            deleted_objects: collected.deleted_objects,
            freed_bytes: collected.freed_bytes,
            traffic: store.usage().into(),
            problems: collected.problems.iter().map(explained).collect(),
        }
    }
}
