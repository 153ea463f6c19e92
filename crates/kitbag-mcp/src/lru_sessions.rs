//! A bounded number of HTTP sessions.
//!
//! Clients seldom end their sessions. When there are too many, the least recently used one is closed;
//! its client gets a 404 and starts another.

use futures_util::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a session may be idle: a working day, since agents pause when their users do.
const IDLE_TIMEOUT: Duration = Duration::from_secs(8 * 60 * 60);

type Inner = LocalSessionManager;

type SessionError = <Inner as SessionManager>::Error;

/// Closes the least recently used session when there are too many.
#[derive(Debug)]
pub(crate) struct LruSessionManager {
    inner: Inner,
    max_sessions: usize,
    usage: Mutex<SessionUsage>,
}

/// The order in which sessions were last used.
#[derive(Debug, Default)]
struct SessionUsage {
    clock: u64,
    last_used: BTreeMap<SessionId, u64>,
}

impl LruSessionManager {
    pub fn new(max_sessions: usize) -> Self {
        let mut inner = Inner::default();
        inner.session_config.keep_alive = Some(IDLE_TIMEOUT);
        // Sent responses are not cached for resumption: they can be as large as a pack, and the call
        // can be repeated.
        inner.session_config.completed_cache_ttl = Duration::ZERO;
        Self { inner, max_sessions: max_sessions.max(1), usage: Mutex::default() }
    }

    fn usage(&self) -> MutexGuard<'_, SessionUsage> {
        // Each change is one step, so a panic cannot leave it inconsistent.
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a session and returns those to close.
    fn add(&self, id: &SessionId) -> Vec<SessionId> {
        let mut usage = self.usage();
        usage.last_used.insert(id.clone(), 0);
        usage.touch(id);
        let mut evicted = Vec::new();
        while usage.last_used.len() > self.max_sessions {
            let oldest = usage.last_used.iter().min_by_key(|(_, last_used)| **last_used);
            let Some(oldest) = oldest.map(|(id, _)| id.clone()) else { break };
            usage.last_used.remove(&oldest);
            evicted.push(oldest);
        }
        evicted
    }
}

impl SessionUsage {
    fn touch(&mut self, id: &SessionId) {
        self.clock += 1;
        if let Some(last_used) = self.last_used.get_mut(id) {
            *last_used = self.clock;
        }
    }
}

impl SessionManager for LruSessionManager {
    type Error = SessionError;
    type Transport = <Inner as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        let (id, transport) = self.inner.create_session().await?;
        for evicted in self.add(&id) {
            let evicted = self.inner.sessions.write().await.remove(&evicted);
            // In a task of its own, since closing a busy session takes time.
            tokio::spawn(async move {
                if let Some(evicted) = evicted {
                    // Fails if the session has ended already.
                    let _ = evicted.close().await;
                }
            });
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        self.inner.initialize_session(id, message).await
    }

    /// Called first for every request of a session.
    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        self.usage().touch(id);
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        self.usage().last_used.remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionError> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        self.inner.resume(id, last_event_id).await
    }
}
