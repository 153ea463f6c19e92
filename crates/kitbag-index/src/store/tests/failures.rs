//! Whatever step of writing fails, the pack is right, and so is the next one.

use super::*;
use crate::store::failpoint::failing_from;

/// Fails at each step of publishing in turn, from one state of a tree to another.
fn walk_through(before: Option<&Files>, after: &Files) -> Vec<&'static str> {
    for at in 0.. {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        let store = store(&path);
        if let Some(before) = before {
            pack(&store, before);
        }
        let mut refreshed = refresh(after, &store.load().snapshot);
        assert_right(&refreshed.view, after);
        let (published, steps) = failing_from(Some(at), || store.publish(&mut refreshed.snapshot));
        if steps.len() <= at {
            assert!(matches!(published, Ok(Published::Done { .. })));
            assert!(at > 5, "there are many steps");
            return steps;
        }
        let (next, published, trouble) = pack(&store, after);
        assert_right(&next.view, after);
        assert_eq!(trouble, None, "nothing is half done: step {at}");
        assert!(!matches!(published, Published::Busy), "no lock is left: step {at}");
        let (_, published, trouble) = pack(&store, after);
        assert_eq!((published, trouble), (Published::Unchanged, None), "step {at}");
        assert!(folder_bytes(&path).into_keys().all(|name| !name.starts_with("tmp-")));
    }
    unreachable!("publishing has an end")
}

#[test]
fn a_first_build_may_fail_at_every_step() {
    let steps = walk_through(None, &Files::numbered(8));
    assert_eq!(steps.iter().filter(|step| **step == "rename a file").count(), 3);
}

#[test]
fn a_small_change_may_fail_at_every_step() {
    let mut after = Files::numbered(8);
    after.set("src/file0003.py", "word7 = 1\n", 2_000);
    walk_through(Some(&Files::numbered(8)), &after);
}

#[test]
fn a_merge_may_fail_at_every_step() {
    let mut after = Files::numbered(3);
    after.set("src/file0001.py", "word7 = 1\n", 2_000);
    let steps = walk_through(Some(&Files::numbered(8)), &after);
    assert!(steps.contains(&"remove a file"));
}

#[test]
fn a_snapshot_that_could_not_be_published_can_be_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index"));
    let tree = Files::numbered(8);
    let mut refreshed = refresh(&tree, &store.load().snapshot);
    let (failed, _) = failing_from(Some(4), || store.publish(&mut refreshed.snapshot));
    assert!(failed.is_err());
    assert!(matches!(store.publish(&mut refreshed.snapshot), Ok(Published::Done { .. })));
    assert_eq!(store.load().snapshot.files(), 8);
}

#[test]
fn what_a_killed_process_left_is_cleared_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let store = store(&path);
    pack(&store, &Files::numbered(8));
    let orphan = format!("segment-{}.kb", "ab".repeat(16));
    fs::write(path.join("tmp-half"), "half").expect("it can be written");
    fs::write(path.join(&orphan), "whole").expect("it can be written");
    fs::write(path.join("notes.txt"), "not ours").expect("it can be written");
    pack(&store, &Files::numbered(9));
    let names = folder_bytes(&path);
    assert!(!names.contains_key("tmp-half") && !names.contains_key(&orphan));
    assert!(names.contains_key("notes.txt"));
}

#[test]
fn clearing_may_fail_at_every_step() {
    for at in 0.. {
        let folder = tempfile::tempdir().expect("a folder");
        let store = store(&folder.path().join("index"));
        let tree = Files::numbered(8);
        pack(&store, &tree);
        let (cleared, steps) = failing_from(Some(at), || store.clear());
        if steps.len() <= at {
            assert!(matches!(cleared, Ok(true)));
            break;
        }
        let (refreshed, _, trouble) = pack(&store, &tree);
        assert_right(&refreshed.view, &tree);
        assert_eq!(trouble, None, "the manifest goes first: step {at}");
    }
}
