//! The served repositories, and how requests refer to them.

use crate::error::ServeError;
use crate::problem::Problem;
use kitbag::{Root, shortest_names};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A served repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ServedRepository {
    /// Name used in requests: the shortest suffix of the path that no other repository shares.
    pub name: String,
    /// Absolute path of the folder.
    pub path: PathBuf,
}

impl ServedRepository {
    /// Returns the tenant of the token cache. Each repository has its own, so that timings reveal
    /// nothing about the content of another.
    pub fn tenant(&self) -> String {
        self.path.display().to_string()
    }
}

/// Opens each folder and names it by the shortest path suffix that is unique.
pub(crate) fn open(paths: &[PathBuf]) -> Result<Vec<ServedRepository>, ServeError> {
    let mut roots: Vec<PathBuf> = Vec::new();
    for path in paths {
        let root = Root::open(path).map_err(kitbag::Error::from)?.path().to_owned();
        if roots.contains(&root) {
            return Err(ServeError::DuplicateRepository { path: path.clone() });
        }
        roots.push(root);
    }
    if roots.is_empty() {
        return Err(ServeError::NoRepositories);
    }
    let names = shortest_names(&roots).into_iter();
    Ok(names.zip(roots).map(|(name, path)| ServedRepository { name, path }).collect())
}

/// Finds a repository by name or folder; without either, returns the first.
pub(crate) fn find<'a>(
    repositories: &'a [ServedRepository],
    name: Option<&str>,
) -> Result<&'a ServedRepository, Problem> {
    let Some(name) = name else {
        return repositories.first().ok_or_else(|| Problem::not_found("no repository is served"));
    };
    let is_match = |it: &&ServedRepository| it.name == name || it.path == Path::new(name);
    repositories.iter().find(is_match).ok_or_else(|| {
        let served: Vec<String> = repositories.iter().map(|it| format!("`{}`", it.name)).collect();
        Problem::not_found(format!("unknown repository `{name}`"))
            .with_code("unknown_repository")
            .with_hint(format!("served repositories: {}", served.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic fails the test")]

    use super::*;
    use std::fs;

    #[test]
    fn repositories_are_named_by_their_shortest_unique_suffix() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ["a/app", "b/app", "b/lib"].map(|path| dir.path().join(path));
        for path in &paths {
            fs::create_dir_all(path).unwrap();
        }
        let repositories = open(&paths).unwrap();
        let names: Vec<&str> = repositories.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["a/app", "b/app", "lib"]);
        assert_eq!(find(&repositories, None).unwrap().name, "a/app");
        assert_eq!(find(&repositories, Some("lib")).unwrap().path, repositories[2].path);
        let path = repositories[1].path.display().to_string();
        assert_eq!(find(&repositories, Some(&path)).unwrap().name, "b/app");
        assert!(find(&repositories, Some("app")).is_err());
        let twice = [paths[0].clone(), paths[0].join(".")];
        assert!(matches!(open(&twice), Err(ServeError::DuplicateRepository { .. })));
        assert!(matches!(open(&[]), Err(ServeError::NoRepositories)));
    }
}
