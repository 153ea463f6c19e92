//! What is in so far, and what it costs to the token.

use super::cost::{Cost, Costs};
use super::proof::Proofs;
use crate::format::{self, Block, Press, Run, TemplateError};
use crate::rank::{Candidate, Scored};
use crate::report::Form;
use crate::sheet::Sheet;
use kitbag_text::{Chunk, Part, Span};
use kitbag_tokens::Measure;
use rustc_hash::FxHashSet;
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
    /// The chunks that are in.
    places: FxHashSet<usize>,
    /// Chunks that did not fit when they were tried.
    refused: FxHashSet<usize>,
    method: Method<'a>,
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

#[derive(Default, Clone)]
struct Unit {
    sheet: usize,
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
        Self {
            scored,
            press,
            units: BTreeMap::new(),
            order: BTreeSet::new(),
            places: FxHashSet::default(),
            refused: FxHashSet::default(),
            method,
            tokens: empty.filter(|&tokens| tokens <= press.budget),
        }
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
        match &self.press.formatting.template {
            Some(template) => format::Compiled::new(template)?.render(self.press, self.blocks()),
            None => Ok(format::write(&*format::layout(self.press), self.blocks())),
        }
    }

    /// How many characters of what is shown the format cannot carry.
    pub fn replaced(&self) -> usize {
        self.tokens.map_or(0, |_| format::replaced(self.press, self.blocks()))
    }

    /// Why the text cannot be rendered.
    pub fn failure(&self) -> Option<&TemplateError> {
        match &self.method {
            Method::Sum { .. } => None,
            Method::Proof(proofs) => proofs.failure(),
        }
    }

    /// Whether as many chunks are in as may be.
    pub fn is_full(&self) -> bool {
        self.press.formatting.max_chunks.is_some_and(|most| self.places.len() >= most)
    }

    /// Whether a chunk did not fit when it was tried.
    pub fn has_refused(&self, place: usize) -> bool {
        self.tokens.is_none() || self.refused.contains(&place)
    }

    fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        blocks(self.press.sheets, &self.order, &self.units)
    }

    /// Adds a candidate in some form if the whole then still fits, in place of an outline of it
    /// that is in already.
    pub fn try_add(&mut self, place: usize, candidate: &Candidate, form: Form) -> bool {
        if self.is_full() && !self.places.contains(&place) {
            return false;
        }
        if self.cannot_fit(candidate, form) {
            self.refused.insert(place);
            return false;
        }
        let name = self.unit_of(place, candidate);
        let unit = self.unit_with(place, candidate, form);
        let fits = match &self.method {
            Method::Sum { .. } => self.add_by_sum(name, unit),
            Method::Proof(proofs) if !proofs.may_go_on() => return false,
            Method::Proof(_) => self.add_by_proof(name, unit, &candidate.chunk, form),
        };
        if fits {
            self.places.insert(place);
        } else {
            self.refused.insert(place);
        }
        fits
    }

    /// The name of the unit that a candidate belongs to.
    fn unit_of(&self, place: usize, candidate: &Candidate) -> usize {
        if self.press.formatting.group_by_file { candidate.sheet } else { place }
    }

    /// The unit of a candidate as it would be with the candidate in.
    fn unit_with(&self, place: usize, candidate: &Candidate, form: Form) -> Unit {
        let sheet = &self.press.sheets[candidate.sheet];
        let old = self.units.get(&self.unit_of(place, candidate));
        let mut entries = old.map_or_else(Vec::new, |unit| unit.entries.clone());
        entries.retain(|entry| entry.place != place);
        entries.extend(new_entries(sheet, place, candidate, form));
        entries.sort_by_key(|entry| (entry.rows.start, entry.rows.end));
        let best = old.map_or(place, |unit| unit.best.min(place));
        let runs = runs(sheet, &entries, self.scored);
        Unit { sheet: candidate.sheet, entries, runs, cost: Cost::default(), best }
    }

    fn add_by_sum(&mut self, name: usize, mut unit: Unit) -> bool {
        let Method::Sum { costs, sum } = &mut self.method else { return false };
        unit.cost = costs.block(unit.sheet, &unit.runs);
        let old = self.units.get(&name).map(|unit| unit.cost).unwrap_or_default();
        let new_sum = *sum - old.between + unit.cost.between;
        let other = self.order.iter().rev().find(|(_, other)| *other != name);
        let last = match other {
            Some(other) if *other > (unit.best, name) => self.units[&other.1].cost,
            _ => unit.cost,
        };
        let tokens = self.press.counting.counter().tokens(new_sum - last.between + last.closing);
        if tokens > self.press.budget {
            return false;
        }
        *sum = new_sum;
        self.tokens = Some(tokens);
        self.put(name, unit);
        true
    }

    fn add_by_proof(&mut self, name: usize, unit: Unit, chunk: &Chunk, form: Form) -> bool {
        let best = unit.best;
        let old = self.put(name, unit);
        let Method::Proof(proofs) = &mut self.method else { return false };
        let tokens = proofs.tokens(blocks(self.press.sheets, &self.order, &self.units));
        match tokens.filter(|&tokens| tokens <= self.press.budget) {
            Some(tokens) => {
                if form == Form::Full && old.is_none() {
                    proofs.learn(chunk.tokens, tokens.saturating_sub(self.tokens.unwrap_or(0)));
                }
                self.tokens = Some(tokens);
                true
            }
            None => {
                if form == Form::Full {
                    proofs.learn_refusal(chunk.tokens);
                }
                self.order.remove(&(best, name));
                self.units.remove(&name);
                if let Some(old) = old {
                    self.put(name, old);
                }
                false
            }
        }
    }

    /// Puts a unit in place of the one of its name, which is given back.
    fn put(&mut self, name: usize, unit: Unit) -> Option<Unit> {
        let best = unit.best;
        let old = self.units.insert(name, unit);
        if let Some(old) = &old {
            self.order.remove(&(old.best, name));
        }
        self.order.insert((best, name));
        old
    }

    /// A cheap test that never turns away what would fit, but for templates, where it goes by what
    /// others have cost. In a unit of its own, a chunk costs its tokens and a frame. In a file that
    /// is in already it may save all of that file's frame, and what is in of its lines: its outline,
    /// or what it shares with a neighbour.
    fn cannot_fit(&self, candidate: &Candidate, form: Form) -> bool {
        let Some(now) = self.tokens else { return true };
        let (chunk, sheet) = (&candidate.chunk, &self.press.sheets[candidate.sheet]);
        let size = match form {
            Form::Full => chunk.tokens as usize,
            Form::Outline if chunk.outline.is_empty() => return true,
            Form::Outline => least_of_outline(sheet, &chunk.outline),
        };
        let budget = self.press.budget;
        let counter = self.press.counting.counter();
        let unit = self.units.get(&candidate.sheet);
        let unit = unit.filter(|_| self.press.formatting.group_by_file);
        match &self.method {
            Method::Proof(proofs) => {
                form == Form::Full && proofs.is_hopeless(chunk.tokens, budget - now)
            }
            // Escaped lines seldom cost less than they are, and never half; words may run together.
            Method::Sum { costs, .. } if !costs.keeps_rows() => {
                let at_least = if counter.is_exact() { size / 2 } else { 0 };
                let all = unit.map_or(0, |unit| counter.tokens(unit.cost.between) + JOIN_SLACK);
                now + at_least > budget.saturating_add(all)
            }
            Method::Sum { .. } => {
                let saved = unit.map_or(0, |unit| {
                    let rows = sheet.rows(chunk.span);
                    let shared = unit.entries.iter().filter(|entry| meet(&entry.rows, &rows));
                    let shared = shared
                        .map(|entry| sheet.measure(self.press.counting, entry.rows.clone()))
                        .fold(Measure::default(), |sum, measure| sum + measure);
                    unit.cost.frame + counter.tokens(shared) + JOIN_SLACK
                });
                now + size > budget.saturating_add(saved)
            }
        }
    }
}

/// Units in the order in which they are shown.
fn blocks<'b>(
    sheets: &'b [Sheet],
    order: &'b BTreeSet<(usize, usize)>,
    units: &'b BTreeMap<usize, Unit>,
) -> impl Iterator<Item = Block<'b>> {
    order.iter().map(|(_, name)| {
        let unit = &units[name];
        Block { sheet: &sheets[unit.sheet], runs: &unit.runs }
    })
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
fn runs(sheet: &Sheet, entries: &[Entry], scored: &[Scored]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut places = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.rows.is_empty()) {
        let Scored { score, factors, .. } = &scored[entry.place];
        let joins = |run: &&mut Run| {
            entry.rows.start < run.rows.end || sheet.only_blank_between(&run.rows, &entry.rows)
        };
        if let Some(run) = runs.last_mut().filter(joins) {
            run.rows.end = run.rows.end.max(entry.rows.end);
            run.outline |= entry.outline;
            run.relevance = run.relevance.max(factors.relevance);
            run.score = run.score.max(*score);
            if entry.part.is_some() && !places.contains(&entry.place) {
                run.parts.extend(entry.part);
            }
        } else {
            places.clear();
            let parts = entry.part.into_iter().collect();
            runs.push(Run {
                rows: entry.rows.clone(),
                outline: entry.outline,
                parts,
                relevance: factors.relevance,
                score: *score,
            });
        }
        places.extend(entry.part.map(|_| entry.place));
    }
    runs
}
