//! The repositories that a command line names: folders, and URLs of which there are copies in the cache.

use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::{engine, ui};
use kitbag::{NamedRepo, RemoteError, RemoteUrl, WorkingFolder, shortest_names};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The repository that the current folder belongs to, and the current folder in it.
static CURRENT: LazyLock<WorkingFolder> = LazyLock::new(|| {
    let home = std::env::var_os("HOME").and_then(|it| PathBuf::from(it).canonicalize().ok());
    let found = WorkingFolder::find(Path::new("."), home.as_deref());
    let here = || WorkingFolder { repo: ".".into(), folder: String::new() };
    found.ok().filter(|it| !it.folder.is_empty()).unwrap_or_else(here)
});

/// Returns the folder of `--repo`, or the repository of the current folder.
pub fn folder(repo: Option<&Path>) -> &Path {
    repo.unwrap_or_else(|| &CURRENT.repo)
}

/// Returns the current folder relative to its repository, if it is only a part of it and the command line
/// names no repository.
pub fn subfolder(repo: Option<&Path>) -> Option<&'static str> {
    let folder = CURRENT.folder.as_str();
    (repo.is_none() && !folder.is_empty()).then_some(folder)
}

/// Resolves a file of the command line, optionally with lines such as `:10-40`. In a subfolder it is
/// relative to the current folder, as with git, or else to the repository, as paths in packs are.
pub fn file_in(repo: Option<&Path>, file: &str) -> String {
    let Some(folder) = subfolder(repo) else { return file.to_owned() };
    let without_lines = file.rsplit_once(':').map_or(file, |(path, _)| path);
    let exists = |below: &Path| below.join(file).exists() || below.join(without_lines).exists();
    let is_of_repo = !exists(Path::new(".")) && exists(&CURRENT.repo);
    if is_of_repo { file.to_owned() } else { join(folder, file) }
}

/// Resolves globs of the command line as [`file_in`] does. One without `/` matches names at any depth,
/// and one that begins with `/` is relative to the repository.
pub fn globs_in(repo: Option<&Path>, globs: &[String]) -> Vec<String> {
    let Some(folder) = subfolder(repo) else { return globs.to_vec() };
    let resolve = |glob: &String| {
        let first = glob.split('/').next().unwrap_or_default();
        let is_anchored = glob.trim_end_matches('/').contains('/') && !first.is_empty();
        let is_of_repo = !Path::new(first).exists() && CURRENT.repo.join(first).exists();
        match is_anchored && first != "**" && !is_of_repo {
            true => join(folder, glob),
            false => glob.clone(),
        }
    };
    globs.iter().map(resolve).collect()
}

/// Joins a path to a folder, without `.` and `..`. A path that leads out of the repository is made
/// absolute.
fn join(folder: &str, path: &str) -> String {
    if Path::new(path).is_absolute() {
        return path.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in path.split('/').filter(|part| *part != ".") {
        let is_inside = part != ".." || parts.pop().is_some();
        if !is_inside {
            return CURRENT.repo.join(folder).join(path).display().to_string();
        }
        if part != ".." {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// Returns the folder of `--repo`, or the repository of the current folder. That of a URL is fetched first.
pub fn local_folder(repo: Option<&Path>) -> Result<PathBuf, CliError> {
    match repo.map(parse).transpose()?.flatten() {
        Some(url) => fetch(&url),
        None => Ok(folder(repo).to_owned()),
    }
}

/// Returns several repositories with the shortest names that distinguish them.
pub fn named(repos: &[PathBuf]) -> Result<Vec<NamedRepo>, CliError> {
    let mut paths = Vec::new();
    for repo in repos {
        let path = match parse(repo)? {
            Some(url) => path_of(&url),
            None => repo.canonicalize().unwrap_or_else(|_| repo.clone()),
        };
        if paths.contains(&path) {
            let message = format!("`{}` is named twice", repo.display());
            return Err(CliError::usage(message, Some("name each repository once")));
        }
        paths.push(path);
    }
    let named = |(repo, name): (&PathBuf, String)| {
        let name = name.trim_matches('/').to_owned();
        Ok(NamedRepo { name, folder: local_folder(Some(repo))? })
    };
    repos.iter().zip(shortest_names(&paths)).map(named).collect()
}

fn parse(repo: &Path) -> Result<Option<RemoteUrl>, CliError> {
    let parsed = repo.to_str().filter(|_| !repo.exists()).and_then(RemoteUrl::parse);
    parsed.transpose().map_err(|error| failed(&error))
}

/// Returns the parts of a URL that name the repository, as a path: `example.com/a/tool`.
fn path_of(url: &RemoteUrl) -> PathBuf {
    let shown = url.to_string();
    let path = shown.split_once("://").map_or(shown.as_str(), |(_, rest)| rest);
    let path = path.rsplit_once('@').map_or(path, |(_, rest)| rest).replace(':', "/");
    let path = path.trim_end_matches('/');
    PathBuf::from(path.strip_suffix(".git").unwrap_or(path))
}

fn fetch(url: &RemoteUrl) -> Result<PathBuf, CliError> {
    let Some(cache) = engine::cache_folder() else {
        let hint = "set XDG_CACHE_HOME or HOME to an absolute path";
        return Err(CliError::run("no cache folder to copy the repository to", Some(hint)));
    };
    ui::note(&format!("fetching {url}"));
    let copy = url.copy_to(&cache.join("repos"), &cancel_on_interrupt());
    let copy = copy.map_err(|error| failed(&error))?;
    if let Some(reason) = copy.stale {
        ui::warning(&format!("{reason}; an older copy is used"));
    }
    Ok(copy.folder)
}

fn failed(error: &RemoteError) -> CliError {
    match error {
        RemoteError::Cancelled => CliError::Interrupted,
        RemoteError::Protocol { .. } | RemoteError::Host { .. } => {
            CliError::usage(error.to_string(), error.hint())
        }
        _ => CliError::run(error.to_string(), error.hint()),
    }
}
