//! The next process loads what was published.

use super::*;

#[test]
fn a_loaded_index_equals_the_first_build() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index"));
    let tree = Files::numbered(30);
    let (first, published, problem) = pack(&store, &tree);
    assert!(matches!(published, PublishOutcome::Done { .. }));
    assert_eq!(problem, None);
    tree.take_reads();
    let (second, published, problem) = pack(&store, &tree);
    assert_eq!((published, problem), (PublishOutcome::Unchanged, None));
    assert_eq!(tree.take_reads(), Vec::<String>::new());
    assert_eq!(dump(&first.view, &WORDS), dump(&second.view, &WORDS));
}

#[test]
fn the_same_tree_gives_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = Files::numbered(30);
    let files = ["one", "other"].map(|name| {
        let path = folder.path().join(name);
        pack(&store(&path), &tree);
        folder_bytes(&path)
    });
    assert_eq!(files[0], files[1]);
}

#[test]
fn a_small_change_writes_little_however_large_the_index() {
    let written = |count: usize| {
        let folder = tempfile::tempdir().expect("a folder");
        let store = store(&folder.path().join("index"));
        let mut tree = Files::numbered(count);
        pack(&store, &tree);
        tree.set("src/file0003.py", "word7 = 1\n", 2_000);
        let (refreshed, published, _) = pack(&store, &tree);
        assert_up_to_date(&refreshed.view, &tree);
        match published {
            PublishOutcome::Done { written } => written,
            other => panic!("{other:?}"),
        }
    };
    let (small, large) = (written(20), written(2_000));
    assert!(large < small + 100 && large < 4_000, "{small} {large}");
}

#[test]
fn many_edits_leave_few_files_and_a_correct_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let store = store(&path);
    let mut tree = Files::numbered(300);
    let PublishOutcome::Done { written: first } = pack(&store, &tree).1 else {
        panic!("nothing published")
    };
    let mut later = 0;
    for edit in 0..250usize {
        let number = edit * 7 % 300;
        let content = format!("{}edit{edit} = word1\n", numbered(number));
        tree.set(&format!("src/file{number:04}.py"), &content, 2_000 + edit as i64);
        let (refreshed, published, problem) = pack(&store, &tree);
        let PublishOutcome::Done { written } = published else { panic!("{published:?}") };
        later += written;
        assert_eq!((refreshed.stats.analyzed, problem), (1, None));
        let segments = refreshed.snapshot.index().segments().count();
        assert!(segments <= 8, "{segments} segments");
        assert!(folder_bytes(&path).len() <= 8 + 4);
        if edit % 50 == 49 {
            assert_up_to_date(&refreshed.view, &tree);
        }
    }
    assert!(later / 250 < first / 12, "an edit writes {} bytes of {first}", later / 250);
    let snapshot = store.load().snapshot;
    let contents: usize = snapshot.index().segments().map(|it| it.keys().len()).sum();
    assert!(contents < 2 * 300 + 50, "{contents} contents for 300 files");
    assert_up_to_date(&refresh(&tree, &snapshot).view, &tree);
}

#[test]
fn a_long_running_process_continues_from_its_own_snapshot() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index"));
    let mut tree = Files::numbered(10);
    let mut snapshot = store.load().snapshot;
    for round in 0..20 {
        tree.set("src/file0003.py", &format!("word7 = {round}\n"), 2_000 + round);
        let mut refreshed = refresh(&tree, &snapshot);
        let published = store.publish(&mut refreshed.snapshot).expect("writable");
        assert!(matches!(published, PublishOutcome::Done { .. }), "{published:?}");
        snapshot = refreshed.snapshot;
    }
    let loaded = refresh(&tree, &store.load().snapshot);
    assert_up_to_date(&loaded.view, &tree);
    assert_eq!(loaded.stats.analyzed, 0);
}

#[test]
fn deleted_files_leave_no_contents_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index"));
    let mut tree = Files::numbered(40);
    pack(&store, &tree);
    (0..30).for_each(|number| tree.remove(&format!("src/file{number:04}.py")));
    let (refreshed, ..) = pack(&store, &tree);
    assert_up_to_date(&refreshed.view, &tree);
    let loaded = store.load().snapshot;
    assert_eq!(
        (loaded.index().segments().map(|it| it.keys().len()).sum::<usize>(), loaded.files()),
        (10, 10)
    );
    tree.files.clear();
    pack(&store, &tree);
    let loaded = store.load().snapshot;
    assert_eq!((loaded.index().segments().count(), loaded.files()), (0, 0));
}

#[test]
fn unused_contents_are_kept_on_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index")).keep_unused();
    for number in 0..30 {
        let mut tree = Files::default();
        tree.set_blob("a.py", numbered(number).as_bytes());
        pack(&store, &tree);
    }
    let mut tree = Files::default();
    for number in 0..30 {
        tree.set_blob(&format!("{number}.py"), numbered(number).as_bytes());
    }
    let (refreshed, published, _) = pack(&store, &tree);
    assert_eq!(tree.take_reads(), Vec::<String>::new());
    assert_eq!(published, PublishOutcome::Unchanged);
    assert_up_to_date(&refreshed.view, &tree);
}

#[test]
fn a_superseded_snapshot_is_not_published() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index"));
    let tree = Files::numbered(10);
    let (mut one, mut other) =
        (refresh(&tree, &store.load().snapshot), refresh(&tree, &store.load().snapshot));
    assert!(matches!(store.publish(&mut one.snapshot), Ok(PublishOutcome::Done { .. })));
    let before = folder_bytes(&folder.path().join("index"));
    assert!(matches!(store.publish(&mut other.snapshot), Ok(PublishOutcome::Superseded)));
    assert_eq!(folder_bytes(&folder.path().join("index")), before);
    assert_up_to_date(&other.view, &tree);
}

#[test]
fn publishing_does_not_wait_for_another_writer() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let store = store(&path);
    let tree = Files::numbered(10);
    pack(&store, &tree);
    let lock = fs::File::options().write(true).open(path.join("lock")).expect("a lock");
    lock.lock().expect("not locked");
    let mut changed = Files::numbered(11);
    changed.set("src/file0003.py", "word7 = 1\n", 2_000);
    let (refreshed, published, _) = pack(&store, &changed);
    assert_eq!(published, PublishOutcome::Busy);
    assert_up_to_date(&refreshed.view, &changed);
    lock.unlock().expect("we have it");
    assert!(matches!(pack(&store, &changed).1, PublishOutcome::Done { .. }));
}

#[test]
fn eight_threads_at_once_get_correct_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let tree = Files::numbered(60);
    let expected = dump(&refresh(&tree, &Snapshot::default()).view, &WORDS);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let (refreshed, _, problem) = pack(&store(&path), &tree);
                    assert_eq!(problem, None);
                    assert_eq!(dump(&refreshed.view, &WORDS), expected);
                }
            });
        }
    });
    let (_, published, problem) = pack(&store(&path), &tree);
    assert_eq!((published, problem), (PublishOutcome::Unchanged, None));
}

/// Every publication replaces all files, so a slow reader finds its files removed.
#[test]
fn readers_tolerate_a_writer() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    pack(&store(&path), &Files::numbered(2));
    std::thread::scope(|scope| {
        let read = || {
            for _ in 0..400 {
                let loaded = store(&path).load();
                assert_eq!(loaded.problem, None);
                assert_eq!(loaded.snapshot.files(), 2);
            }
        };
        let readers: Vec<_> = (0..3).map(|_| scope.spawn(read)).collect();
        let mut edit = 0;
        while readers.iter().any(|reader| !reader.is_finished()) {
            edit += 2;
            let mut tree = Files::default();
            tree.set("one.py", &numbered(edit), edit as i64);
            tree.set("other.py", &numbered(edit + 1), edit as i64);
            pack(&store(&path), &tree);
        }
    });
}

#[test]
fn a_removed_index_is_rewritten_from_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index"));
    let mut tree = Files::numbered(30);
    let mut running = pack(&store, &tree).0.snapshot;
    assert!(store.clear().expect("removed"));
    tree.set("src/file0003.py", "word7 = 1\n", 2_000);
    tree.take_reads();
    running = refresh(&tree, &running).snapshot;
    assert_eq!(tree.take_reads(), ["src/file0003.py"]);
    assert!(matches!(store.publish(&mut running), Ok(PublishOutcome::Done { .. })));
    let (refreshed, published, problem) = pack(&store, &tree);
    assert_eq!((published, problem), (PublishOutcome::Unchanged, None));
    assert_eq!(tree.take_reads(), Vec::<String>::new(), "the index is complete");
    assert_up_to_date(&refreshed.view, &tree);
}
