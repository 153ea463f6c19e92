//! Seams: before which rows a text that is too large for one chunk is best cut.

use super::parse::next;
use crate::language::{Compiled, Role};
use std::ops::RangeInclusive;
use tree_sitter::Tree;

/// For each row how deeply nested the statement is that begins there, if one does. Shallow seams
/// are better than deep ones.
#[derive(Debug, Default)]
pub(super) struct Seams(Vec<u8>);

/// Nothing begins at this row.
const NONE: u8 = u8::MAX;

impl Seams {
    /// No seams at all in a text of that many rows.
    pub fn none(rows: u32) -> Self {
        Self(vec![NONE; rows as usize])
    }

    /// The seams of a syntax tree: where named nodes begin. A node that a comment leads begins
    /// with its comment.
    pub fn of_tree(grammar: &Compiled, tree: &Tree, content: &str, rows: u32) -> Self {
        let mut seams = Self::none(rows);
        let mut cursor = tree.walk();
        let mut lead_end = None;
        let mut depth = 0;
        loop {
            let node = cursor.node();
            let (start, end) = (node.start_position(), node.end_position());
            if node.is_named() {
                let led = lead_end.is_some_and(|row| start.row <= row + 1);
                let line = &content.as_bytes()[node.start_byte() - start.column..node.start_byte()];
                if !led && line.iter().all(u8::is_ascii_whitespace) {
                    seams.mark(start.row, depth);
                }
                let leads = grammar.role(node) == Role::Lead;
                lead_end = leads
                    .then(|| if end.column == 0 { end.row.saturating_sub(1) } else { end.row });
            }
            match next(&mut cursor, end.row > start.row) {
                Some(change) => depth = depth.saturating_add_signed(change),
                None => return seams,
            }
        }
    }

    /// Marks a row as one that something nested that deeply begins at.
    pub fn mark(&mut self, row: usize, depth: u32) {
        if let Some(seam) = self.0.get_mut(row) {
            *seam = (*seam).min(u8::try_from(depth).unwrap_or(NONE - 1).min(NONE - 1));
        }
    }

    /// How deep the seam before `row` is, if there is one.
    pub fn depth(&self, row: u32) -> Option<u8> {
        self.0.get(row as usize).copied().filter(|&depth| depth != NONE)
    }

    /// The shallowest seam before one of `rows`.
    pub fn shallowest(&self, rows: RangeInclusive<u32>) -> u8 {
        rows.filter_map(|row| self.depth(row)).min().unwrap_or(0)
    }
}
