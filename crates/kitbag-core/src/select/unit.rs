//! What stands together in a text: the entries of a file, or of a chunk, and the runs they make.

use super::View;
use super::cost::Cost;
use crate::format::{Block, Run};
use crate::rank::Scored;
use crate::sheet::Sheet;
use kitbag_text::Part;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Entries that stand together, and what they cost.
#[derive(Default, Clone)]
pub struct Unit {
    pub sheet: usize,
    pub entries: Vec<Entry>,
    pub runs: Vec<Run>,
    pub cost: Cost,
    /// The place of its best candidate.
    pub best: usize,
}

/// Some rows that a candidate shows.
#[derive(Clone)]
pub struct Entry {
    pub place: usize,
    pub rows: Range<usize>,
    outline: bool,
    part: Option<Part>,
    /// Where the chunk ends of which only these rows are shown.
    cut_from: Option<usize>,
}

impl Unit {
    /// The unit `old`, or a new one, with a candidate in it in place of what is in of it already.
    pub fn with(
        old: Option<&Unit>,
        place: usize,
        view: View,
        scored: &[Scored],
        sheets: &[Sheet],
    ) -> Self {
        let candidate = &scored[place].candidate;
        let sheet = &sheets[candidate.sheet];
        let old_entries = old.map_or(&[][..], |unit| &unit.entries);
        let mut entries: Vec<Entry> = Vec::with_capacity(old_entries.len() + 1);
        entries.extend(old_entries.iter().filter(|entry| entry.place != place).cloned());
        entries.extend(new_entries(sheet, place, &scored[place], view));
        entries.sort_by_key(|entry| (entry.rows.start, entry.rows.end));
        let best = old.map_or(place, |unit| unit.best.min(place));
        let runs = runs(sheet, &entries, scored);
        Self { sheet: candidate.sheet, entries, runs, cost: Cost::default(), best }
    }
}

/// Units in the order in which they are shown.
pub fn blocks<'b>(
    sheets: &'b [Sheet],
    order: &'b BTreeSet<(usize, usize)>,
    units: &'b BTreeMap<usize, Unit>,
) -> impl Iterator<Item = Block<'b>> {
    order.iter().map(|(_, name)| {
        let unit = &units[name];
        Block { sheet: &sheets[unit.sheet], runs: &unit.runs }
    })
}

fn new_entries<'a>(
    sheet: &'a Sheet,
    place: usize,
    scored: &'a Scored,
    view: View,
) -> impl Iterator<Item = Entry> + 'a {
    let chunk = &scored.candidate.chunk;
    let cut_from = matches!(view, View::First(_)).then(|| sheet.rows(chunk.span).end);
    view.rows(chunk, sheet).into_iter().map(move |rows| Entry {
        place,
        rows,
        outline: view == View::Outline,
        part: chunk.part,
        cut_from,
    })
}

/// The runs of rows that have a fence each: entries that overlap, touch, or have only blank lines
/// between them share one.
fn runs(sheet: &Sheet, entries: &[Entry], scored: &[Scored]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut places = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.rows.is_empty()) {
        let joins = |run: &&mut Run| {
            entry.rows.start < run.rows.end || sheet.only_blank_between(&run.rows, &entry.rows)
        };
        let Scored { score, factors, candidate } = &scored[entry.place];
        if let Some(run) = runs.last_mut().filter(joins) {
            run.rows.end = run.rows.end.max(entry.rows.end);
            run.outline |= entry.outline;
            run.relevance = run.relevance.max(factors.relevance);
            if *score > run.score {
                run.from.clone_from(&candidate.from);
            }
            run.score = run.score.max(*score);
            run.symbol = None;
            if entry.part.is_some() && !places.contains(&entry.place) {
                run.parts.extend(entry.part);
            }
        } else {
            places.clear();
            runs.push(Run {
                rows: entry.rows.clone(),
                outline: entry.outline,
                parts: entry.part.into_iter().collect(),
                cut: 0,
                relevance: factors.relevance,
                score: *score,
                from: candidate.from.clone(),
                symbol: candidate.chunk.symbol.clone().map(|it| (candidate.chunk.kind.name(), it)),
            });
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
