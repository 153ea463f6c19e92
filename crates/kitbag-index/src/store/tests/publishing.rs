//! What was published is what the next process loads.

use super::*;

#[test]
fn a_warm_index_is_the_same_as_the_first_build() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index"));
    let tree = Files::numbered(30);
    let (first, published, trouble) = pack(&store, &tree);
    assert!(matches!(published, Published::Done { .. }));
    assert_eq!(trouble, None);
    tree.taken();
    let (second, published, trouble) = pack(&store, &tree);
    assert_eq!((published, trouble), (Published::Unchanged, None));
    assert_eq!(tree.taken(), Vec::<String>::new());
    assert_eq!(picture(&first.view, &WORDS), picture(&second.view, &WORDS));
}

#[test]
fn the_same_state_gives_the_same_bytes() {
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
        assert_right(&refreshed.view, &tree);
        match published {
            Published::Done { written } => written,
            other => panic!("{other:?}"),
        }
    };
    let (small, large) = (written(20), written(2_000));
    assert!(large < small + 100 && large < 4_000, "{small} {large}");
}

#[test]
fn many_edits_leave_few_files_and_the_right_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let store = store(&path);
    let mut tree = Files::numbered(300);
    let Published::Done { written: first } = pack(&store, &tree).1 else { panic!("it is new") };
    let mut later = 0;
    for edit in 0..250usize {
        let number = edit * 7 % 300;
        let content = format!("{}edit{edit} = word1\n", numbered(number));
        tree.set(&format!("src/file{number:04}.py"), &content, 2_000 + edit as i64);
        let (refreshed, published, trouble) = pack(&store, &tree);
        let Published::Done { written } = published else { panic!("{published:?}") };
        later += written;
        assert_eq!((refreshed.stats.analysed, trouble), (1, None));
        let segments = refreshed.snapshot.index().segments().count();
        assert!(segments <= 8, "{segments} segments");
        assert!(folder_bytes(&path).len() <= 8 + 4);
        if edit % 50 == 49 {
            assert_right(&refreshed.view, &tree);
        }
    }
    assert!(later / 250 < first / 12, "an edit writes {} bytes of {first}", later / 250);
    let snapshot = store.load().snapshot;
    let contents: usize = snapshot.index().segments().map(|it| it.len()).sum();
    assert!(contents < 2 * 300 + 50, "{contents} contents for 300 files");
    assert_right(&refresh(&tree, &snapshot).view, &tree);
}

#[test]
fn a_long_lived_process_goes_on_from_what_it_published() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index"));
    let mut tree = Files::numbered(10);
    let mut snapshot = store.load().snapshot;
    for round in 0..20 {
        tree.set("src/file0003.py", &format!("word7 = {round}\n"), 2_000 + round);
        let mut refreshed = refresh(&tree, &snapshot);
        let published = store.publish(&mut refreshed.snapshot).expect("it can be written");
        assert!(matches!(published, Published::Done { .. }), "{published:?}");
        snapshot = refreshed.snapshot;
    }
    let loaded = refresh(&tree, &store.load().snapshot);
    assert_right(&loaded.view, &tree);
    assert_eq!(loaded.stats.analysed, 0);
}

#[test]
fn deleted_files_leave_no_contents_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index"));
    let mut tree = Files::numbered(40);
    pack(&store, &tree);
    (0..30).for_each(|number| tree.remove(&format!("src/file{number:04}.py")));
    let (refreshed, ..) = pack(&store, &tree);
    assert_right(&refreshed.view, &tree);
    let loaded = store.load().snapshot;
    assert_eq!(
        (loaded.index().segments().map(|it| it.len()).sum::<usize>(), loaded.files()),
        (10, 10)
    );
    tree.files.clear();
    pack(&store, &tree);
    let loaded = store.load().snapshot;
    assert_eq!((loaded.index().segments().count(), loaded.files()), (0, 0));
}

#[test]
fn whoever_keeps_all_keeps_what_no_file_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index")).keeping_all();
    for number in 0..30 {
        let mut tree = Files::default();
        tree.set_blob("a.py", &numbered(number), number as u8);
        pack(&store, &tree);
    }
    let mut tree = Files::default();
    for number in 0..30 {
        tree.set_blob(&format!("{number}.py"), &numbered(number), number as u8);
    }
    let (refreshed, published, _) = pack(&store, &tree);
    assert_eq!(tree.taken(), Vec::<String>::new());
    assert_eq!(published, Published::Unchanged);
    assert_right(&refreshed.view, &tree);
}

#[test]
fn whoever_comes_second_drops_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index"));
    let tree = Files::numbered(10);
    let (mut one, mut other) =
        (refresh(&tree, &store.load().snapshot), refresh(&tree, &store.load().snapshot));
    assert!(matches!(store.publish(&mut one.snapshot), Ok(Published::Done { .. })));
    let before = folder_bytes(&folder.path().join("index"));
    assert!(matches!(store.publish(&mut other.snapshot), Ok(Published::Superseded)));
    assert_eq!(folder_bytes(&folder.path().join("index")), before);
    assert_right(&other.view, &tree);
}

#[test]
fn while_another_writes_nobody_waits() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let store = store(&path);
    let tree = Files::numbered(10);
    pack(&store, &tree);
    let lock = fs::File::options().write(true).open(path.join("lock")).expect("a lock");
    lock.lock().expect("nobody has it");
    let mut changed = Files::numbered(11);
    changed.set("src/file0003.py", "word7 = 1\n", 2_000);
    let (refreshed, published, _) = pack(&store, &changed);
    assert_eq!(published, Published::Busy);
    assert_right(&refreshed.view, &changed);
    lock.unlock().expect("we have it");
    assert!(matches!(pack(&store, &changed).1, Published::Done { .. }));
}

#[test]
fn eight_at_once_all_get_the_right_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let tree = Files::numbered(60);
    let expected = picture(&refresh(&tree, &Snapshot::default()).view, &WORDS);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let (refreshed, _, trouble) = pack(&store(&path), &tree);
                    assert_eq!(trouble, None);
                    assert_eq!(picture(&refreshed.view, &WORDS), expected);
                }
            });
        }
    });
    let (_, published, trouble) = pack(&store(&path), &tree);
    assert_eq!((published, trouble), (Published::Unchanged, None));
}

/// Each time all files are other files, so a reader that is slow finds them gone.
#[test]
fn readers_are_not_disturbed_by_a_writer() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    pack(&store(&path), &Files::numbered(2));
    std::thread::scope(|scope| {
        let read = || {
            for _ in 0..400 {
                let loaded = store(&path).load();
                assert_eq!(loaded.trouble, None);
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
fn an_index_that_was_removed_is_written_again_from_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index"));
    let mut tree = Files::numbered(30);
    let mut running = pack(&store, &tree).0.snapshot;
    assert!(store.clear().expect("removed"));
    tree.set("src/file0003.py", "word7 = 1\n", 2_000);
    tree.taken();
    running = refresh(&tree, &running).snapshot;
    assert_eq!(tree.taken(), ["src/file0003.py"]);
    assert!(matches!(store.publish(&mut running), Ok(Published::Done { .. })));
    let (refreshed, published, trouble) = pack(&store, &tree);
    assert_eq!((published, trouble), (Published::Unchanged, None));
    assert_eq!(tree.taken(), Vec::<String>::new(), "all of it is there");
    assert_right(&refreshed.view, &tree);
}
