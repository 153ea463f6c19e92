//! What blocks cost in a format that is built in, to the token.
//!
//! Pieces begin where counts add, so a text costs the sum of its pieces. What follows a run is
//! counted together with the run's end, where counts might not add.

use super::unit::{Change, Priced, Unit};
use crate::format::{self, Escaped, Layout, Named, Parts, Press, Run};
use crate::sheet::Sheet;
use kitbag_text::Part;
use kitbag_tokens::{Measure, TokenCounter};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What a block costs.
#[derive(Default, Clone, Copy)]
pub struct Cost {
    /// With what stands between it and the next block.
    pub between: Measure,
    /// With what closes the text.
    pub closing: Measure,
    /// The tokens of everything but the rows.
    pub frame: usize,
}

/// What the runs of a block come to.
#[derive(Default, Clone, Copy)]
pub struct Sums {
    /// All runs, each with what stands between it and the next.
    within: Measure,
    /// Their rows alone.
    rows: Measure,
    /// What the title says of them, each between two others.
    ranges: Measure,
    /// The best relevance.
    relevance: f64,
    count: usize,
}

/// What one run costs, what stands before it included.
#[derive(Default, Clone, Copy)]
pub struct RunCost {
    /// With what stands between it and the next run of its block.
    within: Measure,
    /// With what stands between its block and the next.
    between: Measure,
    /// With what closes the text.
    closing: Measure,
    /// Its rows alone, as they are in the file.
    rows: Measure,
    /// What the title says of it, between two others; `None` where it says nothing.
    range: Option<Measure>,
}

/// What the cost of a run depends on: most runs of a file stay as they are when another chunk
/// comes in.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    sheet: usize,
    before: Option<usize>,
    rows: Range<usize>,
    cut: usize,
    label: Option<(bool, Vec<Part>, u64, u64)>,
}

/// The costs of runs and blocks in one layout.
pub struct Costs<'a> {
    press: &'a Press<'a>,
    layout: Box<dyn Layout>,
    escaped: FxHashMap<usize, Escaped>,
    known: FxHashMap<Key, RunCost>,
    /// Whether counts add between two ranges in a title.
    ranges_add: bool,
}

impl Sums {
    fn add(&mut self, cost: &RunCost, run: &Run) {
        self.within += cost.within;
        self.rows += cost.rows;
        self.ranges += cost.range.unwrap_or_default();
        // What is in of a candidate never goes, so the best relevance only grows.
        self.relevance = self.relevance.max(run.relevance);
        self.count += 1;
    }

    fn remove(&mut self, cost: &RunCost) {
        self.within = self.within - cost.within;
        self.rows = self.rows - cost.rows;
        self.ranges = self.ranges - cost.range.unwrap_or_default();
        self.count -= 1;
    }
}

impl<'a> Costs<'a> {
    /// `None` where counts do not add before the pieces of the format, where a template makes them,
    /// or where no sum of the counter is exact.
    pub fn new(press: &'a Press<'a>) -> Option<Self> {
        let counter = press.counting.counter();
        if press.formatting.made_by().is_some() || !counter.sums_are_exact() {
            return None;
        }
        let layout = format::layout(press);
        let adds = |line: &str| ["};\n", "\n"].iter().all(|it| counter.adds_between(it, line));
        if !layout.beginnings().iter().all(|line| adds(line)) {
            return None;
        }
        let (escaped, known) = (FxHashMap::default(), FxHashMap::default());
        let ranges_add = counter.adds_at(',', ' ');
        Some(Self { press, layout, escaped, known, ranges_add })
    }

    /// What stands before the first block.
    pub fn open(&self) -> Measure {
        self.counter().measure(&self.layout.frame().open)
    }

    /// The text without any block.
    pub fn empty(&self) -> Measure {
        self.counter().measure(&self.layout.frame().empty)
    }

    /// Whether rows cost what they cost in the file.
    pub fn keeps_rows(&self) -> bool {
        !self.layout.escapes()
    }

    /// What a block costs once a change is made to it.
    pub fn price(&mut self, unit: &Unit, change: &mut Change) {
        let sheet = &self.press.sheets[change.sheet];
        let mut sums = unit.sums;
        for gone in unit.replaced(change) {
            sums.remove(&gone.cost);
        }
        let mut before = unit.around(change).0.next_back().map(|run| run.strip.run.clone());
        for Priced { strip, cost } in &mut change.runs {
            *cost = self.run(change.sheet, before.as_ref(), &strip.run);
            cost.range = self.range(sheet, &strip.run);
            sums.add(cost, &strip.run);
            before = Some(strip.run.clone());
        }
        let title = self.title(sheet, unit, change, sums);
        let (stay, after) = unit.around(change);
        let last = stay.chain(&change.runs).chain(after).next_back();
        let last = last.map(|run| run.cost).unwrap_or_default();
        let others = title + (sums.within - last.within);
        let (between, closing) = (others + last.between, others + last.closing);
        let frame = self.counter().tokens(between - sums.rows);
        change.cost = Cost { between, closing, frame };
        change.sums = sums;
    }

    /// What the title says of a run, between two others.
    fn range(&self, sheet: &Sheet, run: &Run) -> Option<Measure> {
        let range = self.layout.range(sheet, run, false);
        (!range.is_empty()).then(|| self.counter().measure(&format!(" {range},")))
    }

    /// What the title costs. Most ranges in it are known, where counts add between them.
    fn title(&self, sheet: &Sheet, unit: &Unit, change: &Change, sums: Sums) -> Measure {
        let (stay, after) = unit.around(change);
        let runs = stay.chain(&change.runs).chain(after);
        let mut named = runs.filter(|run| run.cost.range.is_some());
        let first = named.clone().next();
        let is_line = |run: &Priced| sums.count == 1 && format::is_one_line(sheet, &run.strip.run);
        let heading = self.layout.heading(
            sheet,
            Named {
                any: first.is_some(),
                one_line: first.is_some_and(is_line),
                relevance: sums.relevance,
            },
        );
        if !self.ranges_add {
            let ranges = named.map(|run| &run.strip.run);
            return self.counter().measure(&heading.around(&*self.layout, sheet, ranges));
        }
        let measure = |text: &str| self.counter().measure(text);
        let Some(first) = first else { return measure(&(heading.before + &heading.after)) };
        let range = |run: &Priced, is_first| self.layout.range(sheet, &run.strip.run, is_first);
        let (before, after) = (heading.before + &range(first, true), heading.after);
        match named.next_back().filter(|last| !std::ptr::eq(*last, first)) {
            None => measure(&(before + &after)),
            Some(last) => {
                let ends = [first, last].into_iter().filter_map(|run| run.cost.range);
                let others = ends.fold(sums.ranges, |sum, range| sum - range);
                let last = format!(" {}{after}", range(last, false));
                measure(&format!("{before},")) + others + measure(&last)
            }
        }
    }

    fn run(&mut self, place: usize, before: Option<&Run>, run: &Run) -> RunCost {
        let label = self.layout.has_labelled_runs().then(|| {
            let (relevance, score) = (run.relevance.to_bits(), run.score.to_bits());
            (run.outline, run.parts.clone(), relevance, score)
        });
        let before_end = before.map(|before| before.rows.end);
        let (rows, cut) = (run.rows.clone(), run.cut);
        let key = Key { sheet: place, before: before_end, rows, cut, label };
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let cost = self.measure(place, before, run);
        self.known.insert(key, cost);
        cost
    }

    fn measure(&mut self, place: usize, before: Option<&Run>, run: &Run) -> RunCost {
        let Press { sheets, counting, .. } = *self.press;
        let (sheet, layout, counter) = (&sheets[place], &*self.layout, counting.counter());
        let parts = if layout.escapes() {
            let escaped = self.escaped.entry(place);
            let escaped = escaped.or_insert_with(|| Escaped::new(layout, sheet, counter));
            escaped.parts(run.rows.clone(), counter)
        } else {
            Parts::of_sheet(sheet, run.rows.clone(), counting)
        };
        let mut start = layout.opening(sheet, before, run) + parts.head;
        let mut end = String::new();
        let mut sum = parts.middle;
        match parts.tail {
            Some(tail) => {
                sum += counter.measure(&start);
                end.push_str(tail);
            }
            None => std::mem::swap(&mut start, &mut end),
        }
        if layout.ends_lines() && !end.ends_with('\n') {
            end.push('\n');
        }
        end.push_str(&layout.ending(sheet, run));
        let frame = layout.frame();
        let with = |next: &str| sum + counter.measure(&format!("{end}{next}"));
        RunCost {
            within: with(&frame.within),
            between: with(&frame.between),
            closing: with(&frame.close),
            rows: sheet.measure(counting, run.rows.clone()),
            range: None,
        }
    }

    fn counter(&self) -> &'a dyn TokenCounter {
        self.press.counting.counter()
    }
}
