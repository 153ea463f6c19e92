//! The work tree: the files of a folder that are not ignored, hidden or denied.
//!
//! The rules of `.gitignore`, `.ignore` and `.agentignore` apply inside and outside of repositories. Files
//! that git tracks are listed even if they are hidden, such as `.github/workflows/ci.yml`, or if
//! `.gitignore` matches them.
//! Symbolic links are not followed: a target inside the root is listed under its own path.

use crate::cancel_scope::current;
use crate::git_dir::is_bare_repository;
use crate::ignore_rules::{TrackedRules, check_ignore_files, walk_builder};
use crate::lookup::is_in_work_tree;
use crate::path_error::is_missing;
use crate::tree::sort;
use crate::{FileEntry, Globs, PathError, Root, Skipped, Tree};
use ignore::{DirEntry, WalkState};
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::{fs, io};

/// The files of a folder on disk, or of the commit that the root is at.
#[derive(Debug)]
pub struct WorkTree {
    root: Root,
    files: Vec<FileEntry>,
    skipped: Vec<Skipped>,
    /// The folders whose changes can affect the list, in no particular order, possibly with repetitions.
    pub(crate) folders: Vec<PathBuf>,
    /// Whether the walk ended early, because a folder without a repository has too many files.
    is_too_large: bool,
}

/// Maximum number of files of a folder that is not a work tree of git. A larger one is hardly a project.
const MAX_FILES_WITHOUT_GIT: usize = 100_000;

impl WorkTree {
    /// Walks the folder, or lists the files of the root's commit. Files that cannot be read are skipped with a reason, so this cannot fail. A bare
    /// repository is skipped as a whole. Tracked files that are hidden or that `.gitignore` matches are
    /// missing here; [`scan`](crate::scan) adds them.
    pub fn walk(root: &Root, globs: &Globs) -> Self {
        let (files, skipped, folders) = (Vec::new(), Vec::new(), Vec::new());
        let mut tree = Self { root: root.clone(), files, skipped, folders, is_too_large: false };
        if let Some(commit) = root.commit_files() {
            (tree.files, tree.skipped) = commit.list(globs, |path| root.permit(path, path));
            return tree;
        }
        match check_root(root) {
            Ok(()) => {
                let (sender, receiver) = mpsc::channel();
                let max_files = match is_in_work_tree(root.path()) {
                    true => usize::MAX,
                    false => MAX_FILES_WITHOUT_GIT,
                };
                tree.is_too_large = send_items(sender, root, globs, max_files) > max_files;
                tree.extend(receiver);
            }
            Err(error) => tree.skipped.push(error.into()),
        }
        tree
    }

    /// Adds tracked files that are hidden or that `.gitignore` matches. All other rules apply to them.
    pub(crate) fn add_tracked<'a>(&mut self, paths: impl Iterator<Item = &'a str>, globs: &Globs) {
        let mut paths = self.unlisted(paths, globs);
        let skipped: FxHashSet<&str> = self.skipped.iter().map(|skip| skip.path.as_str()).collect();
        paths.retain(|path| {
            !skipped.contains(path) && !folders(path).any(|it| skipped.contains(it))
        });
        if paths.is_empty() || check_root(&self.root).is_err() {
            return;
        }
        let entered = paths.iter().flat_map(|path| folders(path));
        self.folders.extend(entered.map(|folder| self.root.path().join(folder)));
        let mut rules = TrackedRules::new(&self.root);
        let items: Vec<WalkItem> = paths
            .into_iter()
            .filter_map(|path| check_tracked(path, &self.root, &mut rules))
            .collect();
        self.extend(items);
    }

    /// Returns those of `paths` that do not exist but would be listed if they did, sorted.
    pub(crate) fn missing<'a>(
        &self,
        paths: impl Iterator<Item = &'a str>,
        globs: &Globs,
    ) -> Vec<String> {
        let mut paths = self.unlisted(paths, globs);
        paths.retain(|path| {
            let metadata = fs::symlink_metadata(self.root.path().join(path));
            metadata.is_err_and(|error| is_missing(&error)) && self.root.permit(path, path).is_ok()
        });
        if paths.is_empty() || check_root(&self.root).is_err() {
            return Vec::new();
        }
        let mut rules = TrackedRules::new(&self.root);
        paths.retain(|path| !rules.ignores(path));
        paths.sort_unstable();
        paths.dedup();
        paths.into_iter().map(str::to_owned).collect()
    }

    /// Returns those of `paths` that are accepted, but not among the files.
    fn unlisted<'a>(&self, paths: impl Iterator<Item = &'a str>, globs: &Globs) -> Vec<&'a str> {
        let is_listed =
            |path: &str| self.files.binary_search_by(|it| it.path.as_str().cmp(path)).is_ok();
        paths.filter(|path| !is_listed(path) && globs.accepts(path)).collect()
    }

    fn extend(&mut self, items: impl IntoIterator<Item = WalkItem>) {
        for item in items {
            match item {
                WalkItem::File(file) => self.files.push(file),
                WalkItem::Folder(folder) => self.folders.push(folder),
                WalkItem::Skipped(error) => self.skipped.push(error.into()),
            }
        }
        sort(&mut self.files, &mut self.skipped);
    }

    /// Whether the walk ended early: the folder is not a work tree of git, and has too many files to be a
    /// project.
    pub fn is_too_large(&self) -> bool {
        self.is_too_large
    }

    /// Returns the root that was walked.
    pub fn root(&self) -> &Root {
        &self.root
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

enum WalkItem {
    File(FileEntry),
    Folder(PathBuf),
    Skipped(PathError),
}

/// Sends the accepted files, the folders that were entered, and the reasons for skipping others. Ends after
/// about `max_files` files, and returns their number.
fn send_items(sender: Sender<WalkItem>, root: &Root, globs: &Globs, max_files: usize) -> usize {
    let files = AtomicUsize::new(0);
    let mut builder = walk_builder(root);
    let (filter_root, filter_globs, filter_sender) = (root.clone(), globs.clone(), sender.clone());
    builder.filter_entry(move |entry| {
        should_visit(entry, &filter_root, &filter_globs).unwrap_or_else(|error| {
            let _ = filter_sender.send(WalkItem::Skipped(error));
            false
        })
    });
    let cancel = current();
    builder.build_parallel().run(|| {
        let (sender, cancel, files) = (sender.clone(), cancel.clone(), &files);
        Box::new(move |entry| {
            if cancel.is_cancelled() || files.load(Ordering::Relaxed) > max_files {
                return WalkState::Quit;
            }
            let item = match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {
                    Ok(Some(WalkItem::Folder(entry.into_path())))
                }
                Ok(entry) => check_file(&entry, root, globs).map(|file| file.map(WalkItem::File)),
                Err(error) => Err(walk_error(&error, root)),
            };
            if let Some(item) = item.unwrap_or_else(|error| Some(WalkItem::Skipped(error))) {
                let is_file = matches!(item, WalkItem::File(_));
                files.fetch_add(usize::from(is_file), Ordering::Relaxed);
                let _ = sender.send(item);
            }
            WalkState::Continue
        })
    });
    files.into_inner()
}

/// Checks a tracked file that the walk did not list; `None` if it does not exist or is ignored.
fn check_tracked(path: &str, root: &Root, rules: &mut TrackedRules) -> Option<WalkItem> {
    for folder in folders(path) {
        check_ignore_files(&root.path().join(folder), folder).ok()?;
    }
    if rules.ignores(path) {
        return None;
    }
    if let Err(error) = root.permit(path, path) {
        return Some(WalkItem::Skipped(error));
    }
    // A file that is reached through a link is listed under its own path.
    let has_no_links = root.resolve(Path::new(path)).is_ok_and(|resolved| resolved == path);
    let metadata = fs::symlink_metadata(root.path().join(path)).ok()?;
    let is_file = has_no_links && metadata.is_file();
    is_file.then(|| WalkItem::File(FileEntry::from_metadata(path.to_owned(), &metadata)))
}

/// Iterates over the ancestors of a path, the outermost first.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// Returns whether to enter a folder or check a file. An error is worth reporting.
fn should_visit(entry: &DirEntry, root: &Root, globs: &Globs) -> Result<bool, PathError> {
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
    if is_folder && !globs.has_includes() && is_dependency_folder(entry.path(), &name) {
        return Ok(false);
    }
    if is_folder {
        root.permit(&path, &path)?;
        check_ignore_files(entry.path(), &path)?;
    }
    Ok(true)
}

/// Whether a folder has installed packages rather than files of the project: `node_modules`, or a virtual
/// environment of Python. They are usually ignored; where they are not, they would outnumber the project.
/// Tracked files are added again afterwards.
fn is_dependency_folder(folder: &Path, name: &str) -> bool {
    name == "node_modules" || name == "site-packages" || folder.join("pyvenv.cfg").is_file()
}

/// Rejects a root that is a bare repository, or whose ignore files cannot be read.
fn check_root(root: &Root) -> Result<(), PathError> {
    if is_bare_repository(root.path()) {
        let pattern = ".git/**".to_owned();
        return Err(PathError::Denied { path: ".".to_owned(), pattern });
    }
    check_ignore_files(root.path(), "")
}

/// Returns the file, `None` if it is excluded or listed elsewhere, or the reason for skipping it.
fn check_file(
    entry: &DirEntry,
    root: &Root,
    globs: &Globs,
) -> Result<Option<FileEntry>, PathError> {
    let Some(kind) = entry.file_type() else { return Ok(None) };
    let path = lossy_path(entry.path(), root);
    if relative(entry.path(), root).to_str().is_none() {
        return Err(PathError::Invalid { path, reason: "the file name is not UTF-8" });
    }
    if !globs.accepts(&path) {
        return Ok(None);
    }
    root.permit(&path, &path)?;
    if kind.is_symlink() {
        return check_link(entry.path(), path, root).map(|()| None);
    }
    if !kind.is_file() {
        return Err(PathError::NotAFile { path });
    }
    let metadata = entry.metadata().map_err(|error| walk_error(&error, root))?;
    Ok(Some(FileEntry::from_metadata(path, &metadata)))
}

/// Fails for a link that is broken or leads outside the root.
fn check_link(link: &Path, path: String, root: &Root) -> Result<(), PathError> {
    let target = fs::canonicalize(link).map_err(|error| PathError::io(&path, error))?;
    if target.starts_with(root.path()) { Ok(()) } else { Err(PathError::OutsideRoot { path }) }
}

fn relative<'a>(path: &'a Path, root: &Root) -> &'a Path {
    path.strip_prefix(root.path()).unwrap_or(path)
}

fn lossy_path(path: &Path, root: &Root) -> String {
    let path = relative(path, root).to_string_lossy();
    if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() }
}

fn walk_error(error: &ignore::Error, root: &Root) -> PathError {
    let path = error_path(error).map_or_else(String::new, |path| lossy_path(path, root));
    let source = match error.io_error() {
        Some(source) => io::Error::new(source.kind(), source.to_string()),
        None => io::Error::other(error.to_string()),
    };
    PathError::io(&path, source)
}

fn error_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            error_path(err)
        }
        ignore::Error::Partial(errors) => errors.iter().find_map(error_path),
        _ => None,
    }
}
