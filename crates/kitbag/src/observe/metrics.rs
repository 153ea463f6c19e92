//! The metrics: declared once in `METRICS`, from which their descriptions and the page are made.

use crate::assemble::Want;
use crate::error::Error;
use crate::report::Report;
use metrics::{counter, gauge, histogram};

/// A metric.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// What is measured.
    pub measured: Measured,
    /// The names of its labels.
    pub labels: &'static [&'static str],
    /// What it says.
    pub help: &'static str,
}

/// How a metric changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// It only grows.
    Counter,
    /// It goes up and down.
    Gauge,
    /// How its values are spread.
    Histogram,
}

impl Measured {
    /// Its name in Prometheus.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// Declares metrics as constants, and a list of them all.
macro_rules! metrics {
    ($($constant:ident: $measured:ident $name:literal [$($label:literal),*] $help:literal;)+) => {
        $(const $constant: &str = $name;)+
        /// Every metric of an engine.
        pub const METRICS: &[Metric] = &[$(Metric {
            name: $constant,
            measured: Measured::$measured,
            labels: &[$($label),*],
            help: $help,
        }),+];
    };
}

metrics! {
    PACKS: Counter "kitbag_packs_total" ["want", "outcome"]
        "Packs and previews that were asked for, by how they ended: ok, partial, empty, usage, failed, cancelled.";
    PACK_SECONDS: Histogram "kitbag_pack_seconds" ["want"]
        "How long a pack or a preview took.";
    STAGE_SECONDS: Histogram "kitbag_stage_seconds" ["stage"]
        "How long a stage of a pack took.";
    CHUNKS: Counter "kitbag_chunks_total" ["fate"]
        "Chunks and sources that were considered: in, or out by the code of the reason.";
    PACK_CHUNKS: Histogram "kitbag_pack_chunks" []
        "How many chunks a pack has.";
    TOKENS: Counter "kitbag_tokens_total" []
        "Tokens of all packs together.";
    PACK_TOKENS: Histogram "kitbag_pack_tokens" []
        "How many tokens a pack has.";
    UTILISATION: Histogram "kitbag_budget_utilisation" []
        "The share of its budget that a pack uses.";
    DUPLICATES: Counter "kitbag_deduplicated_chunks_total" ["kind"]
        "Chunks that were left out because they repeat another: duplicate, overlap, near_duplicate.";
    DUPLICATE_TOKENS: Counter "kitbag_deduplicated_tokens_total" []
        "Tokens of the chunks that were left out because they repeat another.";
    CACHE_HITS: Gauge "kitbag_token_cache_hit_ratio" []
        "The share of token counts that were remembered, since the beginning, as of the last pack.";
    PROVIDERS: Counter "kitbag_provider_calls_total" ["provider", "outcome"]
        "What became of providers: ok, empty, timed_out, failed, late.";
    PROVIDER_SECONDS: Histogram "kitbag_provider_seconds" ["provider"]
        "How long a provider took.";
    REDACTIONS: Counter "kitbag_redactions_total" ["rule"]
        "Secrets that were replaced by markers.";
    SEARCHES: Counter "kitbag_searches_total" ["outcome"]
        "Searches, by how they ended: ok, empty, usage, failed, cancelled.";
    SEARCH_SECONDS: Histogram "kitbag_search_seconds" []
        "How long a search took.";
}

/// Tells whoever records metrics what each of them says.
pub fn describe_metrics() {
    for metric in METRICS {
        match metric.measured {
            Measured::Counter => metrics::describe_counter!(metric.name, metric.help),
            Measured::Gauge => metrics::describe_gauge!(metric.name, metric.help),
            Measured::Histogram => metrics::describe_histogram!(metric.name, metric.help),
        }
    }
}

/// How something ended without a result.
fn fault(error: &Error) -> &'static str {
    match error {
        error if error.is_cancelled() => "cancelled",
        error if error.is_usage() => "usage",
        _ => "failed",
    }
}

/// Counts the end of a pack or a preview, after so many seconds.
pub(crate) fn settled(want: Want, result: &Result<Report, Error>, seconds: f64) {
    let outcome = match result {
        Ok(report) if report.partial => "partial",
        Ok(report) if report.included.is_empty() => "empty",
        Ok(_) => "ok",
        Err(error) => fault(error),
    };
    counter!(PACKS, "want" => want.name(), "outcome" => outcome).increment(1);
    if let Ok(report) = result {
        histogram!(PACK_SECONDS, "want" => want.name()).record(seconds);
        telling_of(report);
    }
}

/// Counts what a report says.
fn telling_of(report: &Report) {
    for timing in report.timings.iter().filter(|timing| timing.stage != "total") {
        histogram!(STAGE_SECONDS, "stage" => timing.stage).record(timing.ms / 1_000.0);
    }
    let stats = &report.stats;
    counter!(CHUNKS, "fate" => "in").increment(stats.included as u64);
    for item in &report.excluded {
        counter!(CHUNKS, "fate" => item.reason).increment(1);
    }
    histogram!(PACK_CHUNKS).record(stats.included as f64);
    counter!(TOKENS).increment(report.total_tokens as u64);
    histogram!(PACK_TOKENS).record(report.total_tokens as f64);
    histogram!(UTILISATION).record(stats.utilisation);
    let kinds = [
        ("duplicate", stats.duplicates),
        ("overlap", stats.overlaps),
        ("near_duplicate", stats.near_duplicates),
    ];
    for (kind, count) in kinds {
        counter!(DUPLICATES, "kind" => kind).increment(count as u64);
    }
    let repeats = report.excluded.iter().filter(|item| kinds.iter().any(|it| it.0 == item.reason));
    counter!(DUPLICATE_TOKENS).increment(repeats.map(|item| item.tokens as u64).sum());
    gauge!(CACHE_HITS).set(stats.cache_hit_rate);
    for provider in report.providers.iter().filter(|provider| provider.outcome != "off") {
        let (id, outcome) = (provider.id.clone(), provider.outcome);
        counter!(PROVIDERS, "provider" => id.clone(), "outcome" => outcome).increment(1);
        histogram!(PROVIDER_SECONDS, "provider" => id).record(provider.ms / 1_000.0);
    }
    for (rule, count) in &stats.redactions {
        counter!(REDACTIONS, "rule" => *rule).increment(*count as u64);
    }
}

/// Counts the end of a search that found so many, after so many seconds.
pub(crate) fn searched(found: Result<usize, &Error>, seconds: f64) {
    let outcome = match found {
        Ok(0) => "empty",
        Ok(_) => "ok",
        Err(error) => fault(error),
    };
    counter!(SEARCHES, "outcome" => outcome).increment(1);
    if found.is_ok() {
        histogram!(SEARCH_SECONDS).record(seconds);
    }
}
