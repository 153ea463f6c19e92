//! Log events of a pack. Messages are constant; values are in the fields.

use crate::error::Error;
use crate::gather::orchestrate::{Plan, Planned, PlannedState};
use crate::report::{ExcludedItem, IncludedItem, ProviderItem, Report};
use kitbag_core::{ChunkForm, Excluded, PackError, Reason};
use kitbag_record::ProviderOutcome;
use kitbag_text::Kind;
use tracing::{Level, debug, enabled, error, info, trace, warn};

/// Logs the start of a pack.
pub(crate) fn begins(budget: usize, plan: &Plan) {
    let asked = |it: &&Planned| it.state != PlannedState::Off;
    let providers = plan.providers.iter().filter(asked).count();
    info!(budget, providers, "context assembly begins");
    if providers == 0 {
        warn!("no providers are switched on");
    }
    for planned in &plan.providers {
        let status = match planned.state {
            PlannedState::Asked => "asked",
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
            ProviderOutcome::Late => warn!(provider, ms, "provider was late"),
            ProviderOutcome::Failed => error!(provider, ms, "provider failed"),
            ProviderOutcome::Off => {}
        }
    }
    if sources == 0 {
        info!("nothing was gathered");
    }
    info!(sources, "packing begins");
}

/// Logs rejected sources. Access to a denied path is an error, and anything else a warning. Files
/// that only a search encountered were not requested, so they are logged at debug level.
pub(crate) fn refused(rejected: &[Excluded]) {
    for out in rejected {
        let (path, reason) = (out.path.as_str(), out.reason.as_str());
        let (start_line, end_line) = (out.span.map(|it| it.start), out.span.map(|it| it.end));
        match out.reason {
            _ if out.kind == Kind::SearchResult => debug!(path, reason, "file passed over"),
            Reason::Denied | Reason::OutsideRoot => error!(path, reason, "source refused"),
            _ => warn!(path, reason, start_line, end_line, "source left out"),
        }
    }
}

/// Logs the end of a pack.
pub(crate) fn ends(report: &Report) {
    let stats = &report.stats;
    if enabled!(Level::DEBUG) {
        report.included.iter().for_each(goes_in);
        report.excluded.iter().for_each(stays_out);
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
        warn!(rule = *rule.0, count = *rule.1, "secrets replaced");
    }
    if stats.was_truncated {
        let left_out = stats.chunks_truncated;
        let (tokens, budget) = (report.total_tokens, report.budget);
        info!(tokens, budget, left_out, "budget exhausted");
    }
    info!(
        chunks = stats.included,
        left_out = stats.excluded,
        tokens = report.total_tokens,
        budget = report.budget,
        utilisation = stats.utilisation,
        cache_hit_rate = stats.cache_hit_rate,
        partial = report.partial,
        ms = report.timings.last().map(|total| total.ms).unwrap_or_default(),
        "context assembled"
    );
}

fn goes_in(item: &IncludedItem) {
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
        "chunk is in"
    );
    if item.form == ChunkForm::Truncated {
        debug!(path = item.path.as_str(), tokens = item.tokens, "chunk truncated");
    }
    trace!(path = item.path.as_str(), also = item.also.len(), "chunk represents others");
}

fn stays_out(item: &ExcludedItem) {
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
        "chunk is out"
    );
}

/// Logs a failed pack. A text over the budget is a bug in Kitbag and marked as critical. Invalid
/// requests are warnings, because the caller receives the error.
pub(crate) fn failed(why: &Error, ms: f64) {
    match why {
        Error::Pack(PackError::ContextOverflow { tokens, budget }) => {
            error!(critical = true, tokens, budget, ms, "the text is over the budget");
        }
        why if why.is_cancelled() => info!(ms, "cancelled"),
        Error::Config(config) if !config.is_request_error() => {
            let place = config.problems.first().map(|problem| problem.origin.to_string());
            let problems = config.problems.len();
            error!(error = why.code(), place, problems, ms, "no pack");
        }
        why if why.is_usage() => warn!(error = why.code(), is_usage = true, ms, "no pack"),
        why => error!(error = why.code(), is_usage = false, ms, "no pack"),
    }
}
