//! Several processes and one index: killed while they write, and all at once.
//!
//! The processes are this test program, started again for one test that does what it is told.

use kitbag_index::{Analysis, Loaded, Published, Refresh, Snapshot, Store, View, word_id};
use kitbag_repo::{Globs, Root, WorkTree};
use kitbag_text::ChunkLimits;
use kitbag_tokens::{Counting, Estimator};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Names the folder that a started process works in.
const FOLDER: &str = "KITBAG_TEST_FOLDER";
/// How often it packs.
const TIMES: &str = "KITBAG_TEST_TIMES";

/// A repository of `count` files next to where its index will be.
fn repository(folder: &Path, count: usize) {
    fs::create_dir_all(folder.join("repository")).expect("a folder");
    for number in 0..count {
        write(folder, number, "");
    }
}

fn write(folder: &Path, number: usize, more: &str) {
    let content = format!("def function_{number}():\n    return shared(word{number})\n{more}");
    let path = folder.join(format!("repository/file{number}.py"));
    fs::write(path, content.repeat(20)).expect("it can be written");
}

/// Loads, refreshes and publishes, as a pack does; what was wrong, and all that a search can tell.
fn pack(folder: &Path) -> (Option<String>, Option<Published>, String) {
    let counting = Counting::new(Arc::new(Estimator::Words), 0);
    let analysis = Analysis { limits: ChunkLimits::default(), counting: &counting };
    let root = Root::open(folder.join("repository")).expect("a folder");
    let tree = WorkTree::walk(&root, &Globs::default());
    let store = Store::open(&folder.join("index"), &analysis.fingerprint()).expect("ours");
    let Loaded { snapshot, trouble } = store.load();
    let mut refreshed = Refresh::new(&analysis, &kitbag_text::Cancel::default())
        .run(&tree, &snapshot)
        .expect("nobody stops it");
    let published = store.publish(&mut refreshed.snapshot).ok();
    (trouble, published, picture(&refreshed.view))
}

/// What a pack without any index gives.
fn fresh(folder: &Path) -> String {
    let counting = Counting::new(Arc::new(Estimator::Words), 0);
    let analysis = Analysis { limits: ChunkLimits::default(), counting: &counting };
    let root = Root::open(folder.join("repository")).expect("a folder");
    let tree = WorkTree::walk(&root, &Globs::default());
    let refreshed =
        Refresh::new(&analysis, &kitbag_text::Cancel::default()).run(&tree, &Snapshot::default());
    picture(&refreshed.expect("nobody stops it").view)
}

fn picture(view: &View) -> String {
    let mut lines: Vec<String> = Vec::new();
    for file in view.files() {
        lines.push(format!("{} {:?}", file.path, view.doc(file).lengths));
    }
    for word in ["shared", "word1", "word7", "edited"] {
        let found = view.few_postings(word_id(word), usize::MAX).unwrap_or_default();
        let found = found.iter().map(|(file, it)| (file, it.chunk, it.counts));
        lines.push(format!("{word} {:?}", found.collect::<Vec<_>>()));
    }
    lines.join("\n")
}

fn start(folder: &Path, times: usize) -> Child {
    Command::new(std::env::current_exe().expect("a program"))
        .args(["--exact", "packs_where_it_is_told", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .env(TIMES, times.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it can be started")
}

#[test]
#[ignore = "is started by the others"]
fn packs_where_it_is_told() {
    let (Some(folder), Ok(times)) = (std::env::var_os(FOLDER), std::env::var(TIMES)) else {
        return;
    };
    let folder = Path::new(&folder);
    for time in 0..times.parse::<usize>().expect("a number") {
        let (trouble, _, picture) = pack(folder);
        assert_eq!(trouble, None);
        assert!(picture == fresh(folder), "not what a pack without an index shows");
        if times != "1" {
            write(folder, time % 7, &format!("edited = {time}\n"));
        }
    }
}

#[test]
fn killed_twenty_times_the_index_is_right() {
    let folder = tempfile::tempdir().expect("a folder");
    repository(folder.path(), 150);
    let start_of_all = Instant::now();
    assert!(start(folder.path(), 3).wait().expect("it ends").success());
    let usual = start_of_all.elapsed();
    let mut seed = 12_345u32;
    for kill in 0..20 {
        if kill % 4 == 0 {
            // Nothing to begin with: the build itself is killed.
            fs::remove_dir_all(folder.path().join("index")).expect("it is there");
        }
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let mut child = start(folder.path(), 1_000);
        std::thread::sleep(usual.mul_f64(f64::from(seed >> 16) / 65_536.0));
        assert!(child.try_wait().expect("it was started").is_none(), "it packs on until killed");
        child.kill().expect("it runs");
        child.wait().expect("it was killed");
        let (trouble, _, picture) = pack(folder.path());
        assert_eq!(trouble, None, "kill {kill}");
        assert!(picture == fresh(folder.path()), "kill {kill}");
    }
}

#[test]
fn eight_processes_pack_the_same_new_repository() {
    let folder = tempfile::tempdir().expect("a folder");
    repository(folder.path(), 60);
    // What was written just now is read again once; wait until it is old.
    std::thread::sleep(Duration::from_millis(2_100));
    let children: Vec<Child> = (0..8).map(|_| start(folder.path(), 1)).collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let (trouble, published, picture) = pack(folder.path());
    assert_eq!((trouble, published), (None, Some(Published::Unchanged)));
    assert!(picture == fresh(folder.path()));
}
