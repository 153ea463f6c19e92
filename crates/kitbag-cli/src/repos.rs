//! The repositories that a command line names: folders, and URLs of which there are copies in the cache.

use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
pub use crate::working_folder::{file_in, folder, globs_in, subfolder};
use crate::{engine, ui};
use kitbag::{Fleet, NamedRepo, RemoteError, RemoteUrl, named_repositories_in, shortest_names};
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum number of folders that are left out and named.
const MAX_NAMED_HIDDEN: usize = 3;

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

/// Returns the repositories that `--all` chooses from: those that are named, else those in a folder.
pub fn fleet(named: &[PathBuf], folder: Option<&Path>) -> Result<Fleet, CliError> {
    let repositories = match folder {
        None if named.is_empty() => {
            let hint = "name a folder of repositories with --repos DIR, or each with --repo DIR";
            return Err(CliError::usage(
                "`--all` requires repositories to choose from",
                Some(hint),
            ));
        }
        None => self::named(named)?,
        Some(folder) => in_folder(folder)?,
    };
    Ok(Fleet { repositories, summarize_for: None })
}

/// Returns the repositories in a folder.
pub fn in_folder(folder: &Path) -> Result<Vec<NamedRepo>, CliError> {
    let found = found_in(folder)?;
    if found.is_empty() {
        let shown = folder.display();
        let hint = "they are expected as `owner/name`, `owner+name` or `name`, each with or without `.git`";
        return Err(CliError::usage(format!("there are no repositories in `{shown}`"), Some(hint)));
    }
    Ok(found)
}

/// Returns the repositories in a folder, of which there may be none, and warns about those that are left out.
pub fn found_in(folder: &Path) -> Result<Vec<NamedRepo>, CliError> {
    // Listing it gives the reason if it cannot be read.
    let canonical = folder.canonicalize().and_then(|path| fs::read_dir(&path).map(|_| path));
    let canonical = canonical.map_err(|error| {
        let hint = "--repos names a folder of repositories, such as bare mirrors";
        CliError::usage(format!("cannot list `{}`: {error}", folder.display()), Some(hint))
    })?;
    let (found, hidden) = named_repositories_in(&canonical);
    for (name, folder) in hidden.iter().take(MAX_NAMED_HIDDEN) {
        let folder = folder.display();
        ui::warning(&format!("`{folder}` is left out: another folder has the same name, `{name}`"));
    }
    if hidden.len() > MAX_NAMED_HIDDEN {
        let more = kitbag::plural(hidden.len() - MAX_NAMED_HIDDEN, "other folder");
        ui::warning(&format!("{more} left out too because of their names"));
    }
    Ok(found.into_iter().map(|(name, folder)| NamedRepo { name, folder }).collect())
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
