//! Rows before which a unit that is too large for one chunk is best split.

use super::parser::advance;
use super::units::Rows;
use crate::language::CompiledGrammar;
use std::ops::RangeInclusive;
use tree_sitter::{Tree, TreeCursor};

/// The nesting depth of the node that begins at each row of a range, if any. The lower the depth, the
/// better the split.
#[derive(Debug, Default)]
pub struct SplitPoints {
    first: u32,
    depths: Vec<u8>,
}

/// Depth of a row at which no node begins.
const NONE: u8 = u8::MAX;

impl SplitPoints {
    /// Creates a range without split points.
    pub fn none(rows: Rows) -> Self {
        Self { first: rows.start, depths: vec![NONE; rows.len()] }
    }

    /// Creates the split points of `rows` from the [`SplitPoints::depths`] of another process. Fails if
    /// there is not one for each row.
    pub fn from_depths(rows: Rows, depths: Vec<u8>) -> Option<Self> {
        (depths.len() == rows.len()).then_some(Self { first: rows.start, depths })
    }

    /// Depth of each row, `u8::MAX` where no node begins.
    pub fn depths(&self) -> &[u8] {
        &self.depths
    }

    /// Returns the split points within `rows`.
    pub fn within(&self, rows: Rows) -> Self {
        let depth = |row: u32| self.depth(row).unwrap_or(NONE);
        Self { first: rows.start, depths: rows.map(depth).collect() }
    }

    /// Records that a node at `depth` begins at `row`. Rows outside the range are ignored.
    pub fn mark(&mut self, row: u32, depth: u32) {
        let index = row.checked_sub(self.first);
        if let Some(known) = index.and_then(|index| self.depths.get_mut(index as usize)) {
            *known = (*known).min(u8::try_from(depth).unwrap_or(NONE - 1).min(NONE - 1));
        }
    }

    /// Returns the depth of the split point before `row`, if any.
    pub fn depth(&self, row: u32) -> Option<u8> {
        let index = row.checked_sub(self.first)? as usize;
        self.depths.get(index).copied().filter(|&depth| depth != NONE)
    }

    /// Returns the minimum depth within `rows`.
    pub fn min_depth(&self, rows: RangeInclusive<u32>) -> u8 {
        rows.filter_map(|row| self.depth(row)).min().unwrap_or(0)
    }
}

/// Finds split points in a syntax tree: the rows at which named nodes begin. A node with leading comments
/// begins at its first comment.
///
/// The tree is traversed once, so rows must be queried in ascending order. Nodes outside the queried rows
/// are skipped.
pub(super) struct SplitPointFinder<'a> {
    grammar: &'a CompiledGrammar,
    content: &'a str,
    cursor: TreeCursor<'a>,
    depth: u32,
    /// Last row of the previous node, if it belongs to the next one.
    leading_end: Option<usize>,
    is_at_end: bool,
}

impl<'a> SplitPointFinder<'a> {
    pub fn new(grammar: &'a CompiledGrammar, tree: &'a Tree, content: &'a str) -> Self {
        let cursor = tree.walk();
        Self { grammar, content, cursor, depth: 0, leading_end: None, is_at_end: false }
    }

    /// Returns the split points within `rows`. The one before the first row is unspecified.
    pub fn find(&mut self, rows: Rows) -> SplitPoints {
        let mut split_points = SplitPoints::none(rows.clone());
        while !self.is_at_end {
            let node = self.cursor.node();
            let (start, end) = (node.start_position().row, node.end_position().row);
            if start >= rows.end as usize {
                break;
            }
            if node.is_named() {
                self.mark_node(&mut split_points);
            }
            match advance(&mut self.cursor, end > start && end >= rows.start as usize) {
                Some(change) => self.depth = self.depth.saturating_add_signed(change),
                None => self.is_at_end = true,
            }
        }
        split_points
    }

    /// Marks the row at which the current node begins.
    fn mark_node(&mut self, split_points: &mut SplitPoints) {
        let node = self.cursor.node();
        let (start, end) = (node.start_position(), node.end_position());
        let is_led = self.leading_end.is_some_and(|row| start.row <= row + 1);
        let before = &self.content.as_bytes()[node.start_byte() - start.column..node.start_byte()];
        if !is_led && before.iter().all(u8::is_ascii_whitespace) {
            split_points.mark(start.row as u32, self.depth);
        }
        let is_leading = self.grammar.role(node, self.content).is_leading();
        let last = if end.column == 0 { end.row.saturating_sub(1) } else { end.row };
        self.leading_end = is_leading.then_some(last);
    }
}

#[cfg(test)]
mod tests {
    use super::super::parser::run_parser;
    use super::*;
    use crate::cancel::Cancel;
    use crate::language::{Language, LanguageStructure};

    #[test]
    fn split_points_do_not_depend_on_the_queried_range() {
        let content = include_str!("split_points.rs");
        let rows = content.lines().count() as u32;
        let Some(LanguageStructure::Items(grammar)) =
            Language::named("rust").map(Language::structure)
        else {
            panic!("Rust has a grammar")
        };
        let grammar = grammar.compiled();
        let tree = run_parser(grammar, content, u32::MAX, &Cancel::default()).expect("it parses");
        let all = SplitPointFinder::new(grammar, &tree, content).find(0..rows);
        for length in [2, 7, 30] {
            let mut finder = SplitPointFinder::new(grammar, &tree, content);
            for start in (0..rows - length).step_by(length as usize + 3) {
                let split_points = finder.find(start..start + length);
                for row in start + 1..start + length {
                    assert_eq!(
                        split_points.depth(row),
                        all.depth(row),
                        "row {row} of {length} rows"
                    );
                }
            }
        }
    }
}
