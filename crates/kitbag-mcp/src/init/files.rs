//! Reading and atomically replacing a client's file.

use super::error::InitError;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Larger files are not configuration.
const MAX_BYTES: u64 = 64 << 20;

/// Returns the text of a file; `None` if it does not exist.
pub(super) fn read(path: &Path) -> Result<Option<String>, InitError> {
    let read_error = |source| InitError::Read { path: path.to_owned(), source };
    let not_config = |reason| InitError::NotConfig { path: path.to_owned(), reason };
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(read_error(error)),
    };
    if !metadata.is_file() {
        return Err(not_config("not a file"));
    }
    if metadata.len() > MAX_BYTES {
        return Err(not_config("larger than 64 MiB"));
    }
    let bytes = fs::read(path).map_err(read_error)?;
    String::from_utf8(bytes).map(Some).map_err(|_| not_config("not UTF-8"))
}

/// Fails if a symbolic link leads from a path in a repository to a place outside of it.
pub(super) fn check_inside(root: &Path, path: &Path) -> Result<(), InitError> {
    let read_error = |source| InitError::Read { path: path.to_owned(), source };
    let root = fs::canonicalize(root).map_err(read_error)?;
    // What does not exist yet is created below the nearest folder that does.
    let target = path.ancestors().find_map(|ancestor| fs::canonicalize(ancestor).ok());
    match target {
        Some(target) if !target.starts_with(&root) => {
            Err(InitError::OutsideRepository { path: path.to_owned(), target })
        }
        _ => Ok(()),
    }
}

/// Replaces a file atomically. Symlinks are followed, and permissions are kept.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), InitError> {
    let write_error = |source| InitError::Write { path: path.to_owned(), source };
    let target = resolve_links(path);
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(write_error)?;
    // The error of `tempfile` names the temporary file, which means nothing to the user.
    let mut file = tempfile::Builder::new()
        .prefix(".kitbag-")
        .tempfile_in(folder)
        .map_err(|error| write_error(io::Error::from(error.kind())))?;
    if let Ok(metadata) = fs::metadata(&target) {
        file.as_file().set_permissions(metadata.permissions()).map_err(write_error)?;
    }
    file.write_all(text.as_bytes()).map_err(write_error)?;
    file.as_file().sync_all().map_err(write_error)?;
    file.persist(&target).map_err(|error| write_error(error.error))?;
    Ok(())
}

/// Removes a file.
pub(super) fn remove(path: &Path) -> Result<(), InitError> {
    fs::remove_file(resolve_links(path))
        .map_err(|source| InitError::Write { path: path.to_owned(), source })
}

fn resolve_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
