//! What the server itself counts, and everything that is counted as Prometheus reads it.

use kitbag::{Measured, Metric, describe_metrics};
use metrics::{Unit, counter, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::OnceLock;

const REQUESTS: &str = "kitbag_http_requests_total";
const SECONDS: &str = "kitbag_http_request_seconds";
const IN_FLIGHT: &str = "kitbag_http_requests_in_flight";
const REFUSED: &str = "kitbag_http_refused_total";
const STREAMS: &str = "kitbag_http_event_streams";

/// The metrics of the server, beside those of the engine.
pub const HTTP_METRICS: &[Metric] = &[
    Metric {
        name: REQUESTS,
        measured: Measured::Counter,
        labels: &["route", "method", "status"],
        help: "Requests that were answered.",
    },
    Metric {
        name: SECONDS,
        measured: Measured::Histogram,
        labels: &["route"],
        help: "How long an answer took, until it began.",
    },
    Metric {
        name: IN_FLIGHT,
        measured: Measured::Gauge,
        labels: &[],
        help: "Requests that are being answered.",
    },
    Metric {
        name: REFUSED,
        measured: Measured::Counter,
        labels: &["kind"],
        help: "Requests that were not let in: host, origin, token, content type.",
    },
    Metric {
        name: STREAMS,
        measured: Measured::Gauge,
        labels: &[],
        help: "Clients that listen to events.",
    },
];

/// Where histograms of seconds are cut.
const BY_SECONDS: [f64; 14] =
    [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// Where histograms of shares are cut.
const BY_SHARE: [f64; 9] = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 1.0];

/// Where histograms of tokens and of chunks are cut.
const BY_SIZE: [f64; 12] = [
    1.0, 5.0, 20.0, 100.0, 500.0, 1_000.0, 2_000.0, 4_000.0, 8_000.0, 16_000.0, 32_000.0, 128_000.0,
];

/// Everything that was recorded.
#[derive(Clone)]
pub(crate) struct Recorded(Option<PrometheusHandle>);

impl Recorded {
    /// As Prometheus reads it.
    pub fn render(&self) -> String {
        self.0.as_ref().map(PrometheusHandle::render).unwrap_or_default()
    }

    /// Keeps histograms from growing; to be called now and then.
    pub fn tidy(&self) {
        if let Some(handle) = &self.0 {
            handle.run_upkeep();
        }
    }
}

/// Records metrics from now on, unless this process records them elsewhere already.
pub(crate) fn record() -> Recorded {
    static HANDLE: OnceLock<Recorded> = OnceLock::new();
    HANDLE.get_or_init(|| Recorded(install())).clone()
}

fn install() -> Option<PrometheusHandle> {
    let suffix = |name: &str| Matcher::Suffix(name.to_owned());
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(suffix("_seconds"), &BY_SECONDS)
        .and_then(|it| it.set_buckets_for_metric(suffix("_utilisation"), &BY_SHARE))
        .and_then(|it| it.set_buckets_for_metric(suffix("_tokens"), &BY_SIZE))
        .and_then(|it| it.set_buckets_for_metric(suffix("_chunks"), &BY_SIZE))
        .ok()?;
    let recorder = builder.build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).ok()?;
    describe_metrics();
    for metric in HTTP_METRICS {
        match metric.measured {
            Measured::Counter => metrics::describe_counter!(metric.name, metric.help),
            Measured::Gauge => metrics::describe_gauge!(metric.name, metric.help),
            Measured::Histogram => {
                metrics::describe_histogram!(metric.name, Unit::Seconds, metric.help);
            }
        }
    }
    Some(handle)
}

/// Counts an answer.
pub(crate) fn answered(route: &str, method: &str, status: u16, seconds: f64) {
    // Methods are whatever a client sends: those that no route has are one.
    let method = match method {
        "GET" | "HEAD" | "POST" | "PUT" => method.to_owned(),
        _ => "other".to_owned(),
    };
    let (route, status) = (route.to_owned(), status.to_string());
    counter!(REQUESTS, "route" => route.clone(), "method" => method, "status" => status)
        .increment(1);
    histogram!(SECONDS, "route" => route).record(seconds);
}

/// Counts a request that was not let in.
pub(crate) fn refused(kind: &str) {
    let kind = kind.rsplit(':').next().unwrap_or(kind).to_owned();
    counter!(REFUSED, "kind" => kind).increment(1);
}

/// Counts down when it goes.
pub(crate) struct Counted(&'static str);

impl Drop for Counted {
    fn drop(&mut self) {
        gauge!(self.0).decrement(1.0);
    }
}

/// Counts a request while it is being answered.
pub(crate) fn in_flight() -> Counted {
    gauge!(IN_FLIGHT).increment(1.0);
    Counted(IN_FLIGHT)
}

/// Counts a client while it listens to events.
pub(crate) fn streaming() -> Counted {
    gauge!(STREAMS).increment(1.0);
    Counted(STREAMS)
}
