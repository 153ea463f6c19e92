//! State that all clients of a server share.

use crate::error::McpError;
use crate::options::McpOptions;
use crate::packs::{ClientPacks, PackCache};
use crate::repos::{ServedRepo, open_found, open_repos, watch_repo};
use kitbag::Engine;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

/// How far an index is: the files that have been read, and all files to read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct IndexProgress {
    pub read: usize,
    pub total: usize,
}

/// State that all clients of a server share: the engine, the repositories, the limits.
pub struct McpState {
    pub(crate) engine: Arc<Engine>,
    pub(crate) repos: Arc<[ServedRepo]>,
    pub(crate) options: McpOptions,
    /// Permits of running calls.
    pub(crate) running: Semaphore,
    /// Permits of running and waiting calls over HTTP.
    pub(crate) admitted: Semaphore,
    pub(crate) progress: watch::Receiver<IndexProgress>,
    pub(crate) packs: Arc<PackCache>,
    /// The packs of clients without a session.
    pub(crate) sessionless_packs: ClientPacks,
    warnings: Vec<String>,
}

impl McpState {
    /// Creates the state of a server. The repositories are watched from now on, so that a pack of an
    /// unchanged one neither walks it nor runs git.
    pub fn new(
        engine: Engine,
        repos: &[PathBuf],
        options: McpOptions,
    ) -> Result<Arc<Self>, McpError> {
        let (sender, progress) = watch::channel(IndexProgress::default());
        let engine = engine.with_progress(move |read, total| {
            // Fails only if the state is gone.
            let _ = sender.send(IndexProgress { read, total });
        });
        Self::build(Arc::new(engine), progress, repos, options)
    }

    /// Creates the state of a server with an engine that others use, too, such as the HTTP service.
    /// Its clients get no progress of the index.
    pub fn with_shared_engine(
        engine: Arc<Engine>,
        repos: &[PathBuf],
        options: McpOptions,
    ) -> Result<Arc<Self>, McpError> {
        let (_, progress) = watch::channel(IndexProgress::default());
        Self::build(engine, progress, repos, options)
    }

    fn build(
        engine: Arc<Engine>,
        progress: watch::Receiver<IndexProgress>,
        repos: &[PathBuf],
        mut options: McpOptions,
    ) -> Result<Arc<Self>, McpError> {
        // Summaries belong to folders, and other parts of a server have the path without links.
        let real = |folder: PathBuf| folder.canonicalize().unwrap_or(folder);
        options.repos_folder = options.repos_folder.map(real);
        // Without `--repo`, the folder is only where the client happens to start the server.
        let repos = match (options.roots, &options.repos_folder) {
            (_, Some(_)) if repos.is_empty() => Vec::new(),
            (true, _) => open_found(repos, &engine)?,
            (false, _) => open_repos(repos)?,
        };
        let repos: Arc<[ServedRepo]> = repos.into();
        let warnings = repos.iter().filter_map(|repo| watch_repo(&engine, &repo.path)).collect();
        let semaphore = |permits: usize| Semaphore::new(permits.clamp(1, Semaphore::MAX_PERMITS));
        let limits = &options.limits;
        let running = semaphore(limits.concurrency);
        let admitted = semaphore(limits.concurrency.saturating_add(limits.queue));
        let packs = Arc::<PackCache>::default();
        let sessionless_packs = packs.add_client();
        Ok(Arc::new(Self {
            engine,
            repos,
            options,
            running,
            admitted,
            progress,
            packs,
            sessionless_packs,
            warnings,
        }))
    }

    /// Warnings for the person who starts the server.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
