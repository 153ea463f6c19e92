//! Metrics of the server, and the Prometheus exporter for these and the engine's.

use kitbag::{Measured, Metric, describe_metrics};
use metrics::{Unit, counter, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::OnceLock;

const REQUESTS: &str = "kitbag_http_requests_total";
const REQUEST_SECONDS: &str = "kitbag_http_request_seconds";
const IN_FLIGHT: &str = "kitbag_http_requests_in_flight";
const REFUSED: &str = "kitbag_http_refused_total";
const EVENT_STREAMS: &str = "kitbag_http_event_streams";

/// Metrics of the server, in addition to those of the engine.
pub const HTTP_METRICS: &[Metric] = &[
    metric(
        REQUESTS,
        Measured::Counter,
        &["route", "method", "status"],
        "HTTP requests, by route, method and status.",
    ),
    metric(REQUEST_SECONDS, Measured::Histogram, &["route"], "Time until the response began."),
    metric(IN_FLIGHT, Measured::Gauge, &[], "Requests in progress."),
    metric(
        REFUSED,
        Measured::Counter,
        &["kind"],
        "Requests refused by an access check: host, origin, token, unsupported_media_type.",
    ),
    metric(EVENT_STREAMS, Measured::Gauge, &[], "Open event streams."),
];

const fn metric(
    name: &'static str,
    measured: Measured,
    labels: &'static [&'static str],
    help: &'static str,
) -> Metric {
    Metric { name, measured, labels, help }
}

const SECONDS_BUCKETS: [f64; 14] =
    [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

const RATIO_BUCKETS: [f64; 9] = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 1.0];

const SIZE_BUCKETS: [f64; 12] = [
    1.0, 5.0, 20.0, 100.0, 500.0, 1_000.0, 2_000.0, 4_000.0, 8_000.0, 16_000.0, 32_000.0, 128_000.0,
];

/// Installs the exporter once per process. Returns its handle, or `None` if the process has another
/// metrics recorder.
pub(crate) fn install() -> Option<PrometheusHandle> {
    static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    HANDLE.get_or_init(install_recorder).clone()
}

fn install_recorder() -> Option<PrometheusHandle> {
    let suffix = |name: &str| Matcher::Suffix(name.to_owned());
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(suffix("_seconds"), &SECONDS_BUCKETS)
        .and_then(|it| it.set_buckets_for_metric(suffix("_utilization"), &RATIO_BUCKETS))
        .and_then(|it| it.set_buckets_for_metric(suffix("_tokens"), &SIZE_BUCKETS))
        .and_then(|it| it.set_buckets_for_metric(suffix("_chunks"), &SIZE_BUCKETS))
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

pub(crate) fn count_request(route: &str, method: &str, status: u16, seconds: f64) {
    // Clients can send any method: unknown ones share a label value, so that labels stay bounded.
    let method = match method {
        "GET" | "HEAD" | "POST" | "PUT" => method.to_owned(),
        _ => "other".to_owned(),
    };
    let (route, status) = (route.to_owned(), status.to_string());
    counter!(REQUESTS, "route" => route.clone(), "method" => method, "status" => status)
        .increment(1);
    histogram!(REQUEST_SECONDS, "route" => route).record(seconds);
}

/// Counts a request that an access check refused, by the code of its problem.
pub(crate) fn count_refused(urn: &str) {
    let code = urn.rsplit(':').next().unwrap_or(urn).to_owned();
    counter!(REFUSED, "kind" => code).increment(1);
}

/// Decrements a gauge when dropped.
pub(crate) struct GaugeGuard(&'static str);

impl GaugeGuard {
    fn increment(name: &'static str) -> Self {
        gauge!(name).increment(1.0);
        Self(name)
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        gauge!(self.0).decrement(1.0);
    }
}

pub(crate) fn request_in_flight() -> GaugeGuard {
    GaugeGuard::increment(IN_FLIGHT)
}

pub(crate) fn open_event_stream() -> GaugeGuard {
    GaugeGuard::increment(EVENT_STREAMS)
}
