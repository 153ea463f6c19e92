//! What is in so far, and what it costs to the token.

use crate::format::{self, Run};
use crate::rank::Candidate;
use crate::report::Form;
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
    budget: usize,
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
}

#[derive(Default, Clone, Copy)]
struct Cost {
    block: Measure,
    separator: Measure,
    /// The tokens of everything but the rows.
    frame: usize,
}

impl<'a> Ledger<'a> {
    pub fn new(sheets: &'a [Sheet], counting: &'a Counting, budget: usize) -> Self {
        let (files, order, known) = (BTreeMap::new(), BTreeSet::new(), FxHashMap::default());
        Self { sheets, counting, budget, files, order, sum: Measure::default(), known }
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

    /// Adds a candidate in some form if the whole then still fits, in place of an outline of it
    /// that is in already.
    pub fn try_add(&mut self, place: usize, candidate: &Candidate, form: Form) -> bool {
        if self.cannot_fit(candidate, form) {
            return false;
        }
        let sheet = &self.sheets[candidate.sheet];
        let old = self.files.get(&candidate.sheet);
        let mut entries = old.map_or_else(Vec::new, |file| file.entries.clone());
        entries.retain(|entry| entry.place != place);
        entries.extend(new_entries(sheet, place, candidate, form));
        entries.sort_by_key(|entry| (entry.rows.start, entry.rows.end));
        let best = old.map_or(place, |file| file.best.min(place));
        let old_cost = old.map(|file| file.cost).unwrap_or_default();
        let runs = runs(sheet, &entries);
        let cost = self.cost(candidate.sheet, &runs);
        let sum = self.sum - (old_cost.block + old_cost.separator) + cost.block + cost.separator;
        let last = self.last_separator(candidate.sheet, best, cost);
        if self.counting.counter().tokens(sum - last) > self.budget {
            return false;
        }
        if let Some(old) = self.files.insert(candidate.sheet, File { entries, runs, cost, best }) {
            self.order.remove(&(old.best, candidate.sheet));
        }
        self.order.insert((best, candidate.sheet));
        self.sum = sum;
        true
    }

    /// A cheap test that never turns away what would fit. In a file of its own, a chunk costs its
    /// tokens and a frame. In a file that is in already it may save all of that file's frame, and
    /// what is in of its lines: its outline, or what it shares with a neighbour.
    fn cannot_fit(&self, candidate: &Candidate, form: Form) -> bool {
        let (chunk, sheet) = (&candidate.chunk, &self.sheets[candidate.sheet]);
        let at_least = match form {
            Form::Full => chunk.tokens as usize,
            Form::Outline if chunk.outline.is_empty() => return true,
            Form::Outline => least_of_outline(sheet, &chunk.outline),
        };
        let saved = self.files.get(&candidate.sheet).map_or(0, |file| {
            let rows = sheet.rows(chunk.span);
            let shared = file.entries.iter().filter(|entry| meet(&entry.rows, &rows));
            let shared = shared
                .map(|entry| sheet.measure(self.counting, entry.rows.clone()))
                .fold(Measure::default(), |sum, measure| sum + measure);
            file.cost.frame + self.counting.counter().tokens(shared) + JOIN_SLACK
        });
        self.tokens() + at_least > self.budget.saturating_add(saved)
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
    form: Form,
) -> impl Iterator<Item = Entry> + 'a {
    let chunk = &candidate.chunk;
    let outline = form == Form::Outline;
    let spans = if outline { chunk.outline.as_slice() } else { std::slice::from_ref(&chunk.span) };
    spans.iter().map(move |&span| Entry {
        place,
        rows: sheet.rows(span),
        outline,
        part: chunk.part,
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
            runs.push(Run { rows: entry.rows.clone(), outline: entry.outline, parts });
        }
        places.extend(entry.part.map(|_| entry.place));
    }
    runs
}
