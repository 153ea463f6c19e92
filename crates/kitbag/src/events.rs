//! What happens in an engine, for whoever wants to know: each finished pack is an event.
//!
//! The channel keeps the last events and never waits: a subscriber that is too slow misses the oldest,
//! and is told how many.

use crate::report::Report;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::broadcast;

/// So many events are kept for subscribers that are behind.
const KEPT: usize = 256;

/// A pack was made (`context_assembled`).
#[derive(Debug, Clone)]
pub struct ContextAssembled {
    /// Who asked.
    pub agent_id: Option<String>,
    /// What the request is called.
    pub correlation_id: Option<String>,
    /// Over which interface it was asked, such as `http` or `mcp`; empty for the library's own.
    pub via: &'static str,
    /// The repository's folder.
    pub repo: PathBuf,
    /// The profile; `agent` where none was named.
    pub profile: String,
    /// The task.
    pub task: String,
    /// What is in, its tokens, and everything else there is to say.
    pub report: Arc<Report>,
    /// How many milliseconds it took.
    pub duration_ms: f64,
}

impl ContextAssembled {
    /// What the event is called.
    pub const NAME: &'static str = "context_assembled";

    /// The tokens of the pack.
    pub fn total_tokens(&self) -> usize {
        self.report.total_tokens
    }
}

/// Receives events, from now on.
pub struct Events(broadcast::Receiver<Arc<ContextAssembled>>);

/// What a subscriber receives.
#[derive(Debug, Clone)]
pub enum Received {
    /// An event.
    Event(Arc<ContextAssembled>),
    /// So many events were missed, since others came faster than they were received.
    Missed(u64),
}

impl Events {
    /// The next event; `None` once the engine is gone.
    pub async fn next(&mut self) -> Option<Received> {
        match self.0.recv().await {
            Ok(event) => Some(Received::Event(event)),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(Received::Missed(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

/// Tells subscribers.
pub(crate) struct Teller(broadcast::Sender<Arc<ContextAssembled>>);

impl Default for Teller {
    fn default() -> Self {
        Self(broadcast::channel(KEPT).0)
    }
}

impl Teller {
    pub fn subscribe(&self) -> Events {
        Events(self.0.subscribe())
    }

    /// Whether anybody listens.
    pub fn is_heard(&self) -> bool {
        self.0.receiver_count() > 0
    }

    pub fn tell(&self, event: ContextAssembled) {
        // Nobody may be listening: then nobody misses it.
        let _ = self.0.send(Arc::new(event));
    }
}
