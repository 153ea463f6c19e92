//! Runs of rows as they grow: what each was made of, so that two can become one.

use super::View;
use crate::format::Run;
use crate::rank::Scored;
use crate::sheet::Sheet;
use kitbag_text::Part;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Where an entry stands among those of its unit: its rows, then its place.
pub type Position = (usize, usize, usize);

/// Some rows that a candidate shows.
#[derive(Debug, Clone)]
pub struct Entry {
    pub place: usize,
    pub rows: Range<usize>,
    outline: bool,
    part: Option<Part>,
    /// Where the chunk ends of which only these rows are shown.
    cut_from: Option<usize>,
}

impl Entry {
    /// What a candidate shows in a view.
    pub fn of(sheet: &Sheet, place: usize, scored: &Scored, view: View) -> Vec<Self> {
        let chunk = &scored.candidate.chunk;
        let cut_from = matches!(view, View::First(_)).then(|| sheet.rows(chunk.span).end);
        let (outline, part) = (view == View::Outline, chunk.part);
        let rows = view.rows(chunk, sheet).into_iter().filter(|rows| !rows.is_empty());
        rows.map(|rows| Self { place, rows, outline, part, cut_from }).collect()
    }

    pub fn position(&self) -> Position {
        (self.rows.start, self.rows.end, self.place)
    }
}

/// A run, and what it takes to join it to another.
#[derive(Debug, Clone)]
pub struct Strip {
    pub run: Run,
    /// Where its best entry stands; of two, the first.
    best: Position,
    /// Where the chunks end of which the run has the first rows only; 0 where there are none.
    cut_to: usize,
    /// The entries that are parts of split items, in order.
    parts: Vec<(Position, Part)>,
}

impl Strip {
    /// The run of one entry.
    pub fn new(entry: &Entry, scored: &[Scored]) -> Self {
        let Scored { score, factors, candidate } = &scored[entry.place];
        let run = Run {
            rows: entry.rows.clone(),
            outline: entry.outline,
            parts: entry.part.into_iter().collect(),
            cut: 0,
            relevance: factors.relevance,
            score: *score,
            from: candidate.from.clone(),
            symbol: candidate.chunk.symbol.clone().map(|it| (candidate.chunk.kind.name(), it)),
        };
        let parts = entry.part.map(|part| (entry.position(), part));
        let cut_to = entry.cut_from.unwrap_or(0);
        Self { run, best: entry.position(), cut_to, parts: parts.into_iter().collect() }
    }

    /// Takes in a strip that overlaps or follows this one.
    fn take(&mut self, next: Strip) {
        let Strip { run, best, cut_to, parts } = next;
        let is_better = run.score > self.run.score;
        if is_better || (run.score == self.run.score && best < self.best) {
            self.best = best;
            self.run.from = run.from;
        }
        self.run.symbol = None;
        self.run.rows.end = self.run.rows.end.max(run.rows.end);
        self.run.outline |= run.outline;
        self.run.relevance = self.run.relevance.max(run.relevance);
        self.run.score = self.run.score.max(run.score);
        self.cut_to = self.cut_to.max(cut_to);
        self.parts.extend(parts);
    }

    /// Works out what the run says of its parts, and how much is missing up to the next run.
    fn settle(&mut self, next: usize) {
        self.run.cut = self.cut_to.min(next).saturating_sub(self.run.rows.end);
        self.parts.sort_unstable_by_key(|(position, _)| *position);
        let mut seen = FxHashSet::default();
        let named = self.parts.iter().filter(|((_, _, place), _)| seen.insert(*place));
        self.run.parts = named.map(|(_, part)| *part).collect();
    }
}

/// Joins strips that overlap, touch, or have only blank lines between them. `after` is where the
/// run begins that follows them.
pub fn join(sheet: &Sheet, mut strips: Vec<Strip>, after: usize) -> Vec<Strip> {
    strips.sort_by_key(|strip| (strip.run.rows.start, strip.run.rows.end));
    let mut joined: Vec<Strip> = Vec::new();
    for strip in strips {
        let rows = &strip.run.rows;
        let joins = |last: &&mut Strip| {
            rows.start < last.run.rows.end || sheet.only_blank_between(&last.run.rows, rows)
        };
        match joined.last_mut().filter(joins) {
            Some(last) => last.take(strip),
            None => joined.push(strip),
        }
    }
    let mut next = after;
    for strip in joined.iter_mut().rev() {
        strip.settle(next);
        next = strip.run.rows.start;
    }
    joined
}
