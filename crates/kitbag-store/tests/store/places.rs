//! Places that are not stores, or not yet, or that have lost their marker.

use crate::failing::{response, server_by_request, store};
use crate::{Folder, id, index, options, push, segment, with_key};
use kitbag_store::{ObjectStore, StoreError, StoreOptions};
use std::fs;
use std::io::Write;
use std::sync::Barrier;

const MARKER: &str = "kitbag-store.json";

#[test]
fn a_place_without_a_store_is_named_as_such() {
    let folder = Folder::new(&options());
    let error = folder.store.require().unwrap_err();
    assert!(matches!(&error, StoreError::NoStore { .. }), "{error}");
    assert_eq!(error.hint(), Some("`kitbag index push` creates it"));
    push(&index(&folder.store), &[1]).unwrap();
    folder.store.require().unwrap();
    folder.open(&options()).require().unwrap();
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let folder = Folder::new(&options());
    fs::write(folder.folder.path().join("photo.jpg"), "x").unwrap();
    for error in
        [push(&index(&folder.store), &[1]).unwrap_err(), folder.store.require().unwrap_err()]
    {
        assert!(matches!(&error, StoreError::Foreign { example, .. } if example == "photo.jpg"));
    }
    assert_eq!(folder.files("").len(), 1);
}

#[test]
fn a_damaged_marker_can_be_deleted() {
    for bytes in [&b""[..], b"{\"kitbag_st", b"{}"] {
        let folder = Folder::new(&options());
        push(&index(&folder.store), &[1]).unwrap();
        let marker = folder.folder.path().join(MARKER);
        let original = fs::read(&marker).unwrap();
        fs::write(&marker, bytes).unwrap();
        for error in [
            push(&index(&folder.open(&options())), &[1]).unwrap_err(),
            folder.open(&options()).require().unwrap_err(),
        ] {
            assert!(error.to_string().contains("`kitbag-store.json` in the store"), "{error}");
            assert!(error.to_string().contains("is damaged"), "{error}");
            assert!(error.hint().is_some_and(|hint| hint.starts_with("delete it")), "{error}");
        }
        fs::remove_file(&marker).unwrap();
        push(&index(&folder.open(&options())), &[1]).unwrap();
        assert_eq!(fs::read(&marker).unwrap(), original);
    }
}

#[test]
fn a_folder_in_place_of_the_marker_is_an_error() {
    let folder = Folder::new(&options());
    fs::create_dir(folder.folder.path().join(MARKER)).unwrap();
    for error in
        [push(&index(&folder.store), &[1]).unwrap_err(), folder.store.require().unwrap_err()]
    {
        assert!(error.to_string().contains("it is not a regular file"), "{error}");
    }
    assert_eq!(folder.files("").len(), 0);
}

#[test]
fn a_marker_that_cannot_be_read_back_is_an_error() {
    let store = store(&server_by_request(|request, connection| {
        let empty = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";
        let answer = match request.split(' ').next() {
            Some("GET") if request.contains("list-type=2") => response("200 OK", empty),
            Some("GET") => response("404 Not Found", ""),
            _ => response("200 OK", ""),
        };
        let _ = connection.write_all(answer.as_bytes());
    }));
    let error = store.create().unwrap_err();
    assert!(error.to_string().contains("it cannot be read back"), "{error}");
}

#[test]
fn a_lost_marker_is_written_again_by_those_who_can_read_the_store() {
    for (own, others) in [
        (options(), vec![(with_key("1"), "is not encrypted")]),
        (with_key("1"), vec![(options(), "no key is configured"), (with_key("2"), "another key")]),
    ] {
        let folder = Folder::new(&own);
        push(&index(&folder.store), &[1]).unwrap();
        let marker = folder.folder.path().join(MARKER);
        let original = fs::read(&marker).unwrap();
        fs::remove_file(&marker).unwrap();
        let error = folder.open(&own).require().unwrap_err();
        assert!(matches!(&error, StoreError::MarkerMissing { .. }), "{error}");
        for (other, expected) in others {
            let error = push(&index(&folder.open(&other)), &[1]).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert!(!marker.exists());
        }
        // Nothing but the marker is missing.
        push(&index(&folder.open(&own)), &[1]).unwrap();
        assert_eq!(fs::read(&marker).unwrap(), original);
    }
}

#[test]
fn a_marker_is_not_made_up_for_unreadable_objects() {
    let folder = Folder::new(&options());
    push(&index(&folder.store), &[1]).unwrap();
    folder.files("v1").iter().for_each(|file| Folder::damage(file));
    fs::remove_file(folder.folder.path().join(MARKER)).unwrap();
    let error = push(&index(&folder.open(&options())), &[1]).unwrap_err();
    assert!(matches!(&error, StoreError::MarkerMissing { .. }), "{error}");
}

/// Both see an empty place, and only one of the markers can be right.
#[test]
fn of_two_first_writers_with_different_keys_one_fails() {
    for _ in 0..50 {
        let folder = Folder::new(&options());
        let (stores, start) =
            ([folder.open(&options()), folder.open(&with_key("1"))], Barrier::new(2));
        let create = |store: &ObjectStore| {
            start.wait();
            store.create().is_ok()
        };
        let created = std::thread::scope(|scope| {
            let threads = stores.each_ref().map(|store| scope.spawn(move || create(store)));
            threads.map(|thread| thread.join().unwrap())
        });
        assert_ne!(created[0], created[1]);
    }
}

#[test]
fn a_missing_folder_is_created_by_the_first_object() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("store");
    let url = Folder::url_of(&path);
    let error = ObjectStore::open(&url, &options()).unwrap_err();
    assert!(error.to_string().contains("`kitbag index push` creates it"), "{error}");
    let creating = StoreOptions { creates_folder: true, ..options() };
    let store = ObjectStore::open(&url, &creating).unwrap();
    let listing = index(&store).read().unwrap();
    assert!(matches!(store.require().unwrap_err(), StoreError::NoStore { .. }));
    store.delete("index/a").unwrap();
    assert!(!path.exists(), "reading created the folder");
    index(&store).push(&listing, vec![segment(&[1])], &[id(1)]).unwrap();
    assert!(path.join(MARKER).exists());
    assert!(index(&store).read().unwrap().may_have(&id(1)));
}

/// A share that is not mounted must not become a folder on the local disk.
#[test]
fn only_the_last_part_of_a_path_is_created() {
    let parent = tempfile::tempdir().unwrap();
    let url = Folder::url_of(&parent.path().join("share/kitbag"));
    let creating = StoreOptions { creates_folder: true, ..options() };
    let error = ObjectStore::open(&url, &creating).unwrap_err();
    assert!(error.to_string().contains("has to be created or mounted first"), "{error}");
    assert!(!parent.path().join("share").exists());
}
