//! A store in a folder, such as a network share.

use crate::error::StoreError;
use crate::url::StoreUrl;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// A folder of objects, which need not exist before the first of them is written.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    files: OnceLock<Arc<LocalFileSystem>>,
}

/// Result of reading a file.
pub(crate) enum FileRead {
    Bytes(Vec<u8>),
    Missing,
    /// A pipe, device or socket, which might never end, or a folder.
    NotRegular,
    TooLarge,
}

impl Folder {
    /// Checks that the folder exists, or that its parent does if it may be created. A missing parent is more
    /// likely a share that is not mounted, or a mistake in the path.
    pub fn open(url: &StoreUrl, is_created: bool) -> Result<Self, StoreError> {
        let folder = Self { path: url.bucket.clone().into(), files: OnceLock::new() };
        let error = |reason: String| Err(StoreError::Open { url: url.to_string(), reason });
        let metadata = match fs::metadata(&folder.path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(StoreError::of_io(url.to_string(), &error)),
        };
        let parent = folder.path.parent();
        match metadata {
            Some(metadata) if metadata.is_dir() => Ok(folder),
            Some(_) => error("it is not a folder".to_owned()),
            None if parent.is_some_and(|parent| !parent.is_dir()) => {
                let parent = parent.map(|it| it.display().to_string()).unwrap_or_default();
                error(format!(
                    "the folder does not exist, nor does `{parent}`, which has to be created or mounted first"
                ))
            }
            None if is_created => Ok(folder),
            None => error("the folder does not exist; `kitbag index push` creates it".to_owned()),
        }
    }

    /// Creates the folder, if it does not exist.
    pub fn create(&self) -> io::Result<()> {
        if self.files.get().is_some() {
            return Ok(());
        }
        match fs::create_dir(&self.path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(io::Error::new(
                error.kind(),
                format!("`{}` cannot be created: {error}", self.path.display()),
            )),
            _ => Ok(()),
        }
    }

    /// Returns access to the files. `None` if the folder does not exist yet.
    pub fn files(&self) -> object_store::Result<Option<Arc<LocalFileSystem>>> {
        if self.files.get().is_none() {
            if !self.path.is_dir() {
                return Ok(None);
            }
            let files = LocalFileSystem::new_with_prefix(&self.path)?;
            let _ = self.files.set(Arc::new(files));
        }
        Ok(self.files.get().cloned())
    }

    /// Reads a file of at most `max` bytes.
    pub fn read(&self, path: &Path, max: u64) -> io::Result<FileRead> {
        let Some(files) = self.files().map_err(io::Error::other)? else {
            return Ok(FileRead::Missing);
        };
        let path = files.path_to_filesystem(path).map_err(io::Error::other)?;
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
        };
        // Opening a pipe would wait for its writer.
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(FileRead::Missing),
            Err(error) => return Err(named(error)),
        };
        match &metadata {
            it if !it.is_file() => return Ok(FileRead::NotRegular),
            it if it.len() > max => return Ok(FileRead::TooLarge),
            _ => {}
        }
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(FileRead::Missing),
            Err(error) => return Err(named(error)),
        };
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        file.take(max + 1).read_to_end(&mut bytes).map_err(named)?;
        let is_too_large = bytes.len() as u64 > max;
        Ok(if is_too_large { FileRead::TooLarge } else { FileRead::Bytes(bytes) })
    }
}
