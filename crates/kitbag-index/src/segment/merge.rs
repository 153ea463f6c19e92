//! Several segments made one, without what no longer counts.

use super::varint::{read_varint, write_varint};
use super::{Doc, Key, Segment};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A content that is gone.
const GONE: u32 = u32::MAX;

/// A word's occurrences in one content, still packed: the content, how many, and their bytes.
type Run<'a> = (u32, u32, &'a [u8]);

/// One segment with the contents of several that `lives` accepts. It is the one that would come of
/// adding the same contents to a builder.
pub(crate) fn merge(segments: &[&Segment], lives: impl Fn(&Key) -> bool) -> Segment {
    let mut merged = Segment { not_text: not_text(segments, &lives), ..Segment::default() };
    let (order, ranks) = ranks(segments, &lives);
    for &(from, doc) in &order {
        let doc_of = segments[from].doc(doc);
        let first_chunk = merged.chunk_lengths.len() as u32;
        merged.chunk_lengths.extend_from_slice(segments[from].chunk_lengths(doc));
        merged.keys.push(segments[from].keys[doc as usize]);
        merged.docs.push(Doc { first_chunk, ..*doc_of });
    }
    for_each_word(segments, |word, places| {
        let mut runs: Vec<Run<'_>> = Vec::new();
        for &(from, at) in places {
            let live =
                Runs::new(segments[from].postings_at(at)).filter_map(|(doc, count, bytes)| {
                    let rank = ranks[from].get(doc as usize).copied().unwrap_or(GONE);
                    (rank != GONE).then_some((rank, count, bytes))
                });
            runs.extend(live);
        }
        if !runs.is_empty() {
            runs.sort_unstable_by_key(|run| run.0);
            merged.begin_word(word);
            write_runs(&mut merged.bytes, &runs);
        }
    });
    merged.end_words();
    for &(from, doc) in &order {
        merged.add_forward(segments[from].forward_bytes(doc));
    }
    merged
}

fn not_text(segments: &[&Segment], lives: impl Fn(&Key) -> bool) -> Vec<Key> {
    let all = segments.iter().flat_map(|segment| &segment.not_text);
    let mut keys: Vec<Key> = all.filter(|key| lives(key)).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The contents that live, in the order of their keys, as segment and place; and for each segment
/// and content its rank in that order.
fn ranks(
    segments: &[&Segment],
    lives: impl Fn(&Key) -> bool,
) -> (Vec<(usize, u32)>, Vec<Vec<u32>>) {
    let mut live: Vec<(&Key, usize, u32)> = Vec::new();
    for (from, segment) in segments.iter().enumerate() {
        let docs = segment.keys.iter().zip(0..).filter(|(key, _)| lives(key));
        live.extend(docs.map(|(key, doc)| (key, from, doc)));
    }
    live.sort_unstable();
    live.dedup_by_key(|content| content.0);
    let mut ranks: Vec<Vec<u32>> = segments.iter().map(|it| vec![GONE; it.len()]).collect();
    for (&(_, from, doc), rank) in live.iter().zip(0..) {
        ranks[from][doc as usize] = rank;
    }
    (live.into_iter().map(|(_, from, doc)| (from, doc)).collect(), ranks)
}

/// Calls `found` with every word in order, and its segments and places in them.
fn for_each_word(segments: &[&Segment], mut found: impl FnMut(u32, &[(usize, usize)])) {
    let next = |from: usize, at: usize| {
        segments[from].words.get(at).map(|&word| Reverse((word, from, at)))
    };
    let mut heap: BinaryHeap<_> = (0..segments.len()).filter_map(|from| next(from, 0)).collect();
    let mut places = Vec::new();
    while let Some(Reverse((word, from, at))) = heap.pop() {
        places.push((from, at));
        heap.extend(next(from, at + 1));
        if heap.peek().is_none_or(|Reverse(next)| next.0 != word) {
            found(word, &places);
            places.clear();
        }
    }
}

/// A word's postings, content by content.
struct Runs<'a> {
    bytes: &'a [u8],
    doc: u32,
}

impl<'a> Runs<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, doc: 0 }
    }
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        if self.bytes.is_empty() {
            return None;
        }
        self.doc = self.doc.wrapping_add(read_varint(&mut self.bytes));
        let count = read_varint(&mut self.bytes);
        let all = self.bytes;
        for _ in 0..count {
            if self.bytes.is_empty() {
                break;
            }
            read_varint(&mut self.bytes);
            if read_varint(&mut self.bytes) & 1 == 1 {
                read_varint(&mut self.bytes);
            }
        }
        Some((self.doc, count, &all[..all.len() - self.bytes.len()]))
    }
}

fn write_runs(bytes: &mut Vec<u8>, runs: &[Run<'_>]) {
    let mut last = 0;
    for &(doc, count, run) in runs {
        write_varint(bytes, doc - last);
        write_varint(bytes, count);
        bytes.extend_from_slice(run);
        last = doc;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::tests::{key, segment};

    #[test]
    fn merged_is_the_same_as_built_at_once() {
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
    fn what_does_not_live_is_gone() {
        let all = segment(&[0, 1, 2, 3, 4]);
        for gone in 0..5 {
            let rest: Vec<usize> = (0..5).filter(|&text| text != gone).collect();
            let merged = merge(&[&all], |it| *it != key(gone));
            assert_eq!(merged.to_bytes(), segment(&rest).to_bytes(), "without {gone}");
        }
        let none = merge(&[&all], |_| false);
        assert!(!none.knows_something() && none.words.is_empty());
        assert!(Segment::from_bytes(none.to_bytes()).is_ok());
    }
}
