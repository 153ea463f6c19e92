//! What an engine tells while it works: structured logs and metrics. Paths, sizes, counts and
//! correlation ids, never content.
//!
//! `logs` writes events of `tracing` at the levels of the designs; `metrics` counts. Where nobody
//! listens, both cost next to nothing. `docs/observability.md` lists what there is.

pub(crate) mod logs;
mod metrics;
#[cfg(test)]
mod tests;

pub use metrics::{METRICS, Measured, Metric, describe_metrics};
pub(crate) use metrics::{searched, settled};

use crate::assemble::Want;
use crate::request::Request;
use tracing::Dispatch;
use tracing::dispatcher;

/// The span that all events of a request are in, and whoever listens to them: the work is done on
/// other threads than the one that asked.
#[derive(Clone)]
pub(crate) struct Watching {
    span: tracing::Span,
    listener: Dispatch,
}

impl Watching {
    /// Watches a request from now on.
    pub fn new(request: &Request, want: Want) -> Self {
        let repo = request.repo.as_deref().map(|repo| repo.display().to_string());
        // The span is at the highest level, so that what it says stands beside every event, also where
        // only warnings are logged.
        let span = tracing::error_span!(
            "pack",
            want = want.name(),
            correlation_id = request.correlation_id.as_deref(),
            agent_id = request.agent_id.as_deref(),
            via = Some(request.via).filter(|via| !via.is_empty()),
            repo = repo.as_deref().unwrap_or("."),
            profile = request.profile.as_deref().unwrap_or("agent"),
        );
        Self { span, listener: dispatcher::get_default(Dispatch::clone) }
    }

    /// Does `work`, which may be on any thread, inside the span.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        dispatcher::with_default(&self.listener, || self.span.in_scope(work))
    }
}
