//! Compaction: merges small segments and rewrites segments that are mostly dead. A content is copied
//! only into segments about twice as large, so each content is copied a few times at most.

use super::embedded::EmbeddedIndex;
use crate::content_key::ContentKey;
use crate::segment::Segment;

/// Number of segments on disk above which the smallest are merged.
pub(super) const MAX_SEGMENTS_ON_DISK: usize = 8;

/// Maximum size of a merged segment: offsets in a segment are 32-bit numbers.
const MAX_SEGMENT_BYTES: usize = 1 << 30;

/// Merges the smallest segments and drops contents that are not live.
pub(super) fn compact(index: &mut EmbeddedIndex, is_live: impl Fn(&ContentKey) -> bool) {
    let sizes: Vec<usize> = index.segments().map(Segment::size).collect();
    let mut by_size: Vec<usize> = (0..sizes.len()).collect();
    by_size.sort_by_key(|&at| sizes[at]);
    let mut chosen: Vec<usize> = Vec::new();
    let mut total = 0;
    for at in by_size {
        let are_few_left = sizes.len() - chosen.len() < MAX_SEGMENTS_ON_DISK / 2;
        if total + sizes[at] > MAX_SEGMENT_BYTES || (are_few_left && sizes[at] > 2 * total) {
            break;
        }
        total += sizes[at];
        chosen.push(at);
    }
    if chosen.len() > 1 {
        index.merge_segments(&chosen, is_live);
    }
}

/// Rewrites segments with more dead bytes than live ones.
pub(super) fn drop_dead(index: &mut EmbeddedIndex, is_live: impl Fn(&ContentKey) -> bool) {
    for at in (0..index.segments.len()).rev() {
        if is_mostly_dead(&index.segments[at].segment, &is_live) {
            index.merge_segments(&[at], &is_live);
        }
    }
}

fn is_mostly_dead(segment: &Segment, is_live: impl Fn(&ContentKey) -> bool) -> bool {
    let (mut all, mut dead) = (0, 0);
    for (key, doc) in segment.keys().iter().zip(0..) {
        // The postings of a content take about as much as its stored chunks.
        let size = segment.stored_size(doc) + 1;
        all += size;
        dead += if is_live(key) { 0 } else { size };
    }
    2 * dead > all
}
