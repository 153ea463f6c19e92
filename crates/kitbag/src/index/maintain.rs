//! Maintenance of indexes: their status, refresh and removal.

use super::repo_index::HISTORY;
use super::{INDEX_VOCABULARY, Indexes, Prepared, commits_variant, index_analysis, lock};
use crate::error::Error;
use kitbag_index::{CommitLog, Store, StoreError, StoreStatus, prune};
use kitbag_repo::{Root, folder_for};
use kitbag_text::ChunkLimits;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Version of [`IndexStatus`], [`IndexRefresh`] and [`Cleared`]. Incremented when a field is
/// removed or changes its meaning.
pub const INDEX_VERSION: u32 = 1;

/// Status of a repository's index.
#[derive(Debug, Clone, Serialize)]
pub struct IndexStatus {
    /// Version of this format.
    pub version: u32,
    /// Folder of the repository.
    pub repo: String,
    /// The index, if it exists. Tokenizers share it.
    pub indexes: Vec<IndexState>,
}

/// Status of an index.
#[derive(Debug, Clone, Default, Serialize)]
pub struct IndexState {
    /// Tokenizer that measures its chunks, whatever the model of a request.
    pub tokenizer: &'static str,
    /// Whether the index serves the repository's commits rather than its work tree.
    pub of_commits: bool,
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
    /// Number of files whose content was analyzed.
    pub analyzed: usize,
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
        Self {
            version: INDEX_VERSION,
            repo: shown(root.path()),
            files: stats.files,
            unchanged: stats.unchanged,
            known: stats.known,
            analyzed: stats.analyzed,
            not_text: stats.not_text,
            too_large: stats.too_large,
            unreadable: stats.unreadable,
            unkept: unsaved_warning,
            ms,
            warnings,
        }
    }
}

/// The location of an index of a repository, which need not exist.
struct IndexLocation {
    folder: PathBuf,
    store: Result<Store, Error>,
    of_commits: bool,
}

impl Indexes {
    /// Returns the status of a repository's indexes, of its work tree and of its commits.
    pub fn status(&self, root: &Root, limits: &ChunkLimits) -> Result<IndexStatus, Error> {
        let mut indexes = Vec::new();
        for IndexLocation { folder, store, of_commits } in self.locations(root, limits)? {
            match store {
                Ok(store) if folder.is_dir() => {
                    let state = IndexState::new(store.status());
                    indexes.push(IndexState { of_commits, ..state });
                }
                Ok(_) => {}
                // If the folder cannot exist, both indexes fail in the same way.
                Err(error) if fs::symlink_metadata(&folder).is_err() => return Err(error),
                Err(error) => {
                    let (folder, trouble) = (shown(&folder), Some(error.to_string()));
                    let tokenizer = INDEX_VOCABULARY.name();
                    let rest = IndexState { tokenizer, of_commits, ..Default::default() };
                    indexes.push(IndexState { folder, trouble, ..rest });
                }
            }
        }
        Ok(IndexStatus { version: INDEX_VERSION, repo: shown(root.path()), indexes })
    }

    /// Removes a repository's indexes.
    pub fn clear(&self, root: &Root, limits: &ChunkLimits) -> Result<Cleared, Error> {
        let mut cleared = Cleared::nothing();
        for IndexLocation { folder, store, .. } in self.locations(root, limits)? {
            lock(&self.open).remove(&folder);
            let store = store?;
            if folder.is_dir() {
                let is_gone = store.clear().map_err(store_error)?;
                if is_gone { &mut cleared.removed } else { &mut cleared.busy }.push(shown(&folder));
            }
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

    /// Returns the locations of a repository's indexes, of its work tree and of its commits.
    fn locations(&self, root: &Root, limits: &ChunkLimits) -> Result<Vec<IndexLocation>, Error> {
        let cache = self.cache.as_deref().ok_or(Error::NoCache)?;
        let analysis = index_analysis(limits);
        let (variant, fingerprint) = (analysis.variant(), analysis.fingerprint());
        let location = |(name, of_commits): (String, bool)| {
            let folder = folder_for(cache, root.path(), &name);
            let store = Store::open(&folder, &fingerprint).map_err(store_error);
            IndexLocation { folder, store, of_commits }
        };
        Ok([(variant.clone(), false), (commits_variant(&variant), true)].map(location).into())
    }
}

fn store_error(error: StoreError) -> Error {
    Error::Index { message: error.to_string() }
}

impl IndexState {
    fn new(status: StoreStatus) -> Self {
        let seconds = |time: SystemTime| {
            time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
        };
        // The history is stored with the index.
        let (_, history_problem) = CommitLog::open(&status.folder.join(HISTORY));
        let problems: Vec<String> = status.problem.into_iter().chain(history_problem).collect();
        Self {
            tokenizer: INDEX_VOCABULARY.name(),
            of_commits: false,
            folder: shown(&status.folder),
            files: status.files,
            contents: status.contents,
            segments: status.segments,
            bytes: status.bytes,
            used: status.used.map(seconds),
            trouble: (!problems.is_empty()).then(|| problems.join("; ")),
        }
    }
}

impl Cleared {
    fn nothing() -> Self {
        Self { version: INDEX_VERSION, removed: Vec::new(), busy: Vec::new() }
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
