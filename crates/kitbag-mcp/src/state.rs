//! What all clients of a server share: the engine, the repositories, the bounds.

use crate::error::Error;
use crate::packs::{Packs, Shelves};
use kitbag::{Engine, Root, ServerSettings, shortest_names};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};

/// How a server serves.
#[derive(Debug, Clone)]
pub struct Options {
    /// The tokens of a pack where a call says nothing: less than the engine's default, since a pack
    /// becomes a part of the conversation.
    pub budget: usize,
    /// Whether the folders that a client has open are served in place of the repositories, where the
    /// client tells them. It has to be the only client, who started the server.
    pub roots: bool,
    /// The bounds.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self { budget: 8_000, roots: false, limits: Limits::default() }
    }
}

/// What keeps one client from using up the machine.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most bytes that a message may have.
    pub request_bytes: usize,
    /// How many calls are worked on at the same time; others wait.
    pub concurrency: usize,
    /// How many calls of clients over HTTP may wait; others are asked to come back later. The only
    /// client of a server may have as many wait as it likes.
    pub queue: usize,
    /// How long a call may take, waiting included.
    pub timeout: Duration,
    /// How many sessions are kept over HTTP; the one that was not used for the longest goes first.
    pub sessions: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_bytes: 16 << 20,
            concurrency: 16,
            queue: 128,
            timeout: Duration::from_secs(60),
            sessions: 256,
        }
    }
}

impl From<&ServerSettings> for Limits {
    fn from(settings: &ServerSettings) -> Self {
        Self {
            request_bytes: settings.request_bytes,
            concurrency: settings.concurrency,
            queue: settings.queue,
            timeout: settings.timeout,
            ..Self::default()
        }
    }
}

/// A repository that is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repo {
    /// What calls name it by: the end of its path that tells it from the others.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
}

/// What all clients of a server share.
pub struct State {
    pub(crate) engine: Arc<Engine>,
    pub(crate) repos: Arc<[Repo]>,
    pub(crate) options: Options,
    /// Who may work.
    pub(crate) permits: Semaphore,
    /// Who may work or wait, of several clients.
    pub(crate) places: Semaphore,
    /// Files read, of how many, while an index is brought up to date.
    pub(crate) progress: watch::Receiver<(usize, usize)>,
    /// The packs of all clients.
    pub(crate) packs: Arc<Shelves>,
    /// Those of clients without a session, each found by its name alone.
    pub(crate) shared: Packs,
    /// What the person who starts the server should know.
    warnings: Vec<String>,
}

impl State {
    /// A server's state. The repositories are watched from now on, so that packs of an unchanged one
    /// neither walk it nor ask git.
    pub fn new(engine: Engine, repos: &[PathBuf], options: Options) -> Result<Arc<Self>, Error> {
        let (sender, progress) = watch::channel((0, 0));
        let engine = engine.with_progress(move |done, of| {
            // There is no receiver left only when the state is gone.
            let _ = sender.send((done, of));
        });
        Self::made(Arc::new(engine), progress, repos, options)
    }

    /// The same for an engine that others use too, such as the HTTP service: its clients are not told
    /// how far an index has come.
    pub fn sharing(
        engine: Arc<Engine>,
        repos: &[PathBuf],
        options: Options,
    ) -> Result<Arc<Self>, Error> {
        Self::made(engine, watch::channel((0, 0)).1, repos, options)
    }

    fn made(
        engine: Arc<Engine>,
        progress: watch::Receiver<(usize, usize)>,
        repos: &[PathBuf],
        options: Options,
    ) -> Result<Arc<Self>, Error> {
        let repos: Arc<[Repo]> = named(repos)?.into();
        let warnings = repos.iter().filter_map(|repo| watched(&engine, &repo.path)).collect();
        let count = |count: usize| Semaphore::new(count.clamp(1, Semaphore::MAX_PERMITS));
        let limits = &options.limits;
        let permits = count(limits.concurrency);
        let places = count(limits.concurrency.saturating_add(limits.queue));
        let packs = Arc::<Shelves>::default();
        let shared = packs.of_client();
        Ok(Arc::new(Self {
            engine,
            repos,
            options,
            permits,
            places,
            progress,
            packs,
            shared,
            warnings,
        }))
    }

    /// What the person who starts the server should know.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// The repository that a call names, of those that are served.
pub(crate) fn repo<'a>(repos: &'a [Repo], name: Option<&str>) -> Result<&'a Repo, UnknownRepo> {
    let served = || repos.iter().map(|repo| repo.name.clone()).collect::<Vec<_>>();
    match (name, repos) {
        (None, [only]) => Ok(only),
        (None, _) => Err(UnknownRepo { name: None, served: served() }),
        (Some(name), repos) => repos
            .iter()
            .find(|repo| repo.name == name || repo.path == Path::new(name))
            .ok_or_else(|| UnknownRepo { name: Some(name.to_owned()), served: served() }),
    }
}

/// A call does not say which repository it is about, or one that is not served.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnknownRepo {
    pub name: Option<String>,
    pub served: Vec<String>,
}

impl std::fmt::Display for UnknownRepo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let served = self.served.iter().map(|name| format!("`{name}`"));
        let served = served.collect::<Vec<_>>().join(", ");
        match &self.name {
            None => write!(f, "several repositories are served; `repo` names one of {served}"),
            Some(name) => {
                write!(f, "no repository `{name}` is served; `repo` names one of {served}")
            }
        }
    }
}

/// Watches a repository, or says why every request will walk it.
pub(crate) fn watched(engine: &Engine, path: &Path) -> Option<String> {
    let error = engine.watch(path).err()?;
    Some(format!("`{}` cannot be watched, so every call walks it: {error}", path.display()))
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
        let names: Vec<String> = named(&paths).unwrap().into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["a/app", "b/app", "lib"]);
    }

    #[test]
    fn a_folder_that_is_named_twice_or_is_not_there_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_owned();
        assert!(matches!(named(&[path.clone(), path.join(".")]), Err(Error::Twice { .. })));
        assert!(matches!(named(&[path.join("gone")]), Err(Error::Engine(_))));
        assert!(matches!(named(&[]), Err(Error::NoRepositories)));
    }

    #[test]
    fn a_call_may_leave_the_repository_out_only_where_there_is_one() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ["one", "two"].map(|path| dir.path().join(path));
        for path in &paths {
            fs::create_dir_all(path).unwrap();
        }
        let repos = named(&paths).unwrap();
        assert_eq!(repo(&repos[..1], None).unwrap().name, "one");
        assert_eq!(repo(&repos, Some("two")).unwrap().name, "two");
        assert_eq!(
            repo(&repos, None).unwrap_err().to_string(),
            "several repositories are served; `repo` names one of `one`, `two`"
        );
        assert_eq!(
            repo(&repos, Some("three")).unwrap_err().to_string(),
            "no repository `three` is served; `repo` names one of `one`, `two`"
        );
    }
}
