//! Runs of rows under construction: joins the rows that candidates show into runs.

use super::ChunkView;
use crate::format::LineRun;
use crate::rank::Scored;
use crate::source_file::SourceFile;
use kitbag_text::ChunkPart;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Order of shown rows within a block: first row, end row, candidate.
pub type RowsKey = (usize, usize, usize);

/// Consecutive rows that a candidate shows.
#[derive(Debug, Clone)]
pub struct ShownRows {
    /// Index of the candidate.
    pub candidate: usize,
    pub rows: Range<usize>,
    is_outline: bool,
    part: Option<ChunkPart>,
    /// The end of the chunk, if it is truncated.
    truncated_end: Option<usize>,
}

impl ShownRows {
    /// Returns the rows that a candidate shows in a view.
    pub fn of(file: &SourceFile, candidate: usize, scored: &Scored, view: ChunkView) -> Vec<Self> {
        let chunk = &scored.candidate.chunk;
        let is_truncated = matches!(view, ChunkView::First(_));
        let truncated_end = is_truncated.then(|| file.rows(chunk.span).end);
        let (is_outline, part) = (view == ChunkView::Outline, chunk.part);
        let rows = view.rows(chunk, file).into_iter().filter(|rows| !rows.is_empty());
        rows.map(|rows| Self { candidate, rows, is_outline, part, truncated_end }).collect()
    }

    pub fn key(&self) -> RowsKey {
        (self.rows.start, self.rows.end, self.candidate)
    }
}

/// A run, with the details needed to join it to another.
#[derive(Debug, Clone)]
pub struct RunBuilder {
    pub run: LineRun,
    /// The rows of its best candidate, the first of several.
    best: RowsKey,
    /// The last end of its truncated chunks; 0 if there are none.
    truncated_end: usize,
    /// The parts of split items, in order.
    parts: Vec<(RowsKey, ChunkPart)>,
}

impl RunBuilder {
    pub fn new(shown: &ShownRows, scored: &[Scored]) -> Self {
        let Scored { score, factors, candidate } = &scored[shown.candidate];
        let kind = candidate.chunk.kind;
        let run = LineRun {
            rows: shown.rows.clone(),
            has_outline: shown.is_outline,
            parts: shown.part.into_iter().collect(),
            truncated_rows: 0,
            relevance: factors.relevance,
            score: *score,
            from: candidate.from.clone(),
            symbol: candidate.chunk.symbol.clone().map(|symbol| (kind, symbol)),
        };
        let parts = shown.part.map(|part| (shown.key(), part)).into_iter().collect();
        Self { run, best: shown.key(), truncated_end: shown.truncated_end.unwrap_or(0), parts }
    }

    /// Joins a run that overlaps or follows this one.
    fn append(&mut self, next: RunBuilder) {
        let RunBuilder { run, best, truncated_end, parts } = next;
        let is_better = run.score > self.run.score;
        if is_better || (run.score == self.run.score && best < self.best) {
            self.best = best;
            self.run.from = run.from;
        }
        self.run.symbol = None;
        self.run.rows.end = self.run.rows.end.max(run.rows.end);
        self.run.has_outline |= run.has_outline;
        self.run.relevance = self.run.relevance.max(run.relevance);
        self.run.score = self.run.score.max(run.score);
        self.truncated_end = self.truncated_end.max(truncated_end);
        self.parts.extend(parts);
    }

    /// Computes the parts of the run, and the rows truncated before row `next`.
    fn finish(&mut self, next: usize) {
        let end = self.truncated_end.min(next);
        self.run.truncated_rows = end.saturating_sub(self.run.rows.end);
        self.parts.sort_unstable_by_key(|(key, _)| *key);
        let mut seen = FxHashSet::default();
        let distinct = self.parts.iter().filter(|((_, _, candidate), _)| seen.insert(*candidate));
        self.run.parts = distinct.map(|(_, part)| *part).collect();
    }
}

/// Joins runs that overlap, touch, or have only blank lines between them. `after` is the first row of
/// the run that follows them.
pub fn join(file: &SourceFile, mut runs: Vec<RunBuilder>, after: usize) -> Vec<RunBuilder> {
    runs.sort_by_key(|builder| (builder.run.rows.start, builder.run.rows.end));
    let mut joined: Vec<RunBuilder> = Vec::new();
    for next in runs {
        let rows = &next.run.rows;
        let joins = |last: &&mut RunBuilder| {
            rows.start < last.run.rows.end || file.only_blank_between(&last.run.rows, rows)
        };
        match joined.last_mut().filter(joins) {
            Some(last) => last.append(next),
            None => joined.push(next),
        }
    }
    let mut next = after;
    for builder in joined.iter_mut().rev() {
        builder.finish(next);
        next = builder.run.rows.start;
    }
    joined
}
