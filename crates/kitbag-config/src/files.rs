//! Reading of the user-wide and the repository's configuration file.

use crate::keys::KeyRegistry;
use crate::layer::{Authority, Layer};
use crate::origin::ConfigOrigin;
use crate::problem::{ConfigProblem, ConfigProblemKind};
use crate::sources::{LayerResult, MAX_FILE_BYTES, PROJECT_FILE, read_file};
use kitbag_repo::{PathError, Root};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Likely misspellings of [`PROJECT_FILE`].
const MISSPELLINGS: [&str; 5] = [
    ".agent/config.yaml",
    ".agent/configuration.yml",
    ".agent/configuration.yaml",
    ".agent/conf.yml",
    ".agent/kitbag.yml",
];

/// A configuration file.
pub(crate) struct ConfigFile {
    /// The path, as shown to the user.
    pub name: PathBuf,
    pub content: FileContent,
}

pub(crate) enum FileContent {
    Missing,
    Unreadable { message: String },
    Bytes(Vec<u8>),
}

impl ConfigFile {
    /// Reads the user-wide file.
    pub fn user(path: Option<&Path>) -> Self {
        let Some(path) = path else {
            return Self { name: PathBuf::new(), content: FileContent::Missing };
        };
        let content = match read_bounded(path) {
            Ok(content) if content.len() as u64 > MAX_FILE_BYTES => too_large(),
            Ok(content) => FileContent::Bytes(content),
            Err(error) if is_missing(&error) => FileContent::Missing,
            Err(error) => FileContent::Unreadable { message: format!("cannot be read: {error}") },
        };
        Self { name: path.to_owned(), content }
    }

    /// Reads the repository's file, without following paths out of the root.
    pub fn project(root: &Root, shown: &Path) -> Self {
        let content = match root.read(PROJECT_FILE, MAX_FILE_BYTES) {
            Ok(content) => FileContent::Bytes(content),
            Err(PathError::NotFound { .. }) => FileContent::Missing,
            Err(PathError::TooLarge { .. }) => too_large(),
            Err(error) => FileContent::Unreadable { message: error.to_string() },
        };
        Self { name: shown_path(shown, PROJECT_FILE), content }
    }

    pub fn is_missing(&self) -> bool {
        matches!(self.content, FileContent::Missing)
    }

    pub fn is_unreadable(&self) -> bool {
        matches!(self.content, FileContent::Unreadable { .. })
    }

    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            FileContent::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Parses the file; a missing one is an empty layer.
    pub fn layer(&self, authority: Authority, registry: &KeyRegistry) -> LayerResult {
        match &self.content {
            FileContent::Missing => Ok(Layer::default()),
            FileContent::Bytes(content) => read_file(&self.name, content, authority, registry),
            FileContent::Unreadable { message } => {
                let origin = ConfigOrigin::File(self.name.to_string_lossy().into());
                let kind = ConfigProblemKind::File { message: message.clone(), hint: None };
                Err(vec![ConfigProblem::new(origin, kind)])
            }
        }
    }
}

/// Warns about files with a misspelled name where the right file is missing.
pub(crate) fn misspelled_files(
    root: &Root,
    shown: &Path,
    user: &ConfigFile,
    project: &ConfigFile,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if user.is_missing() {
        let misspelled = user.name.with_extension("yaml");
        if misspelled.is_file() {
            warnings.push(ignored(&misspelled, &user.name));
        }
    }
    if project.is_missing() {
        let exists = |name: &&str| root.resolve(Path::new(name)).is_ok();
        let misspelled = MISSPELLINGS.iter().copied().filter(exists);
        warnings.extend(misspelled.map(|name| ignored(&shown_path(shown, name), &project.name)));
    }
    warnings
}

fn ignored(misspelled: &Path, expected: &Path) -> String {
    let (misspelled, expected) = (misspelled.display(), expected.display());
    format!("`{misspelled}` is ignored; rename it to `{expected}`")
}

/// Returns the path of a file of the repository, as shown to the user.
fn shown_path(shown: &Path, name: &str) -> PathBuf {
    let name = shown.join(name);
    name.strip_prefix(".").map(Path::to_owned).unwrap_or(name)
}

/// Reads one byte more than the maximum, so that a larger file is noticed. Rejects pipes and devices,
/// which could block.
fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a file"));
    }
    let mut content = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut content)?;
    Ok(content)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn too_large() -> FileContent {
    FileContent::Unreadable { message: format!("larger than {} kB", MAX_FILE_BYTES >> 10) }
}
