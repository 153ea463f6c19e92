//! What stands together in a text: the entries of a file, or of a chunk, and the runs they make.
//!
//! A candidate changes the runs that it meets and their neighbours, and no others. So a change is
//! worked out on those alone, whatever the number of runs that a file has.

use super::View;
use super::cost::{Cost, RunCost, Sums};
use super::strip::{Entry, Position, Strip, join};
use crate::format::Run;
use crate::rank::Scored;
use crate::sheet::Sheet;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// Entries that stand together, and what they cost.
#[derive(Default)]
pub struct Unit {
    pub sheet: usize,
    /// The place of its best candidate.
    pub best: usize,
    pub cost: Cost,
    pub sums: Sums,
    entries: BTreeMap<Position, Entry>,
    /// Where the entries of each candidate stand.
    positions: FxHashMap<usize, Vec<Position>>,
    /// The runs by their first rows.
    runs: BTreeMap<usize, Priced>,
    /// The rows of the longest entry.
    longest: usize,
}

/// A run and what it costs, where that is known piece by piece.
pub struct Priced {
    pub strip: Strip,
    pub cost: RunCost,
}

/// A change to a unit that is worked out but not made.
pub struct Change {
    pub sheet: usize,
    pub best: usize,
    pub cost: Cost,
    pub sums: Sums,
    place: usize,
    entries: Vec<Entry>,
    /// The first rows of the runs that go.
    gone: Range<usize>,
    /// The runs that come in their place, in order.
    pub runs: Vec<Priced>,
}

impl Unit {
    /// Works out the unit with a candidate in it in place of what is in of it already.
    pub fn change(&self, place: usize, view: View, scored: &[Scored], sheets: &[Sheet]) -> Change {
        let candidate = &scored[place].candidate;
        let sheet = &sheets[candidate.sheet];
        let entries = Entry::of(sheet, place, &scored[place], view);
        let old = self.positions.get(&place).map_or(&[][..], Vec::as_slice);
        let (gone, after) = self.met(&entries, old);
        let mut strips: Vec<Strip> = if old.is_empty() {
            self.runs.range(gone.clone()).map(|(_, run)| run.strip.clone()).collect()
        } else {
            let last = self.runs.range(gone.clone()).next_back();
            let end = last.map_or(gone.start, |(_, last)| last.strip.run.rows.end);
            let stay = self.entries.range((gone.start, 0, 0)..(end, 0, 0));
            let stay = stay.filter(|(_, entry)| entry.place != place);
            stay.map(|(_, entry)| Strip::new(entry, scored)).collect()
        };
        strips.extend(entries.iter().map(|entry| Strip::new(entry, scored)));
        let runs = join(sheet, strips, after).into_iter();
        let runs = runs.map(|strip| Priced { strip, cost: RunCost::default() }).collect();
        let best = if self.is_empty() { place } else { self.best.min(place) };
        let (cost, sums) = (Cost::default(), Sums::default());
        Change { sheet: candidate.sheet, best, cost, sums, place, entries, gone, runs }
    }

    /// Makes a change that was worked out on the unit as it is.
    pub fn apply(&mut self, change: Change) {
        let Change { sheet, best, cost, sums, place, entries, gone, runs } = change;
        (self.sheet, self.best, self.cost, self.sums) = (sheet, best, cost, sums);
        for position in self.positions.remove(&place).unwrap_or_default() {
            self.entries.remove(&position);
        }
        let positions = entries.iter().map(Entry::position).collect();
        self.positions.insert(place, positions);
        for entry in entries {
            self.longest = self.longest.max(entry.rows.len());
            self.entries.insert(entry.position(), entry);
        }
        let gone: Vec<usize> = self.runs.range(gone).map(|(&start, _)| start).collect();
        for start in gone {
            self.runs.remove(&start);
        }
        self.runs.extend(runs.into_iter().map(|run| (run.strip.run.rows.start, run)));
    }

    /// The rows of the entries that share some of `rows`.
    pub fn meeting(&self, rows: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let start = rows.start;
        let near = self.entries.range((start.saturating_sub(self.longest), 0, 0)..(rows.end, 0, 0));
        near.map(|(_, entry)| entry.rows.clone()).filter(move |entry| entry.end > start)
    }

    /// Its runs, in order.
    pub fn runs(&self) -> Vec<Run> {
        self.runs.values().map(|run| run.strip.run.clone()).collect()
    }

    /// The runs that stay as they are before those that change, and after them.
    pub fn around(
        &self,
        change: &Change,
    ) -> (
        impl DoubleEndedIterator<Item = &Priced> + Clone,
        impl DoubleEndedIterator<Item = &Priced> + Clone,
    ) {
        let before = self.runs.range(..change.gone.start);
        let after = self.runs.range(change.gone.end..);
        (before.map(|(_, run)| run), after.map(|(_, run)| run))
    }

    /// The runs that a change replaces.
    pub fn replaced(&self, change: &Change) -> impl Iterator<Item = &Priced> {
        self.runs.range(change.gone.clone()).map(|(_, run)| run)
    }

    fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The first rows of the runs that some entries change: those that they meet, the one before,
    /// which they may join, and the one after, whose gap they change. Then the first row of the
    /// next.
    fn met(&self, new: &[Entry], old: &[Position]) -> (Range<usize>, usize) {
        let starts = new.iter().map(|entry| entry.rows.start);
        let ends = new.iter().map(|entry| entry.rows.end);
        let first = starts.chain(old.iter().map(|position| position.0)).min().unwrap_or(0);
        let last = ends.chain(old.iter().map(|position| position.1)).max().unwrap_or(0);
        let before = self.runs.range(..first).next_back();
        let mut after = self.runs.range(last..).map(|(&start, _)| start);
        let start = before.map_or(first, |(&start, _)| start);
        let end = after.next().map_or(last.max(first), |start| start + 1);
        (start..end, after.next().unwrap_or(usize::MAX))
    }
}

impl Change {
    /// The runs of the unit once it is made.
    pub fn runs_of(&self, unit: &Unit) -> Vec<Run> {
        let (before, after) = unit.around(self);
        before.chain(&self.runs).chain(after).map(|run| run.strip.run.clone()).collect()
    }
}
