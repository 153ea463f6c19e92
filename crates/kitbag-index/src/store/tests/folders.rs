//! Folders of indexes: private, bounded in size, and optional.

use super::*;
use crate::segment::Segment;
use crate::store::{StoreError, prune};
use kitbag_repo::folder_for;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

#[cfg(unix)]
#[test]
fn only_the_user_can_read_an_index() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cache/index");
    let store = store(&path);
    pack(&store, &Files::numbered(3));
    store.load();
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    for name in folder_bytes(&path).into_keys() {
        assert_eq!(mode(&path.join(&name)), 0o600, "{name}");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("our own");
    Store::open(&path, "").expect("our own");
    assert_eq!(mode(&path), 0o700, "made private again");
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    fs::create_dir(&real).expect("a folder");
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    assert!(matches!(Store::open(&link, ""), Err(StoreError::NotPrivate { .. })));
    assert!(matches!(Store::open(&link.join(""), ""), Err(StoreError::NotPrivate { .. })));
    let store = store(&folder.path().join("index"));
    std::os::unix::fs::symlink(&real, folder.path().join("index")).expect("a link");
    let mut refreshed = refresh(&Files::numbered(3), &store.load().snapshot);
    let published = store.publish(&mut refreshed.snapshot);
    assert!(matches!(published, Err(StoreError::NotPrivate { .. })), "created in the meantime");
    assert!(folder_bytes(&real).is_empty());
}

#[cfg(unix)]
#[test]
fn a_folder_that_others_can_replace_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let open = |mode: u32| {
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).expect("our own");
        let path = folder.path().join("index");
        fs::create_dir_all(&path).expect("a folder");
        Store::open(&path, "").is_ok()
    };
    assert!(open(0o755) && open(0o1777) && open(0o775) && !open(0o777));
}

/// Only root can change the owner of files.
#[cfg(unix)]
#[test]
fn files_of_another_user_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let store = store(&path);
    let tree = Files::numbered(3);
    pack(&store, &tree);
    if std::os::unix::fs::chown(path.join("manifest"), Some(65_534), None).is_err() {
        return;
    }
    let (refreshed, _, problem) = pack(&store, &tree);
    assert!(problem.is_some(), "a manifest of another user is not used");
    assert_up_to_date(&refreshed.view, &tree);
    assert_eq!(pack(&store, &tree).2, None, "and is replaced");
    std::os::unix::fs::chown(&path, Some(65_534), None).expect("as before");
    assert!(matches!(Store::open(&path, ""), Err(StoreError::NotPrivate { .. })));
}

#[test]
fn without_a_folder_packs_are_made_in_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "in the way").expect("writable");
    assert!(matches!(Store::open(&file, ""), Err(StoreError::NotPrivate { .. })));
    // A folder below a file can be neither created nor read.
    if let Ok(store) = Store::open(&file.join("index"), "") {
        let tree = Files::numbered(3);
        let loaded = store.load();
        let mut refreshed = refresh(&tree, &loaded.snapshot);
        assert_up_to_date(&refreshed.view, &tree);
        assert!(matches!(store.publish(&mut refreshed.snapshot), Err(StoreError::Write { .. })));
    }
}

#[test]
fn a_too_large_index_is_not_stored() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let store = Store { max_bytes: 5_000, ..store(&path) };
    pack(&store, &Files::numbered(3));
    let before = store.load().snapshot.files();
    let tree = Files::numbered(100);
    let mut refreshed = refresh(&tree, &store.load().snapshot);
    let published = store.publish(&mut refreshed.snapshot);
    assert!(matches!(published, Err(StoreError::TooLarge { max: 5_000, .. })));
    assert_up_to_date(&refreshed.view, &tree);
    assert_eq!(store.load().snapshot.files(), before, "the stored index stays");
    assert!(store.status().bytes <= 6_000);
}

#[test]
fn status_describes_and_clear_removes_an_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let store = store(&path);
    assert_eq!(store.status().files, 0);
    assert!(!path.exists(), "status creates nothing");
    pack(&store, &Files::numbered(5));
    let status = store.status();
    assert_eq!((status.files, status.contents, status.segments), (5, 5, 1));
    assert!(status.bytes > 500 && status.used.is_some() && status.problem.is_none());
    let written = store.with_lock(|folder| {
        assert!(matches!(store.with_lock(|_| ()), Ok(None)), "one at a time");
        fs::write(folder.join("history"), "commit log")
    });
    assert!(matches!(written, Ok(Some(Ok(())))));
    assert!(matches!(store.clear(), Ok(true)));
    assert!(!path.exists());
    assert!(matches!(store.clear(), Ok(true)));
    let lock_holder = Store::open(&path, "a fingerprint").expect("a folder");
    pack(&lock_holder, &Files::numbered(5));
    let lock = fs::File::options().write(true).open(path.join("lock")).expect("a lock");
    lock.lock().expect("not locked");
    assert!(matches!(store.clear(), Ok(false)));
}

#[test]
fn the_least_recently_used_indexes_are_removed_first() {
    let cache = tempfile::tempdir().expect("a folder");
    let folders: Vec<PathBuf> = (0..4)
        .map(|number| folder_for(cache.path(), Path::new(&format!("/r/{number}")), "variant"))
        .collect();
    for (age, folder) in folders.iter().enumerate() {
        let store = store(folder);
        pack(&store, &Files::numbered(5));
        store.load();
        let time = SystemTime::now() - Duration::from_secs(10_000 * (1 + age as u64));
        for name in ["used", "manifest"] {
            let file = fs::File::options().write(true).open(folder.join(name)).expect("a file");
            file.set_modified(time).expect("our own");
        }
    }
    let each = store(&folders[0]).folder.usage().expect("an index").bytes;
    fs::create_dir(cache.path().join("something else")).expect("a folder");
    assert_eq!(prune(cache.path(), 4 * each, &folders[0]), Vec::<PathBuf>::new());
    let removed = prune(cache.path(), 2 * each + each / 2, &folders[3]);
    assert_eq!(removed, [folders[2].clone(), folders[1].clone()], "the oldest is protected");
    assert!(cache.path().join("something else").exists());
}

#[test]
fn the_index_of_commits_drops_old_contents_rather_than_growing_too_large() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let commit = |numbers: std::ops::Range<usize>| {
        let mut tree = Files::default();
        for number in numbers {
            tree.set_blob(&format!("file{number}.py"), numbered(number).as_bytes());
        }
        tree
    };
    let first = refresh(&commit(0..30), &Snapshot::default()).snapshot;
    let size: usize = first.index().segments().map(Segment::size).sum();
    let store = Store { max_bytes: 2 * size as u64, ..store(&path) }.keep_unused();
    let mut snapshot = first;
    for start in [30, 60, 90, 120] {
        snapshot = refresh(&commit(start..start + 30), &snapshot).snapshot;
        let published = store.publish(&mut snapshot);
        assert!(matches!(published, Ok(PublishOutcome::Done { .. })), "{published:?}");
    }
    let last = commit(120..150);
    assert_eq!(refresh(&last, &store.load().snapshot).stats.analyzed, 0);
    assert!(refresh(&commit(0..30), &store.load().snapshot).stats.analyzed > 0);
}
