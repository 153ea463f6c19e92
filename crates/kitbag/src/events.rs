//! Events of an engine: each finished pack is one.
//!
//! The channel keeps the last events and never waits: a slow subscriber misses the oldest, and learns
//! how many.

use crate::access::RepoAccess;
use crate::report::Report;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Number of events kept for slow subscribers.
const CAPACITY: usize = 256;

/// A pack was made (`context_assembled`).
#[derive(Debug, Clone)]
pub struct ContextAssembled {
    /// The agent that made the request.
    pub agent_id: Option<String>,
    /// The id of the request in logs.
    pub correlation_id: Option<String>,
    /// The interface of the request, such as `http` or `mcp`; empty for the library.
    pub via: &'static str,
    /// The repository's folder, or `*` if the pack is of many repositories.
    pub repo: PathBuf,
    /// The repositories that the caller may see.
    pub access: RepoAccess,
    /// The profile; `agent` by default.
    pub profile: String,
    /// The task.
    pub task: String,
    /// The report of the pack.
    pub report: Arc<Report>,
    /// Duration in milliseconds.
    pub duration_ms: f64,
}

impl ContextAssembled {
    /// The name of the event.
    pub const NAME: &'static str = "context_assembled";

    /// Returns the number of tokens of the pack.
    pub fn total_tokens(&self) -> usize {
        self.report.total_tokens
    }
}

/// A subscription to events.
pub struct Events(pub(crate) broadcast::Receiver<Arc<ContextAssembled>>);

/// An event, or the number of missed ones.
#[derive(Debug, Clone)]
pub enum Received {
    /// An event.
    Event(Arc<ContextAssembled>),
    /// Number of events missed because the subscriber was slow.
    Missed(u64),
}

impl Events {
    /// Waits for the next event; returns `None` once the engine is dropped.
    pub async fn next(&mut self) -> Option<Received> {
        match self.0.recv().await {
            Ok(event) => Some(Received::Event(event)),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(Received::Missed(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

/// Sends events to subscribers.
pub(crate) type EventSender = broadcast::Sender<Arc<ContextAssembled>>;

/// Creates a channel without subscribers.
pub(crate) fn event_channel() -> EventSender {
    broadcast::channel(CAPACITY).0
}
