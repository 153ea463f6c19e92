//! A damaged, truncated or outdated index is detected, reported and rebuilt.

use super::*;

/// Creates an index, damages one of its files, and packs.
fn with_damage(name: &str, damage: impl Fn(&mut Vec<u8>)) -> (Option<String>, usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let store = store(&path);
    let mut tree = Files::numbered(6);
    pack(&store, &tree);
    tree.set("src/file0003.py", "word7 = 1\n", 2_000);
    pack(&store, &tree);
    let names: Vec<String> = folder_bytes(&path).into_keys().collect();
    let file = path.join(names.iter().find(|it| it.starts_with(name)).expect("such a file"));
    let mut bytes = fs::read(&file).expect("a file");
    damage(&mut bytes);
    fs::write(&file, bytes).expect("writable");
    let (refreshed, published, problem) = pack(&store, &tree);
    assert_up_to_date(&refreshed.view, &tree);
    if problem.is_some() {
        assert!(matches!(published, PublishOutcome::Done { .. }), "{published:?}");
        let (again, published, none) = pack(&store, &tree);
        assert_eq!((published, none), (PublishOutcome::Unchanged, None), "reported once");
        assert_up_to_date(&again.view, &tree);
    }
    (problem, refreshed.stats.analyzed)
}

#[test]
fn every_damaged_byte_is_reported_and_repaired() {
    for name in ["manifest", "table"] {
        let length = std::cell::Cell::new(usize::MAX);
        let mut at = 0;
        while at < length.get() {
            let (problem, _) = with_damage(name, |bytes| {
                length.set(bytes.len());
                bytes[at] ^= 0x55;
            });
            assert!(problem.is_some(), "byte {at} of {name}");
            at += if name == "manifest" { 1 } else { 7 };
        }
    }
}

#[test]
fn truncation_is_reported_and_repaired() {
    for name in ["manifest", "table", "segment"] {
        for share in 0..10 {
            let (problem, _) = with_damage(name, |bytes| bytes.truncate(bytes.len() * share / 10));
            assert!(problem.is_some(), "{share} tenths of {name}");
        }
        let (problem, _) = with_damage(name, |bytes| bytes.push(0));
        assert!(problem.is_some(), "a longer {name}");
    }
}

#[test]
fn a_lost_file_costs_no_more_than_its_contents() {
    let (problem, analyzed) = with_damage("table", Vec::clear);
    assert!(problem.is_some_and(|it| it.contains("table-")));
    assert_eq!(analyzed, 0, "the segments still have all contents");
    let (problem, analyzed) = with_damage("segment", Vec::clear);
    assert!(problem.is_some_and(|it| it.contains("segment-")));
    assert!(analyzed == 1 || analyzed == 5, "one of the two segments: {analyzed}");
}

#[test]
fn a_missing_file_is_reported_and_repaired() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let store = store(&path);
    let tree = Files::numbered(6);
    pack(&store, &tree);
    for name in folder_bytes(&path).into_keys().filter(|name| name.ends_with(".kb")) {
        fs::remove_file(path.join(&name)).expect("it is there");
        let (refreshed, _, problem) = pack(&store, &tree);
        assert!(problem.is_some_and(|it| it.contains(&name)));
        assert_up_to_date(&refreshed.view, &tree);
    }
    assert_eq!(pack(&store, &tree).2, None);
}

#[test]
fn another_version_or_other_settings_cause_a_rebuild() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let tree = Files::numbered(6);
    pack(&store(&path), &tree);
    let other = Store::open(&path, "another fingerprint").expect("a private folder");
    let (refreshed, published, problem) = pack(&other, &tree);
    assert!(problem.is_some_and(|it| it.contains("another version")));
    assert!(matches!(published, PublishOutcome::Done { .. }));
    assert_eq!(refreshed.stats.analyzed, 6);
    assert_up_to_date(&refreshed.view, &tree);
    assert_eq!(pack(&other, &tree).2, None);
    let (problem, _) = with_damage("manifest", |bytes| bytes[8] = 0);
    assert!(problem.is_some_and(|it| it.contains("version 0")));
}

#[test]
fn a_folder_in_place_of_a_file_is_harmless() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let tree = Files::numbered(3);
    fs::create_dir_all(path.join("manifest/in the way")).expect("a folder");
    let store = store(&path);
    let loaded = store.load();
    assert!(loaded.problem.is_some());
    let mut refreshed = refresh(&tree, &loaded.snapshot);
    assert_up_to_date(&refreshed.view, &tree);
    assert!(store.publish(&mut refreshed.snapshot).is_err());
}
