//! Deadlines: whatever a repository or a file looks like, what needs little is in the pack, and the next
//! pack goes on where this one was stopped.

use crate::custom::{Own, doing, giving};
use crate::repository::{commit, engine, folder, outcome, pack, paths, write};
use kitbag::{Cancel, Cursor, Document, Engine, Report, Request, ToolOutput};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Number of files of code.
const FILES: usize = 30;

/// A repository of which nothing is indexed yet.
fn cold() -> TempDir {
    let folder = folder(&[]);
    for number in 0..FILES {
        let code = format!("def handle_{number}(error):\n    return error.code + {number}\n");
        write(folder.path(), &format!("src/file{number:02}.py"), &code);
    }
    commit(folder.path(), 1_700_000_000, "Begin");
    folder
}

/// An edit in place, with a deadline that is long for what needs no index, also on a busy machine.
fn edit(folder: &Path) -> Request {
    Request {
        task: "handle the error".into(),
        repo: Some(folder.to_owned()),
        profile: Some("inline-edit".into()),
        document: Some(Document { path: "src/file03.py".into(), content: None }),
        cursor: Some(Cursor { line: 2, column: None }),
        diagnostics: vec![ToolOutput {
            name: "lint.txt".into(),
            content: "src/file05.py:2:12: error: no code\n".into(),
        }],
        providers: vec!["document".into(), "cursor".into()],
        deadline_ms: Some(8_000),
        ..Request::default()
    }
}

/// An engine whose analysis pauses after a number of files, until the sender is dropped.
fn standing_still_after(some: usize) -> (Engine, Sender<()>) {
    let (sender, receiver) = channel::<()>();
    let receiver = Mutex::new(receiver);
    let progress = move |done: usize, _: usize| {
        if done >= some {
            let _ = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        }
    };
    (Engine::with_threads(2).expect("threads").with_progress(progress), sender)
}

fn is_in(report: &Report, path: &str, kind: &str) -> bool {
    report.included.iter().any(|it| it.path == path && it.kind.name() == kind)
}

#[tokio::test]
async fn what_needs_no_index_is_in_although_the_index_is_never_ready() {
    let folder = cold();
    let (engine, _go) = standing_still_after(1);
    let report = pack(&engine, edit(folder.path())).await;
    assert!(report.partial);
    assert!(is_in(&report, "src/file03.py", "document"), "{:?}", report.warnings);
    assert!(is_in(&report, "src/file05.py", "diagnostics"), "{:?}", report.warnings);
    assert_eq!(outcome(&report, "history").0, "ok", "{:?}", report.warnings);
    assert_eq!(outcome(&report, "search").0, "late");
    assert!(report.total_tokens <= report.budget);
}

#[tokio::test]
async fn packs_that_are_cut_by_a_deadline_converge_on_the_whole_index() {
    let (folder, cache) = (cold(), tempfile::tempdir().expect("a folder"));
    let kept = cache.path().join("cache");
    // Each run stops after a few files, as a process of its own would that has half a second.
    let mut reports = Vec::new();
    for _ in 0..FILES {
        let slow = |done: usize, _: usize| {
            if done >= 4 {
                std::thread::sleep(Duration::from_millis(400));
            }
        };
        let engine = Engine::with_threads(2).expect("threads").with_progress(slow);
        let engine = engine.with_cache(&kept);
        let deadline_ms = Some(2_000);
        let report = pack(&engine, Request { deadline_ms, ..edit(folder.path()) }).await;
        let is_done = !report.partial;
        reports.push(report);
        if is_done {
            break;
        }
    }
    let last = reports.last().expect("a pack");
    assert!(!last.partial, "{:?}", last.warnings);
    assert!(reports[0].partial, "the first was not cut");
    let searched: Vec<usize> = reports.iter().map(|it| it.stats.files_searched).collect();
    assert_eq!(searched.last(), Some(&FILES), "{searched:?}");
    let warnings = &reports[0].warnings;
    assert!(warnings.iter().any(|it| it.contains("of 30 files were not searched")), "{warnings:?}");
    // What came about in steps is what comes about at once.
    let fresh = pack(&engine([] as [Own; 0]), edit(folder.path())).await;
    assert_eq!(last.content, fresh.content);
}

#[tokio::test]
async fn a_pack_that_searches_nothing_reads_no_file_for_the_index() {
    let folder = cold();
    let read = Arc::new(Mutex::new(0));
    let count = Arc::clone(&read);
    let progress = move |_: usize, _: usize| *count.lock().expect("no panic") += 1;
    let engine = Engine::with_threads(2).expect("threads").with_progress(progress);
    let request = Request {
        task: "handle".into(),
        repo: Some(folder.path().to_owned()),
        profile: Some("chunks".into()),
        references: vec!["src/file03.py".into()],
        ..Request::default()
    };
    let report = pack(&engine, request.clone()).await;
    assert_eq!(paths(&report), ["src/file03.py"]);
    assert_eq!(*read.lock().expect("no panic"), 0);
    pack(&engine, Request { providers: vec!["search".into()], ..request }).await;
    assert_eq!(*read.lock().expect("no panic"), FILES);
}

/// Words of which no grammar makes anything: parsing them takes a second and more.
fn words(bytes: usize) -> String {
    let line = |at: usize| format!("lorem{at} ipsum dolor sit amet no code at all {at}\n");
    let mut text = String::with_capacity(bytes + 64);
    (0..).take_while(|&at| (text.push_str(&line(at)), text.len() < bytes).1).for_each(drop);
    text
}

#[tokio::test]
async fn a_large_document_is_in_by_the_lines_around_the_cursor() {
    let folder = cold();
    write(folder.path(), "src/big.py", &words(3 << 20));
    let request = Request {
        document: Some(Document { path: "src/big.py".into(), content: None }),
        cursor: Some(Cursor { line: 20_000, column: None }),
        exclude: vec!["src/big.py".into()],
        ..edit(folder.path())
    };
    let report = pack(&engine([] as [Own; 0]), request).await;
    let document = report.included.iter().find(|it| it.kind.name() == "document");
    let document = document.unwrap_or_else(|| panic!("{:?}", report.warnings));
    assert!(document.start_line <= 20_000 && 20_000 <= document.end_line, "{document:?}");
    assert!(report.warnings.iter().any(|it| it.contains("`src/big.py` is large")));
}

#[tokio::test]
async fn a_heavy_request_delays_no_other() {
    let folder = cold();
    // It blocks on its own threads for as long as it likes.
    let (engine, go) = standing_still_after(1);
    let engine = Arc::new(engine);
    let heavy = Request { deadline_ms: Some(3_600_000), ..edit(folder.path()) };
    let cancel = Cancel::default();
    let (own, flag) = (Arc::clone(&engine), cancel.clone());
    let packing = tokio::spawn(async move { own.pack(heavy, &flag).await });
    let other = Request {
        references: vec!["src/file03.py".into()],
        profile: Some("chunks".into()),
        ..edit(folder.path())
    };
    for _ in 0..3 {
        let deadline_ms = None;
        let report = pack(&engine, Request { deadline_ms, ..other.clone() }).await;
        assert!(report.included.iter().any(|it| it.path == "src/file03.py"));
    }
    cancel.cancel();
    drop(go);
    assert!(packing.await.expect("no panic").expect_err("it was cancelled").is_cancelled());
}

/// A provider that hangs before it is even asked.
struct Undecided(Mutex<std::sync::mpsc::Receiver<()>>);

impl kitbag::Provider for Undecided {
    fn id(&self) -> &str {
        "undecided"
    }

    fn applies(&self, _: &Request) -> bool {
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).recv();
        false
    }

    fn gather(&self, _: &kitbag::Gathering) -> Result<kitbag::Gathered, kitbag::ProviderError> {
        Ok(Vec::new().into())
    }
}

#[tokio::test]
async fn a_deadline_is_kept_even_where_nothing_looks_at_it() {
    let folder = cold();
    let (_go, wait) = channel();
    let engine = Engine::with_threads(1).expect("threads");
    let engine = engine.with_provider(Undecided(Mutex::new(wait))).expect("a new id");
    let began = Instant::now();
    let deadline_ms = Some(200);
    let report = pack(&engine, Request { deadline_ms, ..edit(folder.path()) }).await;
    assert!(began.elapsed() < Duration::from_secs(60), "it would hang for ever");
    assert_eq!((report.content.as_deref(), report.partial), (Some(""), true));
    assert_eq!(report.tokenizer.name, "o200k_base");
    assert!(report.warnings.iter().any(|it| it.contains("the deadline of 200 ms")));
}

#[tokio::test]
async fn work_that_was_given_up_stops() {
    let folder = cold();
    let (stopped, is_stopped) = channel();
    let waiting = doing("waiting", move |gathering| {
        while gathering.cancel().check().is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = stopped.send(());
        Err(kitbag::ProviderError::failed("no one waits"))
    });
    let engine = engine([waiting, giving("good", "Good content")]);
    let request = Request { deadline_ms: Some(2_000), ..crate::repository::request(folder.path()) };
    let report = pack(&engine, request).await;
    assert!(report.has_part_of("good") && report.partial);
    is_stopped.recv_timeout(Duration::from_secs(60)).expect("it noticed");
}
