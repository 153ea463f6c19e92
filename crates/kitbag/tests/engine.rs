//! The engine, as a library user holds it.

use kitbag::{
    Cancel, Engine, Format, Formatting, Overflow, Report, Request, SelectionSettings, Settings,
    SourceLine,
};
use std::fs;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A folder with some files.
fn folder(files: &[(&str, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("inside the folder")).expect("made");
        fs::write(path, content).expect("written");
    }
    folder
}

fn request(folder: &Path, task: &str, budget: usize) -> Request {
    Request {
        task: task.into(),
        repo: Some(folder.into()),
        budget: Some(budget),
        now: Some(0),
        ..Request::default()
    }
}

/// A function of about `lines` times nine tokens that speaks of logging in.
fn function(name: &str, lines: usize) -> String {
    let body: String =
        (0..lines).map(|line| format!("    let {name}_{line} = login({line});\n")).collect();
    format!("fn {name}() {{\n{body}}}\n")
}

fn shown(report: &Report) -> Vec<(String, u32, u32)> {
    let item = |item: &kitbag::IncludedItem| (item.path.clone(), item.start_line, item.end_line);
    report.included.iter().map(item).collect()
}

#[tokio::test]
async fn a_clone_with_its_own_progress_shares_the_indexes() {
    let folder = folder(&[("a.rs", function("login", 3)), ("b.rs", function("other", 3))]);
    let engine = Engine::new().expect("threads");
    // Files that were just written are read again, unless the repository is watched.
    engine.watch(folder.path()).expect("watched");
    let counts: [Arc<Mutex<usize>>; 2] = Default::default();
    let counting = |count: &Arc<Mutex<usize>>| {
        let count = Arc::clone(count);
        engine.clone().with_progress(move |_, _| *count.lock().expect("no panic") += 1)
    };
    for count in &counts {
        let request = request(folder.path(), "login", 200);
        counting(count).pack(request, &Cancel::default()).await.expect("a pack");
    }
    let counts = counts.map(|count| *count.lock().expect("no panic"));
    assert_eq!(counts, [2, 0], "the second found what the first has indexed");
}

// Shows: AC-001, AC-005, AC-006, FR-016-01, FR-016-05, FR-016-06, FR-016-10 to FR-016-14, FMT-07
#[tokio::test]
async fn a_preview_is_the_same_decision_without_the_text() {
    let folder = folder(&[("a.rs", function("login", 30)), ("b.rs", function("other", 5))]);
    let engine = Engine::new().expect("threads");
    let cancel = Cancel::default();
    let pack = engine.pack(request(folder.path(), "login", 200), &cancel).await.expect("a pack");
    let preview =
        engine.preview(request(folder.path(), "login", 200), &cancel).await.expect("a preview");
    let stats = engine.stats(request(folder.path(), "login", 200), &cancel).await.expect("stats");
    assert!(pack.content.as_ref().is_some_and(|text| !text.is_empty()));
    assert!(preview.content.is_none());
    assert_eq!(shown(&pack), shown(&preview));
    assert_eq!(pack.total_tokens, preview.total_tokens);
    assert_eq!(stats.chunks, preview.stats.chunks);
    assert_eq!(stats.included, pack.included.len());
}

// Shows: AssembleAsync_TracksChunksIncluded, AssembleAsync_TracksChunksTruncated,
// AssembleAsync_CalculatesAverageRelevance, AssembleAsync_RecordsBuildTime
#[tokio::test]
async fn the_statistics_say_what_the_formats_design_asks_for() {
    let folder = folder(&[]);
    let line = |path: &str, content: &str, relevance: f64| SourceLine {
        path: path.into(),
        content: Some(content.into()),
        relevance: Some(relevance),
        ..SourceLine::default()
    };
    let large = function("login", 98);
    let sources = vec![
        line("a.rs", "fn a() {}\n", 1.0),
        line("b.rs", "fn b() {}\n", 0.5),
        line("large.txt", &large.replace('\n', ";\n"), 0.2),
    ];
    let formatting = Formatting { format: Format::Xml, ..Formatting::default() };
    let selection = SelectionSettings { overflow: Overflow::Skip, ..SelectionSettings::default() };
    let settings = Settings { selection, formatting, ..Settings::default() };
    let settings = Some(settings);
    let request = Request { sources, settings, ..request(folder.path(), "", 150) };
    let engine = Engine::new().expect("threads");
    let report = engine.pack(request, &Cancel::default()).await.expect("a pack");
    let stats = &report.stats;
    assert_eq!(stats.format, "xml");
    assert_eq!(stats.files_included, ["a.rs", "b.rs"]);
    assert_eq!((stats.included, stats.excluded), (2, stats.chunks_over_budget));
    assert!(stats.was_truncated && stats.chunks_over_budget > 0);
    assert!((stats.average_relevance - 0.75).abs() < 1e-9);
    let (total, stages) = report.timings.split_last().expect("stages take time");
    let sum: f64 = stages.iter().map(|timing| timing.ms).sum();
    assert_eq!(total.stage, "total");
    assert!(total.ms > 0.0 && (total.ms - sum).abs() < 1e-9);
}

/// A chunk that is cut is in, and counts as one that did not fit.
#[tokio::test]
async fn a_chunk_that_was_cut_counts_as_truncated() {
    let folder = folder(&[]);
    let content = Some((1..=50).map(|n| format!("step {n} of a long output\n")).collect());
    let source = SourceLine { path: "a.txt".into(), content, ..SourceLine::default() };
    let overflow = ("context.selection.overflow".to_owned(), "truncate".into());
    let request = Request {
        sources: vec![source],
        options: vec![overflow],
        ..request(folder.path(), "", 150)
    };
    let engine = Engine::new().expect("threads");
    let report = engine.pack(request, &Cancel::default()).await.expect("a pack");
    assert_eq!((report.included[0].form.as_str(), report.excluded.len()), ("truncated", 0));
    assert_eq!((report.stats.chunks_over_budget, report.stats.was_truncated), (1, true));
}

#[tokio::test]
async fn an_expanded_context_is_shown_in_place_of_the_content() {
    let folder = folder(&[]);
    let source = SourceLine {
        path: "a.rs".into(),
        content: Some("fn a() {}\n".into()),
        start_line: Some(7),
        expanded_context: Some("mod it {\n    fn a() {}\n}\n".into()),
        ..SourceLine::default()
    };
    let request = Request { sources: vec![source], ..request(folder.path(), "", 500) };
    let engine = Engine::new().expect("threads");
    let report = engine.pack(request, &Cancel::default()).await.expect("a pack");
    let expected = "### a.rs (line 7)\n```rust\nmod it {\n    fn a() {}\n}\n```\n";
    assert_eq!(report.content.as_deref(), Some(expected));
    assert_eq!(shown(&report), [("a.rs".to_owned(), 7, 7)]);
}

// Shows: AC-004, AC-126, FR-016-04
#[tokio::test]
async fn a_raised_flag_stops_the_pack_and_only_that() {
    let folder = folder(&[("a.rs", function("login", 3))]);
    let engine = Engine::new().expect("threads");
    let raised = Cancel::default();
    raised.cancel();
    let stopped = engine.pack(request(folder.path(), "login", 500), &raised).await;
    assert!(stopped.expect_err("cancelled").is_cancelled());
    let cancel = Cancel::default();
    tokio::select! {
        biased;
        _ = engine.pack(request(folder.path(), "login", 500), &cancel) => {}
        () = std::future::ready(()) => {} // The pack has begun, and is dropped.
    }
    let report = engine.pack(request(folder.path(), "login", 500), &cancel).await;
    assert_eq!(report.expect("a pack").included.len(), 1);
}

// Shows: AC-003, FR-016-03, NFR-016-19
#[tokio::test]
async fn concurrent_packs_equal_sequential_ones() {
    let files: Vec<(String, String)> =
        (0..20).map(|n| (format!("f{n}.rs"), function(&format!("login{n}"), n))).collect();
    let files: Vec<(&str, String)> = files.iter().map(|(p, c)| (p.as_str(), c.clone())).collect();
    let folder = folder(&files);
    let engine = Engine::with_threads(2).expect("threads");
    let cancel = Cancel::default();
    let budgets = [100, 500, 1_000, 2_000];
    let pack = |budget| engine.pack(request(folder.path(), "login", budget), &cancel);
    let (a, b, c, d) = tokio::join!(pack(100), pack(500), pack(1_000), pack(2_000));
    for (together, budget) in [a, b, c, d].into_iter().zip(budgets) {
        let alone = pack(budget).await.expect("a pack");
        let together = together.expect("a pack");
        assert_eq!(together.content, alone.content);
        assert!(together.total_tokens <= budget);
    }
}

#[tokio::test]
async fn large_and_repeated_hits_do_not_starve_the_pack() {
    let mut files: Vec<(String, String)> = Vec::new();
    for copy in 0..30 {
        files.push((format!("copy{copy}.rs"), function("login_again", 40)));
        files.push((format!("large{copy}.rs"), function(&format!("login_large{copy}"), 150)));
    }
    for small in 0..60 {
        files.push((format!("small{small}.rs"), function(&format!("small{small}"), 6)));
    }
    let files: Vec<(&str, String)> = files.iter().map(|(p, c)| (p.as_str(), c.clone())).collect();
    let folder = folder(&files);
    let engine = Engine::new().expect("threads");
    for budget in [1_000, 3_000] {
        let selection =
            SelectionSettings { overflow: Overflow::Skip, ..SelectionSettings::default() };
        let settings = Settings { selection, ..Settings::default() };
        let request =
            Request { settings: Some(settings), ..request(folder.path(), "login", budget) };
        let report = engine.pack(request, &Cancel::default()).await.expect("a pack");
        assert!(report.total_tokens * 100 >= budget * 90, "{} of {budget}", report.total_tokens);
        assert!(report.excluded.iter().any(|out| out.reason.as_str() == "budget"));
    }
}

// Shows: AC-002, FR-016-02
#[tokio::test]
async fn an_unsaved_buffer_replaces_its_file() {
    let folder = folder(&[("src/a.rs", "fn login() { old() }\n".into())]);
    let buffer = SourceLine {
        path: "./src/a.rs".into(),
        content: Some("fn login() { new() }\n".into()),
        kind: Some(kitbag::Kind::Document),
        ..SourceLine::default()
    };
    let request = Request { sources: vec![buffer], ..request(folder.path(), "login", 500) };
    let engine = Engine::new().expect("threads");
    let report = engine.pack(request, &Cancel::default()).await.expect("a pack");
    let text = report.content.expect("a text");
    assert!(text.contains("new()") && !text.contains("old()"), "{text}");
}

#[tokio::test]
async fn presplit_content_keeps_its_symbol_and_is_not_parsed() {
    let folder = folder(&[]);
    let content =
        "    def get_user(self):\n        return 1\n\n    def other(self):\n        pass\n";
    let method = SourceLine {
        path: "service.py".into(),
        content: Some(content.into()),
        start_line: Some(40),
        symbol: Some("UserService.get_user".into()),
        ..SourceLine::default()
    };
    let request = Request { sources: vec![method], ..request(folder.path(), "", 500) };
    let engine = Engine::new().expect("threads");
    let report = engine.pack(request, &Cancel::default()).await.expect("a pack");
    assert_eq!(shown(&report), [("service.py".to_owned(), 40, 44)]);
    assert_eq!(report.included[0].symbol.as_deref(), Some("UserService.get_user"));
}

// Shows: AC-126, FR-016-15
#[tokio::test]
async fn everything_that_is_asked_for_can_be_cancelled() {
    let folder = folder(&[("a.rs", function("login", 3))]);
    let engine = Engine::new().expect("threads");
    let raised = Cancel::default();
    raised.cancel();
    let request = || request(folder.path(), "login", 500);
    let results = [
        engine.pack(request(), &raised).await.err(),
        engine.preview(request(), &raised).await.err(),
        engine.stats(request(), &raised).await.err(),
    ];
    assert!(results.iter().flatten().filter(|error| error.is_cancelled()).count() == 3);
}

/// A source of that kind with a content of its own.
fn brought(path: &str, kind: &str) -> SourceLine {
    let content = Some(format!("about {path}\n"));
    SourceLine { path: path.into(), kind: kind.parse().ok(), content, ..SourceLine::default() }
}

// Shows: FR-016-16, FR-016-22 to FR-016-26
#[tokio::test]
async fn a_source_keeps_all_that_its_caller_knows_of_it() {
    let folder = folder(&[]);
    let line = r#"{"path": "src/a.rs", "content": "fn a() {}\n", "kind": "open_file",
        "start_line": 7, "end_line": 7, "relevance": 0.5, "timestamp": 0}"#;
    let sources = kitbag::parse_source_lines("line", &line.replace('\n', " ")).expect("a source");
    let request = Request { sources, now: Some(864_000), ..request(folder.path(), "", 500) };
    let engine = Engine::new().expect("threads");
    let report = engine.pack(request, &Cancel::default()).await.expect("a pack");
    let item = &report.included[0];
    assert_eq!((item.path.as_str(), item.kind.name()), ("src/a.rs", "open_file"));
    assert_eq!((item.start_line, item.end_line), (7, 7));
    assert!((item.factors.relevance - 0.5).abs() < 1e-9);
    assert!((item.factors.recency - (-1.0f64).exp()).abs() < 1e-9, "ten days old");
    assert_eq!(report.content.as_deref(), Some("### src/a.rs (line 7)\n```rust\nfn a() {}\n```\n"));
}

// Shows: AC-012 to AC-015, FR-016-17 to FR-016-21
#[tokio::test]
async fn sources_of_every_kind_are_taken() {
    let folder = folder(&[]);
    let kinds = ["tool_result", "open_file", "search_result", "reference"];
    let sources = kinds.map(|kind| brought(&format!("{kind}.txt"), kind)).into();
    let request = Request { sources, ..request(folder.path(), "", 500) };
    let engine = Engine::new().expect("threads");
    let report = engine.pack(request, &Cancel::default()).await.expect("a pack");
    let taken: Vec<&str> = report.included.iter().map(|item| item.kind.name()).collect();
    assert_eq!(taken, kinds, "by their priority");
}

// Shows: AC-011, AC-141, FR-016-27, FR-016-28, FMT-08
#[tokio::test]
async fn what_is_found_named_and_brought_comes_together() {
    let folder = folder(&[("found.rs", function("login", 3)), ("named.txt", "unlike\n".into())]);
    let request = Request {
        references: vec!["named.txt".into()],
        sources: vec![brought("brought.txt", "tool_result"), brought("../out.txt", "open_file")],
        ..request(folder.path(), "login", 500)
    };
    let engine = Engine::new().expect("threads");
    let report = engine.pack(request, &Cancel::default()).await.expect("a pack");
    let mut taken: Vec<(&str, &str)> =
        report.included.iter().map(|item| (item.path.as_str(), item.kind.name())).collect();
    taken.sort_unstable();
    let expected =
        [("brought.txt", "tool_result"), ("found.rs", "search_result"), ("named.txt", "reference")];
    assert_eq!(taken, expected);
    assert_eq!((report.stats.included, report.stats.excluded), (3, report.excluded.len()));
    assert_eq!(report.excluded.len(), 1, "what is outside");
}

// Shows: AC-019
#[tokio::test]
async fn a_source_without_a_path_is_rejected_and_reported() {
    let folder = folder(&[]);
    let sources = vec![brought("", "open_file"), brought("a.txt", "open_file")];
    let request = Request { sources, ..request(folder.path(), "", 500) };
    let engine = Engine::new().expect("threads");
    let report = engine.pack(request, &Cancel::default()).await.expect("a pack");
    assert_eq!((report.included.len(), report.excluded.len()), (1, 1));
    assert!(report.warnings[0].contains("left out: the path is empty"), "{:?}", report.warnings);
}

/// Building the index waits until the runtime's only thread has gone on to something else. Were the
/// pack made on that thread, it never would.
// Shows: NFR-016-20
#[tokio::test]
async fn a_pack_does_not_hold_up_the_runtime() {
    let folder = folder(&[("a.rs", function("login", 3)), ("b.rs", function("other", 3))]);
    let (release, waiting) = mpsc::channel::<()>();
    let (waiting, outcomes) = (Mutex::new(waiting), Arc::new(Mutex::new(Vec::new())));
    let finished = Arc::clone(&outcomes);
    let engine = Engine::new().expect("threads").with_progress(move |_, _| {
        let waiting = waiting.lock().expect("no panic");
        let outcome = waiting.recv_timeout(Duration::from_secs(20)).err();
        finished.lock().expect("no panic").push(outcome);
    });
    let (request, cancel) = (request(folder.path(), "login", 500), Cancel::default());
    let (report, ()) = tokio::join!(biased; engine.pack(request, &cancel), async { drop(release) });
    report.expect("a pack");
    let outcomes = outcomes.lock().expect("no panic");
    assert!(!outcomes.is_empty(), "the index was built");
    assert!(outcomes.iter().all(|it| *it == Some(RecvTimeoutError::Disconnected)), "{outcomes:?}");
}

// Shows: NFR-016-09
#[tokio::test]
async fn four_of_five_counts_come_from_the_cache() {
    let folder = folder(&[]);
    let content = Some(function("login", 40));
    let source = SourceLine { path: "a.rs".into(), content, ..SourceLine::default() };
    let request = Request { sources: vec![source], ..request(folder.path(), "login", 1_000) };
    let engine = Engine::with_threads(2).expect("threads");
    let mut rate = 0.0;
    for _ in 0..8 {
        let report = engine.pack(request.clone(), &Cancel::default()).await.expect("a pack");
        rate = report.stats.cache_hit_rate;
    }
    assert!(rate >= 0.8, "{rate}");
}

#[tokio::test]
async fn a_session_sends_lines_once() {
    let folder = folder(&[("a.rs", function("login", 8)), ("b.rs", function("other", 8))]);
    let (engine, cancel) = (Engine::new().expect("threads"), Cancel::default());
    let ask = async |session: &str, repeat: bool| {
        let request = request(folder.path(), "login", 2_000);
        let request = Request { session: Some(session.into()), repeat, ..request };
        engine.pack(request, &cancel).await.expect("a pack")
    };
    let first = ask("one", false).await;
    assert_eq!(shown(&first).len(), 2);
    let second = ask("one", false).await;
    assert!(shown(&second).is_empty(), "{:?}", shown(&second));
    let text = second.content.expect("a text");
    assert_eq!(text, "Already sent: a.rs:1-10, b.rs:1-10. `repeat: true` sends it again.\n");
    assert_eq!(shown(&ask("two", false).await), shown(&first), "sessions share nothing");
    assert_eq!(shown(&ask("one", true).await), shown(&first), "it starts over");
    fs::write(folder.path().join("a.rs"), function("login", 9)).expect("written");
    assert_eq!(shown(&ask("one", false).await), [("a.rs".to_owned(), 1, 11)], "only what changed");
    let other = Engine::new().expect("threads");
    let request = Request { session: Some("one".into()), ..request(folder.path(), "login", 2_000) };
    let report = other.pack(request, &cancel).await.expect("a pack");
    assert_eq!(shown(&report).len(), 2, "an engine has its own memory");
}
