//! A commit as a tree, read straight from git: nothing is checked out.
//!
//! It has what a walk of the same files would have: no links, submodules, hidden or denied files,
//! nor what `.ignore` and `.agentignore` keep out. What git tracks counts although `.gitignore` has it.

use crate::batch::Batch;
use crate::git::Git;
use crate::tree::is_hidden;
use crate::work_tree::AGENT_IGNORE;
use crate::{
    Denylist, FileEntry, FileId, GitError, Globs, ObjectId, PathError, Skipped, Tree,
    resolve_commit,
};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::io;
use std::path::Path;

/// An ignore file larger than this is not read.
const IGNORE_FILE_BYTES: u64 = 1 << 20;

/// The files of a commit.
#[derive(Debug)]
pub struct CommitTree {
    commit: String,
    files: Vec<FileEntry>,
    skipped: Vec<Skipped>,
    batch: Batch,
}

impl CommitTree {
    /// Lists the files of a commit. `dir` is a repository, bare or checked out, or a folder of a
    /// work tree; paths are relative to it.
    pub fn open(
        dir: &Path,
        revision: &str,
        globs: &Globs,
        denylist: &Denylist,
    ) -> Result<Self, GitError> {
        let commit = resolve_commit(dir, revision)?;
        let git = Git::at(dir);
        let output = git.output(&["ls-tree", "-r", "-z", "-l", commit.as_str()])?;
        let mut tree =
            Self { commit, files: Vec::new(), skipped: Vec::new(), batch: Batch::new(git) };
        let listed: Vec<Listed> = output.split(|&byte| byte == 0).filter_map(parse).collect();
        let ignored = tree.own_rules(&listed);
        for file in listed {
            tree.take(file, globs, denylist, &ignored);
        }
        tree.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        tree.skipped.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    /// The full name of the commit.
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// Takes a listed file in, or notes why not.
    fn take(&mut self, file: Listed, globs: &Globs, denylist: &Denylist, ignored: &[Gitignore]) {
        let Listed { path, id, size } = file;
        let invalid = |path: &[u8]| PathError::Invalid {
            path: String::from_utf8_lossy(path).into_owned(),
            reason: "the file name is not UTF-8",
        };
        let path = match String::from_utf8(path) {
            Ok(path) => path,
            Err(error) => return self.skipped.push(invalid(error.as_bytes()).into()),
        };
        // A hidden folder is not entered, so what is denied in it is not worth telling.
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if is_hidden(folder) || !globs.accepts(&path) || is_ignored(ignored, &path) {
            return;
        }
        if let Some(pattern) = denylist.denies(&path) {
            let pattern = pattern.to_owned();
            return self.skipped.push(PathError::Denied { path, pattern }.into());
        }
        if is_hidden(&path) {
            return;
        }
        match size {
            Some(size) => self.files.push(FileEntry { path, size, id: FileId::Blob(id) }),
            None => {
                let source = io::Error::other("its content is not in the repository");
                self.skipped.push(PathError::Io { path, source }.into());
            }
        }
    }

    /// The rules of the commit's own `.ignore` and `.agentignore` files. The later decide: those of
    /// deeper folders, and of `.agentignore` before all others.
    fn own_rules(&self, listed: &[Listed]) -> Vec<Gitignore> {
        let mut rules = Vec::new();
        for name in [".ignore", AGENT_IGNORE] {
            let mut named: Vec<Gitignore> =
                listed.iter().filter_map(|file| self.rules_of(file, name)).collect();
            named.sort_by_key(|rule| rule.path().components().count());
            rules.append(&mut named);
        }
        rules
    }

    /// The rules in a file, if it is an ignore file of that name.
    fn rules_of(&self, file: &Listed, name: &str) -> Option<Gitignore> {
        let path = std::str::from_utf8(&file.path).ok()?;
        let folder = path.strip_suffix(name)?;
        let is_named_so = folder.is_empty() || folder.ends_with('/');
        if !is_named_so || file.size? > IGNORE_FILE_BYTES {
            return None;
        }
        let content = self.batch.read(file.id).ok()?;
        let mut builder = GitignoreBuilder::new(format!("/{}", folder.trim_end_matches('/')));
        for line in String::from_utf8_lossy(&content).lines() {
            // A line that is no rule is passed over, as a walk does.
            let _ = builder.add_line(None, line);
        }
        builder.build().ok()
    }
}

impl Tree for CommitTree {
    fn files(&self) -> &[FileEntry] {
        &self.files
    }

    fn read(&self, entry: &FileEntry, limit: u64) -> Result<Vec<u8>, PathError> {
        let path = || entry.path.clone();
        let FileId::Blob(id) = entry.id else {
            return Err(PathError::NotFound { path: path() });
        };
        if entry.size > limit {
            return Err(PathError::TooLarge { path: path(), size: entry.size, limit });
        }
        self.batch.read(id).map_err(|error| PathError::io(&entry.path, error))
    }

    fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }
}

/// The last rule that says something decides.
fn is_ignored(rules: &[Gitignore], path: &str) -> bool {
    let full = format!("/{path}");
    let full = Path::new(&full);
    let deciding = rules.iter().rev().filter(|rule| full.starts_with(rule.path()));
    let mut matches = deciding.map(|rule| rule.matched_path_or_any_parents(full, false));
    matches.find(|found| !found.is_none()).is_some_and(|found| found.is_ignore())
}

/// A line of `git ls-tree`.
struct Listed {
    path: Vec<u8>,
    id: ObjectId,
    /// `None` where the content is not in the repository, as in a partial clone.
    size: Option<u64>,
}

/// Reads `<mode> <type> <name> <size>\t<path>`; `None` for what is not a regular file.
fn parse(line: &[u8]) -> Option<Listed> {
    let tab = line.iter().position(|&byte| byte == b'\t')?;
    let (attributes, path) = (std::str::from_utf8(&line[..tab]).ok()?, &line[tab + 1..]);
    let mut words = attributes.split_ascii_whitespace();
    let mode = words.next()?;
    if !matches!(mode, "100644" | "100755" | "100664") || words.next()? != "blob" {
        return None;
    }
    let id = words.next()?.parse().ok()?;
    let size = words.next().and_then(|size| size.parse().ok());
    Some(Listed { path: path.to_owned(), id, size })
}
