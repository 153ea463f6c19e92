//! The file of a commit log: append-only, or replaced as a whole.
//!
//! A reader takes all complete records at any time. The single writer truncates an incomplete record
//! and continues from there. Records that another process has appended meanwhile are kept.

use super::CommitLog;
use super::codec::{self, CHECKSUM_BYTES, DecodeError, HEADER_BYTES};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The part of the log that is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SavedLog {
    length: u64,
    /// Checksum at the end of the file, which covers all of it.
    checksum: u32,
}

impl CommitLog {
    /// Reads the complete records of a file, and describes a problem with the rest. A missing file is
    /// an empty log. A file of another version counts as empty, and is replaced by the next append.
    pub fn open(file: &Path) -> (Self, Option<String>) {
        use io::ErrorKind::{NotADirectory, NotFound};
        let bytes = match fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {
                return (Self::new(), None);
            }
            Err(error) => {
                return (Self::new(), Some(problem(file, &format!("cannot be read: {error}"))));
            }
        };
        let (log, error) = Self::decode(&bytes);
        let problem = error.map(|(error, at)| match error {
            DecodeError::Truncated => problem(file, &format!("is truncated at byte {at}")),
            DecodeError::Damaged if at == 0 => {
                problem(file, "has another version or is not a history file")
            }
            DecodeError::Damaged => problem(file, &format!("is damaged at byte {at}")),
        });
        (log, problem)
    }

    /// Appends new records to a file. There must be no other writer; readers are fine.
    pub fn append_to(&mut self, file: &Path) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if !self.is_replacement && !self.is_as_saved(file)? {
            self.rebase_on(file);
        }
        match &self.saved {
            Some(saved) => append(file, saved.length, &self.pending)?,
            None => replace(file, &self.pending)?,
        }
        let before = self.saved.as_ref().map_or(HEADER_BYTES as u64, |saved| saved.length);
        let length = before + self.pending.len() as u64;
        self.saved = Some(SavedLog { length, checksum: self.codec.checksum });
        self.is_replacement = false;
        self.pending.clear();
        Ok(())
    }

    /// Decodes records up to the first error, which is returned with its offset.
    fn decode(bytes: &[u8]) -> (Self, Option<(DecodeError, usize)>) {
        let mut log = Self::new();
        if !bytes.starts_with(&codec::header()) {
            let is_begun = codec::header().starts_with(bytes);
            let error = if is_begun { DecodeError::Truncated } else { DecodeError::Damaged };
            return (log, Some((error, 0)));
        }
        let mut rest = &bytes[HEADER_BYTES..];
        let mut error = None;
        while !rest.is_empty() && error.is_none() {
            match codec::decode(rest, &mut log.table, &mut log.codec) {
                Ok(after) => rest = after,
                Err(kind) => error = Some((kind, bytes.len() - rest.len())),
            }
        }
        if let Some((DecodeError::Damaged, _)) = error {
            // Names of the damaged record may have been interned.
            return (log.copy(0..log.len()), error);
        }
        let length = (bytes.len() - rest.len()) as u64;
        log.saved = Some(SavedLog { length, checksum: log.codec.checksum });
        (log, error)
    }

    /// Whether a file is unchanged since it was last read or written.
    fn is_as_saved(&self, file: &Path) -> io::Result<bool> {
        let Some(saved) = &self.saved else { return Ok(false) };
        let mut file = match File::open(file) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        if file.metadata()?.len() != saved.length {
            return Ok(false);
        }
        let mut checksum = [0; CHECKSUM_BYTES];
        file.seek(SeekFrom::Start(saved.length - CHECKSUM_BYTES as u64))?;
        file.read_exact(&mut checksum)?;
        Ok(u32::from_le_bytes(checksum) == saved.checksum)
    }

    /// Starts from the current content of a file, and adds the records that it lacks.
    fn rebase_on(&mut self, file: &Path) {
        let (mut current, _) = Self::open(file);
        for record in &self.table.records {
            current.add(record.clone());
        }
        current.complete = self.complete;
        *self = current;
    }
}

fn problem(file: &Path, what: &str) -> String {
    format!("the history file `{}` {what}", file.display())
}

/// Truncates a file to `length`, then appends.
fn append(file: &Path, length: u64, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).open(file)?;
    file.set_len(length)?;
    file.seek(SeekFrom::Start(length))?;
    // An incomplete record is useless, and the disk may be full.
    file.write_all(bytes).inspect_err(|_| drop(file.set_len(length)))
}

/// Replaces a file atomically.
fn replace(file: &Path, records: &[u8]) -> io::Result<()> {
    let mut name = file.as_os_str().to_owned();
    name.push(".new");
    let mut bytes = codec::header().to_vec();
    bytes.extend(records);
    let mut options = File::options();
    options.create(true).truncate(true).write(true);
    // Commit messages may be confidential.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&name).and_then(|mut file| file.write_all(&bytes));
    written.and_then(|()| fs::rename(&name, file)).inspect_err(|_| drop(fs::remove_file(&name)))
}
