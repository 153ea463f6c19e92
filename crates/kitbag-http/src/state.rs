//! State shared by all requests.

use crate::error::ServeError;
use crate::event_feed::EventFeed;
use crate::http_metrics;
use crate::options::{AccessPolicy, HttpLimits, HttpOptions, IndexProgress};
use crate::recent_packs::RecentPacks;
use crate::repositories::{Repositories, ServedRepository};
use crate::request_queue::RequestQueue;
use axum::extract::State;
use kitbag::Engine;
use metrics_exporter_prometheus::PrometheusHandle;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Extractor of the state.
pub(crate) type SharedState = State<Arc<HttpState>>;

/// State shared by all requests of a server.
pub struct HttpState {
    pub(crate) engine: Arc<Engine>,
    pub(crate) repositories: Repositories,
    pub(crate) access: AccessPolicy,
    pub(crate) limits: HttpLimits,
    pub(crate) progress: Arc<IndexProgress>,
    pub(crate) queue: RequestQueue,
    pub(crate) packs: RecentPacks,
    pub(crate) feed: EventFeed,
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
        Ok(Arc::new(Self {
            engine,
            repositories,
            access: options.access,
            limits: options.limits,
            progress: options.progress,
            queue: RequestQueue::new(&options.limits),
            packs: RecentPacks::default(),
            feed: EventFeed::default(),
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

    /// Returns the name and the folder of each served repository.
    pub fn repositories(&self) -> Vec<(String, PathBuf)> {
        self.repositories.list().into_iter().map(|it| (it.name, it.path)).collect()
    }
}
