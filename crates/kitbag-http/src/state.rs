//! State shared by all requests.

use crate::error::ServeError;
use crate::http_metrics;
use crate::options::{AccessPolicy, HttpLimits, HttpOptions, IndexProgress, PhaseCell};
use crate::repositories::{Repositories, ServedRepository};
use crate::request_queue::RequestQueue;
use crate::viewer::Viewer;
use axum::extract::State;
use kitbag::{Engine, Fleet, RepoAccess};
use metrics_exporter_prometheus::PrometheusHandle;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Extractor of the state.
pub(crate) type SharedState = State<Arc<HttpState>>;

/// State shared by all requests of a server.
pub struct HttpState {
    pub(crate) engine: Arc<Engine>,
    pub(crate) repositories: Repositories,
    pub(crate) access: AccessPolicy,
    pub(crate) limits: HttpLimits,
    pub(crate) progress: Arc<IndexProgress>,
    pub(crate) phase: Arc<PhaseCell>,
    /// Uploads of records that go on after their response.
    pub(crate) uploads: TaskTracker,
    pub(crate) queue: RequestQueue,
    /// The viewer of all repositories, and those of the grants in their order.
    pub(crate) viewers: Vec<Arc<Viewer>>,
    pub(crate) event_streams: Arc<Semaphore>,
    /// Handle of the metrics exporter; `None` if the process has another metrics recorder.
    pub(crate) metrics: Option<PrometheusHandle>,
    pub(crate) openapi: OnceLock<serde_json::Value>,
    /// Cancelled on shutdown, which ends the event streams.
    pub(crate) shutdown: CancellationToken,
    warnings: Vec<String>,
}

impl HttpState {
    /// Opens `repositories` and starts watching them.
    pub fn new(
        engine: Arc<Engine>,
        repositories: &[PathBuf],
        options: HttpOptions,
    ) -> Result<Arc<Self>, ServeError> {
        let repositories = Repositories::open(repositories, options.repos_folder.as_deref())?;
        let watch = |repository: &ServedRepository| {
            let error = engine.watch(&repository.path).err()?;
            let path = repository.path.display();
            Some(format!("cannot watch `{path}`: {error}; every request scans it"))
        };
        let warnings = repositories.named().iter().filter_map(watch).collect();
        let granted = options.access.grants.iter().map(|grant| grant.access.clone());
        let viewers = [RepoAccess::all()].into_iter().chain(granted);
        let viewers = viewers.map(|access| Arc::new(Viewer::new(access))).collect();
        Ok(Arc::new(Self {
            engine,
            repositories,
            access: options.access,
            limits: options.limits,
            progress: options.progress,
            phase: options.phase,
            uploads: TaskTracker::new(),
            queue: RequestQueue::new(&options.limits),
            viewers,
            event_streams: Arc::new(Semaphore::new(options.limits.event_streams)),
            metrics: http_metrics::install(),
            openapi: OnceLock::new(),
            shutdown: CancellationToken::new(),
            warnings,
        }))
    }

    /// Returns the warnings to print when the server starts.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the repositories that a viewer's request to all of them chooses from.
    pub(crate) async fn fleet(self: &Arc<Self>, viewer: &Viewer) -> Fleet {
        let (state, access) = (Arc::clone(self), viewer.access.clone());
        // Listing thousands of folders takes a while.
        let listed = tokio::task::spawn_blocking(move || state.repositories.fleet(&access));
        listed.await.unwrap_or_default()
    }

    /// Returns the name and the folder of each served repository.
    pub fn repositories(&self) -> Vec<(String, PathBuf)> {
        self.repositories
            .list(&RepoAccess::all())
            .into_iter()
            .map(|it| (it.name, it.path))
            .collect()
    }
}
