//! Reading what the command line names, and writing results without losing the old ones.

use crate::exit::{Failure, write_failure};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The most bytes of a file that the command line names.
pub const MOST_BYTES: u64 = 256 << 20;

/// The bytes of a file, or of standard input for `-`.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let limited = |reader: &mut dyn Read, bytes: &mut Vec<u8>| {
        reader.take(MOST_BYTES + 1).read_to_end(bytes).map_err(|e| Failure::unreadable(path, &e))
    };
    if path == Path::new("-") {
        limited(&mut io::stdin().lock(), &mut bytes)?;
    } else {
        let metadata = std::fs::metadata(path).map_err(|e| Failure::unreadable(path, &e))?;
        if metadata.is_dir() {
            return Err(Failure::usage(format!("`{}` is a folder", path.display()), None));
        }
        let mut file = File::open(path).map_err(|e| Failure::unreadable(path, &e))?;
        limited(&mut file, &mut bytes)?;
    }
    if bytes.len() as u64 > MOST_BYTES {
        let message = format!("`{}` is larger than {} MB", path.display(), MOST_BYTES >> 20);
        return Err(Failure::usage(message, None));
    }
    Ok(bytes)
}

/// The text of a file, or of standard input for `-`; an error where it is binary.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let decoded = kitbag::decode(read(path)?);
    decoded.map(|decoded| decoded.content).map_err(|_| {
        Failure::usage(format!("`{}` is binary, not text", path.display()), None)
    })
}

/// Writes to standard output, or to a file: a file is replaced as a whole or not at all.
pub fn write(path: Option<&PathBuf>, content: &str) -> Result<(), Failure> {
    let written = match path {
        None => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(content.as_bytes()).and_then(|()| stdout.flush())
        }
        Some(path) => replace(path, content),
    };
    written.map_err(|error| write_failure(path, &error))
}

fn replace(path: &Path, content: &str) -> io::Result<()> {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match std::fs::metadata(&target) {
        // A pipe or a device cannot be replaced; a file that may not be written should not be.
        Ok(there) if !there.is_file() => {
            return File::options().write(true).open(&target)?.write_all(content.as_bytes());
        }
        Ok(_) => drop(File::options().write(true).open(&target)?),
        Err(_) => {}
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new().prefix(".kitbag-").tempfile_in(folder)?;
    file.write_all(content.as_bytes())?;
    file.as_file().sync_all()?;
    keep_mode(&target, file.as_file())?;
    file.persist(&target)?;
    Ok(())
}

/// The new file may be read by those who could read the old one; a new one by whom the system says.
#[cfg(unix)]
fn keep_mode(target: &Path, file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(target).map_or(0o644, |there| there.permissions().mode());
    file.set_permissions(std::fs::Permissions::from_mode(mode & 0o777))
}

#[cfg(not(unix))]
fn keep_mode(_target: &Path, _file: &File) -> io::Result<()> {
    Ok(())
}
