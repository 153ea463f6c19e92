//! The folder of an index: private to the user, written by one process at a time, its files replaced
//! atomically.

use super::failpoint::{WriteStep, step};
use kitbag_repo::{open_regular, read_regular};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use thiserror::Error;

pub(super) const MANIFEST: &str = "manifest";
const LOCK: &str = "lock";
/// Its modification time is the time of the last use.
const USED: &str = "used";
/// The commit log, which is removed together with the index.
const COMMIT_LOG: &str = "history";
/// Prefix of files that are being written.
const TEMPORARY_PREFIX: &str = "tmp-";

/// Reason why an index cannot be stored. Packs can still be made in memory.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another user could have created the folder, or could read it.
    #[error("`{folder}` is not a private folder: {reason}")]
    NotPrivate {
        /// Folder of the index.
        folder: PathBuf,
        /// Why it is not private.
        reason: &'static str,
    },
    /// An I/O error.
    #[error("cannot write the index in `{folder}`: {source}")]
    Write {
        /// Folder of the index.
        folder: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The index exceeds its maximum size.
    #[error("the index in `{folder}` would take {size} bytes, more than the maximum of {max}")]
    TooLarge {
        /// Folder of the index.
        folder: PathBuf,
        /// Size in bytes.
        size: u64,
        /// Maximum size in bytes.
        max: u64,
    },
}

/// A folder that holds an index, and may not exist yet.
#[derive(Debug, Clone)]
pub(super) struct IndexFolder {
    path: PathBuf,
}

impl IndexFolder {
    /// Opens the folder at `path`, which need not exist.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let folder = Self::unchecked(path);
        folder.check()?;
        Ok(folder)
    }

    /// Opens the folder at `path` for inspection, without checking that it is private.
    pub fn unchecked(path: &Path) -> Self {
        // A trailing slash would make `symlink_metadata` follow a link.
        Self { path: path.components().collect() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a file of at most `max` bytes.
    pub fn read(&self, name: &str, max: u64) -> io::Result<Vec<u8>> {
        let path = self.path.join(name);
        let metadata = fs::symlink_metadata(&path)?;
        if !metadata.is_file() || metadata.len() > max || !is_owned_by_user(&metadata) {
            return Err(io::Error::other("not an index file"));
        }
        read_regular(&path, max)
    }

    /// Creates the folder if it is missing, and takes its lock. Returns `None` if another process
    /// holds it.
    pub fn lock(&self) -> Result<Option<FolderLock<'_>>, StoreError> {
        self.create().map_err(|source| self.error(source))?;
        self.check()?;
        self.try_lock().map_err(|source| self.error(source))
    }

    fn create(&self) -> io::Result<()> {
        step(WriteStep::CreateFolder)?;
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.path)
    }

    fn try_lock(&self) -> io::Result<Option<FolderLock<'_>>> {
        step(WriteStep::Lock)?;
        let path = self.path.join(LOCK);
        let file = open_private(&path)?;
        match file.try_lock() {
            // Clearing an index removes the lock file, so a lock on a removed file is void.
            Ok(()) if is_still_at(&file, &path) => {
                Ok(Some(FolderLock { folder: self, _file: file }))
            }
            Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Refuses anything but a folder of the current user, and makes it private if it is not.
    pub fn check(&self) -> Result<(), StoreError> {
        let refuse = |reason| StoreError::NotPrivate { folder: self.path.clone(), reason };
        let metadata = match fs::symlink_metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(self.error(error)),
        };
        if metadata.is_symlink() {
            return Err(refuse("it is a symbolic link"));
        }
        if !metadata.is_dir() {
            return Err(refuse("it is not a folder"));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, PermissionsExt};
            if !is_owned_by_user(&metadata) {
                return Err(refuse("it belongs to another user"));
            }
            // Users with write access to the parent could replace the folder.
            let parent = self.path.parent().and_then(|parent| fs::metadata(parent).ok());
            if parent.is_some_and(|parent| parent.mode() & 0o1002 == 0o0002) {
                return Err(refuse("other users can replace it"));
            }
            if metadata.mode() & 0o077 != 0 {
                let fixed = fs::set_permissions(&self.path, fs::Permissions::from_mode(0o700));
                // On a read-only file system the index can still be read.
                if fixed.is_err() && metadata.mode() & 0o022 != 0 {
                    return Err(refuse("other users can write to it"));
                }
            }
        }
        Ok(())
    }

    /// Marks the index as used now; failures are ignored.
    pub fn touch(&self) {
        let path = self.path.join(USED);
        let is_recent = fs::metadata(&path)
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|time| time.elapsed().is_ok_and(|since| since.as_secs() < 3_600));
        if !is_recent && self.path.is_dir() {
            let _ = open_private(&path).and_then(|file| file.set_modified(SystemTime::now()));
        }
    }

    /// Returns the usage of the index, or `None` if there is no index.
    pub fn usage(&self) -> Option<FolderUsage> {
        let time =
            |name: &str| fs::metadata(self.path.join(name)).and_then(|it| it.modified()).ok();
        let last_used = time(USED).max(time(MANIFEST)).or_else(|| time(LOCK))?;
        let sizes = self.index_files().filter_map(|name| fs::metadata(self.path.join(name)).ok());
        Some(FolderUsage { last_used, bytes: sizes.map(|metadata| metadata.len()).sum() })
    }

    /// Returns the names of the files in the folder that belong to the index.
    fn index_files(&self) -> impl Iterator<Item = String> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| {
            [MANIFEST, LOCK, USED, COMMIT_LOG].contains(&name.as_str())
                || name.starts_with(TEMPORARY_PREFIX)
                || is_segment_or_table(name)
        })
    }

    pub fn error(&self, source: io::Error) -> StoreError {
        StoreError::Write { folder: self.path.clone(), source }
    }
}

/// Last use and size of an index.
#[derive(Clone, Copy)]
pub(super) struct FolderUsage {
    pub last_used: SystemTime,
    pub bytes: u64,
}

/// Exclusive write access to a folder, released on drop.
pub(super) struct FolderLock<'a> {
    folder: &'a IndexFolder,
    _file: File,
}

impl FolderLock<'_> {
    /// Writes a file atomically.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.try_write(name, bytes).map_err(|source| self.folder.error(source))
    }

    fn try_write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        step(WriteStep::CreateFile)?;
        // `tempfile` creates files with mode 0600.
        let mut file =
            tempfile::Builder::new().prefix(TEMPORARY_PREFIX).tempfile_in(&self.folder.path)?;
        let (first, second) = bytes.split_at(bytes.len() / 2);
        file.write_all(first)?;
        step(WriteStep::WriteFile)?;
        file.write_all(second)?;
        step(WriteStep::SyncFile)?;
        file.as_file().sync_data()?;
        step(WriteStep::RenameFile)?;
        file.persist(self.folder.path.join(name))?;
        step(WriteStep::AfterRename)
    }

    /// Removes segments and tables that are not in `names`, and leftover temporary files. Failures are
    /// ignored: the next call tries again.
    pub fn keep_only(&self, names: &[String]) {
        for name in self.folder.index_files() {
            let is_unused = is_segment_or_table(&name) && !names.contains(&name);
            if (is_unused || name.starts_with(TEMPORARY_PREFIX))
                && step(WriteStep::RemoveFile).is_ok()
            {
                let _ = fs::remove_file(self.folder.path.join(name));
            }
        }
    }

    /// Removes the index, manifest first, and the folder if it is empty afterwards.
    pub fn clear(self) -> Result<(), StoreError> {
        self.try_clear().map_err(|source| self.folder.error(source))
    }

    fn try_clear(&self) -> io::Result<()> {
        step(WriteStep::RemoveManifest)?;
        let removed = fs::remove_file(self.folder.path.join(MANIFEST));
        removed.or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })?;
        for name in self.folder.index_files() {
            step(WriteStep::RemoveFile)?;
            fs::remove_file(self.folder.path.join(name))?;
        }
        let _ = fs::remove_dir(&self.folder.path);
        Ok(())
    }
}

/// Opens or creates a file that only the user can read.
fn open_private(path: &Path) -> io::Result<File> {
    open_regular(File::options().create(true).truncate(false).write(true), path)
}

fn is_segment_or_table(name: &str) -> bool {
    let stem = name.strip_suffix(".kb");
    let hash = stem.and_then(|it| it.strip_prefix("segment-").or(it.strip_prefix("table-")));
    hash.is_some_and(|hash| hash.len() == 32 && hash.bytes().all(|it| it.is_ascii_hexdigit()))
}

#[cfg(unix)]
fn is_owned_by_user(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_owned_by_user(_: &fs::Metadata) -> bool {
    true
}

/// Whether `path` still names the open file.
#[cfg(unix)]
fn is_still_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (open, named) = (file.metadata().map(inode), fs::symlink_metadata(path).map(inode));
    open.is_ok_and(|open| named.is_ok_and(|named| open == named))
}

#[cfg(not(unix))]
fn is_still_at(_: &File, path: &Path) -> bool {
    path.exists()
}
