//! The repositories that are served, and how requests name them.

use crate::error::Error;
use crate::problem::Problem;
use kitbag::{Root, shortest_names};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A repository that is served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Repo {
    /// What requests name it by: the end of its path that tells it from the others.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
}

impl Repo {
    /// Whose caches its requests use: nobody learns from timing what another repository has.
    pub fn tenant(&self) -> String {
        self.path.display().to_string()
    }
}

/// The repository that a request means: by name or folder, and the first if it says nothing.
pub(crate) fn find<'a>(repos: &'a [Repo], named: Option<&str>) -> Result<&'a Repo, Problem> {
    let Some(named) = named else {
        return repos.first().ok_or_else(|| Problem::not_found("there is no repository"));
    };
    let is_it = |repo: &&Repo| repo.name == named || repo.path == Path::new(named);
    repos.iter().find(is_it).ok_or_else(|| {
        let served: Vec<String> = repos.iter().map(|repo| format!("`{}`", repo.name)).collect();
        Problem::not_found(format!("no repository is called `{named}`"))
            .code("unknown_repository")
            .hint(format!("those that are served are {}", served.join(", ")))
    })
}

/// Gives every repository the shortest end of its path that no other one has.
pub(crate) fn named(paths: &[PathBuf]) -> Result<Vec<Repo>, Error> {
    let mut roots: Vec<PathBuf> = Vec::new();
    for path in paths {
        let root = Root::open(path).map_err(kitbag::Error::from)?.path().to_owned();
        if roots.contains(&root) {
            return Err(Error::Twice { path: path.clone() });
        }
        roots.push(root);
    }
    if roots.is_empty() {
        return Err(Error::NoRepositories);
    }
    let names = shortest_names(&roots).into_iter();
    Ok(names.zip(roots).map(|(name, path)| Repo { name, path }).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use std::fs;

    #[test]
    fn repositories_have_the_shortest_names_that_tell_them_apart() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ["a/app", "b/app", "b/lib"].map(|path| dir.path().join(path));
        for path in &paths {
            fs::create_dir_all(path).unwrap();
        }
        let repos = named(&paths).unwrap();
        let names: Vec<&str> = repos.iter().map(|repo| repo.name.as_str()).collect();
        assert_eq!(names, ["a/app", "b/app", "lib"]);
        assert_eq!(find(&repos, None).unwrap().name, "a/app");
        assert_eq!(find(&repos, Some("lib")).unwrap().path, repos[2].path);
        let path = repos[1].path.display().to_string();
        assert_eq!(find(&repos, Some(&path)).unwrap().name, "b/app");
        assert!(find(&repos, Some("app")).is_err());
        assert!(matches!(named(&[paths[0].clone(), paths[0].join(".")]), Err(Error::Twice { .. })));
        assert!(matches!(named(&[]), Err(Error::NoRepositories)));
    }
}
