//! The engine, as a library user holds it.

use kitbag::{
    Cancel, Engine, Format, Formatting, Overflow, Report, Request, SelectionSettings, Settings,
    SourceLine,
};
use std::fs;
use std::path::Path;

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
    assert_eq!((stats.included, stats.excluded), (2, stats.chunks_truncated));
    assert!(stats.was_truncated && stats.chunks_truncated > 0);
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
    assert_eq!((report.included[0].form, report.excluded.len()), ("truncated", 0));
    assert_eq!((report.stats.chunks_truncated, report.stats.was_truncated), (1, true));
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

#[tokio::test]
async fn many_packs_at_once_are_those_of_one_after_the_other() {
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
        assert!(report.excluded.iter().any(|out| out.reason == "budget"));
    }
}

#[tokio::test]
async fn an_unsaved_buffer_stands_for_its_file() {
    let folder = folder(&[("src/a.rs", "fn login() { old() }\n".into())]);
    let buffer = SourceLine {
        path: "./src/a.rs".into(),
        content: Some("fn login() { new() }\n".into()),
        kind: Some("document".into()),
        ..SourceLine::default()
    };
    let request = Request { sources: vec![buffer], ..request(folder.path(), "login", 500) };
    let engine = Engine::new().expect("threads");
    let report = engine.pack(request, &Cancel::default()).await.expect("a pack");
    let text = report.content.expect("a text");
    assert!(text.contains("new()") && !text.contains("old()"), "{text}");
}

#[tokio::test]
async fn content_that_comes_cut_keeps_its_symbol_and_is_not_parsed_again() {
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
