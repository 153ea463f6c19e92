//! What is in so far, and what it costs to the token.

use crate::format::{self, Run};
use crate::rank::Candidate;
use crate::select::View;
use crate::sheet::Sheet;
use kitbag_text::{Part, Span};
use kitbag_tokens::{Counting, Measure};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How many tokens joining a chunk to its neighbours could save at the most, beside their frame and
/// the lines that they share: a few where white space runs together, and an estimate's rounding.
const JOIN_SLACK: usize = 8;

/// The files that are in, and their exact cost.
pub struct Ledger<'a> {
    sheets: &'a [Sheet],
    counting: &'a Counting,
    files: BTreeMap<usize, File>,
    /// The best place of each file, and its sheet: the order in which files are shown.
    order: BTreeSet<(usize, usize)>,
    /// All files, each with a separator after it.
    sum: Measure,
    /// What runs cost, by sheet, the end of the run before, and rows: most runs of a file stay as
    /// they are when another chunk comes in.
    known: FxHashMap<(usize, Option<usize>, Range<usize>), RunCost>,
}

/// What one run costs.
#[derive(Clone, Copy)]
struct RunCost {
    /// With its gap and its fences.
    whole: Measure,
    /// Its rows alone.
    rows: Measure,
    /// What a blank line after it would cost.
    separator: Measure,
}

#[derive(Default, Clone)]
struct File {
    entries: Vec<Entry>,
    runs: Vec<Run>,
    cost: Cost,
    best: usize,
}

/// Some rows that a candidate shows.
#[derive(Clone)]
struct Entry {
    place: usize,
    rows: Range<usize>,
    outline: bool,
    part: Option<Part>,
    /// Where the chunk ends of which only these rows are shown.
    cut_from: Option<usize>,
}

/// A change to the ledger that is worked out but not made.
pub struct Draft {
    /// The tokens of the text once it is made.
    pub tokens: usize,
    sheet: usize,
    file: File,
    sum: Measure,
}

#[derive(Default, Clone, Copy)]
struct Cost {
    block: Measure,
    separator: Measure,
    /// The tokens of everything but the rows.
    frame: usize,
}

impl<'a> Ledger<'a> {
    pub fn new(sheets: &'a [Sheet], counting: &'a Counting) -> Self {
        let (files, order, known) = (BTreeMap::new(), BTreeSet::new(), FxHashMap::default());
        Self { sheets, counting, files, order, sum: Measure::default(), known }
    }

    /// The tokens of the text as it stands.
    pub fn tokens(&self) -> usize {
        let last = self.order.last().map(|(_, sheet)| self.files[sheet].cost.separator);
        self.counting.counter().tokens(self.sum - last.unwrap_or_default())
    }

    /// The files in the order in which they are shown.
    pub fn files(&self) -> impl Iterator<Item = (usize, &[Run])> {
        self.order.iter().map(|&(_, sheet)| (sheet, self.files[&sheet].runs.as_slice()))
    }

    /// Works out what the text costs with a candidate in it, in place of what is in of it already.
    pub fn draft(&mut self, place: usize, candidate: &Candidate, view: View) -> Draft {
        let sheet = &self.sheets[candidate.sheet];
        let old = self.files.get(&candidate.sheet);
        let mut entries = old.map_or_else(Vec::new, |file| file.entries.clone());
        entries.retain(|entry| entry.place != place);
        entries.extend(new_entries(sheet, place, candidate, view));
        entries.sort_by_key(|entry| (entry.rows.start, entry.rows.end));
        let best = old.map_or(place, |file| file.best.min(place));
        let old_cost = old.map(|file| file.cost).unwrap_or_default();
        let runs = runs(sheet, &entries);
        let cost = self.cost(candidate.sheet, &runs);
        let sum = self.sum - (old_cost.block + old_cost.separator) + cost.block + cost.separator;
        let last = self.last_separator(candidate.sheet, best, cost);
        let tokens = self.counting.counter().tokens(sum - last);
        Draft { tokens, sheet: candidate.sheet, file: File { entries, runs, cost, best }, sum }
    }

    /// Makes a change that was worked out on the ledger as it is.
    pub fn commit(&mut self, draft: Draft) {
        let Draft { sheet, file, sum, .. } = draft;
        let best = file.best;
        if let Some(old) = self.files.insert(sheet, file) {
            self.order.remove(&(old.best, sheet));
        }
        self.order.insert((best, sheet));
        self.sum = sum;
    }

    /// What a candidate adds at the least, by a cheap estimate that is never too high; `None` where
    /// there is nothing to show. In a file of its own, a chunk costs its tokens and a frame. In a
    /// file that is in already it may save all of that file's frame, and what is in of its lines:
    /// its outline, or what it shares with a neighbour.
    pub fn least(&self, candidate: &Candidate, view: View) -> Option<usize> {
        let (chunk, sheet) = (&candidate.chunk, &self.sheets[candidate.sheet]);
        let at_least = match view {
            View::Full => chunk.tokens as usize,
            View::Outline if chunk.outline.is_empty() => return None,
            View::Outline => least_of_outline(sheet, &chunk.outline),
            View::UpTo(_) => 0,
        };
        let saved = self.files.get(&candidate.sheet).map_or(0, |file| {
            let rows = sheet.rows(chunk.span);
            let shared = file.entries.iter().filter(|entry| meet(&entry.rows, &rows));
            let shared = shared
                .map(|entry| sheet.measure(self.counting, entry.rows.clone()))
                .fold(Measure::default(), |sum, measure| sum + measure);
            file.cost.frame + self.counting.counter().tokens(shared) + JOIN_SLACK
        });
        Some(at_least.saturating_sub(saved))
    }

    fn cost(&mut self, place: usize, runs: &[Run]) -> Cost {
        let (sheet, counting) = (&self.sheets[place], self.counting);
        let counter = counting.counter();
        let mut block = counter.measure(&format::header(sheet, runs));
        let (mut rows, mut separator) = (Measure::default(), Measure::default());
        let mut before: Option<&Range<usize>> = None;
        for run in runs {
            let key = (place, before.map(|before| before.end), run.rows.clone());
            let cost = *self.known.entry(key).or_insert_with(|| {
                let pieces = format::fenced(sheet, before, &run.rows);
                RunCost {
                    whole: format::measure(sheet, &pieces, counting),
                    rows: sheet.measure(counting, run.rows.clone()),
                    separator: format::measure_separator(&pieces, counting),
                }
            });
            block += cost.whole;
            rows += cost.rows;
            separator = cost.separator;
            if let Some(marker) = format::truncation_marker(run.cut) {
                block += counter.measure(&marker);
                separator = counter.measure(&format!("{marker}\n")) - counter.measure(&marker);
            }
            before = Some(&run.rows);
        }
        Cost { block, separator, frame: counter.tokens(block - rows) }
    }

    /// The separator that the text does not have, after the last of its files: `sheet` is taken to
    /// cost `cost` and to have its best chunk at `best`.
    fn last_separator(&self, sheet: usize, best: usize, cost: Cost) -> Measure {
        let other = self.order.iter().rev().find(|(_, other)| *other != sheet);
        match other {
            Some(other) if *other > (best, sheet) => self.files[&other.1].cost.separator,
            _ => cost.separator,
        }
    }
}

/// What an outline costs at the least: every counter has two lines for a token at the most, and
/// blank lines for nothing.
fn least_of_outline(sheet: &Sheet, outline: &[Span]) -> usize {
    let lines = outline.iter().flat_map(|&span| sheet.slice(sheet.rows(span)).lines());
    lines.filter(|line| !line.trim().is_empty()).count() / 2
}

/// Whether two ranges of rows share one.
fn meet(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

fn new_entries<'a>(
    sheet: &'a Sheet,
    place: usize,
    candidate: &'a Candidate,
    view: View,
) -> impl Iterator<Item = Entry> + 'a {
    let chunk = &candidate.chunk;
    let cut_from = matches!(view, View::UpTo(_)).then(|| sheet.rows(chunk.span).end);
    view.spans(chunk).into_iter().map(move |span| Entry {
        place,
        rows: sheet.rows(span),
        outline: view == View::Outline,
        part: chunk.part,
        cut_from,
    })
}

/// The runs of rows that have a fence each: entries that overlap, touch, or have only blank lines
/// between them share one.
fn runs(sheet: &Sheet, entries: &[Entry]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut places = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.rows.is_empty()) {
        let joins = |run: &&mut Run| {
            entry.rows.start < run.rows.end || sheet.only_blank_between(&run.rows, &entry.rows)
        };
        if let Some(run) = runs.last_mut().filter(joins) {
            run.rows.end = run.rows.end.max(entry.rows.end);
            run.outline |= entry.outline;
            if entry.part.is_some() && !places.contains(&entry.place) {
                run.parts.extend(entry.part);
            }
        } else {
            places.clear();
            let parts = entry.part.into_iter().collect();
            runs.push(Run { rows: entry.rows.clone(), outline: entry.outline, parts, cut: 0 });
        }
        places.extend(entry.part.map(|_| entry.place));
    }
    for entry in entries {
        if let Some(end) = entry.cut_from {
            mark_cut(&mut runs, entry, end);
        }
    }
    runs
}

/// Notes how many rows of a chunk that ends at `end` are missing after the run that has its first
/// rows, up to the next run.
fn mark_cut(runs: &mut [Run], entry: &Entry, end: usize) {
    let at = runs.partition_point(|run| run.rows.end < entry.rows.end);
    let next = runs.get(at + 1).map_or(usize::MAX, |next| next.rows.start);
    if let Some(run) = runs.get_mut(at) {
        run.cut = run.cut.max(end.min(next).saturating_sub(run.rows.end));
    }
}
