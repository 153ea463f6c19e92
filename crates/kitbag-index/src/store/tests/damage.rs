//! A damaged, truncated or older index is noticed, told and rebuilt.

use super::*;

/// Makes an index, damages one of its files, and packs.
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
    fs::write(&file, bytes).expect("it can be written");
    let (refreshed, published, trouble) = pack(&store, &tree);
    assert_right(&refreshed.view, &tree);
    if trouble.is_some() {
        assert!(matches!(published, Published::Done { .. }), "{published:?}");
        let (again, published, none) = pack(&store, &tree);
        assert_eq!((published, none), (Published::Unchanged, None), "said once");
        assert_right(&again.view, &tree);
    }
    (trouble, refreshed.stats.analysed)
}

#[test]
fn every_damaged_byte_is_told_and_mended() {
    for name in ["manifest", "table"] {
        let length = std::cell::Cell::new(usize::MAX);
        let mut at = 0;
        while at < length.get() {
            let (trouble, _) = with_damage(name, |bytes| {
                length.set(bytes.len());
                bytes[at] ^= 0x55;
            });
            assert!(trouble.is_some(), "byte {at} of {name}");
            at += if name == "manifest" { 1 } else { 7 };
        }
    }
}

#[test]
fn truncation_is_told_and_mended() {
    for name in ["manifest", "table", "segment"] {
        for share in 0..10 {
            let (trouble, _) = with_damage(name, |bytes| bytes.truncate(bytes.len() * share / 10));
            assert!(trouble.is_some(), "{share} tenths of {name}");
        }
        let (trouble, _) = with_damage(name, |bytes| bytes.push(0));
        assert!(trouble.is_some(), "a longer {name}");
    }
}

#[test]
fn a_lost_part_costs_no_more_than_its_contents() {
    let (trouble, analysed) = with_damage("table", Vec::clear);
    assert!(trouble.is_some_and(|it| it.contains("table-")));
    assert_eq!(analysed, 0, "the segments still know all contents");
    let (trouble, analysed) = with_damage("segment", Vec::clear);
    assert!(trouble.is_some_and(|it| it.contains("segment-")));
    assert!(analysed == 1 || analysed == 5, "one of the two segments: {analysed}");
}

#[test]
fn a_missing_part_is_told_and_mended() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let store = store(&path);
    let tree = Files::numbered(6);
    pack(&store, &tree);
    for name in folder_bytes(&path).into_keys().filter(|name| name.ends_with(".kb")) {
        fs::remove_file(path.join(&name)).expect("it is there");
        let (refreshed, _, trouble) = pack(&store, &tree);
        assert!(trouble.is_some_and(|it| it.contains(&name)));
        assert_right(&refreshed.view, &tree);
    }
    assert_eq!(pack(&store, &tree).2, None);
}

#[test]
fn another_version_or_other_settings_mean_a_rebuild() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let tree = Files::numbered(6);
    pack(&store(&path), &tree);
    let other = Store::open(&path, "another fingerprint").expect("a folder of our own");
    let (refreshed, published, trouble) = pack(&other, &tree);
    assert!(trouble.is_some_and(|it| it.contains("another version")));
    assert!(matches!(published, Published::Done { .. }));
    assert_eq!(refreshed.stats.analysed, 6);
    assert_right(&refreshed.view, &tree);
    assert_eq!(pack(&other, &tree).2, None);
    let (trouble, _) = with_damage("manifest", |bytes| bytes[8] = 0);
    assert!(trouble.is_some_and(|it| it.contains("version 0")));
}

#[test]
fn files_that_are_no_files_do_no_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let tree = Files::numbered(3);
    fs::create_dir_all(path.join("manifest/in the way")).expect("a folder");
    let store = store(&path);
    let loaded = store.load();
    assert!(loaded.trouble.is_some());
    let mut refreshed = refresh(&tree, &loaded.snapshot);
    assert_right(&refreshed.view, &tree);
    assert!(store.publish(&mut refreshed.snapshot).is_err());
}
