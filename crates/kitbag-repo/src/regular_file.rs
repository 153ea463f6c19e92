//! Kitbag's own files, in caches and logs. Something else at their place, such as a FIFO, is an error
//! and never blocks.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Reads a regular file of at most `max_bytes`.
pub fn read_regular(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(OpenOptions::new().read(true), path)?;
    if file.metadata()?.len() > max_bytes {
        return Err(io::Error::other(format!("it has more than {max_bytes} bytes")));
    }
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file. A new one is private to the user.
pub fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // Without `NONBLOCK`, opening a FIFO waits for its other end.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed()).mode(0o600);
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a file")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_and_folders_are_errors() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, "12345").expect("written");
        assert_eq!(read_regular(&path, 5).expect("read"), b"12345");
        assert!(read_regular(&path, 4).is_err());
        assert!(read_regular(folder.path(), 5).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_fifo_is_an_error() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("fifo");
        mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("made");
        assert!(read_regular(&path, 5).is_err());
        assert!(open_regular(OpenOptions::new().create(true).append(true), &path).is_err());
    }
}
