//! What repeats goes: exact copies anywhere, and overlapping lines of one file.
//!
//! Candidates come best first, so the one that is met first stays. Copies are found by hash and
//! overlaps in an ordered set for each file: O(n log n) in all.

mod overlap;

use crate::cancel::{Cancel, Cancelled};
use crate::rank::Scored;
use crate::report::Reason;
use crate::settings::Dedup;
use crate::sheet::Sheet;
use overlap::Kept;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

type Hash = [u8; 32];

/// A candidate that repeats another.
#[derive(Debug)]
pub struct Repeat {
    /// The place of the candidate.
    pub place: usize,
    /// [`Reason::Duplicate`] or [`Reason::Overlap`].
    pub reason: Reason,
    /// The place of the candidate that stays.
    pub winner: usize,
}

/// Finds the repeats among the candidates at `places`, which come best first.
pub fn deduplicate(
    scored: &[Scored],
    places: &[usize],
    sheets: &[Sheet],
    settings: &Dedup,
    cancel: &Cancel,
) -> Result<Vec<Repeat>, Cancelled> {
    let hashes =
        if settings.exact { hashes(scored, places, sheets, cancel)? } else { FxHashMap::default() };
    let mut contents: FxHashMap<Hash, usize> = FxHashMap::default();
    let mut kept: FxHashMap<usize, Kept> = FxHashMap::default();
    let mut repeats = Vec::new();
    for &place in places {
        cancel.check()?;
        let hash = hashes.get(&place);
        if let Some(&winner) = hash.and_then(|hash| contents.get(hash)) {
            repeats.push(Repeat { place, reason: Reason::Duplicate, winner });
            continue;
        }
        let candidate = &scored[place].candidate;
        if settings.overlap {
            let file = kept.entry(candidate.sheet).or_default();
            if let Some(winner) = file.overlapping(candidate.chunk.span, settings.overlap_threshold)
            {
                repeats.push(Repeat { place, reason: Reason::Overlap, winner });
                continue;
            }
            file.keep(candidate.chunk.span, place);
        }
        // Only what stays wins over its copies.
        contents.extend(hash.map(|hash| (*hash, place)));
    }
    Ok(repeats)
}

/// The content hashes of the candidates that may be copies: a quick hash finds those, and the
/// SHA-256 decides.
fn hashes(
    scored: &[Scored],
    places: &[usize],
    sheets: &[Sheet],
    cancel: &Cancel,
) -> Result<FxHashMap<usize, Hash>, Cancelled> {
    let text = |place: usize| {
        let candidate = &scored[place].candidate;
        let sheet = &sheets[candidate.sheet];
        sheet.slice(sheet.rows(candidate.chunk.span))
    };
    let quick = places
        .par_iter()
        .map(|&place| cancel.check().map(|()| quick_hash(text(place))))
        .collect::<Result<Vec<u64>, Cancelled>>()?;
    let mut alike: FxHashMap<u64, u32> = FxHashMap::default();
    for &hash in &quick {
        *alike.entry(hash).or_default() += 1;
    }
    let copies = places.iter().zip(&quick).filter(|(_, hash)| alike[hash] > 1);
    Ok(copies.map(|(&place, _)| (place, content_hash(text(place)))).collect())
}

/// The SHA-256 of a text without its white space.
fn content_hash(text: &str) -> Hash {
    let mut hash = Sha256::new();
    for word in text.split_whitespace() {
        hash.update(word);
    }
    hash.finalize().into()
}

/// A sum over a text's bytes that are not white space: equal for equal texts, and cheap.
fn quick_hash(text: &str) -> u64 {
    let mut sum = 0u64;
    let mut add = |byte: u8, counts: bool| {
        let value = u64::from(byte) + 0x9e37_79b9;
        sum = sum.wrapping_add(u64::from(counts) * value.wrapping_mul(value));
    };
    if text.is_ascii() {
        text.bytes().for_each(|byte| add(byte, !matches!(byte, b'\t'..=b'\r' | b' ')));
    } else {
        text.split_whitespace().flat_map(str::bytes).for_each(|byte| add(byte, true));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_does_not_make_a_difference() {
        assert_eq!(content_hash("fn a() {\n  b\n}"), content_hash("fn a(){b}"));
        assert_eq!(quick_hash("fn a() {\n\u{a0}b\n}"), quick_hash("fn a(){b}"));
        assert_ne!(content_hash("fn a() {}"), content_hash("fn A() {}"));
    }
}
