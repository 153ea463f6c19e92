//! Finds the git directory of a folder and everything in it that leads elsewhere.
//!
//! A `.git` that came with a work tree may name any repository of the user, whose history would end up
//! in packs. So what is outside of the work tree counts only if it points back: the administrative
//! folder of a linked work tree and the repository of a submodule do. Alternate object stores and links
//! never do. Special files, which git would wait for, are reported as well.

use crate::git_config::{core_worktree, included_paths, origin_url};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum size of the files that are read here. Git itself writes files of a few lines.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Included configuration files that are followed, those of included files included.
const MAX_INCLUDES: usize = 16;
/// Alternate object stores that are followed, those of alternates included.
const MAX_ALTERNATES: usize = 16;
/// The files and folders of a git directory that git reads for the commands of this crate.
const PARTS: [&str; 14] = [
    "HEAD",
    "commondir",
    "config",
    "config.worktree",
    "index",
    "info",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "objects",
    "packed-refs",
    "refs",
    "reftable",
    "shallow",
];

/// The git directory of a work tree.
#[derive(Debug, Clone)]
pub(crate) struct GitDir {
    /// The root of the work tree, or the repository itself if it is bare.
    pub top: PathBuf,
    /// The directory with `HEAD` and the index.
    pub dir: PathBuf,
    /// The directory with branches and objects: another one in a linked work tree.
    pub common: PathBuf,
    /// Descriptions of everything that leads out of the work tree and does not point back, sorted.
    pub outside: Vec<String>,
    /// A pipe or device in place of a file.
    pub special_file: Option<PathBuf>,
}

impl GitDir {
    /// Finds the repository of a folder as git does, in the folder or above it. `None` without one.
    pub fn find(dir: &Path) -> Option<Self> {
        let dir = dir.canonicalize().ok()?;
        dir.ancestors().find_map(Self::at)
    }

    /// Returns the repository whose `.git`, or which itself, is in a folder.
    pub fn at(top: &Path) -> Option<Self> {
        let entry = top.join(".git");
        let Ok(metadata) = fs::metadata(&entry) else {
            return is_bare_repository(top).then(|| Self::examine(top, top));
        };
        let dir = if metadata.is_dir() {
            // Git looks further up if this is not its directory.
            fs::symlink_metadata(entry.join("HEAD")).ok()?;
            entry
        } else {
            let text = read_text(&entry, MAX_FILE_BYTES).unwrap_or_default();
            top.join(text.strip_prefix("gitdir:").unwrap_or_default().trim())
        };
        let mut found = Self::examine(top, &dir.canonicalize().unwrap_or(dir));
        if !metadata.is_dir() && !metadata.is_file() {
            found.special_file = Some(top.join(".git"));
        }
        Some(found)
    }

    /// Returns the URL of the remote `origin`, if the configuration file names one.
    pub fn origin_url(&self) -> Option<String> {
        origin_url(&read_text(&self.common.join("config"), MAX_FILE_BYTES)?)
    }

    fn examine(top: &Path, dir: &Path) -> Self {
        let mut check =
            Check { top, own: vec![top.to_owned()], outside: Vec::new(), special: None };
        let is_linked = is_linked_work_tree(dir, top);
        if !dir.starts_with(top) {
            if !is_linked && !is_own_repository(dir, top) {
                check.report(Path::new(".git"), dir);
            }
            // What is reported is described once: its parts are not reported again.
            check.own.push(dir.to_owned());
        }
        let common = match read_text(&dir.join("commondir"), MAX_FILE_BYTES) {
            Some(text) => {
                let common = dir.join(text.trim_end_matches(['\n', '\r']));
                common.canonicalize().unwrap_or(common)
            }
            None => dir.to_owned(),
        };
        // A folder that contains this one has not been named by a stranger.
        if !is_linked || dir.parent() != Some(&common.join("worktrees")) {
            check.require_own(&dir.join("commondir"), &common);
        }
        check.own.push(common.clone());
        check.parts(dir);
        if common != dir {
            check.parts(&common);
        }
        check.includes([common.join("config"), dir.join("config.worktree")]);
        check.head(dir, &common);
        check.objects(&common.join("objects"));
        check.alternates(common.join("objects"));
        check.outside.sort_unstable();
        check.outside.dedup();
        let (top, dir) = (top.to_owned(), dir.to_owned());
        Self { top, dir, common, outside: check.outside, special_file: check.special }
    }
}

/// Returns whether `dir` administers a linked work tree and names `top` as its root.
fn is_linked_work_tree(dir: &Path, top: &Path) -> bool {
    let Some(text) = read_text(&dir.join("gitdir"), MAX_FILE_BYTES) else { return false };
    let link = dir.join(text.trim_end_matches(['\n', '\r']));
    let parent = link.parent().and_then(|parent| parent.canonicalize().ok());
    link.file_name().is_some_and(|name| name == ".git") && parent.as_deref() == Some(top)
}

/// Returns whether a repository is configured for the work tree at `top`, as that of a submodule is.
fn is_own_repository(dir: &Path, top: &Path) -> bool {
    let value =
        read_text(&dir.join("config"), MAX_FILE_BYTES).and_then(|config| core_worktree(&config));
    let work_tree = value.and_then(|value| dir.join(value).canonicalize().ok());
    work_tree.as_deref() == Some(top)
}

struct Check<'a> {
    top: &'a Path,
    /// The folders that belong to the work tree.
    own: Vec<PathBuf>,
    outside: Vec<String>,
    special: Option<PathBuf>,
}

impl Check<'_> {
    fn report(&mut self, link: &Path, target: &Path) {
        let link = link.strip_prefix(self.top).unwrap_or(link);
        self.outside.push(format!("`{}` leads to `{}`", link.display(), target.display()));
    }

    /// Reports `link` unless its target belongs to the work tree.
    fn require_own(&mut self, link: &Path, target: &Path) {
        if !self.own.iter().any(|own| target.starts_with(own)) {
            self.report(link, target);
        }
    }

    /// Checks a file or folder, which need not exist.
    fn path(&mut self, path: &Path) {
        let Ok(metadata) = fs::symlink_metadata(path) else { return };
        if metadata.is_symlink()
            && let Ok(target) = path.canonicalize()
        {
            self.require_own(path, &target);
        }
        let is_special = |it: fs::Metadata| !it.is_file() && !it.is_dir();
        if fs::metadata(path).is_ok_and(is_special) {
            self.special.get_or_insert_with(|| path.to_owned());
        }
    }

    fn parts(&mut self, dir: &Path) {
        for part in PARTS {
            self.path(&dir.join(part));
        }
    }

    /// Looks for pipes and devices among the files that configuration files include, which git reads for
    /// every command.
    fn includes(&mut self, configs: impl Into<Vec<PathBuf>>) {
        let mut files: Vec<PathBuf> = configs.into();
        let mut next = 0;
        while let Some(file) = files.get(next).cloned()
            && next < MAX_INCLUDES
        {
            next += 1;
            let Some(text) = read_text(&file, MAX_FILE_BYTES) else {
                let is_special = |it: fs::Metadata| !it.is_file() && !it.is_dir();
                if fs::metadata(&file).is_ok_and(is_special) {
                    self.special.get_or_insert(file);
                }
                continue;
            };
            let folder = file.parent().unwrap_or(Path::new(""));
            files.extend(included_paths(&text).map(|path| folder.join(path)));
        }
    }

    /// Checks the branch that `HEAD` names.
    fn head(&mut self, dir: &Path, common: &Path) {
        let head = read_text(&dir.join("HEAD"), MAX_FILE_BYTES).unwrap_or_default();
        if let Some(branch) = head.strip_prefix("ref:") {
            self.path(&common.join(branch.trim()));
            self.path(&dir.join(branch.trim()));
        }
    }

    /// Checks the folders of objects, and the packs.
    fn objects(&mut self, objects: &Path) {
        for folder in [objects.to_owned(), objects.join("info"), objects.join("pack")] {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if !entry.file_type().is_ok_and(|kind| kind.is_dir() || kind.is_file()) {
                    self.path(&entry.path());
                }
            }
        }
    }

    /// Checks the object stores that `objects` borrows from, and theirs.
    fn alternates(&mut self, objects: PathBuf) {
        let mut stores = vec![objects];
        let mut next = 0;
        while let Some(store) = stores.get(next).cloned() {
            next += 1;
            let file = store.join("info/alternates");
            let Ok(metadata) = fs::metadata(&file) else { continue };
            if stores.len() > MAX_ALTERNATES || metadata.len() > MAX_FILE_BYTES {
                self.report(&file, Path::new("..."));
                return;
            }
            let text = read_text(&file, MAX_FILE_BYTES).unwrap_or_default();
            for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
                let path = store.join(line);
                // A quoted path is not worth decoding: git writes none.
                let target = path.canonicalize().unwrap_or(path);
                self.require_own(&file, &target);
                if !stores.contains(&target) {
                    stores.push(target);
                }
            }
        }
    }
}

/// Returns whether a folder has the layout of a git directory.
pub(crate) fn is_bare_repository(path: &Path) -> bool {
    path.join("HEAD").is_file()
        && path.join("objects").is_dir()
        && (path.join("refs").is_dir() || path.join("packed-refs").is_file())
}

/// Returns the text of a regular file of at most `limit` bytes; `None` if there is none.
pub(crate) fn read_text(path: &Path, limit: u64) -> Option<String> {
    // Opening a pipe would block.
    let metadata = fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > limit {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
