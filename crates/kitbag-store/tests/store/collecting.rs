//! Collections beside readers and writers, step by step.

use crate::{Folder, expected, id, index, merge, options, push, read_all, segment};
use kitbag_store::{CollectOptions, Collected, ObjectKind, StoreError, collect};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(24 * 3_600);

fn gc(folder: &Folder) -> Collected {
    collect(&folder.store, CollectOptions::default(), &merge).unwrap()
}

/// A store with five pushes, of one content each and one that all have.
fn five_pushes() -> Folder {
    let folder = Folder::new(&options());
    let index = index(&folder.store);
    let empty = index.read().unwrap();
    for content in 1..=5 {
        index.push(&empty, vec![segment(&[content, 10])], &[id(content), id(10)]).unwrap();
    }
    folder
}

#[test]
fn lists_become_one_and_nothing_is_lost_at_any_step() {
    let folder = five_pushes();
    let index = index(&folder.store);
    let all = expected([1, 2, 3, 4, 5, 10]);
    let early_reader = index.read().unwrap();
    let first = gc(&folder);
    assert_eq!((first.replaced_lists, first.merged, first.segments), (5, 5, 1));
    assert_eq!((first.deleted_lists, first.deleted_segments), (0, 0));
    let listing = index.read().unwrap();
    assert_eq!((listing.lists, listing.segments.len()), (1, 1));
    assert_eq!(read_all(&index, &listing), all);
    assert_eq!(read_all(&index, &early_reader), all);

    folder.age(25 * HOUR);
    let second = gc(&folder);
    // The lists go first; what they name goes once they are gone.
    assert_eq!((second.deleted_lists, second.deleted_segments), (5, 0));
    assert_eq!(read_all(&index, &index.read().unwrap()), all);
    let third = gc(&folder);
    assert_eq!((third.deleted_lists, third.deleted_segments), (0, 5));
    assert_eq!(read_all(&index, &index.read().unwrap()), all);
    assert_eq!((folder.files("lists").len(), folder.files("segments").len()), (1, 1));
    let fourth = gc(&folder);
    assert_eq!((fourth.replaced_lists, fourth.deleted_lists, fourth.deleted_segments), (0, 0, 0));
    assert_eq!(folder.files("clock").len(), 0);
}

#[test]
fn what_was_interrupted_is_collected_after_the_grace_period_only() {
    let folder = Folder::new(&options());
    push(&index(&folder.store), &[1]).unwrap();
    let lists = folder.files("lists");
    push(&index(&folder.store), &[2]).unwrap();
    // The second push loses its list, as if it had been interrupted before.
    let orphaned = folder.files("lists").into_iter().find(|it| !lists.contains(it)).unwrap();
    std::fs::remove_file(orphaned).unwrap();
    assert_eq!(gc(&folder).deleted_segments, 0);
    folder.age(23 * HOUR);
    assert_eq!(gc(&folder).deleted_segments, 0);
    folder.age(2 * HOUR);
    let collected = gc(&folder);
    assert_eq!(collected.deleted_segments, 1);
    assert!(collected.freed_bytes > 0);
    assert_eq!(
        read_all(&index(&folder.store), &index(&folder.store).read().unwrap()),
        expected([1])
    );
}

#[test]
fn a_writer_that_read_before_a_collection_still_names_segments_that_stay() {
    let folder = five_pushes();
    folder.age(8 * DAY);
    let index = index(&folder.store);
    let listing = index.read().unwrap();
    assert_eq!(gc(&folder).replaced_lists, 5);
    // The segments are old enough to be named again, and are replaced meanwhile.
    let outcome = index.push(&listing, vec![segment(&[6])], &[id(1), id(2), id(6)]).unwrap();
    assert_eq!((outcome.segments, outcome.renewed), (1, 2));
    for _ in 0..4 {
        folder.age(25 * HOUR);
        gc(&folder);
        let listing = index.read().unwrap();
        assert_eq!(read_all(&index, &listing), expected([1, 2, 3, 4, 5, 6, 10]));
    }
}

#[test]
fn a_push_that_took_too_long_publishes_nothing() {
    let folder = five_pushes();
    let impatient = index(&folder.store).with_grace(Duration::ZERO);
    let listing = impatient.read().unwrap();
    let error = impatient.push(&listing, vec![segment(&[6])], &[id(6)]).unwrap_err();
    assert!(matches!(error, StoreError::TooSlow { .. }), "{error}");
    assert!(!impatient.read().unwrap().may_have(&id(6)));
}

#[test]
fn concurrent_collections_agree() {
    let folder = five_pushes();
    let lists = folder.files("lists");
    let index = index(&folder.store);
    gc(&folder);
    // Another collector read the lists before the first one wrote its own.
    let own: Vec<_> = folder.files("lists").into_iter().filter(|it| !lists.contains(it)).collect();
    let hidden = std::fs::read(&own[0]).unwrap();
    std::fs::remove_file(&own[0]).unwrap();
    gc(&folder);
    std::fs::write(&own[0], hidden).unwrap();
    assert_eq!(index.read().unwrap().lists, 2);
    let all = expected([1, 2, 3, 4, 5, 10]);
    assert_eq!(read_all(&index, &index.read().unwrap()), all);
    for content in 20..23 {
        push(&index, &[content]).unwrap();
    }
    for _ in 0..4 {
        gc(&folder);
        folder.age(25 * HOUR);
    }
    gc(&folder);
    let listing = index.read().unwrap();
    assert_eq!(listing.lists, 1);
    assert_eq!(read_all(&index, &listing), expected([1, 2, 3, 4, 5, 10, 20, 21, 22]));
}

#[test]
fn segments_that_are_not_pushed_again_expire() {
    let folder = Folder::new(&options());
    let index = index(&folder.store);
    push(&index, &[1]).unwrap();
    push(&index, &[2]).unwrap();
    folder.age(80 * DAY);
    // Names the segment of content 1 again.
    push(&index, &[1]).unwrap();
    folder.age(20 * DAY);
    let collected = gc(&folder);
    assert_eq!((collected.expired, collected.segments), (1, 1));
    assert_eq!(read_all(&index, &index.read().unwrap()), expected([1]));
    for _ in 0..3 {
        folder.age(25 * HOUR);
        gc(&folder);
    }
    assert_eq!(folder.files("segments").len(), 1);
    // Once nothing is left, nothing stays.
    let options = CollectOptions { max_age: DAY, ..CollectOptions::default() };
    for _ in 0..4 {
        collect(&folder.store, options, &merge).unwrap();
        folder.age(25 * HOUR);
    }
    assert_eq!(folder.files("index"), Vec::<std::path::PathBuf>::new());
}

#[test]
fn nothing_is_deleted_while_a_list_is_damaged() {
    let folder = five_pushes();
    let damaged = folder.files("lists")[2..].to_vec();
    damaged.iter().for_each(|list| Folder::damage(list));
    folder.age(200 * DAY);
    let before = folder.files("index");
    let collected = gc(&folder);
    assert_eq!(collected.problems.len(), damaged.len());
    for (problem, list) in collected.problems.iter().zip(&damaged) {
        let StoreError::Damaged { object, .. } = problem else { panic!("{problem}") };
        assert!(list.ends_with(object), "{object}");
    }
    assert_eq!(folder.files("index"), before);
}

#[test]
fn a_collection_reports_a_bounded_number_of_damaged_lists() {
    let folder = five_pushes();
    for content in 20..25 {
        push(&index(&folder.store), &[content]).unwrap();
    }
    folder.files("lists").iter().for_each(|list| Folder::damage(list));
    assert_eq!(gc(&folder).problems.len(), 5);
}

#[test]
fn segments_that_cannot_be_merged_stay() {
    let folder = five_pushes();
    let index = index(&folder.store);
    let all = expected([1, 2, 3, 4, 5, 10]);
    let unreadable = |_: &[Vec<u8>]| None;
    let lossy = |_: &[Vec<u8>]| Some(segment(&[1]));
    for merge in [&unreadable as &dyn Fn(&[Vec<u8>]) -> _, &lossy] {
        collect(&folder.store, CollectOptions::default(), merge).unwrap();
        assert_eq!(read_all(&index, &index.read().unwrap()), all);
    }
}

/// A collection must not undo what a push repaired.
#[test]
fn of_segments_with_the_same_contents_the_latest_stays() {
    for _ in 0..8 {
        let folder = Folder::new(&options());
        let index = index(&folder.store);
        push(&index, &[1, 2]).unwrap();
        Folder::damage(&folder.files("segments")[0]);
        folder.age(HOUR);
        let listing = index.read().unwrap();
        let damaged = listing.segments.iter().map(|it| it.name().to_owned()).collect();
        let listing = listing.without(&damaged);
        index.push(&listing, vec![segment(&[1, 2])], &[id(1), id(2)]).unwrap();
        for content in 3..5 {
            push(&index, &[content]).unwrap();
        }
        let listing = index.read().unwrap();
        let chosen = listing.choose(&[id(1)], u64::MAX);
        assert!(index.fetch(&chosen)[0].is_ok(), "the damaged one was chosen");
        gc(&folder);
        let listing = index.read().unwrap();
        assert_eq!(listing.lists, 1);
        assert_eq!(read_all(&index, &listing), expected([1, 2, 3, 4]));
    }
}

/// The hint about a damaged object says to delete it.
#[test]
fn segments_that_someone_deleted_are_forgotten() {
    let folder = Folder::new(&options());
    let index = index(&folder.store);
    push(&index, &[1]).unwrap();
    push(&index, &[2]).unwrap();
    std::fs::remove_file(&folder.files("segments")[0]).unwrap();
    assert_eq!(index.read().unwrap().missing.len(), 1);
    assert_eq!(gc(&folder).replaced_lists, 2);
    let listing = index.read().unwrap();
    assert_eq!((listing.missing.len(), listing.segments.len()), (0, 1));
}

#[test]
fn objects_beside_the_indexes_are_deleted_by_age_alone() {
    let folder = Folder::new(&options());
    for kind in [ObjectKind::Summary, ObjectKind::Session, ObjectKind::Pack] {
        folder.store.put(&folder.store.name_of(kind, &["a"]), b"x").unwrap();
    }
    assert_eq!(gc(&folder).deleted_objects, 0);
    folder.age(25 * HOUR);
    assert_eq!(gc(&folder).deleted_objects, 2);
    let summary = folder.store.name_of(ObjectKind::Summary, &["a"]);
    assert!(folder.store.get(&summary).unwrap().is_some());
    folder.age(91 * DAY);
    assert_eq!(gc(&folder).deleted_objects, 1);
    assert_eq!(folder.store.get(&summary).unwrap(), None);
}
