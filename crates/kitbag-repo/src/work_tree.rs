//! The work tree: the files of a folder that are not ignored, hidden or denied.
//!
//! Ignore rules are those of `.gitignore`, `.ignore` and `.agentignore`, inside repositories and
//! out of them. Symbolic links are not followed: what they lead to inside the root is seen itself.

use crate::lookup::{is_bare, is_in_work_tree};
use crate::stop::current;
use crate::tree::is_hidden;
use crate::{FileEntry, FileId, Globs, PathError, Root, Skipped, Tree};
use ignore::{DirEntry, IncrementalIgnore, WalkBuilder, WalkState};
use rustc_hash::FxHashSet;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::time::SystemTime;

/// The file by which a repository keeps files from agents alone.
pub(crate) const AGENT_IGNORE: &str = ".agentignore";
pub(crate) const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", AGENT_IGNORE];

/// The files of a folder.
#[derive(Debug)]
pub struct WorkTree {
    root: Root,
    files: Vec<FileEntry>,
    skipped: Vec<Skipped>,
    /// The folders that were looked into, in no order.
    folders: Vec<PathBuf>,
}

impl WorkTree {
    /// Walks the folder. What cannot be read is skipped with its reason, so this cannot fail. A bare
    /// repository is no work tree, and is skipped as a whole. Files that git tracks although they are
    /// ignored are not seen here; [`survey`](crate::survey) adds them.
    pub fn walk(root: &Root, globs: &Globs) -> Self {
        let (sender, receiver) = mpsc::channel();
        if let Err(error) = check_root(root) {
            let _ = sender.send(Found::Left(error));
        } else {
            walk_into(&sender, root, globs);
        }
        drop(sender);
        let mut tree = Self {
            root: root.clone(),
            files: Vec::new(),
            skipped: Vec::new(),
            folders: Vec::new(),
        };
        tree.collect(receiver.into_iter());
        tree
    }

    /// Adds files that git tracks although `.gitignore` has them. Other rules hold for them too.
    pub(crate) fn add_tracked<'a>(&mut self, paths: impl Iterator<Item = &'a str>, globs: &Globs) {
        let seen: FxHashSet<&str> = self.files.iter().map(|file| file.path.as_str()).collect();
        let unseen = paths.filter(|path| !seen.contains(path) && !is_hidden(path));
        let mut unseen: Vec<&str> = unseen.filter(|path| globs.accepts(path)).collect();
        let told: FxHashSet<&str> = self.skipped.iter().map(|skip| skip.path.as_str()).collect();
        unseen.retain(|path| !told.contains(path) && !folders(path).any(|it| told.contains(it)));
        if unseen.is_empty() || check_root(&self.root).is_err() {
            return;
        }
        let mut rules = own_rules(&self.root);
        let root = &self.root;
        for folder in unseen.iter().flat_map(|path| folders(path)) {
            self.folders.push(root.path().join(folder));
        }
        let found: Vec<Found> =
            unseen.into_iter().filter_map(|path| look_up(path, root, &mut rules)).collect();
        self.collect(found.into_iter());
    }

    /// Those of some paths that are there no more, and would be among the files if they were; sorted.
    pub(crate) fn gone<'a>(
        &self,
        paths: impl Iterator<Item = &'a str>,
        globs: &Globs,
    ) -> Vec<String> {
        let is_seen =
            |path: &str| self.files.binary_search_by(|it| it.path.as_str().cmp(path)).is_ok();
        let unseen = paths.filter(|path| !is_seen(path) && !is_hidden(path));
        let mut unseen: Vec<&str> = unseen.filter(|path| globs.accepts(path)).collect();
        unseen.retain(|path| {
            let there = fs::symlink_metadata(self.root.path().join(path));
            let is_missing = there.is_err_and(|error| is_missing(&error));
            is_missing && self.root.permit(path, path).is_ok()
        });
        if unseen.is_empty() || check_root(&self.root).is_err() {
            return Vec::new();
        }
        let mut rules = own_rules(&self.root);
        unseen.retain(|path| !rules.iter_mut().any(|it| it.matched(path, false).is_ignore()));
        unseen.sort_unstable();
        unseen.dedup();
        unseen.into_iter().map(str::to_owned).collect()
    }

    /// Takes in what was found, in whatever order: nothing of that may show.
    fn collect(&mut self, found: impl Iterator<Item = Found>) {
        for found in found {
            match found {
                Found::File(file) => self.files.push(file),
                Found::Folder(folder) => self.folders.push(folder),
                Found::Left(error) => self.skipped.push(Skipped::from(error)),
            }
        }
        self.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.skipped.sort_unstable_by(|a, b| (&a.path, a.code).cmp(&(&b.path, b.code)));
    }

    /// The root that was walked.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The folders in which a change could show, in no order, some more than once.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path)
    }
}

impl Tree for WorkTree {
    fn files(&self) -> &[FileEntry] {
        &self.files
    }

    fn read(&self, entry: &FileEntry, limit: u64) -> Result<Vec<u8>, PathError> {
        self.root.read(&entry.path, limit)
    }

    fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }
}

/// What a walk comes upon.
enum Found {
    File(FileEntry),
    Folder(PathBuf),
    /// Something that is left out for a reason worth telling.
    Left(PathError),
}

impl From<Result<FileEntry, PathError>> for Found {
    fn from(found: Result<FileEntry, PathError>) -> Self {
        found.map_or_else(Self::Left, Self::File)
    }
}

/// Sends every file that is wanted, and every reason for which another is not.
fn walk_into(sender: &Sender<Found>, root: &Root, globs: &Globs) {
    let mut builder = all_rules(root);
    let (filter_root, filter_globs, filter_sender) = (root.clone(), globs.clone(), sender.clone());
    builder.filter_entry(move |entry| {
        let wanted = is_wanted(entry, &filter_root, &filter_globs);
        wanted.unwrap_or_else(|error| {
            let _ = filter_sender.send(Found::Left(error));
            false
        })
    });
    let cancel = current();
    builder.build_parallel().run(|| {
        let (sender, cancel) = (sender.clone(), cancel.clone());
        Box::new(move |entry| {
            if cancel.is_cancelled() {
                return WalkState::Quit;
            }
            let found = match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {
                    Some(Found::Folder(entry.into_path()))
                }
                Ok(entry) => look_at(&entry, root, globs).map(Found::from),
                Err(error) => Some(Found::Left(unreadable(&error, root))),
            };
            if let Some(found) = found {
                let _ = sender.send(found);
            }
            WalkState::Continue
        })
    });
}

/// A walk by all ignore rules. What is hidden is told apart later.
fn all_rules(root: &Root) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root.path());
    builder
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .add_custom_ignore_filename(AGENT_IGNORE)
        // Rules above the root hold only where it is part of a larger work tree: a stray file in
        // the home folder must not empty a pack.
        .parents(!root.path().join(".git").exists() && is_in_work_tree(root.path()));
    builder
}

/// The rules that also hold for what git tracks: `.ignore` and `.agentignore`.
fn own_rules(root: &Root) -> Vec<IncrementalIgnore> {
    let mut builder = all_rules(root);
    builder.git_ignore(false).git_exclude(false).git_global(false).build_matchers()
}

/// A tracked file that the walk passed over; `None` where it is not there or is kept out.
fn look_up(path: &str, root: &Root, rules: &mut [IncrementalIgnore]) -> Option<Found> {
    for folder in folders(path) {
        check_ignore_files(&root.path().join(folder), folder).ok()?;
    }
    if rules.iter_mut().any(|rules| rules.matched(path, false).is_ignore()) {
        return None;
    }
    if let Err(error) = root.permit(path, path) {
        return Some(Found::Left(error));
    }
    // A file that is reached through a link is seen where it really is.
    let is_itself = root.resolve(Path::new(path)).is_ok_and(|resolved| resolved == path);
    let metadata = fs::symlink_metadata(root.path().join(path)).ok()?;
    (is_itself && metadata.is_file()).then(|| Found::File(file_entry(path.to_owned(), &metadata)))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The folders that a path leads through, the outermost first.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// Whether to go into a folder or to look at a file. An error is a reason worth telling.
fn is_wanted(entry: &DirEntry, root: &Root, globs: &Globs) -> Result<bool, PathError> {
    let name = entry.file_name().to_string_lossy();
    if entry.depth() == 0 {
        return Ok(true);
    }
    if name == ".git" {
        return Ok(false);
    }
    let path = lossy_path(entry.path(), root);
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    if name.starts_with('.') {
        if !is_folder && globs.accepts(&path) {
            root.permit(&path, &path)?;
        }
        return Ok(false);
    }
    if globs.excludes(&path) {
        return Ok(false);
    }
    if is_folder {
        root.permit(&path, &path)?;
        check_ignore_files(entry.path(), &path)?;
    }
    Ok(true)
}

/// Rejects a root whose files are git's own, or cannot be told apart.
fn check_root(root: &Root) -> Result<(), PathError> {
    if is_bare(root.path()) {
        let pattern = ".git/**".to_owned();
        return Err(PathError::Denied { path: ".".to_owned(), pattern });
    }
    check_ignore_files(root.path(), "")
}

/// Rejects a folder whose ignore files are pipes or devices: reading one might never end.
fn check_ignore_files(folder: &Path, path: &str) -> Result<(), PathError> {
    for name in IGNORE_FILES.into_iter().chain([".git/info/exclude"]) {
        let odd = fs::metadata(folder.join(name)).is_ok_and(|metadata| !metadata.is_file());
        if odd && !folder.join(name).is_dir() {
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            return Err(PathError::NotAFile { path });
        }
    }
    Ok(())
}

/// A file, or a reason why there is none; `None` for what is not wanted or is seen elsewhere.
fn look_at(entry: &DirEntry, root: &Root, globs: &Globs) -> Option<Result<FileEntry, PathError>> {
    let kind = entry.file_type()?;
    let path = match relative_path(entry.path(), root) {
        Ok(path) => path,
        Err(error) => return Some(Err(error)),
    };
    if !globs.accepts(&path) {
        return None;
    }
    if let Err(error) = root.permit(&path, &path) {
        return Some(Err(error));
    }
    if kind.is_symlink() {
        return check_link(entry.path(), path, root).err().map(Err);
    }
    if !kind.is_file() {
        return Some(Err(PathError::NotAFile { path }));
    }
    Some(match entry.metadata() {
        Ok(metadata) => Ok(file_entry(path, &metadata)),
        Err(error) => Err(unreadable(&error, root)),
    })
}

/// Fails for a link that leads outside or nowhere.
fn check_link(link: &Path, path: String, root: &Root) -> Result<(), PathError> {
    let target = fs::canonicalize(link).map_err(|error| PathError::io(&path, error))?;
    if target.starts_with(root.path()) { Ok(()) } else { Err(PathError::OutsideRoot { path }) }
}

pub(crate) fn file_entry(path: String, metadata: &Metadata) -> FileEntry {
    let size = metadata.len();
    let modified = metadata.modified().map_or(0, nanoseconds);
    let changed = changed(metadata).unwrap_or(modified);
    FileEntry { path, size, id: FileId::Stat { modified, changed, size } }
}

/// When a file last changed in any way, in nanoseconds since 1970. Unpacking an archive, or `touch`,
/// can give a new content the time of modification of the old one; this it cannot give.
#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<i64> {
    use std::os::unix::fs::MetadataExt;
    metadata.ctime().checked_mul(1_000_000_000)?.checked_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed(_metadata: &Metadata) -> Option<i64> {
    None
}

/// Nanoseconds since 1970, negative for what was before.
fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |time| -time),
    }
}

fn relative_path(path: &Path, root: &Root) -> Result<String, PathError> {
    let inside = path.strip_prefix(root.path()).unwrap_or(path);
    match inside.to_str() {
        Some(path) if cfg!(windows) => Ok(path.replace('\\', "/")),
        Some(path) => Ok(path.to_owned()),
        None => Err(PathError::Invalid {
            path: lossy_path(path, root),
            reason: "the file name is not UTF-8",
        }),
    }
}

fn lossy_path(path: &Path, root: &Root) -> String {
    let inside = path.strip_prefix(root.path()).unwrap_or(path).to_string_lossy();
    if cfg!(windows) { inside.replace('\\', "/") } else { inside.into_owned() }
}

/// Turns a walker's error into a reason, with the path if it knows one.
fn unreadable(error: &ignore::Error, root: &Root) -> PathError {
    let path = error_path(error).map_or_else(String::new, |path| lossy_path(&path, root));
    let source = match error.io_error() {
        Some(source) => io::Error::new(source.kind(), source.to_string()),
        None => io::Error::other(error.to_string()),
    };
    PathError::io(&path, source)
}

fn error_path(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path.clone()),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            error_path(err)
        }
        ignore::Error::Partial(errors) => errors.iter().find_map(error_path),
        _ => None,
    }
}
