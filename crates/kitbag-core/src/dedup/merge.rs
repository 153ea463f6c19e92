//! Merges overlapping chunks.

use super::DedupInput;
use super::overlap::KeptSpans;
use crate::settings::Settings;
use kitbag_text::{Chunk, Span};
use std::collections::BTreeMap;

/// The overlapping candidates merged so far.
pub struct OverlapMerger<'a> {
    input: DedupInput<'a>,
    max_chunk_tokens: u32,
    overlap_threshold: f64,
    /// For each merged candidate the one that absorbed it, which may be merged itself.
    absorbed_by: BTreeMap<usize, usize>,
    /// The candidates that absorbed others, with their extended chunks.
    extended: BTreeMap<usize, Chunk>,
}

impl<'a> OverlapMerger<'a> {
    pub fn new(input: DedupInput<'a>, settings: &Settings) -> Self {
        Self {
            input,
            max_chunk_tokens: settings.chunking.max_chunk_tokens,
            overlap_threshold: settings.deduplication.overlap_threshold,
            absorbed_by: BTreeMap::new(),
            extended: BTreeMap::new(),
        }
    }

    /// Merges the candidate at `index` into `winner`, which it overlaps, and the result with any
    /// other kept span that it overlaps. Returns `false` without merging anything if the two exceed
    /// the maximum chunk size.
    pub fn merge(&mut self, index: usize, winner: usize, kept: &mut KeptSpans) -> bool {
        let winner = self.winner(winner);
        let Some(mut chunk) = self.union(winner, &self.input.scored[index].candidate.chunk) else {
            return false;
        };
        let mut best = winner;
        self.absorbed_by.insert(index, winner);
        kept.remove(self.chunk(winner).span);
        while let Some(other) = kept.overlapping(chunk.span, self.overlap_threshold) {
            let Some(union) = self.union(other, &chunk) else { break };
            kept.remove(self.chunk(other).span);
            let (better, worse) = (best.min(other), best.max(other));
            self.absorbed_by.insert(worse, better);
            self.extended.remove(&worse);
            (best, chunk) = (better, union);
        }
        kept.insert(chunk.span, best);
        self.extended.insert(best, chunk);
        true
    }

    /// Returns the candidate that finally absorbed the one at `index`, or `index` itself.
    pub fn winner(&self, mut index: usize) -> usize {
        while let Some(&winner) = self.absorbed_by.get(&index) {
            index = winner;
        }
        index
    }

    /// Returns every merged candidate with its final winner.
    pub fn merged(&self) -> Vec<(usize, usize)> {
        self.absorbed_by.keys().map(|&index| (index, self.winner(index))).collect()
    }

    /// Returns the candidates that absorbed others, with their extended chunks.
    pub fn extended(self) -> Vec<(usize, Chunk)> {
        self.extended.into_iter().collect()
    }

    fn chunk(&self, index: usize) -> &Chunk {
        self.extended.get(&index).unwrap_or(&self.input.scored[index].candidate.chunk)
    }

    /// Returns the chunk at `index` extended by the lines of `other`; `None` if that is too large.
    fn union(&self, index: usize, other: &Chunk) -> Option<Chunk> {
        let chunk = self.chunk(index);
        if other.span.contains(chunk.span) {
            return Some(other.clone());
        }
        if chunk.span.contains(other.span) {
            return Some(chunk.clone());
        }
        let DedupInput { scored, files, counting, .. } = self.input;
        let file = &files[scored[index].candidate.file];
        let (start, end) =
            (chunk.span.start.min(other.span.start), chunk.span.end.max(other.span.end));
        let span = Span::new(start, end);
        let tokens = counting.counter().tokens(file.measure(counting, file.rows(span)));
        let tokens = u32::try_from(tokens).ok().filter(|&it| it <= self.max_chunk_tokens)?;
        let mut defines = chunk.defines.clone();
        defines.extend(other.defines.iter().filter(|name| !chunk.defines.contains(name)).cloned());
        let outline = union_of_spans(&chunk.outline, &other.outline);
        Some(Chunk { span, defines, outline, part: None, tokens, ..chunk.clone() })
    }
}

/// Returns the lines of two outlines as disjoint spans, in order.
fn union_of_spans(one: &[Span], other: &[Span]) -> Vec<Span> {
    let mut spans: Vec<Span> = one.iter().chain(other).copied().collect();
    spans.sort_unstable();
    let mut union: Vec<Span> = Vec::new();
    for span in spans {
        match union.last_mut() {
            Some(last) if span.start <= last.end + 1 => last.end = last.end.max(span.end),
            _ => union.push(span),
        }
    }
    union
}
