//! If any step of writing fails, this pack and the next one are still correct.

use super::*;
use crate::store::failpoint::{WriteStep, failing_from};

/// Fails at each step of publishing in turn, from one state of a tree to another.
fn fail_at_each_step(before: Option<&Files>, after: &Files) -> Vec<WriteStep> {
    for at in 0.. {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        let store = store(&path);
        if let Some(before) = before {
            pack(&store, before);
        }
        let mut refreshed = refresh(after, &store.load().snapshot);
        assert_up_to_date(&refreshed.view, after);
        let (published, steps) = failing_from(Some(at), || store.publish(&mut refreshed.snapshot));
        if steps.len() <= at {
            assert!(matches!(published, Ok(PublishOutcome::Done { .. })));
            assert!(at > 5, "there are many steps");
            return steps;
        }
        let (next, published, problem) = pack(&store, after);
        assert_up_to_date(&next.view, after);
        assert_eq!(problem, None, "no partial state: step {at}");
        assert!(!matches!(published, PublishOutcome::Busy), "the lock is released: step {at}");
        let (_, published, problem) = pack(&store, after);
        assert_eq!((published, problem), (PublishOutcome::Unchanged, None), "step {at}");
        assert!(folder_bytes(&path).into_keys().all(|name| !name.starts_with("tmp-")));
    }
    unreachable!("publishing has finitely many steps")
}

#[test]
fn a_first_build_may_fail_at_every_step() {
    let steps = fail_at_each_step(None, &Files::numbered(8));
    assert_eq!(steps.iter().filter(|step| **step == WriteStep::RenameFile).count(), 3);
}

#[test]
fn a_small_change_may_fail_at_every_step() {
    let mut after = Files::numbered(8);
    after.set("src/file0003.py", "word7 = 1\n", 2_000);
    fail_at_each_step(Some(&Files::numbered(8)), &after);
}

#[test]
fn a_merge_may_fail_at_every_step() {
    let mut after = Files::numbered(3);
    after.set("src/file0001.py", "word7 = 1\n", 2_000);
    let steps = fail_at_each_step(Some(&Files::numbered(8)), &after);
    assert!(steps.contains(&WriteStep::RemoveFile));
}

#[test]
fn publishing_can_be_retried() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder.path().join("index"));
    let tree = Files::numbered(8);
    let mut refreshed = refresh(&tree, &store.load().snapshot);
    let (failed, _) = failing_from(Some(4), || store.publish(&mut refreshed.snapshot));
    assert!(failed.is_err());
    assert!(matches!(store.publish(&mut refreshed.snapshot), Ok(PublishOutcome::Done { .. })));
    assert_eq!(store.load().snapshot.files(), 8);
}

#[test]
fn leftovers_of_a_killed_process_are_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let store = store(&path);
    pack(&store, &Files::numbered(8));
    let orphan = format!("segment-{}.kb", "ab".repeat(16));
    fs::write(path.join("tmp-half"), "half").expect("writable");
    fs::write(path.join(&orphan), "whole").expect("writable");
    fs::write(path.join("notes.txt"), "not ours").expect("writable");
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
        let (refreshed, _, problem) = pack(&store, &tree);
        assert_up_to_date(&refreshed.view, &tree);
        assert_eq!(problem, None, "the manifest is removed first: step {at}");
    }
}
