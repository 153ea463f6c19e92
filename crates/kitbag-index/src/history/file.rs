//! The file of a history: appended to, never changed in place.
//!
//! A reader takes the records up to the first that is not whole, at whatever moment it looks. A
//! writer, of which there must be one at a time, cuts off what is not whole and goes on from there.
//! What another process has appended meanwhile is taken over, not overwritten.

use super::History;
use super::codec::{self, HEADER_BYTES, SUM_BYTES, Stop};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// What is known to be on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Saved {
    length: u64,
    /// The checksum with which it ends, which covers all of it.
    sum: u32,
}

impl History {
    /// Reads a file as far as it is whole, and says what is wrong with the rest. Where there is no
    /// file, nothing is known and nothing is wrong. A file of another version counts as empty, and
    /// is replaced when something is appended.
    pub fn open(file: &Path) -> (Self, Option<String>) {
        use io::ErrorKind::{NotADirectory, NotFound};
        let bytes = match fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {
                return (Self::new(), None);
            }
            Err(error) => {
                return (Self::new(), Some(complaint(file, &format!("cannot be read: {error}"))));
            }
        };
        let (history, stop) = Self::read(&bytes);
        let wrong = stop.map(|(stop, at)| match stop {
            Stop::Short => complaint(file, &format!("ends within a record, at byte {at}")),
            Stop::Damaged if at == 0 => complaint(file, "is of another version, or no history"),
            Stop::Damaged => complaint(file, &format!("is damaged at byte {at}")),
        });
        (history, wrong)
    }

    /// Writes what is new to the end of a file. No other writer may be at work; readers may.
    pub fn append_to(&mut self, file: &Path) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if !self.is_replacement && !self.is_as_saved(file)? {
            self.take_over(file);
        }
        match &self.saved {
            Some(saved) => append(file, saved.length, &self.pending)?,
            None => replace(file, &self.pending)?,
        }
        let before = self.saved.as_ref().map_or(HEADER_BYTES as u64, |saved| saved.length);
        let length = before + self.pending.len() as u64;
        self.saved = Some(Saved { length, sum: self.tail.sum });
        self.is_replacement = false;
        self.pending.clear();
        Ok(())
    }

    /// Reads records up to the first that is not whole. Comes with why and where that was.
    fn read(bytes: &[u8]) -> (Self, Option<(Stop, usize)>) {
        let mut history = Self::new();
        if !bytes.starts_with(&codec::header()) {
            let is_begun = codec::header().starts_with(bytes);
            return (history, Some((if is_begun { Stop::Short } else { Stop::Damaged }, 0)));
        }
        let mut rest = &bytes[HEADER_BYTES..];
        let mut stop = None;
        while !rest.is_empty() && stop.is_none() {
            match codec::decode(rest, &mut history.records, &mut history.tail) {
                Ok(after) => rest = after,
                Err(why) => stop = Some((why, bytes.len() - rest.len())),
            }
        }
        if let Some((Stop::Damaged, _)) = stop {
            // Names of the damaged record may have been taken in.
            return (history.copy(0..history.len() as u32), stop);
        }
        let length = (bytes.len() - rest.len()) as u64;
        history.saved = Some(Saved { length, sum: history.tail.sum });
        (history, stop)
    }

    /// Whether a file is still what it was when it was last read or written.
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
        let mut sum = [0; SUM_BYTES];
        file.seek(SeekFrom::Start(saved.length - SUM_BYTES as u64))?;
        file.read_exact(&mut sum)?;
        Ok(u32::from_le_bytes(sum) == saved.sum)
    }

    /// Starts from what a file holds now, and adds what it lacks.
    fn take_over(&mut self, file: &Path) {
        let (mut current, _) = Self::open(file);
        for place in 0..self.len() as u32 {
            current.add(self.records.record(place));
        }
        current.complete = self.complete;
        *self = current;
    }
}

fn complaint(file: &Path, what: &str) -> String {
    format!("the history file `{}` {what}", file.display())
}

/// Writes to the end of the whole part of a file, and cuts off the rest before.
fn append(file: &Path, length: u64, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).open(file)?;
    file.set_len(length)?;
    file.seek(SeekFrom::Start(length))?;
    // What is not whole is of no use, and takes room that may be scarce.
    file.write_all(bytes).inspect_err(|_| drop(file.set_len(length)))
}

/// Makes a file anew; a reader sees the old or the new one. Where that fails, nothing is left of it.
fn replace(file: &Path, records: &[u8]) -> io::Result<()> {
    let mut name = file.as_os_str().to_owned();
    name.push(".new");
    let mut bytes = codec::header().to_vec();
    bytes.extend(records);
    let mut options = File::options();
    options.create(true).truncate(true).write(true);
    // What a repository's people wrote is nobody else's business.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&name).and_then(|mut file| file.write_all(&bytes));
    written.and_then(|()| fs::rename(&name, file)).inspect_err(|_| drop(fs::remove_file(&name)))
}
