//! Units: what a text is made of, before anything is known of sizes.
//!
//! A unit is an item, a section, or code between items, together with what leads it. Units of one
//! level share no row: what shares a row is one unit.

use crate::ChunkKind;

/// An item, a section, or code between items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// Its first row, with the comments and attributes that lead it.
    pub first: u32,
    /// Its last row.
    pub last: u32,
    /// What a chunk of it is.
    pub kind: ChunkKind,
    /// Its symbol path.
    pub symbol: Option<String>,
    /// What it consists of, where it can be taken apart.
    pub members: Vec<Unit>,
}

/// A definition, for the symbols and the outline of the chunk that it falls into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Definition {
    /// The first row, with what leads it.
    pub first: u32,
    /// The row that the definition itself begins at.
    pub row: u32,
    /// The last row of its signature.
    pub signature: u32,
    /// Its symbol path, where it defines one.
    pub symbol: Option<String>,
    /// Whether an outline shows it.
    pub outlined: bool,
}

/// What a text is made of.
#[derive(Debug, Default)]
pub(super) struct Structure {
    /// The units of its top level.
    pub units: Vec<Unit>,
    /// All definitions, in order.
    pub definitions: Vec<Definition>,
}

impl Unit {
    /// Code between items.
    pub fn code(first: u32, last: u32) -> Self {
        Self { first, last, kind: ChunkKind::Code, symbol: None, members: Vec::new() }
    }

    /// Whether it is an item, and not code between items.
    pub fn is_item(&self) -> bool {
        self.kind != ChunkKind::Code
    }

    /// Takes in `next`, which begins on a row of ours.
    fn absorb(&mut self, next: Unit) {
        self.last = self.last.max(next.last);
        self.kind = stronger(self.kind, next.kind);
        self.symbol = self.symbol.take().or(next.symbol);
        if self.members.is_empty() {
            self.members = next.members;
        } else if !next.members.is_empty() {
            self.members.clear();
        }
    }
}

/// The units of one level, as they are found.
#[derive(Debug, Default)]
pub(super) struct Level {
    units: Vec<Unit>,
    lead: Option<(u32, u32)>,
}

impl Level {
    /// A comment or an attribute: it goes with the row before it if it begins there, else with
    /// what follows.
    pub fn lead(&mut self, first: u32, last: u32) {
        match (&mut self.lead, self.units.last_mut()) {
            (Some(lead), _) if first <= lead.1 + 1 => lead.1 = lead.1.max(last),
            (None, Some(unit)) if first <= unit.last => unit.last = unit.last.max(last),
            _ => {
                self.flush();
                self.lead = Some((first, last));
            }
        }
    }

    /// Something that goes with what precedes it.
    pub fn tail(&mut self, first: u32, last: u32) {
        self.flush();
        match self.units.last_mut() {
            Some(unit) => unit.last = unit.last.max(last),
            None => self.units.push(Unit::code(first, last)),
        }
    }

    /// The first row of a unit that begins at `row`, with the lead that touches it.
    pub fn take_lead(&mut self, row: u32) -> u32 {
        match self.lead {
            Some((first, last)) if row <= last + 1 => {
                self.lead = None;
                first.min(row)
            }
            _ => {
                self.flush();
                row
            }
        }
    }

    /// A unit that has its lead already.
    pub fn push(&mut self, unit: Unit) {
        match self.units.last_mut() {
            Some(last) if unit.first <= last.last => last.absorb(unit),
            _ => self.units.push(unit),
        }
    }

    /// A statement, with the lead that touches it.
    pub fn statement(&mut self, first: u32, last: u32) {
        let first = self.take_lead(first);
        self.push(Unit::code(first, last));
    }

    /// The units, with a last comment that leads nothing.
    pub fn finish(mut self) -> Vec<Unit> {
        self.flush();
        self.units
    }

    fn flush(&mut self) {
        if let Some((first, last)) = self.lead.take() {
            self.push(Unit::code(first, last));
        }
    }
}

/// What two units in one chunk make of it.
pub(super) fn stronger(a: ChunkKind, b: ChunkKind) -> ChunkKind {
    let rank = |kind: ChunkKind| match kind {
        ChunkKind::ClassHeader => 5,
        ChunkKind::Class => 4,
        ChunkKind::Function => 3,
        ChunkKind::Section => 2,
        ChunkKind::Code => 1,
        ChunkKind::Lines | ChunkKind::LongLine => 0,
    };
    if rank(b) > rank(a) { b } else { a }
}
