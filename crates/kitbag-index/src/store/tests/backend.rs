//! The embedded index fulfils the contract of the trait.

use super::*;
use crate::backend::{DocAddress, DocFilter, IndexBackend, IndexStatistics, IndexedContent};
use crate::content_key::ContentKey;
use crate::record::{ContentRecord, tests::record as analyse};
use crate::store::EmbeddedIndex;
use std::ops::ControlFlow;

fn record(content: &str) -> Option<ContentRecord> {
    Some(analyse("a.py", content, SETTINGS.limits.clone(), &COUNTING))
}

fn filled() -> EmbeddedIndex {
    let mut index = EmbeddedIndex::default();
    let one = vec![(ContentKey([1; 32]), record("alpha = beta\n")), (ContentKey([2; 32]), None)];
    let other = vec![
        (ContentKey([3; 32]), record("alpha = gamma\n")),
        (ContentKey([1; 32]), record("ignored\n")),
    ];
    index.upsert(one).expect("embedded");
    index.upsert(other).expect("embedded");
    index
}

/// Returns the addresses of the contents that have a word.
fn search(index: &dyn IndexBackend, word: &str, filter: &DocFilter) -> Vec<DocAddress> {
    let mut addresses = Vec::new();
    let result = index.search(&[word_id(word)], filter, &mut |batch| {
        let address = |doc: u32| DocAddress { segment: batch.segment, doc };
        addresses.extend(batch.postings.iter().map(|it| address(it.doc)));
        ControlFlow::Continue(())
    });
    result.expect("embedded");
    addresses
}

fn find(index: &dyn IndexBackend, number: u8) -> Option<IndexedContent> {
    index.find(&[ContentKey([number; 32])]).expect("embedded")[0]
}

#[test]
fn contents_are_added_found_searched_and_deleted() {
    let mut index = filled();
    let (Some(IndexedContent::Text(one)), Some(IndexedContent::Text(three))) =
        (find(&index, 1), find(&index, 3))
    else {
        panic!("both are text");
    };
    assert_eq!(find(&index, 2), Some(IndexedContent::NotText));
    assert_eq!(find(&index, 4), None);
    let mut all = DocFilter::default();
    all.add(one);
    all.add(three);
    assert_eq!(search(&index, "alpha", &all), [one, three]);
    assert_eq!(search(&index, "ignored", &all), [], "indexed contents stay");
    let mut some = DocFilter::default();
    some.add(three);
    assert_eq!(search(&index, "alpha", &some), [three]);
    assert_eq!(search(&index, "alpha", &DocFilter::default()), []);
    let before = index.statistics().expect("embedded");
    assert_eq!((before.contents, before.chunks), (2, 2));
    index.delete(&[ContentKey([1; 32]), ContentKey([2; 32])]).expect("embedded");
    assert_eq!((find(&index, 1), find(&index, 2)), (None, None));
    assert!(matches!(find(&index, 3), Some(IndexedContent::Text(_))));
    assert_eq!(index.statistics().expect("embedded").contents, 1);
    index.delete(&[ContentKey([3; 32])]).expect("embedded");
    assert_eq!(index.statistics().expect("embedded"), IndexStatistics::default());
}

#[test]
fn docs_are_returned_in_the_requested_order() {
    let index = filled();
    let addresses = [DocAddress { segment: 1, doc: 0 }, DocAddress { segment: 0, doc: 0 }];
    let mut lengths = Vec::new();
    let result = index.for_each_doc(&addresses, &mut |doc, chunks| {
        assert_eq!(doc.chunks as usize, chunks.len());
        lengths.push(doc.lengths.body);
    });
    result.expect("embedded");
    assert_eq!(lengths, [2, 2]);
    let stored = index.stored_docs(&addresses).expect("embedded");
    assert!(stored.iter().all(Option::is_some));
    let nowhere = DocAddress { segment: 7, doc: 0 };
    assert!(index.for_each_doc(&[nowhere], &mut |_, _| {}).is_err());
    assert!(matches!(index.stored_docs(&[nowhere]).as_deref(), Ok([None])));
}

#[test]
fn a_search_ends_when_the_caller_breaks() {
    let tree = Files::numbered(1_000);
    let refreshed = refresh(&tree, &Snapshot::default());
    let found = refreshed.view.postings_up_to(word_id("shared"), 999);
    assert!(found.is_none());
    let found = refreshed.view.postings_up_to(word_id("shared"), 1_000).expect("not more");
    assert!(found.is_sorted_by_key(|it| it.0) && found.len() == 1_000);
    assert_eq!(refreshed.view.postings_up_to(word_id("word7"), 5).map(|it| it.len()), Some(1));
}
