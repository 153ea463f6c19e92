//! Many indexes in one cache folder: their status, and eviction.

use super::Store;
use super::folder::{FolderUsage, IndexFolder, StoreError};
use crate::segment::Segment;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Status of an index on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreStatus {
    /// Folder of the index.
    pub folder: PathBuf,
    /// Number of files in its table.
    pub files: usize,
    /// Number of contents that are text.
    pub contents: usize,
    /// Number of segments.
    pub segments: usize,
    /// Size on disk in bytes.
    pub bytes: u64,
    /// Time of the last use.
    pub used: Option<SystemTime>,
    /// Why all or part of it cannot be used.
    pub problem: Option<String>,
}

impl Store {
    /// Returns the status of the index, without counting as a use.
    pub fn status(&self) -> StoreStatus {
        let loaded = self.load_unmarked();
        let usage = self.folder.usage();
        StoreStatus {
            folder: self.folder.path().to_owned(),
            files: loaded.snapshot.files(),
            contents: loaded.snapshot.index.segments().map(Segment::texts).sum(),
            segments: loaded.snapshot.index.segments().count(),
            bytes: usage.map_or(0, |usage| usage.bytes),
            used: usage.map(|usage| usage.last_used),
            problem: loaded.problem,
        }
    }

    /// Removes the index. Returns `false` if another process is writing it.
    pub fn clear(&self) -> Result<bool, StoreError> {
        if !self.folder.path().exists() {
            return Ok(true);
        }
        match self.folder.lock()? {
            Some(lock) => lock.clear().map(|()| true),
            None => Ok(false),
        }
    }
}

/// Removes the least recently used indexes under `cache` until the rest takes at most `max_bytes`.
/// The index at `keep` and indexes that are being written stay. Returns the removed folders.
pub fn prune(cache: &Path, max_bytes: u64, keep: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(cache).into_iter().flatten().flatten();
    let mut indexes: Vec<(FolderUsage, IndexFolder)> = folders
        .map(|entry| IndexFolder::unchecked(&entry.path()))
        .filter_map(|folder| folder.usage().map(|usage| (usage, folder)))
        .collect();
    indexes.sort_by(|(a, a_folder), (b, b_folder)| {
        (a.last_used, a_folder.path()).cmp(&(b.last_used, b_folder.path()))
    });
    let mut total: u64 = indexes.iter().map(|(usage, _)| usage.bytes).sum();
    let mut removed = Vec::new();
    for (usage, folder) in indexes {
        if total <= max_bytes {
            break;
        }
        let is_removed = folder.path() != keep
            && folder.lock().is_ok_and(|lock| lock.is_some_and(|lock| lock.clear().is_ok()));
        if is_removed {
            total -= usage.bytes;
            removed.push(folder.path().to_owned());
        }
    }
    removed
}
