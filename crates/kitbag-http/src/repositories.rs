//! The served repositories, and how requests refer to them.

use crate::error::ServeError;
use crate::problem::Problem;
use kitbag::{
    Fleet, NamedRepo, RepoAccess, Root, find_repository, repositories_in, repository_name,
    shortest_names, similar, without_folder,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum number of names that an error lists.
const MAX_LISTED_NAMES: usize = 20;

/// Time for which a request to all repositories indexes those that have no summary yet.
const SUMMARIZE_TIME: Duration = Duration::from_secs(10);

/// A served repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ServedRepository {
    /// Name used in requests: the shortest suffix of the path that no other repository shares, or
    /// `owner/name` in a folder of repositories.
    pub name: String,
    /// Absolute path of the folder; for a token that is for some of the repositories, its name again.
    pub path: PathBuf,
}

impl ServedRepository {
    /// Returns the tenant of the token cache and of sessions. Each repository has its own, so that timings reveal
    /// nothing about the content of another, and so has each token.
    pub fn tenant(&self, access: &RepoAccess) -> String {
        match access.caller() {
            "" => self.path.display().to_string(),
            caller => format!("{}\0{caller}", self.path.display()),
        }
    }
}

/// The repositories that a server serves: some that were named when it started, and those that a folder has
/// at the moment.
#[derive(Debug, Default)]
pub(crate) struct Repositories {
    named: Vec<ServedRepository>,
    folder: Option<PathBuf>,
}

impl Repositories {
    /// Opens each of `paths` and names it by the shortest path suffix that is unique.
    pub fn open(paths: &[PathBuf], folder: Option<&Path>) -> Result<Self, ServeError> {
        let mut roots: Vec<PathBuf> = Vec::new();
        for path in paths {
            let root = Root::open(path).map_err(kitbag::Error::from)?.path().to_owned();
            if roots.contains(&root) {
                return Err(ServeError::DuplicateRepository { path: path.clone() });
            }
            roots.push(root);
        }
        let folder = folder.map(Root::open).transpose().map_err(kitbag::Error::from)?;
        let folder = folder.map(|folder| folder.path().to_owned());
        if roots.is_empty() && folder.is_none() {
            return Err(ServeError::NoRepositories);
        }
        let names = shortest_names(&roots).into_iter();
        let named = names.zip(roots).map(|(name, path)| ServedRepository { name, path }).collect();
        Ok(Self { named, folder })
    }

    /// Returns the repositories that were named when the server started.
    pub fn named(&self) -> &[ServedRepository] {
        &self.named
    }

    /// Lists the repositories that a caller may see: the named ones first, then those of the folder.
    pub fn list(&self, access: &RepoAccess) -> Vec<ServedRepository> {
        let found = self.folder.as_deref().map(repositories_in).unwrap_or_default();
        let found = found.into_iter().map(|(name, path)| ServedRepository { name, path });
        let all = self.named.iter().cloned().chain(found);
        all.filter(|it| access.allows(&it.name)).collect()
    }

    /// Returns the repositories that a request to all of them chooses from.
    pub fn fleet(&self, access: &RepoAccess) -> Fleet {
        let all = self.list(access).into_iter();
        let repositories = all.map(|it| NamedRepo { name: it.name, folder: it.path }).collect();
        Fleet { repositories, summarize_for: Some(SUMMARIZE_TIME) }
    }

    /// Finds a repository that a caller may see by name or folder; without either, returns the first that was
    /// named. One that exists and may not be seen is as unknown as one that does not exist.
    pub fn find(
        &self,
        name: Option<&str>,
        access: &RepoAccess,
    ) -> Result<ServedRepository, Problem> {
        let mut named = self.named.iter().filter(|it| access.allows(&it.name));
        let Some(name) = name else {
            return named.next().cloned().ok_or_else(|| {
                let hint = "name one in `repo`; `GET /v1/repos` lists them";
                Problem::not_found("no repository is named").with_hint(hint)
            });
        };
        let is_match = |it: &&ServedRepository| it.name == name || it.path == Path::new(name);
        let named = named.find(is_match).cloned();
        named
            .or_else(|| self.find_in_folder(name, access))
            .ok_or_else(|| self.unknown(name, access))
    }

    /// Replaces the folders of repositories in a message by their names, for a caller who need not know where the
    /// server has them. Those that it may not see must not be recognized by their folders.
    pub fn without_folders(&self, message: &str, access: &RepoAccess) -> String {
        let mut text = message.to_owned();
        // A repository may be in another one.
        let named = self.named.iter().filter(|it| access.allows(&it.name));
        let mut named: Vec<&ServedRepository> = named.collect();
        named.sort_by_key(|it| std::cmp::Reverse(it.path.as_os_str().len()));
        for ServedRepository { name, path } in named {
            text = without_folder(&text, path, name);
        }
        match &self.folder {
            Some(folder) => text.replace(&format!("{}/", folder.display()), ""),
            None => text,
        }
    }

    /// Returns the repository in a folder, if it is served.
    pub fn at(&self, path: &Path) -> Option<ServedRepository> {
        if let Some(named) = self.named.iter().find(|it| it.path == path) {
            return Some(named.clone());
        }
        path.starts_with(self.folder.as_ref()?)
            .then(|| self.list(&RepoAccess::all()))
            .and_then(|all| all.into_iter().find(|it| it.path == path))
    }

    fn find_in_folder(&self, name: &str, access: &RepoAccess) -> Option<ServedRepository> {
        let folder = self.folder.as_deref()?;
        // Before any file is read, so that the answer takes the same time whether it exists or not.
        if !access.allows(name) || name.split('/').any(|part| part.starts_with('.')) {
            return None;
        }
        let path = find_repository(folder, name)?;
        // A folder `app` is found as `owner/app` as well.
        let listed = repository_name(folder, &path)?;
        access.allows(&listed).then(|| ServedRepository { name: name.to_owned(), path })
    }

    fn unknown(&self, name: &str, access: &RepoAccess) -> Problem {
        let all = self.list(access);
        let mut names = all.iter().map(|it| it.name.as_str());
        let hint = if all.len() > MAX_LISTED_NAMES {
            similar(name, names).map(|nearest| format!("did you mean `{nearest}`?"))
        } else if all.is_empty() {
            None
        } else {
            let served: Vec<String> = names.by_ref().map(|name| format!("`{name}`")).collect();
            Some(format!("served repositories: {}", served.join(", ")))
        };
        let problem = Problem::not_found(format!("unknown repository `{name}`"))
            .with_code("unknown_repository");
        let hint = hint.unwrap_or_else(|| "`GET /v1/repos` lists the repositories".to_owned());
        problem.with_hint(hint)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic fails the test")]

    use super::*;
    use std::fs;

    #[test]
    fn repositories_are_named_by_their_shortest_unique_suffix() {
        let (dir, all) = (tempfile::tempdir().unwrap(), RepoAccess::all());
        let paths = ["a/app", "b/app", "b/lib"].map(|path| dir.path().join(path));
        for path in &paths {
            fs::create_dir_all(path).unwrap();
        }
        let repositories = Repositories::open(&paths, None).unwrap();
        let names: Vec<&str> = repositories.named().iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["a/app", "b/app", "lib"]);
        assert_eq!(repositories.find(None, &all).unwrap().name, "a/app");
        let lib = repositories.find(Some("lib"), &all).unwrap();
        assert_eq!(lib.path, repositories.named()[2].path);
        assert_eq!(repositories.at(&lib.path), Some(lib));
        let path = repositories.named()[1].path.display().to_string();
        assert_eq!(repositories.find(Some(&path), &all).unwrap().name, "b/app");
        assert!(repositories.find(Some("app"), &all).is_err());
        let twice = [paths[0].clone(), paths[0].join(".")];
        let opened = Repositories::open(&twice, None);
        assert!(matches!(opened, Err(ServeError::DuplicateRepository { .. })));
        assert!(matches!(Repositories::open(&[], None), Err(ServeError::NoRepositories)));
    }

    #[test]
    fn messages_have_names_instead_of_folders() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ["one/app", "mirrors/acme+lib"].map(|path| dir.path().join(path));
        for path in &paths {
            fs::create_dir_all(path).unwrap();
        }
        let folder = dir.path().join("mirrors").canonicalize().unwrap();
        let repositories = Repositories::open(&paths[..1], Some(&folder)).unwrap();
        let app = repositories.named()[0].path.display().to_string();
        for (message, expected) in [
            (format!("{app}/.agent/config.yml:2:1: x"), "app/.agent/config.yml:2:1: x".to_owned()),
            (format!("not a folder: `{app}`"), "not a folder: `app`".to_owned()),
            (format!("not a folder: `{app}2`"), format!("not a folder: `{app}2`")),
            (format!("failed in `{}/acme+lib`", folder.display()), "failed in `acme+lib`".into()),
            ("nothing".to_owned(), "nothing".to_owned()),
        ] {
            let none = repositories.without_folders(&message, &RepoAccess::none());
            assert_eq!(none.contains(&app), message.contains(&app), "not to be seen");
            assert_eq!(repositories.without_folders(&message, &RepoAccess::all()), expected);
        }
    }

    #[test]
    fn repositories_of_a_folder_come_and_go() {
        let (dir, all) = (tempfile::tempdir().unwrap(), RepoAccess::all());
        let repositories = Repositories::open(&[], Some(dir.path())).unwrap();
        assert!(repositories.list(&all).is_empty() && repositories.find(None, &all).is_err());
        for path in ["a+one/repo/.git", "two.git/.git", "b/three/.git", ".hidden/.git", "empty/x"] {
            fs::create_dir_all(dir.path().join(path)).unwrap();
        }
        let names: Vec<String> = repositories.list(&all).into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["a/one", "b/three", "two"]);
        for name in &names {
            let found = repositories.find(Some(name), &all).unwrap();
            assert_eq!(repositories.at(&found.path).unwrap().name, *name);
        }
        for name in [".hidden", "empty", "..", "../x", "/etc", "a/two/.git"] {
            assert!(repositories.find(Some(name), &all).is_err(), "{name}");
        }
        fs::remove_dir_all(dir.path().join("two.git")).unwrap();
        assert!(repositories.find(Some("two"), &all).is_err());
    }

    #[test]
    fn what_may_not_be_seen_is_as_unknown_as_what_does_not_exist() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["acme+app/.git", "other+secret/.git", "secret.git/.git", "named/.git"] {
            fs::create_dir_all(dir.path().join(path)).unwrap();
        }
        let named = [dir.path().join("named")];
        let repositories = Repositories::open(&named, Some(dir.path())).unwrap();
        let access = RepoAccess::granted("TEAM", ["acme/*"]).unwrap();
        let listed = repositories.list(&access);
        assert_eq!(listed.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["acme/app"]);
        assert!(repositories.find(Some("acme/app"), &access).is_ok());
        let problem = |name: &str| {
            let problem = repositories.find(Some(name), &access).unwrap_err();
            format!("{problem:?}").replace(name, "NAME")
        };
        let unknown = problem("other/missing");
        let path = repositories.named()[0].path.display().to_string();
        // A folder `secret` would be found as `acme/secret` too.
        for name in ["other/secret", "secret", "acme/secret", "named", path.as_str()] {
            assert_eq!(problem(name), unknown, "{name}");
        }
        assert!(repositories.find(None, &access).is_err(), "the first one is another's");
        assert_eq!(repositories.fleet(&access).repositories.len(), 1);
    }
}
