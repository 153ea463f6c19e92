//! Many indexes under one folder: their names, their state, and which of them has to go.

use super::Store;
use super::folder::{Folder, StoreError};
use crate::segment::Segment;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What there is to tell about an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Its folder.
    pub folder: PathBuf,
    /// How many files its table has.
    pub files: usize,
    /// How many contents it has.
    pub contents: usize,
    /// How many segments they are in.
    pub segments: usize,
    /// How many bytes it takes on disk.
    pub bytes: u64,
    /// When it was last used.
    pub used: Option<SystemTime>,
    /// What is wrong with it.
    pub trouble: Option<String>,
}

impl Store {
    /// What there is to tell about the index.
    pub fn status(&self) -> Status {
        let loaded = self.look();
        let usage = self.folder.usage();
        Status {
            folder: self.folder.path().to_owned(),
            files: loaded.snapshot.files(),
            contents: loaded.snapshot.index.segments().map(Segment::len).sum(),
            segments: loaded.snapshot.index.segments().count(),
            bytes: usage.map_or(0, |usage| usage.1),
            used: usage.map(|usage| usage.0),
            trouble: loaded.trouble,
        }
    }

    /// Removes the index; `false` where another process is writing it.
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

/// The folder under `cache` for the index of the repository at `root`, analysed in one `way`: its
/// own name for people, and a hash.
pub fn folder_for(cache: &Path, root: &Path, way: &str) -> PathBuf {
    let mut hash = Sha256::new();
    hash.update(root.as_os_str().as_encoded_bytes());
    hash.update(b"\0");
    hash.update(way);
    let hash: [u8; 32] = hash.finalize().into();
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let mut name: String = name.chars().filter(|it| it.is_ascii_alphanumeric()).take(24).collect();
    name.push('-');
    for byte in &hash[..10] {
        // Writing to a string does not fail.
        let _ = write!(name, "{byte:02x}");
    }
    cache.join(name)
}

/// Removes the indexes under `cache` that were not used for the longest time, until the rest takes
/// no more than `most_bytes`. The one at `keep` stays, and so does what is being written. Returns
/// what was removed.
pub fn prune(cache: &Path, most_bytes: u64, keep: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(cache).into_iter().flatten().flatten();
    let mut indexes: Vec<(SystemTime, u64, Folder)> = folders
        .map(|entry| Folder::unchecked(&entry.path()))
        .filter_map(|folder| folder.usage().map(|(used, bytes)| (used, bytes, folder)))
        .collect();
    indexes.sort_by(|a, b| (a.0, a.2.path()).cmp(&(b.0, b.2.path())));
    let mut total: u64 = indexes.iter().map(|index| index.1).sum();
    let mut removed = Vec::new();
    for (_, bytes, folder) in indexes {
        if total <= most_bytes {
            break;
        }
        let is_gone = folder.path() != keep
            && folder.lock().is_ok_and(|lock| lock.is_some_and(|lock| lock.clear().is_ok()));
        if is_gone {
            total -= bytes;
            removed.push(folder.path().to_owned());
        }
    }
    removed
}
