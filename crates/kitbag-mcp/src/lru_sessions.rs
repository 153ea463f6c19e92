//! A bounded number of HTTP sessions.
//!
//! Clients seldom end their sessions. When there are too many, the least recently used one is closed;
//! its client gets a 404 and starts another.

use futures_util::Stream;
use lru::LruCache;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};
use std::num::NonZero;
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
    usage: Mutex<LruCache<SessionId, ()>>,
}

impl LruSessionManager {
    pub fn new(max_sessions: usize) -> Self {
        let mut inner = Inner::default();
        inner.session_config.keep_alive = Some(IDLE_TIMEOUT);
        // Sent responses are not cached for resumption: they can be as large as a pack, and the call
        // can be repeated.
        inner.session_config.completed_cache_ttl = Duration::ZERO;
        let max_sessions = NonZero::new(max_sessions).unwrap_or(NonZero::<usize>::MIN);
        Self { inner, usage: Mutex::new(LruCache::new(max_sessions)) }
    }

    fn usage(&self) -> MutexGuard<'_, LruCache<SessionId, ()>> {
        // Each change is one step, so a panic cannot leave it inconsistent.
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionManager for LruSessionManager {
    type Error = SessionError;
    type Transport = <Inner as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        let (id, transport) = self.inner.create_session().await?;
        let evicted = self.usage().push(id.clone(), ());
        if let Some((evicted, ())) = evicted
            && let Some(session) = self.inner.sessions.write().await.remove(&evicted)
        {
            // In a task of its own, since closing a busy session takes time. It fails if the session
            // has ended already.
            tokio::spawn(async move { session.close().await });
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
        self.usage().promote(id);
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        self.usage().pop(id);
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
