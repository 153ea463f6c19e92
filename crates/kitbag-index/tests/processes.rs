//! Several processes and one index: killed while they write, and running concurrently.
//!
//! The processes are this test program, started for one ignored test.

use kitbag_index::{
    AnalysisSettings, IndexView, LoadedIndex, PublishOutcome, Refresh, Snapshot, Store, word_id,
};
use kitbag_repo::{Globs, Root, WorkTree};
use kitbag_text::ChunkLimits;
use kitbag_tokens::{CachedCounter, Estimator};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Folder that a started process works in.
const FOLDER: &str = "KITBAG_TEST_FOLDER";
/// Number of packs it makes.
const TIMES: &str = "KITBAG_TEST_TIMES";

/// Creates a repository of `count` files next to its future index.
fn repository(folder: &Path, count: usize) {
    fs::create_dir_all(folder.join("repository")).expect("a folder");
    for number in 0..count {
        write(folder, number, "");
    }
}

fn write(folder: &Path, number: usize, more: &str) {
    let content = format!("def function_{number}():\n    return shared(word{number})\n{more}");
    let path = folder.join(format!("repository/file{number}.py"));
    fs::write(path, content.repeat(20)).expect("writable");
}

/// Loads, refreshes and publishes, as a pack does. Returns the problem, the outcome and everything
/// that a search can see.
fn pack(folder: &Path) -> (Option<String>, Option<PublishOutcome>, String) {
    let counting = CachedCounter::new(Arc::new(Estimator::Words), 0);
    let settings = AnalysisSettings { limits: ChunkLimits::default(), counting: &counting };
    let root = Root::open(folder.join("repository")).expect("a folder");
    let tree = WorkTree::walk(&root, &Globs::default());
    let store = Store::open(&folder.join("index"), &settings.fingerprint()).expect("ours");
    let LoadedIndex { snapshot, problem } = store.load();
    let mut refreshed =
        Refresh::new(&settings, &kitbag_text::Cancel::default()).run(&tree, &snapshot);
    let published = store.publish(&mut refreshed.snapshot).ok();
    (problem, published, dump(&refreshed.view))
}

/// Returns what a pack without an index gives.
fn fresh(folder: &Path) -> String {
    let counting = CachedCounter::new(Arc::new(Estimator::Words), 0);
    let settings = AnalysisSettings { limits: ChunkLimits::default(), counting: &counting };
    let root = Root::open(folder.join("repository")).expect("a folder");
    let tree = WorkTree::walk(&root, &Globs::default());
    let refreshed =
        Refresh::new(&settings, &kitbag_text::Cancel::default()).run(&tree, &Snapshot::default());
    dump(&refreshed.view)
}

fn dump(view: &IndexView) -> String {
    let mut lines: Vec<String> = Vec::new();
    for file in view.files() {
        lines.push(format!("{} {:?}", file.path, file.doc.lengths));
    }
    for word in ["shared", "word1", "word7", "edited"] {
        let found = view.postings_up_to(word_id(word), usize::MAX).unwrap_or_default();
        let found = found.iter().map(|(file, it)| (file, it.chunk, it.counts));
        lines.push(format!("{word} {:?}", found.collect::<Vec<_>>()));
    }
    lines.join("\n")
}

fn start(folder: &Path, times: usize) -> Child {
    Command::new(std::env::current_exe().expect("a program"))
        .args(["--exact", "child_packs_repeatedly", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .env(TIMES, times.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it can be started")
}

#[test]
#[ignore = "started by the other tests"]
fn child_packs_repeatedly() {
    let (Some(folder), Ok(times)) = (std::env::var_os(FOLDER), std::env::var(TIMES)) else {
        return;
    };
    let folder = Path::new(&folder);
    for time in 0..times.parse::<usize>().expect("a number") {
        let (problem, _, dump) = pack(folder);
        assert_eq!(problem, None);
        assert!(dump == fresh(folder), "differs from a pack without an index");
        if times != "1" {
            write(folder, time % 7, &format!("edited = {time}\n"));
        }
    }
}

#[test]
fn an_index_survives_twenty_kills() {
    let folder = tempfile::tempdir().expect("a folder");
    repository(folder.path(), 150);
    let started = Instant::now();
    assert!(start(folder.path(), 3).wait().expect("it ends").success());
    let usual = started.elapsed();
    let mut seed = 12_345u32;
    for kill in 0..20 {
        if kill % 4 == 0 {
            // The first build is killed too.
            fs::remove_dir_all(folder.path().join("index")).expect("it is there");
        }
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let mut child = start(folder.path(), 1_000);
        std::thread::sleep(usual.mul_f64(f64::from(seed >> 16) / 65_536.0));
        assert!(child.try_wait().expect("it was started").is_none(), "it runs until killed");
        child.kill().expect("it runs");
        child.wait().expect("it was killed");
        let (problem, _, dump) = pack(folder.path());
        assert_eq!(problem, None, "kill {kill}");
        assert!(dump == fresh(folder.path()), "kill {kill}");
    }
}

#[test]
fn eight_processes_index_the_same_new_repository() {
    let folder = tempfile::tempdir().expect("a folder");
    repository(folder.path(), 60);
    // Files read shortly after their change are read again; wait until they are settled.
    std::thread::sleep(Duration::from_millis(2_100));
    let children: Vec<Child> = (0..8).map(|_| start(folder.path(), 1)).collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let (problem, published, dump) = pack(folder.path());
    assert_eq!((problem, published), (None, Some(PublishOutcome::Unchanged)));
    assert!(dump == fresh(folder.path()));
}
