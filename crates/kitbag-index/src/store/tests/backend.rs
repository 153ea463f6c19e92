//! The index in this process keeps what the trait promises.

use super::*;
use crate::backend::{Contents, IndexBackend, Known, Place, Statistics};
use crate::record::Record;
use crate::segment::Key;
use crate::store::Embedded;
use kitbag_text::Text;
use std::ops::ControlFlow;

fn record(content: &str) -> Option<Record> {
    Some(Record::of("a.py", &Text::new(content), &ANALYSIS.limits, &COUNTING))
}

fn filled() -> Embedded {
    let mut index = Embedded::default();
    let one = vec![(Key([1; 32]), record("alpha = beta\n")), (Key([2; 32]), None)];
    let other =
        vec![(Key([3; 32]), record("alpha = gamma\n")), (Key([1; 32]), record("ignored\n"))];
    index.upsert(one).expect("it answers");
    index.upsert(other).expect("it answers");
    index
}

/// The places of the contents that have a word.
fn search(index: &dyn IndexBackend, word: &str, within: &Contents) -> Vec<Place> {
    let mut places = Vec::new();
    let answer = index.search(&[word_id(word)], within, &mut |hits| {
        let place = |doc: u32| Place { segment: hits.segment, doc };
        places.extend(hits.postings.iter().map(|it| place(it.doc)));
        ControlFlow::Continue(())
    });
    answer.expect("it answers");
    places
}

fn place(index: &dyn IndexBackend, number: u8) -> Option<Known> {
    index.find(&[Key([number; 32])]).expect("it answers")[0]
}

#[test]
fn contents_are_added_found_searched_and_deleted() {
    let mut index = filled();
    let (Some(Known::Text(one)), Some(Known::Text(three))) = (place(&index, 1), place(&index, 3))
    else {
        panic!("both are text");
    };
    assert_eq!(place(&index, 2), Some(Known::NotText));
    assert_eq!(place(&index, 4), None);
    let mut all = Contents::default();
    all.add(one);
    all.add(three);
    assert_eq!(search(&index, "alpha", &all), [one, three]);
    assert_eq!(search(&index, "ignored", &all), [], "what is there stays");
    let mut some = Contents::default();
    some.add(three);
    assert_eq!(search(&index, "alpha", &some), [three]);
    assert_eq!(search(&index, "alpha", &Contents::default()), []);
    let before = index.statistics().expect("it answers");
    assert_eq!((before.contents, before.chunks), (2, 2));
    index.delete(&[Key([1; 32]), Key([2; 32])]).expect("it answers");
    assert_eq!((place(&index, 1), place(&index, 2)), (None, None));
    assert!(matches!(place(&index, 3), Some(Known::Text(_))));
    assert_eq!(index.statistics().expect("it answers").contents, 1);
    index.delete(&[Key([3; 32])]).expect("it answers");
    assert_eq!(index.statistics().expect("it answers"), Statistics::default());
}

#[test]
fn figures_and_forwards_come_in_the_order_asked_for() {
    let index = filled();
    let places = [Place { segment: 1, doc: 0 }, Place { segment: 0, doc: 0 }];
    let mut lengths = Vec::new();
    let figures = index.figures(&places, &mut |doc, chunks| {
        assert_eq!(doc.chunks as usize, chunks.len());
        lengths.push(doc.lengths.body);
    });
    figures.expect("it answers");
    assert_eq!(lengths, [2, 2]);
    let forward = index.forward(&places).expect("it answers");
    assert!(forward.iter().all(Option::is_some));
    let nowhere = Place { segment: 7, doc: 0 };
    assert!(index.figures(&[nowhere], &mut |_, _| {}).is_err());
    assert!(matches!(index.forward(&[nowhere]).as_deref(), Ok([None])));
}

#[test]
fn a_search_ends_when_the_caller_has_enough() {
    let tree = Files::numbered(1_000);
    let refreshed = refresh(&tree, &Snapshot::default());
    let few = refreshed.view.few_postings(word_id("shared"), 999);
    assert!(few.is_none());
    let few = refreshed.view.few_postings(word_id("shared"), 1_000).expect("not more");
    assert!(few.is_sorted_by_key(|it| it.0) && few.len() == 1_000);
    assert_eq!(refreshed.view.few_postings(word_id("word7"), 5).map(|it| it.len()), Some(1));
}
