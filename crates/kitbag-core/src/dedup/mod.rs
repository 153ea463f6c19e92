//! Deduplication: identical content in any file, overlapping lines of one file, and nearly the same
//! words.
//!
//! Candidates are processed best first, so the first of several duplicates is kept. Identical content
//! is found by hash, overlaps in an ordered map per file, and near-duplicates by their rarest words:
//! O(n log n) overall, except for texts that hardly differ in their words.

mod identical;
mod merge;
mod near;
mod normalize;
mod overlap;

use crate::rank::Scored;
use crate::report::Reason;
use crate::settings::{DeduplicationSettings, Settings};
use crate::source_file::SourceFile;
pub use identical::{MergedSources, merge_identical};
use kitbag_text::{Cancel, Cancelled, Chunk, Kind};
use kitbag_tokens::CachedCounter;
use lru::LruCache;
use merge::OverlapMerger;
use near::NearDuplicates;
pub use near::similarity;
use normalize::{ContentHash, ContentHashes, Normalizer};
use overlap::KeptSpans;
use rustc_hash::FxHashMap;
use std::num::NonZeroUsize;

/// A candidate that repeats a better one.
#[derive(Debug)]
pub struct Duplicate {
    /// Index of the candidate.
    pub index: usize,
    /// [`Reason::Duplicate`], [`Reason::Overlap`] or [`Reason::NearDuplicate`].
    pub reason: Reason,
    /// Index of the candidate that is kept.
    pub winner: usize,
    /// Whether the winner absorbed its lines.
    pub is_merged: bool,
}

/// The result of deduplication.
#[derive(Debug, Default)]
pub struct Duplicates {
    /// Candidates to exclude, best first.
    pub duplicates: Vec<Duplicate>,
    /// Kept candidates that absorbed others, with their extended chunks.
    pub extended: Vec<(usize, Chunk)>,
}

/// The candidates to deduplicate.
#[derive(Clone, Copy)]
pub struct DedupInput<'a> {
    /// All candidates, best first.
    pub scored: &'a [Scored],
    /// Indices of the candidates to compare.
    pub indices: &'a [usize],
    /// Files of the candidates.
    pub files: &'a [SourceFile],
    /// Token counter of the model.
    pub counting: &'a CachedCounter,
}

/// Finds the duplicates among the candidates.
pub fn deduplicate(
    input: DedupInput<'_>,
    settings: &Settings,
    cancel: &Cancel,
) -> Result<Duplicates, Cancelled> {
    if !settings.deduplication.enabled {
        return Ok(Duplicates::default());
    }
    let mut deduplicator = Deduplicator::new(input, settings, cancel)?;
    for &index in input.indices {
        cancel.check()?;
        deduplicator.process(index);
    }
    Ok(deduplicator.finish())
}

/// The candidates kept so far, indexed for each kind of comparison.
struct Deduplicator<'a> {
    input: DedupInput<'a>,
    settings: &'a DeduplicationSettings,
    hashes: ContentHashes,
    by_hash: Option<LruCache<ContentHash, usize>>,
    kept_spans: FxHashMap<usize, KeptSpans>,
    near: Option<NearDuplicates>,
    merger: OverlapMerger<'a>,
    duplicates: Vec<Duplicate>,
}

impl<'a> Deduplicator<'a> {
    fn new(
        input: DedupInput<'a>,
        settings: &'a Settings,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let merger = OverlapMerger::new(input, settings);
        let normalizer = Normalizer::new(input, settings, cancel)?;
        let settings = &settings.deduplication;
        let hashes = if settings.content_hash_enabled {
            normalizer.hashes(cancel)?
        } else {
            ContentHashes::default()
        };
        let near = settings.near_enabled.then(|| {
            let text = |index| normalizer.text(index);
            NearDuplicates::new(input.indices, text, settings.near_threshold, cancel)
        });
        Ok(Self {
            input,
            settings,
            hashes,
            by_hash: NonZeroUsize::new(settings.cache_max_size).map(LruCache::new),
            kept_spans: FxHashMap::default(),
            near: near.transpose()?,
            merger,
            duplicates: Vec::new(),
        })
    }

    /// Keeps a candidate, or records which one it duplicates.
    fn process(&mut self, index: usize) {
        let known = self.hashes.get(&index).zip(self.by_hash.as_mut());
        if let Some(&winner) = known.and_then(|(hash, by_hash)| by_hash.get(hash)) {
            self.exclude(index, Reason::Duplicate, winner);
            return;
        }
        let candidate = &self.input.scored[index].candidate;
        let span = candidate.chunk.span;
        if self.settings.overlap_detection_enabled {
            let kept = self.kept_spans.entry(candidate.file).or_default();
            if let Some(winner) = kept.overlapping(span, self.settings.overlap_threshold) {
                if self.settings.merge_overlaps && self.merger.merge(index, winner, kept) {
                    self.keep(index, winner);
                } else {
                    self.exclude(index, Reason::Overlap, winner);
                }
                return;
            }
        }
        let is_comparable = |other: usize| !self.is_same_document(index, other);
        if let Some(winner) = self.near.as_ref().and_then(|near| near.find(index, is_comparable)) {
            self.exclude(index, Reason::NearDuplicate, winner);
            return;
        }
        if self.settings.overlap_detection_enabled {
            self.kept_spans.entry(candidate.file).or_default().insert(span, index);
        }
        self.keep(index, index);
    }

    /// Whether two candidates are parts of the document that is being edited, whose parts are never
    /// near-duplicates of each other.
    fn is_same_document(&self, one: usize, other: usize) -> bool {
        let [one, other] = [one, other].map(|index| &self.input.scored[index].candidate);
        one.kind == Kind::Document && other.kind == Kind::Document && one.file == other.file
    }

    fn exclude(&mut self, index: usize, reason: Reason, winner: usize) {
        self.duplicates.push(Duplicate { index, reason, winner, is_merged: false });
    }

    /// Makes later duplicates of a candidate that is kept, by itself or within `winner`, lose to
    /// `winner`.
    fn keep(&mut self, index: usize, winner: usize) {
        if let (Some(hash), Some(by_hash)) = (self.hashes.get(&index), &mut self.by_hash) {
            by_hash.put(*hash, winner);
        }
        if let Some(near) = &mut self.near {
            near.insert(index, winner);
        }
    }

    /// Returns the duplicates, with winners that were not merged themselves.
    fn finish(mut self) -> Duplicates {
        let merged = self.merger.merged();
        self.duplicates.extend(merged.into_iter().map(|(index, winner)| Duplicate {
            index,
            reason: Reason::Overlap,
            winner,
            is_merged: true,
        }));
        for duplicate in &mut self.duplicates {
            duplicate.winner = self.merger.winner(duplicate.winner);
        }
        self.duplicates.sort_by_key(|duplicate| duplicate.index);
        Duplicates { duplicates: self.duplicates, extended: self.merger.extended() }
    }
}
