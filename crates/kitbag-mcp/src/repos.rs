//! The repositories that a server or a client serves, by name.

use crate::error::McpError;
use kitbag::{ALL_REPOSITORIES, Engine, Root, WorkingFolder, shortest_names};
use std::path::{Path, PathBuf};

/// Number of repositories that an error lists.
const MAX_LISTED_NAMES: usize = 20;

/// A repository that is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServedRepo {
    /// The shortest suffix of its path that no other repository has.
    pub name: String,
    pub path: PathBuf,
    /// The folder of it that the user works in, if that is only a part of it.
    pub folder: Option<String>,
}

/// A call names no repository where several are served, or one that is not served.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}", self.problem(), self.served())]
pub(crate) struct UnknownRepo {
    name: Option<String>,
    served: Vec<String>,
}

impl UnknownRepo {
    /// Replaces the list of repositories by one that includes those of the served folder.
    pub fn among(self, served: Vec<String>) -> Self {
        Self { served, ..self }
    }

    fn served(&self) -> String {
        let listed = &self.served[..self.served.len().min(MAX_LISTED_NAMES)];
        let more = if listed.len() < self.served.len() { " and others" } else { "" };
        match listed {
            [] => "; name one as `owner/name`".to_owned(),
            listed => format!("; served repositories: `{}`{more}", listed.join("`, `")),
        }
    }

    fn problem(&self) -> String {
        match self.name.as_deref() {
            None => "`repo` is required".to_owned(),
            Some(ALL_REPOSITORIES) => format!(
                "`repo` must name one repository: only packs and searches can be of all (`{ALL_REPOSITORIES}`)"
            ),
            Some(name) => format!("unknown repository `{name}`"),
        }
    }
}

/// Opens repositories and names them.
pub(crate) fn open_repos(paths: &[PathBuf]) -> Result<Vec<ServedRepo>, McpError> {
    let mut roots: Vec<PathBuf> = Vec::new();
    for path in paths {
        let root = Root::open(path).map_err(kitbag::Error::from)?.path().to_owned();
        if roots.contains(&root) {
            return Err(McpError::DuplicateRepository { path: path.clone() });
        }
        roots.push(root);
    }
    if roots.is_empty() {
        return Err(McpError::NoRepositories);
    }
    let names = shortest_names(&roots).into_iter();
    Ok(names.zip(roots).map(|(name, path)| ServedRepo { name, path, folder: None }).collect())
}

/// Opens the repositories of folders that a user works in. Of several folders of one repository, none is
/// preferred.
pub(crate) fn open_found(
    folders: &[PathBuf],
    engine: &Engine,
) -> Result<Vec<ServedRepo>, McpError> {
    let home = engine.home();
    let mut found: Vec<WorkingFolder> = Vec::new();
    for folder in folders {
        let own = WorkingFolder::find(folder, home.as_deref())
            .unwrap_or_else(|_| WorkingFolder { repo: folder.clone(), folder: String::new() });
        match found.iter_mut().find(|it| it.repo == own.repo) {
            Some(known) => known.folder.clear(),
            None => found.push(own),
        }
    }
    let paths: Vec<PathBuf> = found.iter().map(|it| it.repo.clone()).collect();
    let repos = open_repos(&paths)?.into_iter().zip(found);
    let with_folder = |(repo, found): (ServedRepo, WorkingFolder)| {
        let folder = Some(found.folder).filter(|folder| !folder.is_empty());
        ServedRepo { folder, ..repo }
    };
    Ok(repos.map(with_folder).collect())
}

/// Finds a repository by name or path. The name may be omitted if there is only one.
pub(crate) fn find_repo<'a>(
    repos: &'a [ServedRepo],
    name: Option<&Path>,
) -> Result<&'a ServedRepo, UnknownRepo> {
    let found = match (name, repos) {
        (None, [only]) => Some(only),
        (None, _) => None,
        (Some(name), repos) => {
            repos.iter().find(|repo| Path::new(&repo.name) == name || repo.path == name)
        }
    };
    found.ok_or_else(|| UnknownRepo {
        name: name.map(|name| name.display().to_string()),
        served: repos.iter().map(|repo| repo.name.clone()).collect(),
    })
}

/// Starts watching a repository, or returns a warning.
pub(crate) fn watch_repo(engine: &Engine, path: &Path) -> Option<String> {
    let error = engine.watch(path).err()?;
    if let kitbag::Error::NotAProject { .. } = error {
        return Some(error.to_string());
    }
    Some(format!("cannot watch `{}`: {error}; every request scans it", path.display()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use std::fs;
    use tempfile::TempDir;

    fn folders<const N: usize>(names: [&str; N]) -> (TempDir, [PathBuf; N]) {
        let dir = tempfile::tempdir().unwrap();
        let paths = names.map(|name| dir.path().join(name));
        for path in &paths {
            fs::create_dir_all(path).unwrap();
        }
        (dir, paths)
    }

    #[test]
    fn repositories_have_the_shortest_unique_names() {
        let (_dir, paths) = folders(["a/app", "b/app", "b/lib"]);
        let names = open_repos(&paths).unwrap().into_iter().map(|it| it.name);
        assert_eq!(names.collect::<Vec<_>>(), ["a/app", "b/app", "lib"]);
    }

    #[test]
    fn duplicate_and_missing_repositories_are_errors() {
        let (_dir, [path]) = folders(["app"]);
        let twice = open_repos(&[path.clone(), path.join(".")]);
        assert!(matches!(twice, Err(McpError::DuplicateRepository { .. })));
        assert!(matches!(open_repos(&[path.join("missing")]), Err(McpError::Engine(_))));
        assert!(matches!(open_repos(&[]), Err(McpError::NoRepositories)));
    }

    #[test]
    fn the_repository_may_be_omitted_only_if_there_is_one() {
        let (_dir, paths) = folders(["one", "two"]);
        let repos = open_repos(&paths).unwrap();
        assert_eq!(find_repo(&repos[..1], None).unwrap().name, "one");
        assert_eq!(find_repo(&repos, Some(Path::new("two"))).unwrap().name, "two");
        assert_eq!(
            find_repo(&repos, None).unwrap_err().to_string(),
            "`repo` is required; served repositories: `one`, `two`"
        );
        assert_eq!(
            find_repo(&repos, Some(Path::new("three"))).unwrap_err().to_string(),
            "unknown repository `three`; served repositories: `one`, `two`"
        );
    }
}
