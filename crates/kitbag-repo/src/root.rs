//! The root folder, and the only way to read a file: from disk, or from a commit.
//!
//! A path is checked both as typed and as resolved, so a symbolic link cannot lead to a denied file or
//! outside the root. The file is then opened component by component from the root without following
//! links, so a component that is swapped after the check is rejected. A hard link cannot be
//! distinguished from a file of its own: only its names in the root are checked. Reading never blocks on
//! a pipe and never exceeds its limit.

use crate::commit_files::CommitPath;
use crate::git_dir::is_bare_repository;
use crate::{CommitFiles, Denylist, ObjectId, PathError};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// A folder that cannot be a root.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RootError {
    /// The folder does not exist.
    #[error("no such folder: `{}`", path.display())]
    NotFound {
        /// The path as given.
        path: PathBuf,
    },
    /// The path names something else.
    #[error("not a folder: `{}`", path.display())]
    NotAFolder {
        /// The path as given.
        path: PathBuf,
    },
    /// The folder cannot be opened.
    #[error("cannot open the folder `{}`: {source}", path.display())]
    Io {
        /// The path as given.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// A folder and its denylist.
#[derive(Debug, Clone)]
pub struct Root {
    /// Absolute and without symbolic links.
    path: PathBuf,
    /// As given, but absolute: users type paths that contain links.
    given: PathBuf,
    denylist: Denylist,
    trusted_git: Option<String>,
    /// The files that take the place of those on disk.
    commit: Option<Arc<CommitFiles>>,
}

impl Root {
    /// Opens a folder with the default denylist.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self, RootError> {
        let dir = dir.as_ref();
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => RootError::NotFound { path: dir.to_owned() },
            io::ErrorKind::NotADirectory => RootError::NotAFolder { path: dir.to_owned() },
            _ => RootError::Io { path: dir.to_owned(), source },
        };
        let path = fs::canonicalize(dir).map_err(failed)?;
        if !path.is_dir() {
            return Err(RootError::NotAFolder { path: dir.to_owned() });
        }
        let given = normalize_lexically(&std::path::absolute(dir).map_err(failed)?);
        let denylist = Denylist::default();
        Ok(Self { path, given, denylist, trusted_git: None, commit: None })
    }

    /// Replaces the denylist.
    #[must_use]
    #[doc(hidden)]
    pub fn with_denylist(self, denylist: Denylist) -> Self {
        Self { denylist, ..self }
    }

    /// Trusts git data outside of the work tree, as long as it is what
    /// [`outside_git_data`](crate::outside_git_data) described.
    #[must_use]
    pub fn with_trusted_git(self, trusted_git: Option<String>) -> Self {
        Self { trusted_git, ..self }
    }

    /// Returns the trusted description of git data outside of the work tree.
    pub fn trusted_git(&self) -> Option<&str> {
        self.trusted_git.as_deref()
    }

    /// Replaces the files on disk by those of a commit, which [`CommitFiles::open`] has listed for this
    /// folder. Everything is then read from git, and the commit takes the place of `HEAD`.
    #[must_use]
    #[doc(hidden)]
    pub fn with_commit(self, commit: Arc<CommitFiles>) -> Self {
        Self { commit: Some(commit), ..self }
    }

    /// Returns the commit that files are read from; `None` if they are read from disk.
    pub fn commit(&self) -> Option<ObjectId> {
        self.commit.as_ref().map(|commit| commit.id())
    }

    pub(crate) fn commit_files(&self) -> Option<&Arc<CommitFiles>> {
        self.commit.as_ref()
    }

    /// Whether the folder is a repository without a work tree, so that only commits can be read.
    pub fn is_bare(&self) -> bool {
        !self.path.join(".git").exists() && is_bare_repository(&self.path)
    }

    /// Returns the absolute path of the folder, without symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the patterns of paths that are never read.
    #[doc(hidden)]
    pub fn denylist(&self) -> &Denylist {
        &self.denylist
    }

    /// Resolves a path, absolute or relative to the root, to the regular file that it leads to. The
    /// result is relative to the root, with `/` and without symbolic links.
    pub fn resolve(&self, path: &Path) -> Result<String, PathError> {
        let shown = path.to_string_lossy();
        check_well_formed(&shown)?;
        let outside = || PathError::OutsideRoot { path: shown.to_string() };
        let typed = self.relative(&normalize_lexically(&self.path.join(path)));
        if let Some(typed) = &typed {
            self.permit(&typed.to_string_lossy().replace('\\', "/"), &shown)?;
        }
        if let Some(commit) = &self.commit {
            return self.resolve_in_commit(commit, &typed.ok_or_else(outside)?, &shown);
        }
        let resolved = match fs::canonicalize(self.path.join(path)) {
            Ok(resolved) => resolved,
            // An error must not reveal whether a path outside exists.
            Err(_) if typed.is_none() => return Err(outside()),
            Err(error) => return Err(PathError::io(&shown, error)),
        };
        let relative = resolved.strip_prefix(&self.path).map_err(|_| outside())?;
        let relative = with_slashes(relative, &shown)?;
        self.permit(&relative, &shown)?;
        let metadata = fs::metadata(&resolved).map_err(|error| PathError::io(&shown, error))?;
        if !metadata.is_file() {
            return Err(PathError::NotAFile { path: shown.to_string() });
        }
        Ok(relative)
    }

    fn resolve_in_commit(
        &self,
        commit: &CommitFiles,
        typed: &Path,
        shown: &str,
    ) -> Result<String, PathError> {
        let path = || shown.to_owned();
        match commit.resolve(&with_slashes(typed, shown)?) {
            Ok(CommitPath::File(relative)) => {
                self.permit(&relative, shown)?;
                Ok(relative)
            }
            Ok(CommitPath::Folder(_)) => Err(PathError::NotAFile { path: path() }),
            Err(PathError::OutsideRoot { .. }) => Err(PathError::OutsideRoot { path: path() }),
            Err(_) => Err(PathError::NotFound { path: path() }),
        }
    }

    /// Normalizes the path of content that the caller provides, which need not exist. The result is
    /// relative to the root, with `/`. Paths outside the root and denied ones are rejected; links are
    /// not resolved, since nothing is read.
    pub fn normalize(&self, path: &str) -> Result<String, PathError> {
        check_well_formed(path)?;
        let typed = normalize_lexically(&self.path.join(path));
        let relative = self
            .relative(&typed)
            .ok_or_else(|| PathError::OutsideRoot { path: path.to_owned() })?;
        let relative = with_slashes(&relative, path)?;
        if relative.is_empty() {
            return Err(PathError::NotAFile { path: path.to_owned() });
        }
        self.permit(&relative, path)?;
        Ok(relative)
    }

    /// Reads a file at a path relative to the root, unless it is larger than `limit` bytes.
    pub fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, PathError> {
        if let Some(commit) = &self.commit {
            let entry = commit.file(&self.resolve(Path::new(path))?)?;
            return commit.read(&entry, limit);
        }
        let file = self.open_file(path)?;
        let metadata = file.metadata().map_err(|error| PathError::io(path, error))?;
        if !metadata.is_file() {
            return Err(PathError::NotAFile { path: path.to_owned() });
        }
        let too_large = |size| PathError::TooLarge { path: path.to_owned(), size, limit };
        if metadata.len() > limit {
            return Err(too_large(metadata.len()));
        }
        // One byte beyond the limit shows whether the file grew while it was read.
        let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
        let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| PathError::io(path, error))?;
        if bytes.len() as u64 > limit {
            return Err(too_large(bytes.len() as u64));
        }
        Ok(bytes)
    }

    /// Fails if the denylist matches a path relative to the root. `shown` is the path for the message.
    pub(crate) fn permit(&self, relative: &str, shown: &str) -> Result<(), PathError> {
        let absolute = || self.path.join(relative);
        let pattern = self
            .denylist
            .denies(relative)
            .or_else(|| self.denylist.denies_absolute(&absolute().to_string_lossy()));
        pattern.map_or(Ok(()), |pattern| {
            Err(PathError::Denied { path: shown.to_owned(), pattern: pattern.to_owned() })
        })
    }

    fn open_file(&self, path: &str) -> Result<File, PathError> {
        check_well_formed(path)?;
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if Path::new(path).components().all(is_plain) {
            self.permit(&path.replace('\\', "/"), path)?;
            // If this succeeds, the path contains no link and is its own resolution.
            if let Ok(file) = open_beneath(&self.path, Path::new(path)) {
                return Ok(file);
            }
        }
        let relative = self.resolve(Path::new(path))?;
        open_beneath(&self.path, Path::new(&relative)).map_err(|error| PathError::io(path, error))
    }

    /// Returns the part of an absolute path below the root.
    fn relative(&self, path: &Path) -> Option<PathBuf> {
        let inside = path.strip_prefix(&self.path).or_else(|_| path.strip_prefix(&self.given));
        inside.ok().map(Path::to_owned)
    }
}

fn check_well_formed(path: &str) -> Result<(), PathError> {
    let reason = match path {
        "" => "the path is empty",
        path if path.contains('\0') => "a NUL byte in the path",
        _ => return Ok(()),
    };
    Err(PathError::Invalid { path: path.to_owned(), reason })
}

/// Resolves `.` and `..` without consulting the file system. `..` at `/` stays there.
fn normalize_lexically(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normalized.pop();
            }
            other => normalized.push(other),
        }
    }
    normalized
}

/// Joins the components of a relative path with `/`.
fn with_slashes(path: &Path, shown: &str) -> Result<String, PathError> {
    let mut names = Vec::new();
    for component in path.components() {
        let invalid =
            || PathError::Invalid { path: shown.to_owned(), reason: "the path is not UTF-8" };
        names.push(component.as_os_str().to_str().ok_or_else(invalid)?);
    }
    Ok(names.join("/"))
}

/// Opens a file component by component, each relative to the folder opened before it. A link anywhere in
/// the path is an error, so no swap between a check and this call can lead elsewhere. Does not wait for
/// the writer of a pipe.
#[cfg(unix)]
fn open_beneath(root: &Path, relative: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open, openat};
    // A folder need not be readable to be traversed.
    #[cfg(target_os = "linux")]
    let access = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    let access = OFlags::RDONLY;
    let folder_flags = access | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file_flags =
        OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = open(root, folder_flags, Mode::empty())?;
    let mut names = relative.components().peekable();
    while let Some(name) = names.next() {
        let Component::Normal(name) = name else { break };
        if names.peek().is_none() {
            return Ok(File::from(openat(&folder, name, file_flags, Mode::empty())?));
        }
        folder = openat(&folder, name, folder_flags, Mode::empty())?;
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Opens a file and checks that its path still is its own resolution.
#[cfg(not(unix))]
fn open_beneath(root: &Path, relative: &Path) -> io::Result<File> {
    let path = root.join(relative);
    let file = File::open(&path)?;
    if fs::canonicalize(&path)? == path { Ok(file) } else { Err(io::ErrorKind::NotFound.into()) }
}
