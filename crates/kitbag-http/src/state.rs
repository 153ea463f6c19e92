//! What all requests share: the engine, the repositories, the bounds, and the packs made lately.

use crate::error::Error;
use crate::feed::Feed;
use crate::gate::Gate;
use crate::guard::Guard;
use crate::meters::{self, Recorded};
use crate::packs::Packs;
use crate::repos::{self, Repo};
use kitbag::{Engine, Received, ServerSettings};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// How a server serves.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Who may call.
    pub guard: Guard,
    /// What one request may cost.
    pub limits: Limits,
}

/// What keeps one caller from using up the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes that a request may have.
    pub request_bytes: usize,
    /// How many requests are worked on at the same time.
    pub concurrency: usize,
    /// How many more may wait.
    pub queue: usize,
    /// How long a request may take, waiting included.
    pub timeout: Duration,
    /// How many may listen to events at the same time.
    pub streams: usize,
    /// How long a client may take to read what is sent to it, before more is sent.
    pub write: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_bytes: 16 << 20,
            concurrency: 16,
            queue: 128,
            timeout: Duration::from_secs(60),
            streams: 64,
            write: Duration::from_secs(30),
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

/// What all requests share.
pub struct State {
    pub(crate) engine: Arc<Engine>,
    pub(crate) repos: Vec<Repo>,
    pub(crate) guard: Guard,
    pub(crate) limits: Limits,
    pub(crate) gate: Gate,
    pub(crate) packs: Packs,
    pub(crate) feed: Feed,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) recorded: Recorded,
    /// The description of the routes, made when somebody asks.
    pub(crate) document: OnceLock<serde_json::Value>,
    /// Raised when the server ends: streams end too.
    pub(crate) stop: CancellationToken,
    warnings: Vec<String>,
}

impl State {
    /// A server's state for these repositories, which are watched from now on.
    pub fn new(
        engine: Arc<Engine>,
        repos: &[PathBuf],
        options: Options,
    ) -> Result<Arc<Self>, Error> {
        let repos = repos::named(repos)?;
        let watched = |repo: &Repo| {
            let error = engine.watch(&repo.path).err()?;
            let path = repo.path.display();
            Some(format!("`{path}` cannot be watched, so every request walks it: {error}"))
        };
        let warnings = repos.iter().filter_map(watched).collect();
        Ok(Arc::new(Self {
            engine,
            repos,
            guard: options.guard,
            limits: options.limits,
            gate: Gate::new(&options.limits),
            packs: Packs::default(),
            feed: Feed::default(),
            streams: Arc::new(Semaphore::new(options.limits.streams)),
            recorded: meters::record(),
            document: OnceLock::new(),
            stop: CancellationToken::new(),
            warnings,
        }))
    }

    /// What the person who starts the server should know.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The folders that are served, with their names.
    pub fn repos(&self) -> impl Iterator<Item = (&str, &std::path::Path)> {
        self.repos.iter().map(|repo| (repo.name.as_str(), repo.path.as_path()))
    }

    /// Takes over packs that others make with the same engine, such as agents over MCP, until the
    /// server ends.
    pub(crate) async fn follow(self: Arc<Self>) {
        let mut events = self.engine.subscribe();
        loop {
            let received = tokio::select! {
                received = events.next() => received,
                () = self.stop.cancelled() => None,
            };
            match received {
                None => return,
                Some(Received::Missed(missed)) => {
                    tracing::warn!(missed, "packs came faster than they can be told");
                    self.feed.missed(missed);
                }
                Some(Received::Event(event)) if event.via == crate::packs::OWN => {}
                Some(Received::Event(event)) => {
                    let kept = self.packs.keep_event(&event, &self.repos);
                    self.feed.publish(&kept);
                }
            }
        }
    }
}
