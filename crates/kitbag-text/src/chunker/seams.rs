//! Seams: before which rows a text that is too large for one chunk is best cut.

use super::parse::next;
use super::ruler::Rows;
use crate::language::{Compiled, Role};
use std::ops::RangeInclusive;
use tree_sitter::{Tree, TreeCursor};

/// For each of some rows how deeply nested the statement is that begins there, if one does.
/// Shallow seams are better than deep ones.
#[derive(Debug, Default)]
pub(super) struct Seams {
    first: u32,
    depths: Vec<u8>,
}

/// Nothing begins at this row.
const NONE: u8 = u8::MAX;

impl Seams {
    /// No seams at all among `rows`.
    pub fn none(rows: Rows) -> Self {
        Self { first: rows.start, depths: vec![NONE; rows.len()] }
    }

    /// Those of `rows` alone.
    pub fn among(&self, rows: Rows) -> Self {
        let depth = |row: u32| self.depth(row).unwrap_or(NONE);
        Self { first: rows.start, depths: rows.map(depth).collect() }
    }

    /// Marks a row as one that something nested that deeply begins at.
    pub fn mark(&mut self, row: u32, depth: u32) {
        let place = row.checked_sub(self.first);
        if let Some(seam) = place.and_then(|place| self.depths.get_mut(place as usize)) {
            *seam = (*seam).min(u8::try_from(depth).unwrap_or(NONE - 1).min(NONE - 1));
        }
    }

    /// How deep the seam before `row` is, if there is one.
    pub fn depth(&self, row: u32) -> Option<u8> {
        let place = row.checked_sub(self.first)? as usize;
        self.depths.get(place).copied().filter(|&depth| depth != NONE)
    }

    /// The shallowest seam before one of `rows`.
    pub fn shallowest(&self, rows: RangeInclusive<u32>) -> u8 {
        rows.filter_map(|row| self.depth(row)).min().unwrap_or(0)
    }
}

/// Finds the seams of a syntax tree: where named nodes begin. A node that a comment leads begins
/// with its comment.
///
/// It goes through the tree once, and only into what shares a row with the rows that are asked
/// for, which have to come in order.
pub(super) struct SeamFinder<'a> {
    grammar: &'a Compiled,
    content: &'a [u8],
    cursor: TreeCursor<'a>,
    depth: u32,
    /// The last row of the node before, if it leads what follows.
    lead_end: Option<usize>,
    at_end: bool,
}

impl<'a> SeamFinder<'a> {
    /// A finder that stands at the root of `tree`.
    pub fn new(grammar: &'a Compiled, tree: &'a Tree, content: &'a str) -> Self {
        let (cursor, content) = (tree.walk(), content.as_bytes());
        Self { grammar, content, cursor, depth: 0, lead_end: None, at_end: false }
    }

    /// The seams among `rows`. Whether there is one before the first of them is left open.
    pub fn find(&mut self, rows: Rows) -> Seams {
        let mut seams = Seams::none(rows.clone());
        while !self.at_end {
            let node = self.cursor.node();
            let (start, end) = (node.start_position().row, node.end_position().row);
            if start >= rows.end as usize {
                break;
            }
            if node.is_named() {
                self.named(&mut seams);
            }
            match next(&mut self.cursor, end > start && end >= rows.start as usize) {
                Some(change) => self.depth = self.depth.saturating_add_signed(change),
                None => self.at_end = true,
            }
        }
        seams
    }

    /// Marks where the named node begins that the cursor stands at.
    fn named(&mut self, seams: &mut Seams) {
        let node = self.cursor.node();
        let (start, end) = (node.start_position(), node.end_position());
        let led = self.lead_end.is_some_and(|row| start.row <= row + 1);
        let before = &self.content[node.start_byte() - start.column..node.start_byte()];
        if !led && before.iter().all(u8::is_ascii_whitespace) {
            seams.mark(start.row as u32, self.depth);
        }
        let leads = self.grammar.role(node) == Role::Lead;
        let last = if end.column == 0 { end.row.saturating_sub(1) } else { end.row };
        self.lead_end = leads.then_some(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Structure;
    use crate::{Cancel, ChunkLimits, Language};

    #[test]
    fn rows_asked_for_alone_have_the_seams_that_all_rows_have() {
        let content = include_str!("seams.rs");
        let rows = content.lines().count() as u32;
        let Some(Structure::Items(grammar)) = Language::named("rust").map(Language::structure)
        else {
            panic!("Rust has a grammar")
        };
        let grammar = grammar.compiled();
        let tree = super::super::parse::parse(
            grammar,
            content,
            &ChunkLimits::default(),
            &Cancel::default(),
        )
        .expect("this file parses");
        let all = SeamFinder::new(grammar, &tree, content).find(0..rows);
        for length in [2, 7, 30] {
            let mut finder = SeamFinder::new(grammar, &tree, content);
            for start in (0..rows - length).step_by(length as usize + 3) {
                let seams = finder.find(start..start + length);
                for row in start + 1..start + length {
                    assert_eq!(seams.depth(row), all.depth(row), "row {row} of {length} rows");
                }
            }
        }
    }
}
