//! The file of a commit log, which is always replaced as a whole.

use super::CommitLog;
use crate::envelope::{self, FileType};
use kitbag_repo::read_regular;
use std::io::{self, Write};
use std::path::Path;

/// Maximum size of a file; a larger one is not ours.
const MAX_BYTES: u64 = 512 << 20;

impl CommitLog {
    /// Reads a file, and describes a problem with it. A missing file is an empty log. A damaged file, or
    /// one of another version, counts as empty and is replaced by the next [`Self::save`].
    pub fn open(file: &Path) -> (Self, Option<String>) {
        use io::ErrorKind::{NotADirectory, NotFound};
        let problem = match read_regular(file, MAX_BYTES) {
            Ok(bytes) => match envelope::decode(FileType::History, &bytes) {
                Ok((records, _)) => return (Self::of(records), None),
                Err(error) => format!("cannot be used: {error}"),
            },
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {
                return (Self::new(), None);
            }
            Err(error) => format!("cannot be read: {error}"),
        };
        (Self::new(), Some(format!("the history file `{}` {problem}", file.display())))
    }

    /// Adds new commits to a file. There must be no other writer; readers are fine. Commits that
    /// another process has added meanwhile are kept, and known afterwards.
    pub fn save(&mut self, file: &Path) -> io::Result<()> {
        if !self.is_modified {
            return Ok(());
        }
        if !self.is_replacement {
            let (mut current, _) = Self::open(file);
            self.table.records.drain(..).for_each(|record| current.add(record));
            *self = Self { complete: self.complete, ..current };
        }
        // `tempfile` creates files with mode 0600: commit messages may be confidential.
        let folder = file.parent().unwrap_or(Path::new("."));
        let mut new = tempfile::Builder::new().prefix("tmp-").tempfile_in(folder)?;
        new.write_all(&envelope::encode(FileType::History, &self.table.records, &[]))?;
        new.persist(file)?;
        (self.is_modified, self.is_replacement) = (false, false);
        Ok(())
    }
}
