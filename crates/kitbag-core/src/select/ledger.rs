//! What is in so far, and what it costs to the token.
//!
//! A change is first drafted, which tells what the whole text would cost with it, and then made or
//! not. Drafts are priced piece by piece where counts add, and by rendering the whole where not.

use super::View;
use super::cost::Costs;
use super::proof::Proofs;
use super::unit::{Change, Unit};
use crate::format::{self, Block, Press, Run, TemplateError};
use crate::rank::Scored;
use crate::sheet::Sheet;
use kitbag_text::Span;
use kitbag_tokens::Measure;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How many tokens joining a chunk to its neighbours could save at the most, beside their frame and
/// the lines that they share: a few where white space runs together, and an estimate's rounding.
const JOIN_SLACK: usize = 8;

/// What is in, and its exact cost.
pub struct Ledger<'a> {
    scored: &'a [Scored],
    press: &'a Press<'a>,
    /// What stands together, by its name: a file by its sheet, or a chunk by its place.
    units: BTreeMap<usize, Unit>,
    /// The best place of each unit, and its name: the order in which they are shown.
    order: BTreeSet<(usize, usize)>,
    method: Method<'a>,
    /// The tokens of the text without any chunk.
    empty: usize,
    /// The tokens of the text as it stands; `None` where not even its frame fits.
    tokens: Option<usize>,
}

/// How costs are known.
enum Method<'a> {
    /// By the sum of the pieces.
    Sum {
        costs: Costs<'a>,
        /// All units, each with what stands between it and the next.
        sum: Measure,
    },
    /// By rendering the whole.
    Proof(Box<Proofs<'a>>),
}

/// A change to the ledger that is worked out but not made.
pub struct Draft {
    /// The tokens of the text once it is made.
    pub tokens: usize,
    name: usize,
    change: Change,
    /// The sum of the units then, where pieces are summed.
    sum: Measure,
    /// The tokens of a whole chunk that has a unit of its own.
    whole: Option<u32>,
}

impl<'a> Ledger<'a> {
    pub fn new(scored: &'a [Scored], press: &'a Press<'a>) -> Self {
        let counter = press.counting.counter();
        let mut method = match Costs::new(press) {
            Some(costs) => Method::Sum { sum: costs.open(), costs },
            None => Method::Proof(Box::new(Proofs::new(press))),
        };
        let empty = match &mut method {
            Method::Sum { costs, .. } => Some(counter.tokens(costs.empty())),
            Method::Proof(proofs) => proofs.tokens(std::iter::empty()),
        };
        let (units, order) = (BTreeMap::new(), BTreeSet::new());
        let tokens = empty.filter(|&tokens| tokens <= press.budget);
        Self { scored, press, units, order, method, empty: empty.unwrap_or(0), tokens }
    }

    /// The tokens of the text as it stands.
    pub fn tokens(&self) -> usize {
        self.tokens.unwrap_or(0)
    }

    /// The finished text: nothing where not even its frame fits.
    pub fn render(&self) -> Result<String, TemplateError> {
        if self.tokens.is_none() {
            return Ok(String::new());
        }
        let shown = self.shown();
        let blocks = blocks(self.press.sheets, &shown);
        match self.press.formatting.made_by() {
            Some(template) => {
                format::Compiled::new(template, self.press.cancel)?.render(self.press, blocks)
            }
            None => Ok(format::write(&*format::layout(self.press), blocks)),
        }
    }

    /// How many characters of what is shown the format cannot carry.
    pub fn replaced(&self) -> usize {
        let Some(_) = self.tokens else { return 0 };
        format::replaced(self.press, blocks(self.press.sheets, &self.shown()))
    }

    /// Why the text cannot be rendered.
    pub fn failure(&self) -> Option<&TemplateError> {
        match &self.method {
            Method::Sum { .. } => None,
            Method::Proof(proofs) => proofs.failure(),
        }
    }

    /// Whether more may be tried.
    pub fn may_go_on(&self) -> bool {
        match &self.method {
            Method::Sum { .. } => true,
            Method::Proof(proofs) => proofs.may_go_on(),
        }
    }

    /// Works out the text with a candidate in it, in place of what is in of it already; `None` where
    /// that is over the budget.
    pub fn draft(&mut self, place: usize, view: View) -> Option<Draft> {
        self.tokens?;
        let name = self.unit_of(place);
        let is_new = !self.units.contains_key(&name);
        let none = Unit::default();
        let unit = self.units.get(&name).unwrap_or(&none);
        let mut change = unit.change(place, view, self.scored, self.press.sheets);
        let (tokens, sum) = match &self.method {
            Method::Sum { .. } => self.price_by_sum(name, &mut change)?,
            Method::Proof(_) => (self.price_by_proof(name, &change)?, Measure::default()),
        };
        let chunk_tokens = self.scored[place].candidate.chunk.tokens;
        let whole = (view == View::Full).then_some(chunk_tokens);
        if tokens <= self.press.budget {
            return Some(Draft { tokens, name, change, sum, whole: whole.filter(|_| is_new) });
        }
        if let (Method::Proof(proofs), Some(whole)) = (&mut self.method, whole) {
            proofs.learn_refusal(whole);
        }
        None
    }

    /// Makes a change that was worked out on the ledger as it is.
    pub fn commit(&mut self, draft: Draft) {
        let Draft { tokens, name, change, sum: new_sum, whole } = draft;
        let added = tokens.saturating_sub(self.tokens());
        let best = change.best;
        let unit = self.units.entry(name).or_default();
        self.order.remove(&(unit.best, name));
        unit.apply(change);
        self.order.insert((best, name));
        self.tokens = Some(tokens);
        match &mut self.method {
            Method::Sum { sum, .. } => *sum = new_sum,
            Method::Proof(proofs) => {
                if let Some(whole) = whole {
                    proofs.learn(whole, added);
                }
            }
        }
    }

    /// What a candidate costs in a unit of its own, with what stands between it and the next.
    pub fn alone(&mut self, place: usize) -> usize {
        let Press { sheets, counting, .. } = *self.press;
        let unit = Unit::default();
        let mut change = unit.change(place, View::Full, self.scored, sheets);
        match &mut self.method {
            Method::Sum { costs, .. } => {
                costs.price(&unit, &mut change);
                counting.counter().tokens(change.cost.between)
            }
            Method::Proof(proofs) => {
                let runs = change.runs_of(&unit);
                let block = Block { sheet: &sheets[change.sheet], runs: &runs };
                let tokens = proofs.tokens(std::iter::once(block));
                tokens.map_or(usize::MAX, |tokens| tokens.saturating_sub(self.empty))
            }
        }
    }

    /// A cheap test that never turns away what would fit `room` tokens, but for templates, where it
    /// goes by what others have cost. In a unit of its own, a chunk costs its tokens and a frame. In
    /// a unit that is in already it may save all of that unit's frame, and what is in of its lines:
    /// its outline, or what it shares with a neighbour.
    pub fn is_hopeless(&self, place: usize, view: View, room: usize) -> bool {
        if self.tokens.is_none() {
            return true;
        }
        let candidate = &self.scored[place].candidate;
        let (chunk, sheet) = (&candidate.chunk, &self.press.sheets[candidate.sheet]);
        let size = match view {
            View::Full => chunk.tokens as usize,
            View::Outline if chunk.outline.is_empty() => return true,
            View::Outline => least_of_outline(sheet, &chunk.outline),
            View::First(_) => 0,
        };
        let counter = self.press.counting.counter();
        let unit = self.units.get(&self.unit_of(place));
        match &self.method {
            Method::Proof(proofs) if proofs.shows_all => {
                unit.is_none() && size > room.saturating_add(JOIN_SLACK)
            }
            Method::Proof(proofs) => view == View::Full && proofs.is_hopeless(chunk.tokens, room),
            // Escaped lines seldom cost less than they are, and never half; words may run together.
            Method::Sum { costs, .. } if !costs.keeps_rows() => {
                let at_least = if counter.is_exact() { size / 2 } else { 0 };
                let all = unit.map_or(0, |unit| counter.tokens(unit.cost.between) + JOIN_SLACK);
                at_least > room.saturating_add(all)
            }
            Method::Sum { .. } => {
                let saved = unit.map_or(0, |unit| self.saved(unit, sheet, sheet.rows(chunk.span)));
                size > room.saturating_add(saved)
            }
        }
    }

    /// What some rows can save at the most where `unit` is in.
    fn saved(&self, unit: &Unit, sheet: &Sheet, rows: Range<usize>) -> usize {
        let shared = unit
            .meeting(&rows)
            .map(|entry| sheet.measure(self.press.counting, entry))
            .fold(Measure::default(), |sum, measure| sum + measure);
        unit.cost.frame + self.press.counting.counter().tokens(shared) + JOIN_SLACK
    }

    /// The files and runs that are shown, in order.
    fn shown(&self) -> Vec<(usize, Vec<Run>)> {
        let units = self.order.iter().map(|(_, name)| &self.units[name]);
        units.map(|unit| (unit.sheet, unit.runs())).collect()
    }

    /// The name of the unit that a candidate belongs to.
    fn unit_of(&self, place: usize) -> usize {
        if self.press.formatting.group_by_file { self.scored[place].candidate.sheet } else { place }
    }

    /// The tokens of the text with a change made, and the sum of all units then.
    fn price_by_sum(&mut self, name: usize, change: &mut Change) -> Option<(usize, Measure)> {
        let Method::Sum { costs, sum } = &mut self.method else { return None };
        let none = Unit::default();
        let unit = self.units.get(&name).unwrap_or(&none);
        costs.price(unit, change);
        let new_sum = *sum - unit.cost.between + change.cost.between;
        let other = self.order.iter().rev().find(|(_, other)| *other != name);
        let last = match other {
            Some(other) if *other > (change.best, name) => self.units[&other.1].cost,
            _ => change.cost,
        };
        let tokens = self.press.counting.counter().tokens(new_sum - last.between + last.closing);
        Some((tokens, new_sum))
    }

    /// The tokens of the text with a change made.
    fn price_by_proof(&mut self, name: usize, change: &Change) -> Option<usize> {
        let none = Unit::default();
        let unit = self.units.get(&name).unwrap_or(&none);
        let changed = (change.sheet, change.runs_of(unit));
        let others = self.order.iter().filter(|(_, other)| *other != name);
        let at = others.clone().take_while(|other| **other < (change.best, name)).count();
        let others = others.map(|(_, name)| &self.units[name]);
        let mut shown: Vec<_> = others.map(|unit| (unit.sheet, unit.runs())).collect();
        shown.insert(at, changed);
        match &mut self.method {
            Method::Proof(proofs) => proofs.tokens(blocks(self.press.sheets, &shown)),
            Method::Sum { .. } => None,
        }
    }
}

/// What is shown of each file, as formats want it.
fn blocks<'b>(
    sheets: &'b [Sheet],
    shown: &'b [(usize, Vec<Run>)],
) -> impl Iterator<Item = Block<'b>> {
    shown.iter().map(|(sheet, runs)| Block { sheet: &sheets[*sheet], runs })
}

/// What an outline costs at the least: every counter has two lines for a token at the most, and
/// blank lines for nothing.
fn least_of_outline(sheet: &Sheet, outline: &[Span]) -> usize {
    let lines = outline.iter().flat_map(|&span| sheet.slice(sheet.rows(span)).lines());
    lines.filter(|line| !line.trim().is_empty()).count() / 2
}
