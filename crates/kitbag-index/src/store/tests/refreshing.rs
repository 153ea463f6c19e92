//! A refreshed index equals a new one, and only changed files are read.

use super::*;

#[test]
fn an_unchanged_tree_is_not_read_again() {
    let tree = Files::numbered(10);
    let first = refresh(&tree, &Snapshot::default());
    assert_eq!((first.stats.files, first.stats.analyzed, first.stats.unchanged), (10, 10, 0));
    assert_eq!(tree.take_reads().len(), 10);
    let second = refresh(&tree, &first.snapshot);
    assert_eq!((second.stats.analyzed, second.stats.unchanged), (0, 10));
    assert_eq!(tree.take_reads(), Vec::<String>::new());
    assert_eq!(dump(&first.view, &WORDS), dump(&second.view, &WORDS));
}

#[test]
fn changed_new_and_deleted_files_are_detected() {
    let mut tree = Files::numbered(10);
    let first = refresh(&tree, &Snapshot::default());
    tree.take_reads();
    tree.set("src/file0001.py", "word7 = 1\n", 2_000);
    tree.set("src/new.py", "word1 = 1\n", 2_000);
    tree.remove("src/file0007.py");
    let second = refresh(&tree, &first.snapshot);
    assert_eq!(tree.take_reads(), ["src/file0001.py", "src/new.py"]);
    assert_eq!((second.stats.analyzed, second.stats.unchanged), (2, 8));
    assert_up_to_date(&second.view, &tree);
}

#[test]
fn a_renamed_file_is_read_but_not_analyzed() {
    let mut tree = Files::numbered(3);
    let first = refresh(&tree, &Snapshot::default());
    tree.remove("src/file0001.py");
    tree.set("src/renamed.py", &numbered(1), 1_000);
    let second = refresh(&tree, &first.snapshot);
    assert_eq!((second.stats.analyzed, second.stats.known, second.stats.unchanged), (0, 1, 2));
    assert_up_to_date(&second.view, &tree);
    tree.set("src/renamed.txt", &numbered(1), 1_000);
    let third = refresh(&tree, &second.snapshot);
    assert_eq!(third.stats.analyzed, 1, "another language is another content");
    assert_up_to_date(&third.view, &tree);
}

#[test]
fn a_reverted_change_needs_no_analysis() {
    let mut tree = Files::numbered(3);
    let first = refresh(&tree, &Snapshot::default());
    tree.set("src/file0001.py", "other = 1\n", 2_000);
    let second = refresh(&tree, &first.snapshot);
    tree.set("src/file0001.py", &numbered(1), 3_000);
    let third = refresh(&tree, &second.snapshot);
    assert_eq!((third.stats.analyzed, third.stats.known), (0, 1));
    assert_up_to_date(&third.view, &tree);
}

#[test]
fn files_with_the_same_content_share_it() {
    let mut tree = Files::numbered(2);
    tree.set("copy.py", &numbered(0), 1_000);
    let refreshed = refresh(&tree, &Snapshot::default());
    assert_eq!((refreshed.stats.analyzed, refreshed.stats.known), (2, 1));
    let mut found: Vec<u32> =
        refreshed.view.postings(word_id("word0")).map(|(file, _)| file).collect();
    found.sort_unstable();
    assert_eq!(found, [0, 1], "the copy comes first by path");
}

#[test]
fn a_file_read_shortly_after_its_change_is_read_again() {
    let second = 1_000_000_000;
    let mut tree = Files::numbered(2);
    tree.set("src/hot.py", "word1 = 1\n", 100 * second);
    let at = |now: i64, tree: &Files, previous: &Snapshot| {
        let refresh = Refresh { now, ..Refresh::new(&SETTINGS, &NOT_CANCELLED) };
        refresh.run(tree, previous)
    };
    let first = at(101 * second, &tree, &Snapshot::default());
    // The same size and time, as with a coarse clock.
    tree.set("src/hot.py", "word7 = 1\n", 100 * second);
    tree.take_reads();
    let second_look = at(102 * second, &tree, &first.snapshot);
    assert_eq!(tree.take_reads(), ["src/hot.py"]);
    assert_up_to_date(&second_look.view, &tree);
    tree.take_reads();
    let third = at(103 * second, &tree, &second_look.snapshot);
    assert_eq!(tree.take_reads(), Vec::<String>::new(), "it was settled when it was read");
    assert_up_to_date(&third.view, &tree);
}

#[test]
fn a_change_with_the_same_size_and_modification_time_is_detected() {
    let mut tree = Files::numbered(3);
    let first = refresh(&tree, &Snapshot::default());
    tree.take_reads();
    // As from an archive in which all files have the same old time.
    tree.set("src/file0001.py", &numbered(7), 1_000);
    let id = FileId::Stat { modified: 1_000, changed: 9_000, size: numbered(7).len() as u64 };
    tree.files[1].id = id;
    let second = refresh(&tree, &first.snapshot);
    assert_eq!(tree.take_reads(), ["src/file0001.py"]);
    assert_up_to_date(&second.view, &tree);
    tree.take_reads();
    refresh(&tree, &second.snapshot);
    assert_eq!(tree.take_reads(), Vec::<String>::new(), "the new times are in the table");
}

#[test]
fn a_restored_file_is_read_but_not_analyzed() {
    let mut tree = Files::numbered(2);
    let first = refresh(&tree, &Snapshot::default());
    let size = tree.files[0].size;
    tree.files[0].id = FileId::Stat { modified: 1_000, changed: 9_000, size };
    let second = refresh(&tree, &first.snapshot);
    assert_eq!((second.stats.analyzed, second.stats.known, second.stats.unchanged), (0, 1, 1));
}

#[test]
fn an_old_file_read_shortly_after_it_was_moved_there_is_read_again() {
    let second = 1_000_000_000;
    let mut tree = Files::numbered(1);
    let size = tree.files[0].size;
    tree.files[0].id = FileId::Stat { modified: 1_000, changed: 100 * second, size };
    let refresh = Refresh { now: 101 * second, ..Refresh::new(&SETTINGS, &NOT_CANCELLED) };
    let first = refresh.run(&tree, &Snapshot::default());
    tree.take_reads();
    let later = Refresh { now: 103 * second, ..Refresh::new(&SETTINGS, &NOT_CANCELLED) };
    let again = later.run(&tree, &first.snapshot);
    assert_eq!(tree.take_reads(), ["src/file0000.py"]);
    later.run(&tree, &again.snapshot);
    assert_eq!(tree.take_reads(), Vec::<String>::new());
}

#[test]
fn a_file_with_a_future_time_is_always_read() {
    let mut tree = Files::numbered(1);
    tree.set("src/future.py", "word1 = 1\n", i64::MAX);
    let mut snapshot = Snapshot::default();
    for _ in 0..3 {
        tree.take_reads();
        snapshot = refresh(&tree, &snapshot).snapshot;
        assert!(tree.take_reads().contains(&"src/future.py".to_owned()));
    }
    tree.set("src/future.py", "word7 = 1\n", i64::MAX);
    assert_up_to_date(&refresh(&tree, &snapshot).view, &tree);
}

#[test]
fn files_that_are_not_text_are_remembered_and_unreadable_ones_are_not() {
    let mut tree = Files::numbered(1);
    tree.put("a.bin", b"\0\x01", stat(1_000, 2));
    tree.put("b.bin", b"x", stat(1_000, 1));
    tree.contents.remove("b.bin");
    tree.put("large.txt", b"x", stat(1_000, 1 << 30));
    tree.files.iter_mut().filter(|it| it.path == "large.txt").for_each(|it| it.size = 1 << 30);
    let first = refresh(&tree, &Snapshot::default());
    let stats = first.stats;
    assert_eq!((stats.not_text, stats.unreadable, stats.too_large, stats.analyzed), (1, 1, 1, 1));
    assert_eq!(first.view.files().len(), 1);
    tree.take_reads();
    let second = refresh(&tree, &first.snapshot);
    assert_eq!(tree.take_reads(), ["b.bin"]);
    assert_eq!((second.stats.not_text, second.stats.unreadable), (1, 1));
}

#[test]
fn a_partial_tree_keeps_the_other_files() {
    let whole = Files::numbered(5);
    let first = refresh(&whole, &Snapshot::default());
    let part = Files::of(&[("src/file0001.py", &numbered(1))]);
    let partial =
        Refresh { now: LATER, is_partial: true, ..Refresh::new(&SETTINGS, &NOT_CANCELLED) };
    let second = partial.run(&part, &first.snapshot);
    assert_eq!(second.view.files().len(), 1);
    whole.take_reads();
    let third = refresh(&whole, &second.snapshot);
    assert_eq!(whole.take_reads(), Vec::<String>::new());
    assert_up_to_date(&third.view, &whole);
}

#[test]
fn commits_share_contents_by_blob_id() {
    let mut one = Files::default();
    one.set_blob("a.py", numbered(0).as_bytes());
    one.set_blob("b.py", numbered(1).as_bytes());
    one.set_blob("c.bin", b"\0");
    let first = refresh(&one, &Snapshot::default());
    assert_eq!((first.stats.analyzed, first.stats.not_text), (2, 1));
    let mut other = Files::default();
    other.set_blob("a.py", numbered(0).as_bytes());
    other.set_blob("moved/b.py", numbered(1).as_bytes());
    other.set_blob("new.py", numbered(7).as_bytes());
    other.set_blob("d.bin", b"\0");
    let second = refresh(&other, &first.snapshot);
    assert_eq!(other.take_reads(), ["new.py"]);
    assert_up_to_date(&second.view, &other);
    one.take_reads();
    let back = refresh(&one, &second.snapshot);
    assert_eq!(one.take_reads(), Vec::<String>::new());
    assert_up_to_date(&back.view, &one);
    assert_eq!(back.snapshot.files(), 0, "commits are not in the table");
}

#[test]
fn work_tree_and_commits_share_contents() {
    let work_tree = Files::numbered(3);
    let first = refresh(&work_tree, &Snapshot::default());
    let mut commit = Files::default();
    commit.set_blob("src/file0000.py", numbered(0).as_bytes());
    commit.set_blob("new.py", numbered(7).as_bytes());
    let second = refresh(&commit, &first.snapshot);
    assert_eq!(commit.take_reads(), ["new.py"]);
    assert_up_to_date(&second.view, &commit);
}

#[test]
fn a_blob_with_another_content_than_its_id_says_is_unreadable() {
    let mut commit = Files::default();
    let id = ObjectId::of_content(b"other").expect("no collision");
    commit.put("a.py", numbered(0).as_bytes(), FileId::Blob(id));
    let refreshed = refresh(&commit, &Snapshot::default());
    assert_eq!((refreshed.stats.analyzed, refreshed.stats.unreadable), (0, 1));
}

#[test]
fn many_small_segments_are_merged_in_memory() {
    let mut snapshot = Snapshot::default();
    let mut tree = Files::default();
    for number in 0..100 {
        tree.set_blob(&format!("file{number}.py"), numbered(number).as_bytes());
        snapshot = refresh(&tree, &snapshot).snapshot;
        assert!(snapshot.index().segments().count() <= 25);
    }
    assert_up_to_date(&refresh(&tree, &snapshot).view, &tree);
}

#[test]
fn one_thread_gives_the_same_bytes_as_two() {
    let tree = Files::numbered(200);
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let refreshed = pool.install(|| refresh(&tree, &Snapshot::default()));
        refreshed.snapshot.index().segments().map(|it| it.to_bytes()).collect::<Vec<_>>()
    };
    let one = bytes(1);
    assert_eq!(one, bytes(2));
    assert_eq!(one, bytes(5));
}

#[test]
fn progress_is_reported() {
    let tree = Files::numbered(20);
    let last = Mutex::new((0, 0));
    let progress = |done: usize, all: usize| {
        let mut last = last.lock().expect("no panic");
        *last = (last.0.max(done), all);
    };
    let refresh = Refresh { progress: &progress, ..Refresh::new(&SETTINGS, &NOT_CANCELLED) };
    refresh.run(&tree, &Snapshot::default());
    assert_eq!(*last.lock().expect("no panic"), (20, 20));
}

/// Refreshes an index, and cancels after `count` files.
fn refresh_some(tree: &Files, previous: &Snapshot, count: usize) -> RefreshedIndex {
    let cancel = Cancel::default();
    let progress = |done: usize, _: usize| {
        if done >= count {
            cancel.cancel();
        }
    };
    let refresh = Refresh { now: LATER, progress: &progress, ..Refresh::new(&SETTINGS, &cancel) };
    refresh.run(tree, previous)
}

#[test]
fn a_cancelled_refresh_is_continued_by_the_next() {
    let tree = Files::numbered(40);
    let (mut snapshot, mut rounds, mut known) = (Snapshot::default(), 0, 0);
    loop {
        let refreshed = refresh_some(&tree, &snapshot, 7);
        let stats = refreshed.stats;
        let here = refreshed.view.files().len();
        assert_eq!((here + stats.skipped, stats.unreadable), (40, 0));
        assert!(here > known || stats.skipped == 0, "every round makes progress");
        (snapshot, known, rounds) = (refreshed.snapshot, here, rounds + 1);
        if stats.skipped == 0 {
            assert_up_to_date(&refreshed.view, &tree);
            break;
        }
    }
    assert!(rounds > 1, "it was cancelled");
    tree.take_reads();
    assert_eq!(refresh(&tree, &snapshot).stats.unchanged, 40);
    assert_eq!(tree.take_reads(), Vec::<String>::new());
}

#[test]
fn files_are_analyzed_before_many_are_read() {
    let mut tree = Files::default();
    for number in 0..100 {
        let content = format!("value_{number} = 1\n").repeat(1_200);
        tree.set(&format!("src/file{number:04}.py"), &content, 1_000);
    }
    let first = refresh_some(&tree, &Snapshot::default(), 1);
    let kept = first.stats.analyzed;
    assert!(kept > 0, "{:?}", first.stats);
    assert!(tree.take_reads().len() < 50, "the rest is not read in vain");
    let second = refresh(&tree, &first.snapshot);
    assert_eq!((second.stats.unchanged, second.stats.analyzed), (kept, 100 - kept));
}

#[test]
fn a_partially_refreshed_index_is_correct_for_its_files() {
    let tree = Files::numbered(40);
    let some = refresh_some(&tree, &Snapshot::default(), 7);
    let paths: Vec<String> = some.view.files().iter().map(|file| file.path.clone()).collect();
    let mut part = Files::default();
    for path in &paths {
        part.set(path, std::str::from_utf8(&tree.contents[path]).expect("text"), 1_000);
    }
    assert_up_to_date(&some.view, &part);
}

#[test]
fn cancelling_before_anything_is_read_loses_no_content() {
    let cancelled = Cancel::default();
    cancelled.cancel();
    let mut tree = Files::numbered(300);
    let first = refresh(&tree, &Snapshot::default());
    // As after a checkout: every file has a new time and the same content.
    for number in 0..300 {
        tree.set(&format!("src/file{number:04}.py"), &numbered(number), 2_000);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index"));
    let stopped = Refresh { now: LATER, ..Refresh::new(&SETTINGS, &cancelled) };
    let mut second = stopped.run(&tree, &first.snapshot);
    assert_eq!((second.stats.skipped, second.view.files().len()), (300, 0));
    store.publish(&mut second.snapshot).expect("writable");
    let third = refresh(&tree, &store.load().snapshot);
    assert_eq!((third.stats.known, third.stats.analyzed), (300, 0), "contents were not dropped");
}

#[test]
fn concurrent_snapshots_are_merged() {
    let tree = Files::numbered(40);
    let one = refresh_some(&tree, &Snapshot::default(), 7);
    let other = refresh(&tree, &Snapshot::default());
    let mut both = one.snapshot.clone();
    both.merge(&other.snapshot);
    tree.take_reads();
    let refreshed = refresh(&tree, &both);
    assert_eq!((refreshed.stats.unchanged, tree.take_reads().len()), (40, 0));
    assert_up_to_date(&refreshed.view, &tree);
}

#[test]
fn postings_of_frequent_words_are_not_collected() {
    let tree = Files::numbered(1_000);
    let refreshed = refresh(&tree, &Snapshot::default());
    let found = refreshed.view.postings_up_to(word_id("shared"), 999);
    assert!(found.is_none());
    let found = refreshed.view.postings_up_to(word_id("shared"), 1_000).expect("not more");
    assert!(found.is_sorted_by_key(|it| it.0) && found.len() == 1_000);
    assert_eq!(refreshed.view.postings_up_to(word_id("word7"), 5).map(|it| it.len()), Some(1));
}
