//! The files of a commit as a tree.

use crate::lookup::resolve_commit;
use crate::{
    CommitFiles, Denylist, FileEntry, GitError, GitLocation, Globs, PathError, Skipped, Tree,
};

/// The files of a commit that globs and a denylist allow.
#[derive(Debug)]
pub struct CommitTree {
    files: Vec<FileEntry>,
    skipped: Vec<Skipped>,
    commit: CommitFiles,
}

impl CommitTree {
    /// Lists the files of a commit. `dir` is a repository, bare or checked out, or a folder of a work
    /// tree; paths are relative to it.
    pub fn open<'a>(
        dir: impl Into<GitLocation<'a>>,
        revision: &str,
        globs: &Globs,
        denylist: &Denylist,
    ) -> Result<Self, GitError> {
        let dir = dir.into();
        let commit = CommitFiles::open(dir, resolve_commit(dir, revision)?)?;
        let permit = |path: &str| match denylist.denies(path) {
            Some(pattern) => {
                Err(PathError::Denied { path: path.to_owned(), pattern: pattern.to_owned() })
            }
            None => Ok(()),
        };
        let (files, skipped) = commit.list(globs, permit);
        Ok(Self { files, skipped, commit })
    }
}

impl Tree for CommitTree {
    fn files(&self) -> &[FileEntry] {
        &self.files
    }

    fn read(&self, entry: &FileEntry, limit: u64) -> Result<Vec<u8>, PathError> {
        self.commit.read(entry, limit)
    }

    fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }
}
