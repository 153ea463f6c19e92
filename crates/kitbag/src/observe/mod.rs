//! Structured logs and metrics of an engine: paths, sizes, counts and correlation ids, never
//! content.
//!
//! `logs` emits `tracing` events and `metrics` records metrics. Without a subscriber or recorder
//! both cost next to nothing. `docs/observability.md` lists them.

pub(crate) mod logs;
mod metrics;
#[cfg(test)]
mod tests;

pub use metrics::{METRICS, Measured, Metric, describe_metrics};
pub(crate) use metrics::{packed, searched};

use crate::request::{PackMode, Request};
use tracing::Dispatch;
use tracing::dispatcher;

/// The span of a request and its subscriber, for work on other threads.
#[derive(Clone)]
pub(crate) struct RequestSpan {
    span: tracing::Span,
    subscriber: Dispatch,
}

impl RequestSpan {
    pub fn new(request: &Request, mode: PackMode) -> Self {
        let repo = request.repo.as_deref().map(|repo| repo.display().to_string());
        // The span has the highest level, so that its fields are logged with every event even if
        // only warnings are enabled.
        let span = tracing::error_span!(
            "pack",
            mode = mode.name(),
            correlation_id = request.correlation_id.as_deref(),
            agent_id = request.agent_id.as_deref(),
            via = Some(request.via).filter(|via| !via.is_empty()),
            repo = repo.as_deref().unwrap_or("."),
            profile = request.profile.as_deref().unwrap_or("agent"),
        );
        Self { span, subscriber: dispatcher::get_default(Dispatch::clone) }
    }

    /// Runs `work` inside the span, on any thread.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        dispatcher::with_default(&self.subscriber, || self.span.in_scope(work))
    }
}
