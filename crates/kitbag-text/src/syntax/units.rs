//! The units of a text: items, sections and code between items, regardless of size.
//!
//! A unit includes its leading comments and attributes. Units of one level do not share rows: nodes on
//! the same row form one unit.

use crate::chunk::ChunkKind;
use std::ops::Range;

/// A half-open range of 0-based rows.
pub type Rows = Range<u32>;

/// An item, a section, or code between items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxUnit {
    /// First row, including leading comments and attributes.
    pub first: u32,
    /// Last row.
    pub last: u32,
    /// Kind of the chunk it becomes.
    pub kind: ChunkKind,
    /// Symbol path or heading.
    pub symbol: Option<String>,
    /// Members, if it can be split.
    pub members: Vec<SyntaxUnit>,
}

/// A definition, which contributes to the symbols and the outline of its chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// First row, including leading comments and attributes.
    pub first: u32,
    /// Row at which the definition itself begins.
    pub row: u32,
    /// Last row of its signature.
    pub signature_end: u32,
    /// Symbol path, if it defines one.
    pub symbol: Option<String>,
    /// Whether it is shown in outlines.
    pub is_outlined: bool,
}

/// Units and definitions of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TextStructure {
    /// Top-level units.
    pub units: Vec<SyntaxUnit>,
    /// All definitions in order.
    pub definitions: Vec<Definition>,
}

impl SyntaxUnit {
    /// Creates a unit of code between items.
    pub fn code(first: u32, last: u32) -> Self {
        Self { first, last, kind: ChunkKind::Code, symbol: None, members: Vec::new() }
    }

    /// Whether it is an item rather than code between items.
    pub fn is_item(&self) -> bool {
        self.kind != ChunkKind::Code
    }

    /// Merges `next`, which begins on a row of this unit.
    fn absorb(&mut self, next: SyntaxUnit) {
        self.last = self.last.max(next.last);
        self.kind = dominant_kind(self.kind, next.kind);
        self.symbol = self.symbol.take().or(next.symbol);
        if self.members.is_empty() {
            self.members = next.members;
        } else if !next.members.is_empty() {
            self.members.clear();
        }
    }
}

/// Collects the units of one level in order.
#[derive(Debug, Default)]
pub(super) struct LevelBuilder {
    units: Vec<SyntaxUnit>,
    leading: Option<LeadingRows>,
}

/// Pending leading comments and attributes.
#[derive(Debug, Clone, Copy)]
struct LeadingRows {
    first: u32,
    last: u32,
    /// Whether they belong to the next unit even if there are blank lines before it.
    has_attribute: bool,
}

impl LeadingRows {
    fn belong_to(&self, row: u32) -> bool {
        self.has_attribute || row <= self.last + 1
    }
}

impl LevelBuilder {
    /// Adds a comment or an attribute. It belongs to the unit on the same row, or else to the next one.
    pub fn leading(&mut self, first: u32, last: u32) {
        match (&mut self.leading, self.units.last_mut()) {
            (Some(leading), _) if leading.belong_to(first) => leading.last = leading.last.max(last),
            (None, Some(unit)) if first <= unit.last => unit.last = unit.last.max(last),
            _ => {
                self.flush();
                self.leading = Some(LeadingRows { first, last, has_attribute: false });
            }
        }
    }

    /// Adds an attribute that belongs to the next unit even if there are blank lines before it.
    pub fn attribute(&mut self, first: u32, last: u32) {
        self.leading(first, last);
        if let Some(leading) = &mut self.leading {
            leading.has_attribute = true;
        }
    }

    /// Adds rows that belong to the previous unit.
    pub fn trailing(&mut self, first: u32, last: u32) {
        self.flush();
        match self.units.last_mut() {
            Some(unit) => unit.last = unit.last.max(last),
            None => self.units.push(SyntaxUnit::code(first, last)),
        }
    }

    /// Adds rows that belong to the previous unit if it ends directly before them, or else to the next one.
    pub fn adjacent(&mut self, first: u32, last: u32) {
        match self.units.last_mut() {
            Some(unit) if self.leading.is_none() && first <= unit.last + 1 => {
                unit.last = unit.last.max(last);
            }
            _ => self.leading(first, last),
        }
    }

    /// Extends the previous unit by a clause, with its leading comments, if it is the same function.
    /// Returns whether it is.
    pub fn extend_function(&mut self, symbol: Option<&str>, last: u32) -> bool {
        let begins_function = self.leading.is_some_and(|leading| leading.has_attribute);
        let Some(unit) = self.units.last_mut().filter(|_| !begins_function) else { return false };
        let is_same = unit.kind == ChunkKind::Function && unit.symbol.as_deref() == symbol;
        if !is_same || symbol.is_none() {
            return false;
        }
        unit.last = unit.last.max(last);
        self.leading = None;
        true
    }

    /// Returns the first row of a unit that begins at `row`, including its leading rows.
    pub fn take_leading(&mut self, row: u32) -> u32 {
        match self.leading {
            Some(leading) if leading.belong_to(row) => {
                self.leading = None;
                leading.first.min(row)
            }
            _ => {
                self.flush();
                row
            }
        }
    }

    /// Adds a unit whose leading rows have been taken.
    pub fn push(&mut self, unit: SyntaxUnit) {
        match self.units.last_mut() {
            Some(last) if unit.first <= last.last => last.absorb(unit),
            _ => self.units.push(unit),
        }
    }

    /// Adds a statement with adjacent leading rows.
    pub fn statement(&mut self, first: u32, last: u32) {
        let first = self.take_leading(first);
        self.push(SyntaxUnit::code(first, last));
    }

    /// Returns the units, with trailing comments as a unit of their own.
    pub fn finish(mut self) -> Vec<SyntaxUnit> {
        self.flush();
        self.units
    }

    fn flush(&mut self) {
        if let Some(leading) = self.leading.take() {
            self.push(SyntaxUnit::code(leading.first, leading.last));
        }
    }
}

/// Returns the kind of a chunk that contains units of both kinds.
pub(crate) fn dominant_kind(a: ChunkKind, b: ChunkKind) -> ChunkKind {
    let rank = |kind: ChunkKind| match kind {
        ChunkKind::ClassHeader => 5,
        ChunkKind::Class => 4,
        ChunkKind::Function => 3,
        ChunkKind::Section => 2,
        ChunkKind::Code | ChunkKind::Imports => 1,
        ChunkKind::Lines | ChunkKind::LongLine | ChunkKind::Output => 0,
    };
    if rank(b) > rank(a) { b } else { a }
}
