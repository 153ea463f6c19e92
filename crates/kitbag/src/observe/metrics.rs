//! The metrics. They are declared once in `METRICS`, from which their descriptions and the
//! documentation are generated.

use crate::error::Error;
use crate::report::Report;
use crate::request::PackMode;
use kitbag_core::Reason;
use kitbag_record::ProviderOutcome;
use metrics::{counter, gauge, histogram};

/// Declaration of a metric.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Name in Prometheus.
    pub name: &'static str,
    /// Type of the metric.
    pub measured: Measured,
    /// Names of its labels.
    pub labels: &'static [&'static str],
    /// Help text in Prometheus.
    pub help: &'static str,
}

/// The type of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// A value that only increases.
    Counter,
    /// A value that increases and decreases.
    Gauge,
    /// A distribution of values.
    Histogram,
}

impl Measured {
    /// Returns the name of the type in Prometheus.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// Declares metrics as constants, and a list of all of them.
macro_rules! metrics {
    ($($constant:ident: $measured:ident $name:literal [$($label:literal),*] $help:literal;)+) => {
        $(const $constant: &str = $name;)+
        /// All metrics of an engine.
        pub const METRICS: &[Metric] = &[$(Metric {
            name: $constant,
            measured: Measured::$measured,
            labels: &[$($label),*],
            help: $help,
        }),+];
    };
}

metrics! {
    PACKS: Counter "kitbag_packs_total" ["mode", "outcome"]
        "Packs and previews, by outcome: ok, partial, empty, usage, failed, cancelled.";
    PACK_SECONDS: Histogram "kitbag_pack_seconds" ["mode"]
        "Duration of packs and previews.";
    STAGE_SECONDS: Histogram "kitbag_stage_seconds" ["stage"]
        "Duration of each stage of a pack.";
    CHUNKS: Counter "kitbag_chunks_total" ["outcome"]
        "Chunks and sources considered, by outcome: included, or the reason for the exclusion.";
    PACK_CHUNKS: Histogram "kitbag_pack_chunks" []
        "Number of chunks in a pack.";
    TOKENS: Counter "kitbag_tokens_total" []
        "Total tokens of all packs.";
    PACK_TOKENS: Histogram "kitbag_pack_tokens" []
        "Number of tokens in a pack.";
    UTILIZATION: Histogram "kitbag_budget_utilization" []
        "Share of the budget used by a pack.";
    DUPLICATES: Counter "kitbag_deduplicated_chunks_total" ["kind"]
        "Chunks excluded as duplicates, by kind: duplicate, overlap, near_duplicate.";
    DUPLICATE_TOKENS: Counter "kitbag_deduplicated_tokens_total" []
        "Tokens of the chunks excluded as duplicates.";
    CACHE_HITS: Gauge "kitbag_token_cache_hit_ratio" []
        "Hit ratio of the token count cache since the process started, as of the last pack.";
    PROVIDERS: Counter "kitbag_provider_calls_total" ["provider", "outcome"]
        "Provider calls, by outcome: ok, empty, timed_out, failed, late.";
    PROVIDER_SECONDS: Histogram "kitbag_provider_seconds" ["provider"]
        "Duration of provider calls.";
    REDACTIONS: Counter "kitbag_redactions_total" ["rule"]
        "Secrets redacted, by rule.";
    SEARCHES: Counter "kitbag_searches_total" ["outcome"]
        "Searches, by outcome: ok, empty, usage, failed, cancelled.";
    SEARCH_SECONDS: Histogram "kitbag_search_seconds" []
        "Duration of searches.";
}

/// Registers the help texts of all metrics with the recorder.
pub fn describe_metrics() {
    for metric in METRICS {
        match metric.measured {
            Measured::Counter => metrics::describe_counter!(metric.name, metric.help),
            Measured::Gauge => metrics::describe_gauge!(metric.name, metric.help),
            Measured::Histogram => metrics::describe_histogram!(metric.name, metric.help),
        }
    }
}

/// Returns the label value for an error.
fn error_label(error: &Error) -> &'static str {
    match error {
        error if error.is_cancelled() => "cancelled",
        error if error.is_usage() => "usage",
        _ => "failed",
    }
}

/// Records a finished pack or preview.
pub(crate) fn packed(mode: PackMode, result: &Result<Report, Error>, seconds: f64) {
    let outcome = match result {
        Ok(report) if report.partial => "partial",
        Ok(report) if report.included.is_empty() => "empty",
        Ok(_) => "ok",
        Err(error) => error_label(error),
    };
    counter!(PACKS, "mode" => mode.name(), "outcome" => outcome).increment(1);
    if let Ok(report) = result {
        histogram!(PACK_SECONDS, "mode" => mode.name()).record(seconds);
        record_report(report);
    }
}

fn record_report(report: &Report) {
    for timing in report.stages() {
        histogram!(STAGE_SECONDS, "stage" => timing.stage.clone()).record(timing.ms / 1_000.0);
    }
    let stats = &report.stats;
    counter!(CHUNKS, "outcome" => "included").increment(stats.included as u64);
    for item in &report.excluded {
        counter!(CHUNKS, "outcome" => item.reason.as_str()).increment(1);
    }
    histogram!(PACK_CHUNKS).record(stats.included as f64);
    counter!(TOKENS).increment(report.total_tokens as u64);
    histogram!(PACK_TOKENS).record(report.total_tokens as f64);
    histogram!(UTILIZATION).record(stats.utilization);
    let kinds = [
        (Reason::Duplicate, stats.duplicates),
        (Reason::Overlap, stats.overlaps),
        (Reason::NearDuplicate, stats.near_duplicates),
    ];
    for (kind, count) in kinds {
        counter!(DUPLICATES, "kind" => kind.as_str()).increment(count as u64);
    }
    let repeats = report.excluded.iter().filter(|item| kinds.iter().any(|it| it.0 == item.reason));
    counter!(DUPLICATE_TOKENS).increment(repeats.map(|item| item.tokens as u64).sum());
    gauge!(CACHE_HITS).set(stats.cache_hit_rate);
    for provider in
        report.providers.iter().filter(|provider| provider.outcome != ProviderOutcome::Off)
    {
        let (id, outcome) = (provider.id.clone(), provider.outcome.as_str());
        counter!(PROVIDERS, "provider" => id.clone(), "outcome" => outcome).increment(1);
        histogram!(PROVIDER_SECONDS, "provider" => id).record(provider.ms / 1_000.0);
    }
    for (rule, count) in &stats.redactions {
        counter!(REDACTIONS, "rule" => *rule).increment(*count as u64);
    }
}

/// Records a finished search.
pub(crate) fn searched(results: Result<usize, &Error>, seconds: f64) {
    let outcome = match results {
        Ok(0) => "empty",
        Ok(_) => "ok",
        Err(error) => error_label(error),
    };
    counter!(SEARCHES, "outcome" => outcome).increment(1);
    if results.is_ok() {
        histogram!(SEARCH_SECONDS).record(seconds);
    }
}
