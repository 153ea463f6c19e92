//! What blocks cost in a format that is built in, to the token.
//!
//! Pieces begin where counts add, so a text costs the sum of its pieces. What follows a run is
//! counted together with the run's end, where counts might not add.

use crate::format::{self, Block, Escaped, Layout, Parts, Press, Run};
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

/// What one run costs, what stands before it included.
#[derive(Clone, Copy)]
struct RunCost {
    /// With what stands between it and the next run of its block.
    within: Measure,
    /// With what stands between its block and the next.
    between: Measure,
    /// With what closes the text.
    closing: Measure,
    /// Its rows alone, as they are in the file.
    rows: Measure,
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
        Some(Self { press, layout, escaped, known })
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

    /// What a block costs.
    pub fn block(&mut self, place: usize, runs: &[Run]) -> Cost {
        let sheet = &self.press.sheets[place];
        let title = self.counter().measure(&self.layout.title(Block { sheet, runs }));
        let mut cost = Cost { between: title, closing: title, frame: 0 };
        let mut rows = Measure::default();
        let mut before: Option<&Run> = None;
        for (number, run) in runs.iter().enumerate() {
            let known = self.run(place, before, run);
            let is_last = number + 1 == runs.len();
            cost.between += if is_last { known.between } else { known.within };
            cost.closing += if is_last { known.closing } else { known.within };
            rows += known.rows;
            before = Some(run);
        }
        cost.frame = self.counter().tokens(cost.between - rows);
        cost
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
        }
    }

    fn counter(&self) -> &'a dyn TokenCounter {
        self.press.counting.counter()
    }
}
