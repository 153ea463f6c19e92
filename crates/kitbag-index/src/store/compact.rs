//! Keeps segments few: small ones become one, and what is mostly dead is written anew. A content is
//! copied only into segments that are about twice as large, so each is copied a few times at most.

use super::embedded::Embedded;
use crate::segment::{Key, Segment};

/// With more segments than this on disk, some become one.
pub(super) const MOST_PARTS: usize = 8;

/// No segment grows larger than this: places in it are numbers of 32 bits.
const MOST_SEGMENT_BYTES: usize = 1 << 30;

/// Makes the smallest segments one, and drops what does not live.
pub(super) fn compact(index: &mut Embedded, lives: impl Fn(&Key) -> bool) {
    let sizes: Vec<usize> = index.segments().map(Segment::size).collect();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&at| sizes[at]);
    let mut chosen: Vec<usize> = Vec::new();
    let mut total = 0;
    for at in order {
        let are_few = sizes.len() - chosen.len() < MOST_PARTS / 2;
        if total + sizes[at] > MOST_SEGMENT_BYTES || (are_few && sizes[at] > 2 * total) {
            break;
        }
        total += sizes[at];
        chosen.push(at);
    }
    if chosen.len() > 1 {
        index.replace(&chosen, lives);
    }
}

/// Writes segments anew that have more dead than living.
pub(super) fn drop_dead(index: &mut Embedded, lives: impl Fn(&Key) -> bool) {
    for at in (0..index.parts.len()).rev() {
        if is_mostly_dead(&index.parts[at].segment, &lives) {
            index.replace(&[at], &lives);
        }
    }
}

fn is_mostly_dead(segment: &Segment, lives: impl Fn(&Key) -> bool) -> bool {
    let (mut all, mut dead) = (0, 0);
    for (key, doc) in segment.keys().iter().zip(0..) {
        // What is searched is about as much as what is read.
        let size = segment.forward_size(doc) + 1;
        all += size;
        dead += if lives(key) { 0 } else { size };
    }
    2 * dead > all
}
