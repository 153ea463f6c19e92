//! The metrics in the Prometheus format.

use crate::fixture::Fixture;
use kitbag::METRICS;
use kitbag_http::HTTP_METRICS;
use serde_json::json;

// Shows: NFR-016-58, NFR-016-59, NFR-016-60, NFR-016-61, NFR-016-62, NFR-016-63
#[tokio::test]
async fn packs_are_counted() {
    let fixture = Fixture::new();
    let request = json!({"task": "why does login fail?", "budget": 500});
    assert_eq!(fixture.post("/v1/pack", &request).await.status, 200);
    let response = fixture.get("/metrics").await;
    assert!(response.header("content-type").starts_with("text/plain; version=0.0.4"));
    for line in [
        "kitbag_packs_total{mode=\"pack\",outcome=\"ok\"} ",
        "kitbag_pack_seconds_bucket{mode=\"pack\",le=\"+Inf\"} ",
        "kitbag_stage_seconds_count{stage=\"rank\"} ",
        "kitbag_chunks_total{outcome=\"included\"} ",
        "kitbag_pack_chunks_sum ",
        "kitbag_tokens_total ",
        "kitbag_budget_utilization_sum ",
        "kitbag_deduplicated_chunks_total{kind=\"duplicate\"} ",
        "kitbag_deduplicated_tokens_total ",
        "kitbag_token_cache_hit_ratio ",
        "kitbag_provider_calls_total{provider=\"search\",outcome=\"ok\"} ",
        "kitbag_http_requests_total{route=\"/v1/pack\",method=\"POST\",status=\"200\"} ",
    ] {
        assert!(response.text.contains(line), "{line} is not in\n{}", response.text);
    }
}

#[tokio::test]
async fn exported_metrics_are_declared_and_documented() {
    let fixture = Fixture::new();
    fixture.post("/v1/pack", &json!({"task": "login"})).await;
    let page = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/observability.md"
    ));
    let page = page.unwrap();
    let declared = || METRICS.iter().chain(HTTP_METRICS);
    for metric in declared() {
        let labels: Vec<String> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
        let labels = labels.join(", ");
        let (name, kind, help) = (metric.name, metric.measured.name(), metric.help);
        let row = format!("| `{name}` | {kind} | {labels} | {help} |");
        assert!(page.contains(&row), "docs/observability.md should have\n{row}");
    }
    let text = fixture.get("/metrics").await.text;
    for line in text.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        let is_match =
            |metric: &kitbag::Metric| metric.name == name && metric.measured.name() == kind;
        assert!(declared().any(is_match), "{line}");
    }
}
