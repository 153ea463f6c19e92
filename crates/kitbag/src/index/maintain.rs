//! Maintenance of indexes: their status, refresh and removal.

use super::repo_index::HISTORY;
use super::{Indexes, Prepared, lock};
use crate::error::Error;
use crate::index::search_chunk_limits;
use kitbag_index::{AnalysisSettings, CommitLog, RefreshStats, Store, StoreStatus, prune};
use kitbag_repo::{Root, folder_for};
use kitbag_text::ChunkLimits;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Version of [`IndexStatus`], [`IndexRefresh`] and [`Cleared`]. Incremented when a field is
/// removed or changes its meaning.
pub const INDEX_VERSION: u32 = 1;

/// Status of a repository's indexes.
#[derive(Debug, Clone, Serialize)]
pub struct IndexStatus {
    /// Version of this format.
    pub version: u32,
    /// Folder of the repository.
    pub repo: String,
    /// Existing indexes, one per tokenizer that has been used.
    pub indexes: Vec<IndexState>,
}

/// Status of an index.
#[derive(Debug, Clone, Serialize)]
pub struct IndexState {
    /// Tokenizer of the index.
    pub tokenizer: &'static str,
    /// Folder of the index.
    pub folder: String,
    /// Number of files in the index, including those that are not text.
    pub files: usize,
    /// Number of distinct file contents in the index.
    pub contents: usize,
    /// Number of segments that store the contents.
    pub segments: usize,
    /// Size on disk, in bytes.
    pub bytes: u64,
    /// Time of the last use, in seconds since 1970, with a resolution of an hour.
    pub used: Option<i64>,
    /// Description of a problem with the index.
    pub trouble: Option<String>,
}

/// Result of bringing an index up to date.
#[derive(Debug, Clone, Serialize)]
pub struct IndexRefresh {
    /// Version of this format.
    pub version: u32,
    /// Folder of the repository.
    pub repo: String,
    /// Number of files in the repository.
    pub files: usize,
    /// Number of files that appear unchanged and were not read.
    pub unchanged: usize,
    /// Number of files that were read and whose content was already indexed.
    pub known: usize,
    /// Number of files whose content was analysed.
    pub analysed: usize,
    /// Number of files that are not text.
    pub not_text: usize,
    /// Number of files that are too large to be searched.
    pub too_large: usize,
    /// Number of files that could not be read.
    pub unreadable: usize,
    /// Reason why the index could not be saved for the next run.
    pub unkept: Option<String>,
    /// Duration in milliseconds.
    pub ms: f64,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// Result of removing indexes.
#[derive(Debug, Clone, Serialize)]
pub struct Cleared {
    /// Version of this format.
    pub version: u32,
    /// Folders of the indexes that were removed.
    pub removed: Vec<String>,
    /// Folders of the indexes that were kept because another process is writing to them.
    pub busy: Vec<String>,
}

impl IndexRefresh {
    pub(crate) fn new(root: &Root, prepared: Prepared, ms: f64) -> Self {
        let Prepared { warnings, stats, unsaved_warning, .. } = prepared;
        let RefreshStats {
            files, unchanged, known, analysed, not_text, too_large, unreadable, ..
        } = stats;
        Self {
            version: INDEX_VERSION,
            repo: shown(root.path()),
            files,
            unchanged,
            known,
            analysed,
            not_text,
            too_large,
            unreadable,
            unkept: unsaved_warning,
            ms,
            warnings,
        }
    }
}

impl Indexes {
    /// Returns the status of a repository's indexes.
    pub fn status(&self, root: &Root, limits: &ChunkLimits) -> Result<IndexStatus, Error> {
        let mut indexes = Vec::new();
        for (tokenizer, folder, store) in self.stores(root, limits)? {
            let status = match store {
                Ok(store) if folder.is_dir() => with_history(store.status()),
                Ok(_) => continue,
                // If the folder cannot exist, the indexes of all tokenizers fail in the same way.
                Err(error) if fs::symlink_metadata(&folder).is_err() => {
                    return Err(Error::Index { message: error.to_string() });
                }
                Err(error) => no_status(folder, error.to_string()),
            };
            indexes.push(IndexState::new(tokenizer, status));
        }
        Ok(IndexStatus { version: INDEX_VERSION, repo: shown(root.path()), indexes })
    }

    /// Removes a repository's indexes.
    pub fn clear(&self, root: &Root, limits: &ChunkLimits) -> Result<Cleared, Error> {
        let mut cleared = Cleared::nothing();
        for (_, folder, store) in self.stores(root, limits)? {
            lock(&self.open).remove(&folder);
            let failed =
                |error: kitbag_index::StoreError| Error::Index { message: error.to_string() };
            let store = store.map_err(failed)?;
            if !folder.is_dir() {
                continue;
            }
            let is_gone = store.clear().map_err(failed)?;
            if is_gone { &mut cleared.removed } else { &mut cleared.busy }.push(shown(&folder));
        }
        Ok(cleared)
    }

    /// Removes the indexes of all repositories.
    pub fn clear_all(&self) -> Result<Cleared, Error> {
        let cache = self.cache.as_deref().ok_or(Error::NoCache)?;
        lock(&self.open).clear();
        let removed = prune(cache, 0, Path::new(""));
        let left = fs::read_dir(cache).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut busy: Vec<String> =
            left.filter(|folder| folder.join("manifest").exists()).map(|it| shown(&it)).collect();
        busy.sort();
        let removed = removed.iter().map(|folder| shown(folder)).collect();
        Ok(Cleared { removed, busy, ..Cleared::nothing() })
    }

    /// Returns the actual or potential location of a repository's index for each tokenizer.
    #[expect(clippy::type_complexity, reason = "it is taken apart at once")]
    fn stores(
        &self,
        root: &Root,
        limits: &ChunkLimits,
    ) -> Result<Vec<(&'static str, PathBuf, Result<Store, kitbag_index::StoreError>)>, Error> {
        let cache = self.cache.as_deref().ok_or(Error::NoCache)?;
        let limits = search_chunk_limits(limits);
        let store = |counter: &'static str| {
            let folder =
                folder_for(cache, root.path(), &AnalysisSettings::variant_of(counter, &limits));
            let store = Store::open(&folder, &AnalysisSettings::fingerprint_of(counter, &limits));
            (counter, folder, store)
        };
        let mut counters: Vec<&'static str> = kitbag_tokens::TokenizerChoice::names().collect();
        counters.sort_unstable();
        Ok(counters.into_iter().map(store).collect())
    }
}

impl IndexState {
    fn new(tokenizer: &'static str, status: StoreStatus) -> Self {
        let seconds = |time: SystemTime| {
            time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
        };
        Self {
            tokenizer,
            folder: shown(&status.folder),
            files: status.files,
            contents: status.contents,
            segments: status.segments,
            bytes: status.bytes,
            used: status.used.map(seconds),
            trouble: status.problem,
        }
    }
}

impl Cleared {
    fn nothing() -> Self {
        Self { version: INDEX_VERSION, removed: Vec::new(), busy: Vec::new() }
    }
}

/// Adds problems with the history that is stored with the index.
fn with_history(status: StoreStatus) -> StoreStatus {
    let (_, wrong) = CommitLog::open(&status.folder.join(HISTORY));
    let trouble: Vec<String> = status.problem.into_iter().chain(wrong).collect();
    let trouble = (!trouble.is_empty()).then(|| trouble.join("; "));
    StoreStatus { problem: trouble, ..status }
}

/// Returns the status of an index that cannot be opened.
fn no_status(folder: PathBuf, trouble: String) -> StoreStatus {
    StoreStatus {
        folder,
        files: 0,
        contents: 0,
        segments: 0,
        bytes: 0,
        used: None,
        problem: Some(trouble),
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
