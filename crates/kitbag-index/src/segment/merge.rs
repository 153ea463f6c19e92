//! Merges segments and drops contents that are no longer used.

use super::Segment;
use crate::content_key::ContentKey;
use crate::varint::{read_varint, write_varint};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Marks a content that is dropped.
const DROPPED: u32 = u32::MAX;

/// The encoded postings of a word in one content.
struct DocPostings<'a> {
    doc: u32,
    count: u32,
    bytes: &'a [u8],
}

/// Merges the contents of several segments that `is_live` accepts. The result equals a segment built
/// from the same contents.
pub(crate) fn merge(segments: &[&Segment], is_live: impl Fn(&ContentKey) -> bool) -> Segment {
    let mut merged = Segment::default();
    let order = live_docs(segments, is_live);
    let mut new_docs: Vec<Vec<u32>> =
        segments.iter().map(|it| vec![DROPPED; it.docs.len()]).collect();
    for (&(from, doc), new) in order.iter().zip(0..) {
        new_docs[from][doc as usize] = new;
        let (key, lengths) = (segments[from].keys[doc as usize], segments[from].chunk_lengths(doc));
        merged.push_doc(key, *segments[from].doc(doc), lengths.iter().copied());
    }
    for_each_word(segments, |word, places| {
        let mut live: Vec<DocPostings<'_>> = Vec::new();
        for &(from, at) in places {
            let all = doc_postings(segments[from].postings_at(at));
            live.extend(all.filter_map(|it| {
                let new = new_docs[from].get(it.doc as usize).copied().unwrap_or(DROPPED);
                (new != DROPPED).then_some(DocPostings { doc: new, ..it })
            }));
        }
        if !live.is_empty() {
            live.sort_unstable_by_key(|it| it.doc);
            merged.begin_word(word);
            write_postings(&mut merged.bytes, &live);
        }
    });
    merged.end_words();
    for &(from, doc) in &order {
        merged.push_stored(segments[from].stored_bytes(doc));
    }
    merged
}

/// Returns the live contents sorted by key, each as a segment and an index in it.
fn live_docs(segments: &[&Segment], is_live: impl Fn(&ContentKey) -> bool) -> Vec<(usize, u32)> {
    let mut live: Vec<(&ContentKey, usize, u32)> = Vec::new();
    for (from, segment) in segments.iter().enumerate() {
        let docs = segment.keys.iter().zip(0..).filter(|(key, _)| is_live(key));
        live.extend(docs.map(|(key, doc)| (key, from, doc)));
    }
    live.sort_unstable();
    live.dedup_by_key(|doc| doc.0);
    live.into_iter().map(|(_, from, doc)| (from, doc)).collect()
}

/// Calls `visit` with every word, ascending, and its places: a segment and an index in its words.
fn for_each_word(segments: &[&Segment], mut visit: impl FnMut(u32, &[(usize, usize)])) {
    let next = |from: usize, at: usize| {
        segments[from].words.get(at).map(|&word| Reverse((word, from, at)))
    };
    let mut heap: BinaryHeap<_> = (0..segments.len()).filter_map(|from| next(from, 0)).collect();
    let mut places = Vec::new();
    while let Some(Reverse((word, from, at))) = heap.pop() {
        places.push((from, at));
        heap.extend(next(from, at + 1));
        if heap.peek().is_none_or(|Reverse(next)| next.0 != word) {
            visit(word, &places);
            places.clear();
        }
    }
}

/// Splits the encoded postings of a word by content.
fn doc_postings(mut bytes: &[u8]) -> impl Iterator<Item = DocPostings<'_>> {
    let mut doc = 0u32;
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        doc = doc.wrapping_add(read_varint(&mut bytes));
        let count = read_varint(&mut bytes);
        let start = bytes;
        for _ in 0..count {
            if bytes.is_empty() {
                break;
            }
            read_varint(&mut bytes);
            if read_varint(&mut bytes) & 1 == 1 {
                read_varint(&mut bytes);
            }
        }
        Some(DocPostings { doc, count, bytes: &start[..start.len() - bytes.len()] })
    })
}

fn write_postings(bytes: &mut Vec<u8>, postings: &[DocPostings<'_>]) {
    let mut last = 0;
    for it in postings {
        write_varint(bytes, it.doc - last);
        write_varint(bytes, it.count);
        bytes.extend_from_slice(it.bytes);
        last = it.doc;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::tests::{key, segment};

    #[test]
    fn a_merged_segment_equals_one_built_at_once() {
        let all = segment(&[0, 1, 2, 3, 4]).to_bytes();
        for (one, other) in [
            (vec![0, 2, 4], vec![1, 3]),
            (vec![3], vec![4, 1, 0, 2]),
            (vec![0, 1, 2], vec![2, 3, 4]),
        ] {
            let (one, other) = (segment(&one), segment(&other));
            assert_eq!(merge(&[&one, &other], |_| true).to_bytes(), all);
        }
    }

    #[test]
    fn contents_that_are_not_live_are_dropped() {
        let all = segment(&[0, 1, 2, 3, 4]);
        for dropped in 0..5 {
            let rest: Vec<usize> = (0..5).filter(|&text| text != dropped).collect();
            let merged = merge(&[&all], |it| *it != key(dropped));
            assert_eq!(merged.to_bytes(), segment(&rest).to_bytes(), "without {dropped}");
        }
        let none = merge(&[&all], |_| false);
        assert!(none.keys.is_empty() && none.words.is_empty());
        assert!(Segment::from_bytes(none.to_bytes()).is_ok());
    }
}
