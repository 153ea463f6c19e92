//! Tests of both backends.

use super::notify::NotifyBackend;
use super::watch_set::WatchSet;
use crate::{Globs, Root, Watcher, scan};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    let mut git = Command::new("git");
    let git = git.arg("-C").arg(folder).args(identity).args(arguments);
    assert!(git.output().unwrap().status.success(), "{arguments:?}");
}

/// Creates a repository with an ignored folder and others.
fn repository() -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::open(folder.path()).unwrap();
    for path in ["src", "empty", "target"] {
        fs::create_dir(root.path().join(path)).unwrap();
    }
    fs::write(root.path().join("src/a.rs"), "fn a() {}\n").unwrap();
    fs::write(root.path().join(".gitignore"), "target\n").unwrap();
    git(root.path(), &["init", "-q"]);
    git(root.path(), &["add", "--all"]);
    git(root.path(), &["commit", "-q", "-m", "a"]);
    (folder, root)
}

/// A name and a change.
type NamedChange<'a> = (&'static str, Box<dyn Fn() + 'a>);

/// Returns changes that a watcher must detect.
fn changes(root: &Path) -> Vec<NamedChange<'_>> {
    let at = |path: &str| root.join(path);
    vec![
        ("a write", Box::new(move || fs::write(at("src/a.rs"), "fn b() {}\n").unwrap())),
        ("a new file", Box::new(move || fs::write(at("empty/new.rs"), "").unwrap())),
        ("a rename", Box::new(move || fs::rename(at("src/a.rs"), at("src/b.rs")).unwrap())),
        ("a deletion", Box::new(move || fs::remove_file(at("src/b.rs")).unwrap())),
        ("a new folder", Box::new(move || fs::create_dir(at("later")).unwrap())),
        ("a file in it", Box::new(move || fs::write(at("later/c.rs"), "").unwrap())),
        ("a rule", Box::new(move || fs::write(at(".gitignore"), "target\n*.log\n").unwrap())),
        ("staging", Box::new(move || git(root, &["add", "--all"]))),
        ("a commit", Box::new(move || git(root, &["commit", "-q", "-m", "b"]))),
        ("a branch", Box::new(move || git(root, &["checkout", "-q", "-b", "x/y"]))),
        ("a commit there", Box::new(move || git(root, &["commit", "-qm", "c", "--allow-empty"]))),
        ("a moved folder", Box::new(move || fs::rename(at("later"), at("moved")).unwrap())),
        ("a folder in its place", Box::new(move || fs::create_dir(at("later")).unwrap())),
        ("a file in that", Box::new(move || fs::write(at("later/d.rs"), "").unwrap())),
        ("a file in the other", Box::new(move || fs::write(at("moved/e.rs"), "").unwrap())),
    ]
}

/// Walks until the generation stays the same, as a server does with each request.
fn settle(watcher: &Watcher, root: &Root) -> u64 {
    for _ in 0..10 {
        let generation = watcher.generation();
        watcher.follow(&scan(root, &Globs::default()).tree).unwrap();
        if watcher.generation() == generation {
            return generation;
        }
    }
    panic!("the generation keeps growing");
}

#[test]
fn changes_are_detected_immediately_and_reads_are_not_changes() {
    let (_folder, root) = repository();
    let watcher = Watcher::new(&root).unwrap();
    for (name, change) in changes(root.path()) {
        let before = settle(&watcher, &root);
        let _ = fs::read(root.path().join("src/a.rs"));
        fs::write(root.path().join("target/built"), name).unwrap();
        assert_eq!(watcher.generation(), before, "reads and ignored files before {name}");
        change();
        if cfg!(target_os = "linux") {
            assert!(watcher.generation() > before, "{name}");
        }
    }
}

#[test]
fn waiting_ends_with_a_change_or_the_timeout() {
    let (_folder, root) = repository();
    let watcher = Watcher::new(&root).unwrap();
    let before = settle(&watcher, &root);
    let began = Instant::now();
    watcher.wait(Duration::from_millis(30));
    assert!(began.elapsed() >= Duration::from_millis(25));
    fs::write(root.path().join("src/a.rs"), "").unwrap();
    watcher.wait(Duration::from_secs(60));
    assert!(watcher.generation() > before);
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn folder_without_a_repository_is_watched() {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::open(folder.path()).unwrap();
    let watcher = Watcher::new(&root).unwrap();
    let before = settle(&watcher, &root);
    fs::write(root.path().join("a.rs"), "").unwrap();
    assert!(watcher.generation() > before || cfg!(not(target_os = "linux")));
    let before = settle(&watcher, &root);
    git(root.path(), &["init", "-q"]);
    assert!(watcher.generation() > before || cfg!(not(target_os = "linux")));
}

#[test]
fn notify_backend_detects_the_same_changes_with_a_delay() {
    let (_folder, root) = repository();
    let backend = NotifyBackend::new(root.path()).unwrap();
    for (name, change) in changes(root.path()) {
        let tree = scan(&root, &Globs::default()).tree;
        backend.follow(&WatchSet::new(&root, &tree)).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let before = backend.generation();
        change();
        let deadline = Instant::now() + Duration::from_secs(20);
        while backend.generation() == before {
            assert!(Instant::now() < deadline, "{name}");
            backend.wait(Duration::from_millis(100));
        }
    }
}
