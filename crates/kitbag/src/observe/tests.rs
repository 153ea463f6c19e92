//! Tests of the events that a JSON subscriber receives, and of the metrics.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::{METRICS, describe_metrics, logs};
use crate::Engine;
use crate::error::Error;
use crate::gather::provider::{Gathered, Gathering, Provider, ProviderError};
use crate::request::{Request, SourceLine};
use kitbag_core::{Cancel, PackError};
use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use tracing_subscriber::fmt::MakeWriter;

/// A writer that keeps the log in memory.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Kept {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Returns the events logged at any level while `work` runs.
fn logged(work: impl FnOnce()) -> Vec<Value> {
    logged_at(tracing::Level::TRACE, work)
}

/// Returns the events logged at `level` or above while `work` runs.
fn logged_at(level: tracing::Level, work: impl FnOnce()) -> Vec<Value> {
    let kept = Kept::default();
    let subscriber =
        tracing_subscriber::fmt().json().with_max_level(level).with_writer(kept.clone()).finish();
    tracing::subscriber::with_default(subscriber, work);
    let bytes = kept.0.lock().unwrap().clone();
    let text = String::from_utf8(bytes).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the events with this level and message.
fn said<'a>(events: &'a [Value], level: &str, message: &str) -> Vec<&'a Value> {
    let is_it = |event: &&Value| event["fields"]["message"] == message;
    let found: Vec<&Value> = events.iter().filter(is_it).collect();
    for event in &found {
        assert_eq!(event["level"], level, "{event}");
    }
    found
}

fn project() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let login = "/// Logs in.\npub fn login() {\n    let confidential = 1;\n}\n";
    fs::write(dir.path().join("login.rs"), login).unwrap();
    fs::write(dir.path().join("other.rs"), "pub fn paint() {}\n").unwrap();
    dir
}

fn request(dir: &TempDir) -> Request {
    let again = SourceLine {
        path: "copy.rs".into(),
        content: Some("/// Logs in.\npub fn login() {\n    let confidential = 1;\n}\n".into()),
        ..SourceLine::default()
    };
    let binary = SourceLine {
        path: "image.png".into(),
        content: Some("\0".into()),
        ..SourceLine::default()
    };
    Request {
        task: "why does login fail, my unmistakable words?".into(),
        repo: Some(dir.path().to_owned()),
        sources: vec![again, binary],
        references: vec![".env".into()],
        correlation_id: Some("abc-123".into()),
        agent_id: Some("tester".into()),
        budget: Some(300),
        ..Request::default()
    }
}

fn pack(engine: &Engine, request: Request) -> Result<crate::report::Report, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(engine.pack(request, &Cancel::default()))
}

fn of_a_pack() -> Vec<Value> {
    let dir = project();
    fs::write(dir.path().join(".env"), "KEY=1\n").unwrap();
    logged(|| {
        let engine = Engine::with_threads(2).unwrap();
        pack(&engine, request(&dir)).unwrap();
    })
}

// Shows: NFR-016-56, NFR-016-64, AC-136, AC-137, FMT-37
#[test]
fn the_beginning_and_the_end_of_a_pack_are_logged_with_their_figures() {
    let events = of_a_pack();
    let begins = said(&events, "INFO", "assembling context");
    assert_eq!(begins[0]["fields"]["budget"], 300);
    let packing = said(&events, "INFO", "packing");
    assert!(packing[0]["fields"]["sources"].as_u64().unwrap() >= 2);
    let ends = said(&events, "INFO", "context assembled");
    assert_eq!(ends.len(), 1);
    for field in ["chunks", "tokens", "ms", "utilization"] {
        assert!(ends[0]["fields"][field].is_number(), "{field}");
    }
    assert!(said(&events, "DEBUG", "stage").iter().any(|it| it["fields"]["stage"] == "rank"));
    assert_eq!(said(&events, "DEBUG", "formatted")[0]["fields"]["format"], "markdown");
}

// Shows: AC-029, AC-138
#[test]
fn denied_sources_are_errors_and_excluded_ones_warnings() {
    let events = of_a_pack();
    let rejected = said(&events, "ERROR", "source rejected");
    assert_eq!(rejected[0]["fields"]["path"], ".env");
    assert_eq!(rejected[0]["fields"]["reason"], "denied");
    let excluded = said(&events, "WARN", "source excluded");
    assert!(excluded.iter().any(|it| it["fields"]["path"] == "image.png"));
}

// Shows: FR-016-70, FR-016-103, AC-140
#[test]
fn factors_and_what_was_removed_are_logged_for_debugging() {
    let events = of_a_pack();
    let chunk = said(&events, "DEBUG", "chunk included")[0];
    for factor in ["score", "relevance", "recency", "source"] {
        assert!(chunk["fields"][factor].is_number(), "{factor}");
    }
    let out = said(&events, "DEBUG", "chunk excluded");
    assert!(out.iter().any(|it| it["fields"]["reason"] == "duplicate"), "{out:?}");
    assert_eq!(said(&events, "DEBUG", "deduplicated")[0]["fields"]["duplicates"], 1);
}

// Shows: NFR-016-65
#[test]
fn the_correlation_id_is_on_every_line_of_a_request() {
    let events = of_a_pack();
    assert!(events.len() > 10);
    for event in &events {
        assert_eq!(event["span"]["correlation_id"], "abc-123", "{event}");
        assert_eq!(event["span"]["agent_id"], "tester");
    }
}

#[test]
fn no_content_and_no_task_is_logged() {
    for event in of_a_pack() {
        let line = event.to_string();
        assert!(!line.contains("confidential") && !line.contains("unmistakable"), "{line}");
    }
}

/// A provider that fails with a message that quotes a file.
struct Failing;

impl Provider for Failing {
    fn id(&self) -> &str {
        "failing"
    }

    fn title(&self) -> &str {
        "Failing"
    }

    fn gather(&self, _: &Gathering) -> Result<Gathered, ProviderError> {
        panic!("confidential")
    }
}

// Shows: NFR-016-57
#[test]
fn errors_are_logged_with_context() {
    let dir = project();
    let events = logged(|| {
        let engine = Engine::with_threads(2).unwrap().with_provider(Failing).unwrap();
        pack(&engine, request(&dir)).unwrap();
        let wrong = Request { model: Some("confidential".into()), ..request(&dir) };
        assert!(pack(&engine, wrong).is_err());
    });
    let failed = said(&events, "ERROR", "provider failed")[0];
    assert_eq!(failed["fields"]["provider"], "failing");
    assert!(failed["fields"]["ms"].is_number());
    let failed_pack = said(&events, "WARN", "pack failed")[0];
    assert_eq!(failed_pack["fields"]["error"], "unknown_model", "a caller's mistake is a warning");
    assert_eq!(failed_pack["span"]["correlation_id"], "abc-123");
    assert!(events.iter().all(|event| !event.to_string().contains("confidential")));
}

#[test]
fn a_wrong_configuration_is_an_error_and_wrong_options_are_the_callers() {
    let dir = project();
    let engine = Engine::with_threads(2).unwrap();
    let options = vec![("context.enabld".to_owned(), true.into())];
    let events = logged(|| {
        assert!(pack(&engine, Request { options, ..request(&dir) }).is_err());
    });
    assert_eq!(said(&events, "WARN", "pack failed")[0]["fields"]["error"], "configuration");
    fs::create_dir(dir.path().join(".agent")).unwrap();
    fs::write(dir.path().join(".agent/config.yml"), "contxt: 1\n").unwrap();
    let events = logged(|| {
        let engine = Engine::with_threads(2).unwrap();
        assert!(pack(&engine, request(&dir)).is_err());
    });
    let origin = &said(&events, "ERROR", "pack failed")[0]["fields"]["origin"];
    assert!(origin.as_str().unwrap().ends_with(".agent/config.yml:1:1"), "{origin}");
}

/// A server logs at `warn` by default.
#[test]
fn at_the_level_of_warnings_every_line_still_has_its_correlation_id() {
    let dir = project();
    fs::write(dir.path().join(".env"), "KEY=1\n").unwrap();
    let events = logged_at(tracing::Level::WARN, || {
        let engine = Engine::with_threads(2).unwrap();
        pack(&engine, request(&dir)).unwrap();
        let wrong = Request { model: Some("gpt-x".into()), ..request(&dir) };
        assert!(pack(&engine, wrong).is_err());
    });
    assert!(events.len() >= 2 && !said(&events, "WARN", "pack failed").is_empty(), "{events:?}");
    for event in &events {
        assert_eq!(event["span"]["correlation_id"], "abc-123", "{event}");
        assert_eq!(event["span"]["repo"], dir.path().display().to_string());
    }
}

#[test]
fn files_skipped_by_a_search_are_logged_at_debug_level() {
    let dir = project();
    for name in ["a.key", "b.pem", "image.bin"] {
        fs::write(dir.path().join(name), "\0\u{1}").unwrap();
    }
    let plain = Request { sources: Vec::new(), references: Vec::new(), ..request(&dir) };
    let events = logged(|| {
        let engine = Engine::with_threads(2).unwrap();
        pack(&engine, plain).unwrap();
    });
    assert!(events.iter().all(|event| event["level"] != "ERROR" && event["level"] != "WARN"));
    let met = said(&events, "DEBUG", "file skipped");
    assert!(met.iter().any(|event| event["fields"]["path"] == "a.key"), "{met:?}");
}

// Shows: AC-139
#[test]
fn a_text_over_the_budget_is_critical() {
    let overflow = Error::Pack(PackError::ContextOverflow { tokens: 101, budget: 100 });
    let events = logged(|| logs::failed(&overflow, 1.0));
    let critical = said(&events, "ERROR", "pack exceeds its budget")[0];
    assert_eq!(critical["fields"]["critical"], true);
    assert_eq!(
        (&critical["fields"]["tokens"], &critical["fields"]["budget"]),
        (&101.into(), &100.into())
    );
}

/// Returns the values of all metrics, by name and labels.
fn measured(work: impl FnOnce()) -> BTreeMap<String, DebugValue> {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, || {
        describe_metrics();
        work();
    });
    let named = |key: &metrics::Key| {
        let labels: Vec<String> =
            key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        format!("{} {}", key.name(), labels.join(" ")).trim().to_owned()
    };
    let all = snapshotter.snapshot().into_vec().into_iter();
    all.map(|(key, _, _, value)| (named(key.key()), value)).collect()
}

// Shows: NFR-016-58, NFR-016-59, NFR-016-60, NFR-016-61, NFR-016-62, NFR-016-63
#[test]
fn packs_update_the_metrics() {
    let dir = project();
    let mut report = None;
    let values = measured(|| {
        let engine = Engine::with_threads(2).unwrap();
        report = pack(&engine, request(&dir)).ok();
    });
    let report = report.unwrap();
    let counted = |name: &str| match values.get(name) {
        Some(DebugValue::Counter(count)) => *count as usize,
        other => panic!("{name}: {other:?} of {:?}", values.keys()),
    };
    let spread = |name: &str| match values.get(name) {
        Some(DebugValue::Histogram(values)) => values[0].into_inner(),
        other => panic!("{name}: {other:?} of {:?}", values.keys()),
    };
    assert_eq!(counted("kitbag_packs_total mode=pack outcome=ok"), 1);
    assert!(spread("kitbag_pack_seconds mode=pack") > 0.0);
    assert!(spread("kitbag_stage_seconds stage=select") >= 0.0);
    assert_eq!(counted("kitbag_chunks_total outcome=included"), report.included.len());
    assert_eq!(counted("kitbag_tokens_total"), report.total_tokens);
    assert_eq!(spread("kitbag_pack_tokens"), report.total_tokens as f64);
    assert_eq!(spread("kitbag_budget_utilization"), report.stats.utilization);
    assert_eq!(counted("kitbag_deduplicated_chunks_total kind=duplicate"), report.stats.duplicates);
    assert!(counted("kitbag_deduplicated_tokens_total") > 0);
    assert!(matches!(values.get("kitbag_token_cache_hit_ratio"), Some(DebugValue::Gauge(_))));
    assert_eq!(counted("kitbag_provider_calls_total provider=search outcome=ok"), 1);
    let declared =
        |name: &str| METRICS.iter().any(|metric| name.split(' ').next() == Some(metric.name));
    assert!(values.keys().all(|name| declared(name)));
}

#[test]
fn failed_packs_are_counted_by_outcome() {
    let values = measured(|| {
        let engine = Engine::with_threads(1).unwrap();
        let profile = Some("agent".to_owned());
        assert!(pack(&engine, Request { profile, ..Request::default() }).is_err());
    });
    let count = values.get("kitbag_packs_total mode=pack outcome=usage");
    assert_eq!(count, Some(&DebugValue::Counter(1)));
}
