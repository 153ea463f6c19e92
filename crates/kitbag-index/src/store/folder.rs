//! The folder of an index: private to the user, written by one process at a time, each file
//! replaced as a whole.

use super::failpoint::step;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use thiserror::Error;

/// The name of the file that says what the index is.
pub(super) const MANIFEST: &str = "manifest";
const LOCK: &str = "lock";
const USED: &str = "used";
/// What others may keep beside the index: it goes with it.
const BESIDE: [&str; 2] = ["history", "history.new"];
/// What the names of unfinished files begin with.
const UNFINISHED: &str = "tmp-";

/// Why an index cannot be kept. A pack can be made all the same.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Somebody else could have put it there, or could read it.
    #[error("not a private folder, since {reason}: `{folder}`")]
    NotPrivate {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The file system says no.
    #[error("cannot write the index in `{folder}`: {source}")]
    Write {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It would take more room than it may.
    #[error("the index would take {size} bytes, more than {most}: `{folder}`")]
    TooLarge {
        /// The folder.
        folder: PathBuf,
        /// How many bytes it would take.
        size: u64,
        /// How many it may take.
        most: u64,
    },
}

/// A folder that holds an index, or will.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder at `path`, which need not exist.
    pub fn at(path: &Path) -> Result<Self, StoreError> {
        let folder = Self::unchecked(path);
        folder.check()?;
        Ok(folder)
    }

    /// The folder at `path`, to be looked at only.
    pub fn unchecked(path: &Path) -> Self {
        // A slash at the end would lead through a link.
        Self { path: path.components().collect() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a file if it has no more than `most` bytes.
    pub fn read(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        let path = self.path.join(name);
        let metadata = fs::symlink_metadata(&path)?;
        if !metadata.is_file() || metadata.len() > most || !is_own(&metadata) {
            return Err(io::Error::other("not a file of an index"));
        }
        fs::read(path)
    }

    /// Makes the folder where it is missing, and takes its lock; `None` where another process has it.
    pub fn lock(&self) -> Result<Option<Lock<'_>>, StoreError> {
        self.create().map_err(|source| self.error(source))?;
        self.check()?;
        self.try_lock().map_err(|source| self.error(source))
    }

    fn create(&self) -> io::Result<()> {
        step("create the folder")?;
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.path)
    }

    fn try_lock(&self) -> io::Result<Option<Lock<'_>>> {
        step("lock")?;
        let path = self.path.join(LOCK);
        let file = open_private(&path)?;
        match file.try_lock() {
            // Whoever clears an index removes the lock too; what was locked then means nothing.
            Ok(()) if is_still_at(&file, &path) => Ok(Some(Lock { folder: self, _file: file })),
            Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Refuses what is not a folder, or not the user's own. It is made private where it is not.
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
            return Err(refuse("it is no folder"));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, PermissionsExt};
            if !is_own(&metadata) {
                return Err(refuse("it belongs to another user"));
            }
            // Whoever may write the folder above could put another in the place of this one.
            let above = self.path.parent().and_then(|above| fs::metadata(above).ok());
            if above.is_some_and(|above| above.mode() & 0o1002 == 0o0002) {
                return Err(refuse("anybody may replace it"));
            }
            if metadata.mode() & 0o077 != 0 {
                let mended = fs::set_permissions(&self.path, fs::Permissions::from_mode(0o700));
                // What cannot be made private because nothing can be written may still be read.
                if mended.is_err() && metadata.mode() & 0o022 != 0 {
                    return Err(refuse("others may write in it"));
                }
            }
        }
        Ok(())
    }

    /// Notes that the index is in use. Whether that succeeds does not matter.
    pub fn touch(&self) {
        let path = self.path.join(USED);
        let recently = fs::metadata(&path)
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|time| time.elapsed().is_ok_and(|since| since.as_secs() < 3_600));
        if !recently && self.path.is_dir() {
            let _ = open_private(&path).and_then(|file| file.set_modified(SystemTime::now()));
        }
    }

    /// When the index was last in use, and how many bytes it takes; `None` where it is none.
    pub fn usage(&self) -> Option<(SystemTime, u64)> {
        let time =
            |name: &str| fs::metadata(self.path.join(name)).and_then(|it| it.modified()).ok();
        let used = time(USED).max(time(MANIFEST)).or_else(|| time(LOCK))?;
        let sizes = self.own_files().filter_map(|name| fs::metadata(self.path.join(name)).ok());
        Some((used, sizes.map(|metadata| metadata.len()).sum()))
    }

    /// The names of the files in the folder that are an index's.
    fn own_files(&self) -> impl Iterator<Item = String> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| {
            [MANIFEST, LOCK, USED].contains(&name.as_str())
                || BESIDE.contains(&name.as_str())
                || name.starts_with(UNFINISHED)
                || is_part(name)
        })
    }

    pub fn error(&self, source: io::Error) -> StoreError {
        StoreError::Write { folder: self.path.clone(), source }
    }
}

/// The right to write in a folder, for as long as it is held.
pub(super) struct Lock<'a> {
    folder: &'a Folder,
    _file: File,
}

impl Lock<'_> {
    /// Puts a file in place, whole or not at all.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.try_write(name, bytes).map_err(|source| self.folder.error(source))
    }

    fn try_write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        step("create a file")?;
        // Such files are readable for nobody else.
        let mut file =
            tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder.path)?;
        let (first, second) = bytes.split_at(bytes.len() / 2);
        file.write_all(first)?;
        step("write a file")?;
        file.write_all(second)?;
        step("flush a file")?;
        file.as_file().sync_data()?;
        step("rename a file")?;
        file.persist(self.folder.path.join(name))?;
        step("after a rename")
    }

    /// Removes the parts that are not in `names`, and what others left unfinished. What cannot be
    /// removed now may be another time.
    pub fn keep_only(&self, names: &[String]) {
        for name in self.folder.own_files() {
            let is_left = is_part(&name) && !names.contains(&name);
            if (is_left || name.starts_with(UNFINISHED)) && step("remove a file").is_ok() {
                let _ = fs::remove_file(self.folder.path.join(name));
            }
        }
    }

    /// Removes the index, the manifest first, and the folder unless it holds something else.
    pub fn clear(self) -> Result<(), StoreError> {
        self.try_clear().map_err(|source| self.folder.error(source))
    }

    fn try_clear(&self) -> io::Result<()> {
        step("remove the manifest")?;
        let removed = fs::remove_file(self.folder.path.join(MANIFEST));
        removed.or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })?;
        for name in self.folder.own_files() {
            step("remove a file")?;
            fs::remove_file(self.folder.path.join(name))?;
        }
        let _ = fs::remove_dir(&self.folder.path);
        Ok(())
    }
}

/// Opens a file that nobody else may read, and makes it where it is missing.
fn open_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Whether the name is one of a segment or a table.
fn is_part(name: &str) -> bool {
    let stem = name.strip_suffix(".kb");
    let hash = stem.and_then(|it| it.strip_prefix("segment-").or(it.strip_prefix("table-")));
    hash.is_some_and(|hash| hash.len() == 32 && hash.bytes().all(|it| it.is_ascii_hexdigit()))
}

/// Whether it belongs to the user.
#[cfg(unix)]
fn is_own(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}

/// Whether a path still leads to an open file.
#[cfg(unix)]
fn is_still_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (held, there) = (file.metadata().map(place), fs::symlink_metadata(path).map(place));
    held.is_ok_and(|held| there.is_ok_and(|there| held == there))
}

#[cfg(not(unix))]
fn is_still_at(_: &File, path: &Path) -> bool {
    path.exists()
}
