//! The sessions of clients over HTTP, of which only so many are kept.
//!
//! Clients of the revisions with sessions seldom end theirs. The one that was not used for the
//! longest goes when a new one would be too many; its client is told that it is gone, and begins
//! another.

use futures_util::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long a session may be idle: a working day, since people pause and their agents with them.
const IDLE: Duration = Duration::from_secs(8 * 60 * 60);

type Inner = LocalSessionManager;

/// What the library keeps of a session.
type Failure = <Inner as SessionManager>::Error;

/// Sessions.
#[derive(Debug)]
pub(crate) struct Sessions {
    inner: Inner,
    most: usize,
    used: Mutex<Used>,
}

/// When each session was last used, in uses of any.
#[derive(Debug, Default)]
struct Used {
    now: u64,
    last: BTreeMap<SessionId, u64>,
}

impl Sessions {
    /// At most so many.
    pub fn new(most: usize) -> Self {
        let mut inner = Inner::default();
        inner.session_config.keep_alive = Some(IDLE);
        // An answer that was sent is not kept to be sent again: it can be as large as a pack, and
        // the call can be made again.
        inner.session_config.completed_cache_ttl = Duration::ZERO;
        Self { inner, most: most.max(1), used: Mutex::default() }
    }

    fn used(&self) -> std::sync::MutexGuard<'_, Used> {
        // A thread that panicked cannot have left it half-changed: each change is one step.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a new session as used now, and tells which have to go for it.
    fn begin(&self, id: &SessionId) -> Vec<SessionId> {
        let mut used = self.used();
        used.touch(id, true);
        let mut gone = Vec::new();
        while used.last.len() > self.most {
            let oldest = used.last.iter().min_by_key(|(_, last)| **last);
            let Some(oldest) = oldest.map(|(id, _)| id.clone()) else { break };
            used.last.remove(&oldest);
            gone.push(oldest);
        }
        gone
    }
}

impl Used {
    fn touch(&mut self, id: &SessionId, is_new: bool) {
        self.now += 1;
        if is_new || self.last.contains_key(id) {
            self.last.insert(id.clone(), self.now);
        }
    }
}

impl SessionManager for Sessions {
    type Error = Failure;
    type Transport = <Inner as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Failure> {
        let (id, transport) = self.inner.create_session().await?;
        for gone in self.begin(&id) {
            let gone = self.inner.sessions.write().await.remove(&gone);
            // In a task of its own: a session that is busy takes its time to end, and a new one need
            // not wait for that. One that cannot be closed has ended already.
            tokio::spawn(async move {
                if let Some(gone) = gone {
                    let _ = gone.close().await;
                }
            });
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Failure> {
        self.inner.initialize_session(id, message).await
    }

    /// Every request of a session asks this first.
    async fn has_session(&self, id: &SessionId) -> Result<bool, Failure> {
        self.used().touch(id, false);
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Failure> {
        self.used().last.remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Failure> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        self.inner.resume(id, last_event_id).await
    }
}
