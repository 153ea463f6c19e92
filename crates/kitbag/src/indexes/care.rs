//! Looking after indexes: how they stand, bringing them up to date, and removing them.

use super::kept::HISTORY;
use super::{Indexes, Prepared, lock};
use crate::error::Error;
use crate::search::finer;
use kitbag_index::{Analysis, History, RefreshStats, Status, Store, folder_for, prune};
use kitbag_repo::Root;
use kitbag_text::ChunkLimits;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Changes when a field of what is told about indexes changes its meaning or goes.
pub const INDEX_VERSION: u32 = 1;

/// How a repository's indexes stand.
#[derive(Debug, Clone, Serialize)]
pub struct IndexStatus {
    /// The version of this shape.
    pub version: u32,
    /// The repository's folder.
    pub repo: String,
    /// Its indexes: one for each way of counting tokens that was asked for so far.
    pub indexes: Vec<IndexState>,
}

/// How an index stands.
#[derive(Debug, Clone, Serialize)]
pub struct IndexState {
    /// How tokens are counted in it.
    pub tokenizer: &'static str,
    /// Its folder.
    pub folder: String,
    /// How many files it knows, those that are not text among them.
    pub files: usize,
    /// How many contents of files it has.
    pub contents: usize,
    /// How many segments they are in.
    pub segments: usize,
    /// How many bytes it takes on disk.
    pub bytes: u64,
    /// When it was last used, in seconds since 1970, to the hour.
    pub used: Option<i64>,
    /// What is wrong with it.
    pub trouble: Option<String>,
}

/// What bringing an index up to date took.
#[derive(Debug, Clone, Serialize)]
pub struct IndexRefresh {
    /// The version of this shape.
    pub version: u32,
    /// The repository's folder.
    pub repo: String,
    /// The files of the repository.
    pub files: usize,
    /// Those that look as they did, and were not read.
    pub unchanged: usize,
    /// Those that were read, and whose content was known.
    pub known: usize,
    /// Those whose content was analysed.
    pub analysed: usize,
    /// Those that are not text.
    pub not_text: usize,
    /// Those that are too large to be searched.
    pub too_large: usize,
    /// Those that could not be read.
    pub unreadable: usize,
    /// Why the index is not kept for the next run, where it should be.
    pub unkept: Option<String>,
    /// The milliseconds that it took.
    pub ms: f64,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// Which indexes were removed.
#[derive(Debug, Clone, Serialize)]
pub struct Cleared {
    /// The version of this shape.
    pub version: u32,
    /// The folders of those that are gone.
    pub removed: Vec<String>,
    /// The folders of those that another process is writing, and that stay.
    pub busy: Vec<String>,
}

impl IndexRefresh {
    pub(crate) fn new(root: &Root, prepared: Prepared, ms: f64) -> Self {
        let Prepared { warnings, stats, unkept, .. } = prepared;
        let RefreshStats {
            files, unread, known, analysed, not_text, too_large, unreadable, ..
        } = stats;
        Self {
            version: INDEX_VERSION,
            repo: shown(root.path()),
            files,
            unchanged: unread,
            known,
            analysed,
            not_text,
            too_large,
            unreadable,
            unkept,
            ms,
            warnings,
        }
    }
}

impl Indexes {
    /// How a repository's indexes stand.
    pub fn status(&self, root: &Root, limits: &ChunkLimits) -> Result<IndexStatus, Error> {
        let mut indexes = Vec::new();
        for (tokenizer, folder, store) in self.stores(root, limits)? {
            let status = match store {
                Ok(store) if folder.is_dir() => with_history(store.status()),
                Ok(_) => continue,
                // Where nothing can be, the indexes of all ways of counting fail alike.
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
            lock(&self.kept).remove(&folder);
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

    /// Removes every repository's indexes.
    pub fn clear_all(&self) -> Result<Cleared, Error> {
        let cache = self.cache.as_deref().ok_or(Error::NoCache)?;
        lock(&self.kept).clear();
        let removed = prune(cache, 0, Path::new(""));
        let left = fs::read_dir(cache).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut busy: Vec<String> =
            left.filter(|folder| folder.join("manifest").exists()).map(|it| shown(&it)).collect();
        busy.sort();
        let removed = removed.iter().map(|folder| shown(folder)).collect();
        Ok(Cleared { removed, busy, ..Cleared::nothing() })
    }

    /// Where the indexes of a repository are or would be, by how they count tokens.
    #[expect(clippy::type_complexity, reason = "it is taken apart at once")]
    fn stores(
        &self,
        root: &Root,
        limits: &ChunkLimits,
    ) -> Result<Vec<(&'static str, PathBuf, Result<Store, kitbag_index::StoreError>)>, Error> {
        let cache = self.cache.as_deref().ok_or(Error::NoCache)?;
        let limits = finer(limits);
        let store = |counter: &'static str| {
            let folder = folder_for(cache, root.path(), &Analysis::way_of(counter, &limits));
            let store = Store::open(&folder, &Analysis::fingerprint_of(counter, &limits));
            (counter, folder, store)
        };
        let mut counters: Vec<&'static str> = kitbag_tokens::Choice::names().collect();
        counters.sort_unstable();
        Ok(counters.into_iter().map(store).collect())
    }
}

impl IndexState {
    fn new(tokenizer: &'static str, status: Status) -> Self {
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
            trouble: status.trouble,
        }
    }
}

impl Cleared {
    fn nothing() -> Self {
        Self { version: INDEX_VERSION, removed: Vec::new(), busy: Vec::new() }
    }
}

/// A status, with what is wrong with the history that lies beside the index.
fn with_history(status: Status) -> Status {
    let (_, wrong) = History::open(&status.folder.join(HISTORY));
    let trouble: Vec<String> = status.trouble.into_iter().chain(wrong).collect();
    let trouble = (!trouble.is_empty()).then(|| trouble.join("; "));
    Status { trouble, ..status }
}

/// The status of an index that cannot even be looked at.
fn no_status(folder: PathBuf, trouble: String) -> Status {
    Status {
        folder,
        files: 0,
        contents: 0,
        segments: 0,
        bytes: 0,
        used: None,
        trouble: Some(trouble),
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
