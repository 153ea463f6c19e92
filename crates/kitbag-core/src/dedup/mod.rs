//! What repeats goes: copies anywhere, overlapping lines of one file, and what has nearly the same
//! words.
//!
//! Candidates come best first, so the one that is met first stays. Copies are found by hash,
//! overlaps in an ordered set for each file, and what is nearly the same by its rarest words:
//! O(n log n) in all, but for texts that hardly differ in their words.

mod identical;
mod merge;
mod near;
mod normalise;
mod overlap;

use crate::rank::Scored;
use crate::report::Reason;
use crate::settings::{DeduplicationSettings, Settings};
use crate::sheet::Sheet;
use crate::{Cancel, Cancelled};
pub use identical::{Merged, merge_identical};
use kitbag_text::Chunk;
use kitbag_tokens::Counting;
use lru::LruCache;
use merge::Merges;
use near::Near;
pub use near::similarity;
use normalise::{Hash, Hashes, Normaliser};
use overlap::Kept;
use rustc_hash::FxHashMap;
use std::num::NonZeroUsize;

/// A candidate that repeats another.
#[derive(Debug)]
pub struct Repeat {
    /// The place of the candidate.
    pub place: usize,
    /// [`Reason::Duplicate`], [`Reason::Overlap`] or [`Reason::NearDuplicate`].
    pub reason: Reason,
    /// The place of the candidate that stays.
    pub winner: usize,
    /// Whether the winner has taken in its lines.
    pub merged: bool,
}

/// What repeats.
#[derive(Debug, Default)]
pub struct Repeats {
    /// The candidates that go.
    pub repeats: Vec<Repeat>,
    /// The candidates that stay and have taken in others, as they are now.
    pub grown: Vec<(usize, Chunk)>,
}

/// What the candidates are, and how they are counted.
#[derive(Clone, Copy)]
pub struct Ranked<'a> {
    /// Everything that was scored, best first.
    pub scored: &'a [Scored],
    /// The places of those that may repeat each other.
    pub places: &'a [usize],
    /// The files' lines.
    pub sheets: &'a [Sheet],
    /// The model's counter.
    pub counting: &'a Counting,
}

/// Finds the repeats among the candidates, which come best first.
pub fn deduplicate(
    ranked: Ranked<'_>,
    settings: &Settings,
    cancel: &Cancel,
) -> Result<Repeats, Cancelled> {
    if !settings.deduplication.enabled {
        return Ok(Repeats::default());
    }
    let mut stage = Stage::new(ranked, settings, cancel)?;
    for &place in ranked.places {
        cancel.check()?;
        stage.consider(place);
    }
    Ok(stage.finish())
}

/// The candidates that stay so far, by what tells repeats of them.
struct Stage<'a> {
    ranked: Ranked<'a>,
    settings: &'a DeduplicationSettings,
    hashes: Hashes,
    contents: Option<LruCache<Hash, usize>>,
    kept: FxHashMap<usize, Kept>,
    near: Option<Near>,
    merges: Merges<'a>,
    repeats: Vec<Repeat>,
}

impl<'a> Stage<'a> {
    fn new(ranked: Ranked<'a>, settings: &'a Settings, cancel: &Cancel) -> Result<Self, Cancelled> {
        let chunking = &settings.chunking;
        let settings = &settings.deduplication;
        let normaliser = Normaliser::new(ranked, settings, chunking, cancel)?;
        let by_content = settings.content_hash_enabled;
        let hashes = if by_content { normaliser.hashes(cancel)? } else { Hashes::default() };
        let near = settings.near_enabled.then(|| {
            Near::new(
                ranked.places,
                |place| normaliser.text(place),
                settings.near_threshold,
                cancel,
            )
        });
        Ok(Self {
            ranked,
            settings,
            hashes,
            contents: NonZeroUsize::new(settings.cache_max_size).map(LruCache::new),
            kept: FxHashMap::default(),
            near: near.transpose()?,
            merges: Merges::new(ranked, chunking.max_chunk_tokens),
            repeats: Vec::new(),
        })
    }

    /// Keeps a candidate, or notes what it repeats.
    fn consider(&mut self, place: usize) {
        let known = self.hashes.get(&place).zip(self.contents.as_mut());
        if let Some(&winner) = known.and_then(|(hash, contents)| contents.get(hash)) {
            self.drop(place, Reason::Duplicate, winner);
            return;
        }
        let candidate = &self.ranked.scored[place].candidate;
        let span = candidate.chunk.span;
        if self.settings.overlap_detection_enabled {
            let file = self.kept.entry(candidate.sheet).or_default();
            let threshold = self.settings.overlap_threshold;
            if let Some(winner) = file.overlapping(span, threshold) {
                if self.settings.merge_overlaps && self.merges.merge(place, winner, file, threshold)
                {
                    self.remember(place, winner);
                } else {
                    self.drop(place, Reason::Overlap, winner);
                }
                return;
            }
        }
        if let Some(winner) = self.near.as_mut().and_then(|near| near.find(place)) {
            self.drop(place, Reason::NearDuplicate, winner);
            return;
        }
        if self.settings.overlap_detection_enabled {
            self.kept.entry(candidate.sheet).or_default().keep(span, place);
        }
        self.remember(place, place);
    }

    fn drop(&mut self, place: usize, reason: Reason, winner: usize) {
        self.repeats.push(Repeat { place, reason, winner, merged: false });
    }

    /// Only what stays, itself or within `winner`, wins over its copies.
    fn remember(&mut self, place: usize, winner: usize) {
        if let (Some(hash), Some(contents)) = (self.hashes.get(&place), &mut self.contents) {
            contents.put(*hash, winner);
        }
        if let Some(near) = &mut self.near {
            near.keep(place, winner);
        }
    }

    /// What goes, best first, with winners that have not been merged themselves.
    fn finish(mut self) -> Repeats {
        let merged = self.merges.merged();
        self.repeats.extend(merged.map(|(place, winner)| Repeat {
            place,
            reason: Reason::Overlap,
            winner,
            merged: true,
        }));
        for repeat in &mut self.repeats {
            repeat.winner = self.merges.winner(repeat.winner);
        }
        self.repeats.sort_by_key(|repeat| repeat.place);
        Repeats { repeats: self.repeats, grown: self.merges.grown() }
    }
}
