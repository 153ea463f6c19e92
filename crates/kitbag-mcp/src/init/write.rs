//! Reading and replacing a client's file. It is replaced as a whole, or left as it was.

use super::error::InitError;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// No client's settings are larger.
const MOST_BYTES: u64 = 64 << 20;

/// What is in a file; `None` where there is no file.
pub(super) fn read(path: &Path) -> Result<Option<String>, InitError> {
    let unreadable = |source| InitError::Read { path: path.to_owned(), source };
    let unlikely = |why| InitError::Unlikely { path: path.to_owned(), why };
    let there = match fs::metadata(path) {
        Ok(there) => there,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    if !there.is_file() {
        return Err(unlikely("not a file"));
    }
    if there.len() > MOST_BYTES {
        return Err(unlikely("too large"));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    String::from_utf8(bytes).map(Some).map_err(|_| unlikely("not text in UTF-8"))
}

/// Replaces a file as a whole. Links are followed, and those who could read it still can.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), InitError> {
    let unwritable = |source| InitError::Write { path: path.to_owned(), source };
    let target = target(path);
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(unwritable)?;
    let mut file = tempfile::Builder::new()
        .prefix(".kitbag-")
        .tempfile_in(folder)
        .map_err(|error| unwritable(io::Error::from(error.kind())))?;
    if let Ok(there) = fs::metadata(&target) {
        file.as_file().set_permissions(there.permissions()).map_err(unwritable)?;
    }
    file.write_all(text.as_bytes()).map_err(unwritable)?;
    file.as_file().sync_all().map_err(unwritable)?;
    file.persist(&target).map_err(|error| unwritable(error.error))?;
    Ok(())
}

/// Removes a file in which nothing is left.
pub(super) fn remove(path: &Path) -> Result<(), InitError> {
    fs::remove_file(target(path))
        .map_err(|source| InitError::Write { path: path.to_owned(), source })
}

/// The file that is really written.
fn target(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
