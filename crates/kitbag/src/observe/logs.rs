//! Log events of a pack. Messages are constant; values are in the fields.

use crate::error::Error;
use crate::gather::orchestrate::{Plan, Planned, PlannedState};
use crate::report::{ExcludedItem, IncludedItem, ProviderItem, Report};
use kitbag_core::{ChunkForm, Excluded, PackError, Reason};
use kitbag_record::ProviderOutcome;
use kitbag_text::Kind;
use tracing::{Level, debug, enabled, error, info, trace, warn};

/// Logs the start of a pack.
pub(crate) fn pack_started(budget: usize, plan: &Plan) {
    let enabled = |it: &&Planned| it.state != PlannedState::Off;
    let providers = plan.providers.iter().filter(enabled).count();
    info!(budget, providers, "assembling context");
    if providers == 0 {
        warn!("no providers enabled");
    }
    for planned in &plan.providers {
        let status = match planned.state {
            PlannedState::Called => "called",
            PlannedState::Idle => "idle",
            PlannedState::Off => "off",
        };
        debug!(provider = planned.id(), status, "provider");
    }
}

/// Logs the outcomes of the providers. The reason for a failure is only in the report, because it
/// may quote a file.
pub(crate) fn gathered(providers: &[ProviderItem], sources: usize) {
    for ProviderItem { id, outcome, sources, ms, .. } in providers {
        let provider = id.as_str();
        match *outcome {
            ProviderOutcome::Ok | ProviderOutcome::Empty => {
                debug!(provider, sources, ms, "provider answered")
            }
            ProviderOutcome::TimedOut => warn!(provider, ms, "provider timed out"),
            ProviderOutcome::Late => warn!(provider, ms, "provider missed the deadline"),
            ProviderOutcome::Failed => error!(provider, ms, "provider failed"),
            ProviderOutcome::Off => {}
        }
    }
    if sources == 0 {
        info!("no sources gathered");
    }
    info!(sources, "packing");
}

/// Logs rejected sources. Access to a denied path is an error, and anything else a warning. Files
/// that only a search encountered were not requested, so they are logged at debug level.
pub(crate) fn sources_rejected(rejected: &[Excluded]) {
    for out in rejected {
        let (path, reason) = (out.path.as_str(), out.reason.as_str());
        let (start_line, end_line) = (out.span.map(|it| it.start), out.span.map(|it| it.end));
        match out.reason {
            _ if out.kind == Kind::SearchResult => debug!(path, reason, "file skipped"),
            Reason::Duplicate => debug!(path, reason, start_line, end_line, "source excluded"),
            Reason::Denied | Reason::OutsideRoot => error!(path, reason, "source rejected"),
            _ => warn!(path, reason, start_line, end_line, "source excluded"),
        }
    }
}

/// Logs the end of a pack.
pub(crate) fn pack_finished(report: &Report) {
    let stats = &report.stats;
    if enabled!(Level::DEBUG) {
        report.included.iter().for_each(chunk_included);
        report.excluded.iter().for_each(chunk_excluded);
        for timing in &report.timings {
            debug!(stage = &*timing.stage, ms = timing.ms, "stage");
        }
        debug!(
            duplicates = stats.duplicates,
            overlaps = stats.overlaps,
            near_duplicates = stats.near_duplicates,
            merged_sources = stats.merged_sources,
            "deduplicated"
        );
        debug!(format = stats.format, files = stats.files_included.len(), "formatted");
    }
    for rule in stats.redactions.iter() {
        warn!(rule = *rule.0, count = *rule.1, "secrets redacted");
    }
    if stats.was_truncated {
        let left_out = stats.chunks_over_budget;
        let (tokens, budget) = (report.total_tokens, report.budget);
        info!(tokens, budget, left_out, "budget exhausted");
    }
    info!(
        chunks = stats.included,
        left_out = stats.excluded,
        tokens = report.total_tokens,
        budget = report.budget,
        utilization = stats.utilization,
        cache_hit_rate = stats.cache_hit_rate,
        partial = report.partial,
        ms = report.timings.last().map(|total| total.ms).unwrap_or_default(),
        "context assembled"
    );
}

fn chunk_included(item: &IncludedItem) {
    debug!(
        path = item.path.as_str(),
        start_line = item.start_line,
        end_line = item.end_line,
        provider = item.provider.as_deref(),
        form = item.form.as_str(),
        tokens = item.tokens,
        score = item.score,
        relevance = item.factors.relevance,
        recency = item.factors.recency,
        source = item.factors.source,
        "chunk included"
    );
    if item.form == ChunkForm::Truncated {
        debug!(path = item.path.as_str(), tokens = item.tokens, "chunk truncated");
    }
    if !item.duplicates.is_empty() {
        trace!(
            path = item.path.as_str(),
            duplicates = item.duplicates.len(),
            "chunk represents others"
        );
    }
}

fn chunk_excluded(item: &ExcludedItem) {
    debug!(
        path = item.path.as_str(),
        start_line = item.start_line,
        end_line = item.end_line,
        provider = item.provider.as_deref(),
        reason = item.reason.as_str(),
        tokens = item.tokens,
        score = item.score,
        relevance = item.factors.map(|it| it.relevance),
        recency = item.factors.map(|it| it.recency),
        source = item.factors.map(|it| it.source),
        "chunk excluded"
    );
}

/// Logs a failed pack. A text over the budget is a bug in Kitbag and marked as critical. Invalid
/// requests are warnings, because the caller receives the error.
pub(crate) fn failed(why: &Error, ms: f64) {
    match why {
        Error::Pack(PackError::ContextOverflow { tokens, budget }) => {
            error!(critical = true, tokens, budget, ms, "pack exceeds its budget");
        }
        why if why.is_cancelled() => info!(ms, "cancelled"),
        Error::Config(config) if !config.is_request_error() => {
            let origin = config.problems.first().map(|problem| problem.origin.to_string());
            let problems = config.problems.len();
            error!(error = why.code(), origin, problems, ms, "pack failed");
        }
        why if why.is_usage() => warn!(error = why.code(), is_usage = true, ms, "pack failed"),
        why => error!(error = why.code(), is_usage = false, ms, "pack failed"),
    }
}
