//! The root: the folder that nothing may leave, and the only way to a file's bytes.
//!
//! Paths are checked as typed and as resolved, symbolic links included, so a link cannot lead to a
//! denied or outside file. A file is opened name by name from the root, and no link is followed on
//! the way, so what is swapped after the check is refused. A hard link cannot be told from a file of
//! its own: only its names in the root count. Reading never blocks on a pipe and never takes more
//! than its limit.

use crate::{Denylist, PathError};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use thiserror::Error;

/// Why a folder cannot be a root.
#[derive(Debug, Error)]
pub enum RootError {
    /// There is nothing there.
    #[error("no such folder: `{}`", path.display())]
    NotFound {
        /// The path as it was given.
        path: PathBuf,
    },
    /// There is something else.
    #[error("not a folder: `{}`", path.display())]
    NotAFolder {
        /// The path as it was given.
        path: PathBuf,
    },
    /// It cannot be looked at.
    #[error("cannot open the folder `{}`: {source}", path.display())]
    Io {
        /// The path as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A folder, resolved, with the denylist that holds in it.
#[derive(Debug, Clone)]
pub struct Root {
    /// With no symbolic link left in it.
    path: PathBuf,
    /// As it was given, but absolute: people type paths with their links in.
    given: PathBuf,
    denylist: Denylist,
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
        let given = tidy(&std::path::absolute(dir).map_err(failed)?);
        Ok(Self { path, given, denylist: Denylist::default() })
    }

    /// The same folder with another denylist.
    #[must_use]
    pub fn with_denylist(self, denylist: Denylist) -> Self {
        Self { denylist, ..self }
    }

    /// The folder, absolute and without symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is never read here.
    pub fn denylist(&self) -> &Denylist {
        &self.denylist
    }

    /// Resolves a path that a person typed, relative to the root or absolute, to the file that it
    /// leads to: relative to the root, with `/` and without symbolic links.
    pub fn resolve(&self, path: &Path) -> Result<String, PathError> {
        self.locate(path).map(|(relative, _)| relative)
    }

    /// Tidies the path of content that is given, which need not exist: relative to the root, with
    /// `/`. What is outside or denied is rejected; links are not looked at, since nothing is read.
    pub fn normalise(&self, path: &str) -> Result<String, PathError> {
        well_formed(path)?;
        let typed = tidy(&self.path.join(path));
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

    /// Reads a file, given relative to the root, unless it has more than `limit` bytes.
    pub fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, PathError> {
        let file = self.open_file(path)?;
        let metadata = file.metadata().map_err(|error| PathError::io(path, error))?;
        if !metadata.is_file() {
            return Err(PathError::NotAFile { path: path.to_owned() });
        }
        let too_large = |size| PathError::TooLarge { path: path.to_owned(), size, limit };
        if metadata.len() > limit {
            return Err(too_large(metadata.len()));
        }
        // One byte more than it should have shows whether it grew while it was read.
        let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
        let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| PathError::io(path, error))?;
        if bytes.len() as u64 > limit {
            return Err(too_large(bytes.len() as u64));
        }
        Ok(bytes)
    }

    /// Fails if the denylist has a path of this root. `shown` is the path for the message.
    pub(crate) fn permit(&self, relative: &str, shown: &str) -> Result<(), PathError> {
        let absolute = || self.path.join(relative);
        let pattern = self
            .denylist
            .denies(relative)
            .or_else(|| self.denylist.denies_absolute(&absolute().to_string_lossy()));
        match pattern {
            Some(pattern) => {
                Err(PathError::Denied { path: shown.to_owned(), pattern: pattern.to_owned() })
            }
            None => Ok(()),
        }
    }

    /// Opens the file that a path leads to.
    fn open_file(&self, path: &str) -> Result<File, PathError> {
        well_formed(path)?;
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if Path::new(path).components().all(is_plain) {
            self.permit(&path.replace('\\', "/"), path)?;
            // Where this succeeds there is no link on the way, and the path is its own resolution.
            if let Ok(file) = open_beneath(&self.path, Path::new(path)) {
                return Ok(file);
            }
        }
        let (relative, _) = self.locate(Path::new(path))?;
        open_beneath(&self.path, Path::new(&relative)).map_err(|error| PathError::io(path, error))
    }

    /// Finds the regular file that a path leads to, relative to the root and absolute.
    fn locate(&self, path: &Path) -> Result<(String, PathBuf), PathError> {
        let shown = path.to_string_lossy();
        well_formed(&shown)?;
        let outside = || PathError::OutsideRoot { path: shown.to_string() };
        let typed = self.relative(&tidy(&self.path.join(path)));
        if let Some(typed) = &typed {
            self.permit(&typed.to_string_lossy().replace('\\', "/"), &shown)?;
        }
        let resolved = match fs::canonicalize(self.path.join(path)) {
            Ok(resolved) => resolved,
            // What exists outside is nobody's business here.
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
        Ok((relative, resolved))
    }

    /// What remains of an absolute path below the root.
    fn relative(&self, path: &Path) -> Option<PathBuf> {
        let inside = path.strip_prefix(&self.path).or_else(|_| path.strip_prefix(&self.given));
        inside.ok().map(Path::to_owned)
    }
}

/// Rejects what no file can be called.
fn well_formed(path: &str) -> Result<(), PathError> {
    let reason = match path {
        "" => "the path is empty",
        path if path.contains('\0') => "a NUL byte in the path",
        _ => return Ok(()),
    };
    Err(PathError::Invalid { path: path.to_owned(), reason })
}

/// Removes `.` and resolves `..` by the text alone. What would climb above `/` stays there.
fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                tidied.pop();
            }
            other => tidied.push(other),
        }
    }
    tidied
}

/// Writes a relative path with `/`.
fn with_slashes(path: &Path, shown: &str) -> Result<String, PathError> {
    let mut names = Vec::new();
    for component in path.components() {
        let invalid = || PathError::Invalid { path: shown.to_owned(), reason: "not UTF-8" };
        names.push(component.as_os_str().to_str().ok_or_else(invalid)?);
    }
    Ok(names.join("/"))
}

/// Opens a file by its names from `root` on, each in the folder that was opened before it. A link
/// anywhere on the way is an error, and so no swap between a check and this can lead elsewhere. It
/// does not wait for a pipe's writer either.
#[cfg(unix)]
fn open_beneath(root: &Path, relative: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open, openat};
    // A folder need not be readable to lead somewhere.
    #[cfg(target_os = "linux")]
    let way = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    let way = OFlags::RDONLY;
    let way = way | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let end =
        OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = open(root, way, Mode::empty())?;
    let mut names = relative.components().peekable();
    while let Some(name) = names.next() {
        let Component::Normal(name) = name else { break };
        if names.peek().is_none() {
            return Ok(File::from(openat(&folder, name, end, Mode::empty())?));
        }
        folder = openat(&folder, name, way, Mode::empty())?;
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Opens a file, and looks once more whether its path is still its own resolution.
#[cfg(not(unix))]
fn open_beneath(root: &Path, relative: &Path) -> io::Result<File> {
    let path = root.join(relative);
    let file = File::open(&path)?;
    if fs::canonicalize(&path)? == path { Ok(file) } else { Err(io::ErrorKind::NotFound.into()) }
}
