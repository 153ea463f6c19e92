//! Reading of the user-wide and the repository's configuration file.

use crate::keys::KeyRegistry;
use crate::layer::{Authority, LayerReader, LayerResult, at};
use crate::origin::ConfigOrigin;
use crate::problem::ConfigProblemKind;
use crate::yaml::{self, LineColumn, YamlError};
use kitbag_repo::{CommitFiles, ObjectId, PathError, Root};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The configuration file of a repository, relative to its root.
pub const PROJECT_FILE: &str = ".agent/config.yml";

/// Maximum size of a configuration file.
const MAX_FILE_BYTES: u64 = 256 << 10;

/// Number of digits of a commit in the place of a problem.
const COMMIT_DIGITS: usize = 12;

/// Likely misspellings of [`PROJECT_FILE`].
const MISSPELLINGS: [&str; 5] = [
    ".agent/config.yaml",
    ".agent/configuration.yml",
    ".agent/configuration.yaml",
    ".agent/conf.yml",
    ".agent/kitbag.yml",
];

/// Returns the root whose configuration applies to a folder, and its path as shown to the user: the nearest
/// folder with a configuration file, up to the root of the git work tree. Outside of git it is the folder
/// itself, since a file further up may be anyone's.
pub(crate) fn configured_root(root: &Root, shown: &Path) -> (Root, PathBuf) {
    let own = || (root.clone(), shown.to_owned());
    let is_top = |folder: &&Path| folder.join(".git").exists();
    let Some(top) = root.path().ancestors().find(is_top) else { return own() };
    let within = root.path().ancestors().take_while(|folder| folder.starts_with(top));
    if let Some(commit) = root.commit() {
        return configured_in_commit(root, commit, within).unwrap_or_else(own);
    }
    let Some(folder) = within.into_iter().find(|folder| folder.join(PROJECT_FILE).exists()) else {
        return own();
    };
    if folder == root.path() {
        return own();
    }
    match Root::open(folder) {
        Ok(found) => {
            let trusted = root.trusted_git().map(str::to_owned);
            (found.with_trusted_git(trusted), folder.to_owned())
        }
        Err(_) => own(),
    }
}

/// Returns the nearest of `folders`, the first of which is the root, with a configuration file in a commit.
fn configured_in_commit<'a>(
    root: &Root,
    commit: ObjectId,
    folders: impl Iterator<Item = &'a Path>,
) -> Option<(Root, PathBuf)> {
    let is_configured = |root: &Root| root.resolve(Path::new(PROJECT_FILE)).is_ok();
    if is_configured(root) {
        return None;
    }
    folders.skip(1).find_map(|folder| {
        let trusted = root.trusted_git().map(str::to_owned);
        let above = Root::open(folder).ok()?.with_trusted_git(trusted);
        let files = CommitFiles::open(&above, commit).ok()?;
        let above = above.with_commit(Arc::new(files));
        is_configured(&above).then(|| (above, folder.to_owned()))
    })
}

/// A configuration file.
#[derive(Debug, PartialEq)]
pub(crate) struct ConfigFile {
    /// The path, as shown to the user.
    pub name: PathBuf,
    /// The content, `None` if the file does not exist, or why it cannot be read.
    content: Result<Option<Vec<u8>>, String>,
}

impl ConfigFile {
    pub const MISSING: Self = Self { name: PathBuf::new(), content: Ok(None) };

    /// Reads the user-wide file.
    pub fn user(path: Option<&Path>) -> Self {
        let Some(path) = path else { return Self::MISSING };
        let content = match read_bounded(path) {
            Ok(content) if content.len() as u64 > MAX_FILE_BYTES => Err(too_large()),
            Ok(content) => Ok(Some(content)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(format!("cannot be read: {error}")),
        };
        Self { name: path.to_owned(), content }
    }

    /// Reads the repository's file, without following paths out of the root.
    pub fn project(root: &Root, shown: &Path) -> Self {
        let content = match root.read(PROJECT_FILE, MAX_FILE_BYTES) {
            Ok(content) => Ok(Some(content)),
            Err(PathError::NotFound { .. }) => Ok(None),
            Err(PathError::TooLarge { .. }) => Err(too_large()),
            Err(error) => Err(error.to_string()),
        };
        Self { name: project_path(root, shown, PROJECT_FILE), content }
    }

    #[cfg(test)]
    pub fn new(name: &str, content: &[u8]) -> Self {
        Self { name: name.into(), content: Ok(Some(content.to_vec())) }
    }

    pub fn is_missing(&self) -> bool {
        self.content == Ok(None)
    }

    /// Parses the file; a missing one is an empty layer.
    pub fn layer(&self, authority: Authority, registry: &KeyRegistry) -> LayerResult {
        let name: Arc<str> = self.name.to_string_lossy().into();
        let mut reader = LayerReader::new(authority, registry);
        match &self.content {
            Ok(content) => {
                match decode(content.as_deref().unwrap_or_default()).and_then(yaml::parse) {
                    Ok(root) => root.iter().for_each(|root| reader.read_document(&name, root)),
                    Err(YamlError { position, message, hint }) => {
                        reader.report(at(&name, position), ConfigProblemKind::file(message, hint));
                    }
                }
            }
            Err(message) => {
                reader.report(ConfigOrigin::File(name), ConfigProblemKind::file(message, None));
            }
        }
        reader.finish()
    }
}

fn decode(content: &[u8]) -> Result<&str, YamlError> {
    std::str::from_utf8(content).map_err(|error| YamlError {
        position: LineColumn::of_byte(content, error.valid_up_to()),
        message: "not UTF-8".into(),
        hint: Some("save the file as UTF-8"),
    })
}

/// Warns about files with a misspelled name where the right file is missing.
pub(crate) fn misspelled_files(
    root: &Root,
    shown: &Path,
    [user, project]: &[ConfigFile; 2],
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
        warnings.extend(
            misspelled.map(|name| ignored(&project_path(root, shown, name), &project.name)),
        );
    }
    warnings
}

fn ignored(misspelled: &Path, expected: &Path) -> String {
    let (misspelled, expected) = (misspelled.display(), expected.display());
    format!("`{misspelled}` is ignored; rename it to `{expected}`")
}

/// Returns where a file of the repository is, as shown to the user: the path of a file on disk, or
/// `COMMIT:PATH`, which `git show` understands.
fn project_path(root: &Root, shown: &Path, name: &str) -> PathBuf {
    let Some(commit) = root.commit() else { return shown_path(shown, name) };
    let top = root.path().ancestors().find(|folder| folder.join(".git").exists());
    let inside = top.and_then(|top| root.path().strip_prefix(top).ok()).unwrap_or(Path::new(""));
    let commit: String = commit.to_string().chars().take(COMMIT_DIGITS).collect();
    format!("{commit}:{}", inside.join(name).display()).into()
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

fn too_large() -> String {
    format!("larger than {} kB", MAX_FILE_BYTES >> 10)
}
