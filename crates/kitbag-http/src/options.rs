//! Options of a server: access rules and resource limits.

use kitbag::{RepoAccess, ServerSettings};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Minimum number of characters of a token: as many as 64 random bits have in hexadecimal digits.
pub const MIN_TOKEN_CHARS: usize = 16;

/// Options of a server.
#[derive(Debug, Clone, Default)]
pub struct HttpOptions {
    /// Rules that decide which requests are accepted.
    pub access: AccessPolicy,
    /// Resource limits.
    pub limits: HttpLimits,
    /// Folder whose repositories are served too, as they come and go.
    pub repos_folder: Option<PathBuf>,
    /// Progress of indexing, which the program's engine reports to.
    pub progress: Arc<IndexProgress>,
    /// Phase of the server, which the program sets.
    pub phase: Arc<PhaseCell>,
}

/// Phase in the life of a server, as `/readyz` reports it. Requests are answered in all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum ServerPhase {
    /// Repositories are being indexed or summarized.
    Starting,
    /// Nothing is in the way of requests.
    #[default]
    Ready,
    /// The server is about to stop.
    Draining,
}

impl ServerPhase {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Draining => "draining",
        }
    }
}

/// The current [`ServerPhase`].
#[derive(Debug, Default)]
pub struct PhaseCell(Mutex<ServerPhase>);

impl PhaseCell {
    /// Returns the phase.
    pub fn get(&self) -> ServerPhase {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the phase. A server that drains does not become ready again.
    pub fn set(&self, phase: ServerPhase) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *current != ServerPhase::Draining {
            *current = phase;
        }
    }
}

/// Progress of the index that was last brought up to date, and of the summaries that are made when a server
/// starts.
#[derive(Debug, Default)]
pub struct IndexProgress {
    done: AtomicUsize,
    total: AtomicUsize,
    summarized: AtomicUsize,
    repositories: AtomicUsize,
}

impl IndexProgress {
    /// Sets the number of files read and the number to read.
    pub fn update(&self, done: usize, total: usize) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Sets the number of repositories with a summary, and the number of those in the served folder.
    pub fn update_summaries(&self, summarized: usize, repositories: usize) {
        self.summarized.store(summarized, Ordering::Relaxed);
        self.repositories.store(repositories, Ordering::Relaxed);
    }

    /// Returns the number of repositories with a summary, and the number of those in the served folder.
    pub fn summaries(&self) -> (usize, usize) {
        (self.summarized.load(Ordering::Relaxed), self.repositories.load(Ordering::Relaxed))
    }

    /// Returns the number of files read and the number to read; equal if nothing is being indexed.
    pub fn get(&self) -> (usize, usize) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}

/// Rules that decide which requests are accepted. `Debug` omits the tokens.
#[derive(Clone, Default)]
pub struct AccessPolicy {
    /// Token for all repositories, which requests must send as `Authorization: Bearer ...`, of at least
    /// [`MIN_TOKEN_CHARS`].
    pub token: Option<String>,
    /// Further tokens, each for some of the repositories.
    pub grants: Vec<TokenGrant>,
    /// Accepted `Host` names, in addition to those of the loopback interface.
    pub hosts: Vec<String>,
}

/// A token, and the repositories that it is for.
#[derive(Clone)]
pub struct TokenGrant {
    /// The token, of at least [`MIN_TOKEN_CHARS`].
    pub token: String,
    /// The repositories.
    pub access: RepoAccess,
}

impl AccessPolicy {
    /// Whether requests must send a token.
    pub fn requires_token(&self) -> bool {
        self.token.is_some() || !self.grants.is_empty()
    }

    /// Returns all tokens.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = &str> {
        self.token.iter().chain(self.grants.iter().map(|it| &it.token)).map(String::as_str)
    }
}

impl fmt::Debug for AccessPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessPolicy")
            .field("has_token", &self.token.is_some())
            .field("grants", &self.grants.iter().map(|it| &it.access).collect::<Vec<_>>())
            .field("hosts", &self.hosts)
            .finish()
    }
}

/// Resource limits, which keep one client from using up the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpLimits {
    /// Maximum size of a request body, in bytes.
    pub request_bytes: usize,
    /// Maximum number of requests that run at the same time.
    pub concurrency: usize,
    /// Maximum number of requests that wait for a worker.
    pub queue: usize,
    /// Maximum time per request, including the time spent in the queue.
    pub timeout: Duration,
    /// Maximum time for a request body to arrive, unless it keeps the minimum rate.
    pub body_timeout: Duration,
    /// Minimum rate of a request body that takes longer, in bytes per second.
    pub body_bytes_per_second: usize,
    /// Maximum number of open event streams.
    pub event_streams: usize,
    /// Maximum time a client may take to read before its connection is closed.
    pub write_timeout: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            request_bytes: 16 << 20,
            concurrency: 16,
            queue: 128,
            timeout: Duration::from_secs(60),
            body_timeout: Duration::from_secs(5),
            body_bytes_per_second: 64 << 10,
            event_streams: 64,
            write_timeout: Duration::from_secs(30),
        }
    }
}

impl From<&ServerSettings> for HttpLimits {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_omits_the_token() {
        let grants = vec![TokenGrant {
            token: "hush too".into(),
            access: RepoAccess::granted("TEAM", ["acme/*"]).expect("a pattern"),
        }];
        let access = AccessPolicy { token: Some("hush".into()), grants, hosts: vec!["box".into()] };
        assert_eq!(
            format!("{access:?}"),
            "AccessPolicy { has_token: true, grants: [RepoAccess(TEAM: [\"acme/*\"])], hosts: [\"box\"] }"
        );
    }
}
