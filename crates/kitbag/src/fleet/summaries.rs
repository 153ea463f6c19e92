//! The summaries of repositories, in memory and in the user's cache folder. They outlive the indexes that
//! they were made from, which are large and are removed when the cache is full.

use kitbag_index::RepositorySummary;
use kitbag_repo::{ObjectId, read_regular};
use kitbag_text::hex;
use lru::LruCache;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Maximum number of summaries in memory: at most 120 MB.
const MAX_IN_MEMORY: NonZeroUsize = NonZeroUsize::new(4_096).expect("not zero");

/// Maximum number of summaries on disk: at most 600 MB.
const MAX_ON_DISK: usize = 20_000;

/// Number of summaries that are removed at once if there are too many on disk.
const REMOVED_AT_ONCE: usize = 2_000;

/// A larger file is no summary.
const MAX_SUMMARY_BYTES: u64 = 64 << 10;

/// What a summary follows from: a commit of a repository, and the settings that decide which words count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SummaryKey([u8; 32]);

impl SummaryKey {
    /// Creates the key of a commit. The folder is a part of it: a repository that came from elsewhere may claim
    /// to have a commit of another one.
    pub fn new(folder: &Path, commit: ObjectId, settings: &str) -> Self {
        let mut hash = Sha256::new();
        for part in [folder.as_os_str().as_encoded_bytes(), commit.as_bytes()] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.update(settings);
        Self(hash.finalize().into())
    }

    fn file_name(self) -> String {
        format!("{}.kb", hex(&self.0[..20]))
    }
}

/// The summaries that an engine knows.
pub(crate) struct Summaries {
    folder: Option<PathBuf>,
    known: Mutex<LruCache<SummaryKey, Arc<RepositorySummary>>>,
}

impl Summaries {
    /// Creates a cache that also keeps summaries in `folder`.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, known: Mutex::new(LruCache::new(MAX_IN_MEMORY)) }
    }

    /// Returns a summary that was made before.
    pub fn find(&self, key: SummaryKey) -> Option<Arc<RepositorySummary>> {
        if let Some(known) = self.known().get(&key) {
            return Some(Arc::clone(known));
        }
        let file = self.folder.as_ref()?.join(key.file_name());
        let bytes = read_regular(&file, MAX_SUMMARY_BYTES).ok()?;
        // A damaged or outdated file is replaced when the summary has been made again.
        let summary = Arc::new(RepositorySummary::from_bytes(&bytes).ok()?);
        self.known().put(key, Arc::clone(&summary));
        Some(summary)
    }

    /// Keeps a summary. One that cannot be saved is made again by the next process.
    pub fn add(&self, key: SummaryKey, summary: Arc<RepositorySummary>, persist: bool) {
        if let Some(folder) = self.folder.as_ref().filter(|_| persist) {
            let _ = save(folder, &key.file_name(), &summary.to_bytes());
        }
        self.known().put(key, summary);
    }

    /// Removes all summaries, from memory and from disk.
    pub fn clear(&self) {
        self.known().clear();
        for (file, _) in self.folder.iter().flat_map(|folder| files_in(folder)) {
            let _ = fs::remove_file(file);
        }
    }

    fn known(&self) -> MutexGuard<'_, LruCache<SummaryKey, Arc<RepositorySummary>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a file atomically.
fn save(folder: &Path, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)?;
    let mut file = tempfile::Builder::new().prefix("new-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(folder.join(name))?;
    prune(folder, MAX_ON_DISK);
    Ok(())
}

/// Removes the oldest summaries if there are more than `max`.
fn prune(folder: &Path, max: usize) {
    if fs::read_dir(folder).map_or(0, Iterator::count) <= max {
        return;
    }
    let mut files: Vec<(PathBuf, SystemTime)> = files_in(folder);
    files.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
    for (file, _) in files.into_iter().take(REMOVED_AT_ONCE.min(max)) {
        let _ = fs::remove_file(file);
    }
}

/// Returns the summaries in a folder with the times at which they were written.
fn files_in(folder: &Path) -> Vec<(PathBuf, SystemTime)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let file = |entry: fs::DirEntry| {
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some((entry.path(), metadata.modified().ok()?))
    };
    entries.filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic fails the test")]

    use super::*;

    fn key(commit: u8) -> SummaryKey {
        SummaryKey::new(Path::new("/repo"), ObjectId::Sha1([commit; 20]), "settings")
    }

    #[test]
    fn summaries_are_found_by_another_process_until_they_are_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("summaries");
        let summaries = || Summaries::new(Some(folder.clone()));
        let summary = Arc::new(RepositorySummary::default());
        assert!(summaries().find(key(1)).is_none());
        summaries().add(key(1), Arc::clone(&summary), true);
        summaries().add(key(2), Arc::clone(&summary), false);
        assert_eq!(summaries().find(key(1)), Some(summary));
        assert!(summaries().find(key(2)).is_none(), "not to be saved");
        let file = folder.join(key(1).file_name());
        fs::write(&file, b"damaged").unwrap();
        assert!(summaries().find(key(1)).is_none());
        summaries().clear();
        assert!(!file.exists());
    }

    #[test]
    fn the_key_covers_the_folder_the_commit_and_the_settings() {
        let commit = ObjectId::Sha1([1; 20]);
        let own = SummaryKey::new(Path::new("/repo"), commit, "settings");
        assert_eq!(own, key(1));
        assert_ne!(own, key(2));
        assert_ne!(own, SummaryKey::new(Path::new("/copy"), commit, "settings"));
        assert_ne!(own, SummaryKey::new(Path::new("/repo"), commit, "others"));
    }

    #[test]
    fn the_number_of_files_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..30 {
            fs::write(dir.path().join(format!("{number}.kb")), b"x").unwrap();
        }
        prune(dir.path(), 30);
        assert_eq!(files_in(dir.path()).len(), 30);
        prune(dir.path(), 20);
        assert_eq!(files_in(dir.path()).len(), 10);
    }
}
