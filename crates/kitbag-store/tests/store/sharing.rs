//! Pushing and reading, with and without a key.

use crate::{Folder, expected, id, index, options, push, read_all, segment, with_key};
use kitbag_store::{ObjectStore, SharedIndex, StoreError};
use std::fs;

#[test]
fn readers_see_the_union_of_all_pushes() {
    for options in [options(), with_key("1")] {
        let folder = Folder::new(&options);
        let (one, other) = (index(&folder.open(&options)), index(&folder.open(&options)));
        // Both read before either writes.
        let (first, second) = (one.read().unwrap(), other.read().unwrap());
        one.push(&first, vec![segment(&[1, 2])], &[id(1), id(2)]).unwrap();
        other.push(&second, vec![segment(&[2, 3])], &[id(2), id(3)]).unwrap();
        let listing = index(&folder.store).read().unwrap();
        assert_eq!(read_all(&one, &listing), expected([1, 2, 3]));
        assert_eq!((listing.lists, listing.segments.len(), listing.contents()), (2, 2, 3));
        assert!(listing.may_have(&id(3)) && !listing.may_have(&id(4)));
    }
}

#[test]
fn known_contents_are_neither_uploaded_nor_listed_again() {
    let folder = Folder::new(&options());
    let index = index(&folder.store);
    push(&index, &[1, 2, 3]).unwrap();
    let before = folder.files("");
    push(&index, &[1, 3]).unwrap();
    assert_eq!(folder.files(""), before);
    push(&index, &[3, 4]).unwrap();
    assert_eq!(folder.files("segments").len(), 2);
}

#[test]
fn only_segments_with_missing_contents_are_chosen() {
    let folder = Folder::new(&options());
    let index = index(&folder.store);
    for contents in [&[1, 2, 3][..], &[4, 5], &[6]] {
        push(&index, contents).unwrap();
    }
    let listing = index.read().unwrap();
    let chosen = |wanted: &[u32], limit| {
        let wanted: Vec<_> = wanted.iter().map(|&it| id(it)).collect();
        listing.choose(&wanted, limit).len()
    };
    assert_eq!(chosen(&[1, 3, 4], u64::MAX), 2);
    assert_eq!(chosen(&[7], u64::MAX), 0);
    assert_eq!(chosen(&[], u64::MAX), 0);
    assert_eq!(chosen(&[1, 4, 6], 1), 0);
}

#[test]
fn repositories_and_settings_are_separate() {
    let folder = Folder::new(&options());
    push(&index(&folder.store), &[1]).unwrap();
    for (repository, settings) in [("example.org/other", "settings"), ("example.org/project", "x")]
    {
        let other = SharedIndex::new(folder.store.clone(), repository, settings);
        assert_eq!(other.read().unwrap().contents(), 0);
    }
}

#[test]
fn an_encrypted_store_reveals_neither_contents_nor_names() {
    let folder = Folder::new(&with_key("1"));
    push(&index(&folder.store), &[1, 2]).unwrap();
    let plain = Folder::new(&options());
    push(&index(&plain.store), &[1, 2]).unwrap();
    let parts = |folder: &Folder, part: &str| -> Vec<String> {
        let files = folder.files(part);
        let name = |path: &std::path::PathBuf| {
            path.components().map(|it| it.as_os_str().to_string_lossy().into_owned()).collect()
        };
        files.iter().flat_map(|path| -> Vec<String> { name(path) }).collect()
    };
    let shared: Vec<String> = parts(&folder, "index")
        .into_iter()
        .filter(|part| part.len() >= 32 && parts(&plain, "index").contains(part))
        .collect();
    assert_eq!(shared, Vec::<String>::new());
    for file in folder.files("index") {
        let bytes = fs::read(&file).unwrap();
        assert!(!bytes.windows(8).any(|window| window == &id(1)[..8]), "{}", file.display());
    }
}

#[test]
fn every_mismatch_of_key_and_store_has_its_own_error() {
    let (plain, sealed) = (Folder::new(&options()), Folder::new(&with_key("1")));
    push(&index(&plain.store), &[1]).unwrap();
    push(&index(&sealed.store), &[1]).unwrap();
    let error = |store: ObjectStore| {
        let read = index(&store).read().map(|_| ()).unwrap_err();
        let written = push(&index(&store), &[9]).unwrap_err();
        assert_eq!(read.to_string(), written.to_string());
        read
    };
    assert!(matches!(error(sealed.open(&options())), StoreError::KeyMissing { .. }));
    assert!(matches!(error(sealed.open(&with_key("2"))), StoreError::WrongKey { .. }));
    assert!(matches!(error(plain.open(&with_key("1"))), StoreError::NotEncrypted { .. }));
}

#[test]
fn a_store_from_the_future_is_named_as_such() {
    let folder = Folder::new(&options());
    let marker = folder.folder.path().join("kitbag-store.json");
    fs::write(&marker, r#"{"kitbag_store": 2, "shape": ["other"]}"#).unwrap();
    for error in
        [index(&folder.store).read().unwrap_err(), push(&index(&folder.store), &[1]).unwrap_err()]
    {
        assert!(matches!(error, StoreError::Version { found: 2, expected: 1, .. }));
    }
    // A single object of a later format is named too.
    fs::remove_file(&marker).unwrap();
    push(&index(&folder.open(&options())), &[1]).unwrap();
    let list = &folder.files("lists")[0];
    let mut bytes = fs::read(list).unwrap();
    bytes[8] = 7;
    fs::write(list, bytes).unwrap();
    let problems = index(&folder.store).read().unwrap().problems;
    assert!(
        matches!(&problems[..], [StoreError::Version { found: 7, place, .. }] if place.contains("lists"))
    );
}

/// A listing is the union of the lists, so the others are of use without a damaged one.
#[test]
fn damaged_lists_and_stray_files_among_them_are_skipped_and_named() {
    let folder = Folder::new(&options());
    let shared = index(&folder.store);
    for content in 1..=3 {
        push(&shared, &[content]).unwrap();
    }
    let list = &folder.files("lists")[0];
    Folder::damage(list);
    let stray = list.with_file_name(".nfs0001");
    fs::write(&stray, "x").unwrap();
    let listing = shared.read().unwrap();
    assert_eq!((listing.lists, listing.contents()), (2, 2));
    let problems: Vec<String> = listing.problems.iter().map(ToString::to_string).collect();
    for name in [list, &stray] {
        let name = name.file_name().unwrap().to_string_lossy().into_owned();
        assert!(problems.iter().any(|it| it.contains(&name)), "{name}: {problems:?}");
    }
    // A push adds again what only the damaged list named.
    push(&shared, &[1, 2, 3]).unwrap();
    assert_eq!(read_all(&shared, &shared.read().unwrap()), expected([1, 2, 3]));
}

/// What a list replaces that cannot be read may be collected soon.
#[test]
fn segments_are_not_named_again_while_a_list_cannot_be_read() {
    let folder = Folder::new(&options());
    let index = index(&folder.store);
    push(&index, &[1]).unwrap();
    push(&index, &[2]).unwrap();
    folder.age(std::time::Duration::from_secs(8 * 24 * 3_600));
    Folder::damage(&folder.files("lists")[0]);
    let listing = index.read().unwrap();
    let outcome = index.push(&listing, vec![segment(&[3])], &[id(1), id(2), id(3)]).unwrap();
    assert_eq!((outcome.segments, outcome.renewed), (1, 0));
}

#[test]
fn contents_of_unusable_segments_are_pushed_again() {
    let folder = Folder::new(&options());
    let index = index(&folder.store);
    push(&index, &[1, 2]).unwrap();
    push(&index, &[3]).unwrap();
    let listing = index.read().unwrap();
    let unusable = listing.segments.iter().find(|it| it.may_have(&id(1))).unwrap();
    let names = std::iter::once(unusable.name().to_owned()).collect();
    let listing = listing.without(&names);
    assert!(!listing.may_have(&id(1)) && listing.may_have(&id(3)));
    index.push(&listing, vec![segment(&[1, 2])], &[id(1), id(2), id(3)]).unwrap();
    assert_eq!(folder.files("segments").len(), 3);
}

#[test]
fn missing_segments_are_named_until_their_contents_are_there_again() {
    let folder = Folder::new(&options());
    let index = index(&folder.store);
    push(&index, &[1, 2]).unwrap();
    let file = folder.files("segments").remove(0);
    fs::remove_file(&file).unwrap();
    let listing = index.read().unwrap();
    let [missing] = &listing.missing[..] else { panic!("{listing:?}") };
    let error = index.missing(missing).to_string();
    assert!(error.contains(&*file.file_name().unwrap().to_string_lossy()), "{error}");
    push(&index, &[1, 2]).unwrap();
    assert_eq!(index.read().unwrap().missing, []);
}
