//! Merges segments and drops contents that are no longer used.

use super::{Posting, Segment};
use crate::content_key::ContentKey;

/// Merges the contents of several segments that `is_live` accepts. The result equals a segment built
/// from the same contents.
pub(crate) fn merge(segments: &[&Segment], is_live: impl Fn(&ContentKey) -> bool) -> Segment {
    let mut merged = Segment::default();
    let order = live_docs(segments, is_live);
    let mut new_docs: Vec<Vec<Option<u32>>> =
        segments.iter().map(|it| vec![None; it.docs.len()]).collect();
    for (&(from, doc), new) in order.iter().zip(0..) {
        new_docs[from][doc as usize] = Some(new);
        let (key, lengths) = (segments[from].keys[doc as usize], segments[from].chunk_lengths(doc));
        merged.push_doc(key, *segments[from].doc(doc), lengths.iter().copied());
    }
    let mut words: Vec<u32> = segments.iter().flat_map(|it| &it.words).copied().collect();
    words.sort_unstable();
    words.dedup();
    let mut postings: Vec<Posting> = Vec::new();
    for word in words {
        postings.clear();
        for (segment, new_docs) in segments.iter().zip(&new_docs) {
            let live = |it: Posting| new_docs[it.doc as usize].map(|doc| Posting { doc, ..it });
            postings.extend(segment.postings(word).filter_map(live));
        }
        if !postings.is_empty() {
            postings.sort_by_key(|it| (it.doc, it.chunk));
            merged.push_word(word, &postings);
        }
    }
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
