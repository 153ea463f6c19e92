//! An engine that watches a repository, and engines of different sizes.

#![cfg(target_os = "linux")]

use kitbag::{Cancel, Engine, Report, Request, SearchRequest};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn write(folder: &Path, path: &str, content: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("inside the folder")).expect("made");
    fs::write(path, content).expect("written");
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(identity).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = git.output().expect("git");
    assert!(output.status.success(), "{arguments:?}");
}

/// A repository with forty functions that log in.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for number in 0..40 {
        let text = format!("fn login_{number}() -> u32 {{\n    token({number})\n}}\n");
        write(folder.path(), &format!("src/part{}/f{number}.rs", number % 5), &text);
    }
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["add", "--all"]);
    git(folder.path(), &["commit", "-q", "-m", "Begin"]);
    folder
}

async fn pack(engine: &Engine, folder: &Path, task: &str) -> Report {
    let request = Request {
        task: task.into(),
        repo: Some(folder.into()),
        budget: Some(1_000),
        ..Request::default()
    };
    engine.pack(request, &Cancel::default()).await.expect("a pack")
}

async fn paths(engine: &Engine, folder: &Path, task: &str) -> Vec<String> {
    let report = pack(engine, folder, task).await;
    report.included.into_iter().map(|item| item.path).collect()
}

#[tokio::test]
async fn one_thread_or_two_give_the_same_pack() {
    let folder = repository();
    let mut texts = Vec::new();
    for threads in [1, 2, 1] {
        let engine = Engine::with_threads(threads).expect("threads");
        texts.push(pack(&engine, folder.path(), "login by token").await.content);
        texts.push(pack(&engine, folder.path(), "login by token").await.content);
    }
    assert!(texts[0].as_ref().is_some_and(|text| !text.is_empty()));
    assert!(texts.iter().all(|text| *text == texts[0]));
}

#[tokio::test]
async fn a_watched_repository_shows_every_change_at_once() {
    let folder = repository();
    let root = folder.path();
    let engine = Engine::new().expect("threads");
    engine.watch(root).expect("watched");
    engine.watch(root).expect("watched already");
    for _ in 0..3 {
        assert!(paths(&engine, root, "quagga").await.is_empty());
    }
    write(root, "src/part1/new.rs", "fn quagga() {}\n");
    assert_eq!(paths(&engine, root, "quagga").await, ["src/part1/new.rs"]);
    write(root, "src/part1/new.rs", "fn okapis() {}\n");
    assert!(paths(&engine, root, "quagga").await.is_empty());
    assert_eq!(paths(&engine, root, "okapis").await, ["src/part1/new.rs"]);
    write(root, "deep/er/x.rs", "fn zorilla() {}\n");
    assert_eq!(paths(&engine, root, "zorilla").await, ["deep/er/x.rs"]);
    write(root, "deep/er/y.rs", "fn zorilla() -> u8 { 1 }\n");
    assert_eq!(paths(&engine, root, "zorilla").await.len(), 2);
    fs::remove_dir_all(root.join("deep")).expect("removed");
    assert!(paths(&engine, root, "zorilla").await.is_empty());
    write(root, ".gitignore", "part1\n");
    assert!(paths(&engine, root, "okapis").await.is_empty());
}

#[tokio::test]
async fn a_watched_repository_gives_the_pack_of_an_unwatched_one() {
    let folder = repository();
    let (watching, plain) = (Engine::new().expect("threads"), Engine::new().expect("threads"));
    watching.watch(folder.path()).expect("watched");
    for step in 0..6 {
        for _ in 0..3 {
            let live = pack(&watching, folder.path(), "login by token").await;
            let walked = pack(&plain, folder.path(), "login by token").await;
            assert_eq!((live.content, live.warnings), (walked.content, walked.warnings));
        }
        match step % 3 {
            0 => write(
                folder.path(),
                "src/part0/f0.rs",
                &format!("fn login() {{ token({step}) }}\n"),
            ),
            1 => git(folder.path(), &["commit", "-q", "-a", "-m", "Login by token"]),
            _ => git(folder.path(), &["checkout", "-q", "-b", &format!("b{step}")]),
        }
    }
}

#[tokio::test]
async fn now_applies_to_one_request() {
    let folder = repository();
    let engine = Engine::new().expect("threads");
    engine.watch(folder.path()).expect("watched");
    let recency = async |now: Option<i64>| {
        let request = Request {
            task: "login".into(),
            repo: Some(folder.path().into()),
            now,
            ..Request::default()
        };
        let report = engine.pack(request, &Cancel::default()).await.expect("a pack");
        report.included[0].factors.recency
    };
    let first = recency(None).await;
    assert!(recency(Some(4_000_000_000)).await < first);
    assert!((recency(None).await - first).abs() < 1e-12);
}

#[tokio::test]
async fn waiting_for_a_change_ends_with_it_or_with_the_flag() {
    let folder = repository();
    let engine = Engine::new().expect("threads");
    engine.watch(folder.path()).expect("watched");
    let cancel = Cancel::default();
    engine.refresh_index(folder.path(), None, &cancel).await.expect("fresh");
    write(folder.path(), "src/part1/new.rs", "fn quagga() {}\n");
    engine.changed(folder.path(), &cancel).await.expect("a change");
    let refreshed = engine.refresh_index(folder.path(), None, &cancel).await.expect("fresh");
    assert_eq!((refreshed.files, refreshed.analyzed), (41, 1));
    let again = engine.refresh_index(folder.path(), None, &cancel).await.expect("fresh");
    assert_eq!((again.files, again.unchanged, again.analyzed), (41, 41, 0));
    let flag = cancel.clone();
    let began = Instant::now();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        flag.cancel();
    });
    let stopped = engine.changed(folder.path(), &cancel).await;
    assert!(stopped.expect_err("cancelled").is_cancelled());
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn many_requests_and_changes_at_once_never_leave_an_old_state_behind() {
    let folder = repository();
    let engine = Engine::with_threads(2).expect("threads");
    engine.watch(folder.path()).expect("watched");
    for round in 0..10 {
        let word = format!("quagga{round}");
        let before = pack(&engine, folder.path(), "login");
        let during = async {
            write(folder.path(), "src/part2/x.rs", &format!("fn {word}() {{}}\n"));
            paths(&engine, folder.path(), &word).await
        };
        let (_, found) = tokio::join!(before, during);
        assert_eq!(found, ["src/part2/x.rs"], "round {round}");
        assert_eq!(paths(&engine, folder.path(), &word).await, ["src/part2/x.rs"]);
    }
}

#[tokio::test]
async fn a_search_can_be_cancelled_and_needs_something_to_find() {
    let folder = repository();
    let engine = Engine::new().expect("threads");
    let request = |task: &str, limit| SearchRequest {
        task: task.into(),
        repo: Some(folder.path().into()),
        limit,
        ..SearchRequest::default()
    };
    let cancel = Cancel::default();
    let report = engine.search(request("login", 3), &cancel).await.expect("found");
    assert_eq!((report.results.len(), report.files_searched), (3, 40));
    assert!(engine.search(request(" ", 3), &cancel).await.expect_err("no task").is_usage());
    assert!(engine.search(request("login", 0), &cancel).await.expect_err("no limit").is_usage());
    assert!(engine.index_status(folder.path(), &cancel).await.is_err(), "there is no cache");
    cancel.cancel();
    assert!(engine.search(request("login", 3), &cancel).await.expect_err("stopped").is_cancelled());
}

#[tokio::test]
async fn engines_that_share_a_cache_go_on_from_each_other() {
    let (folder, cache) = (repository(), tempfile::tempdir().expect("a temporary folder"));
    let engine = || Engine::new().expect("threads").with_cache(cache.path());
    let engines = [engine(), engine()];
    let cancel = Cancel::default();
    let words = ["alpaca", "bonobo", "caiman", "dugong", "echidna", "fossa"];
    for (step, word) in words.into_iter().enumerate() {
        write(folder.path(), &format!("src/new{step}.rs"), &format!("fn {word}() {{}}\n"));
        for engine in [&engines[step % 2], &engines[(step + 1) % 2]] {
            assert_eq!(paths(engine, folder.path(), word).await.len(), 1);
        }
    }
    // Recently written files are read again for a while, but nothing has to be analyzed.
    let fresh = engine().refresh_index(folder.path(), None, &cancel).await.expect("fresh");
    assert_eq!((fresh.files, fresh.analyzed), (46, 0));
    let cleared = engine().clear_index(folder.path(), &cancel).await.expect("cleared");
    assert_eq!((cleared.removed.len(), cleared.busy.len()), (1, 0));
    assert_eq!(paths(&engines[0], folder.path(), "dugong").await.len(), 1);
}
