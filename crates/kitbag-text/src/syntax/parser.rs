//! Running tree-sitter with a limit on steps, and walking its trees.

use crate::cancel::Cancel;
use crate::language::CompiledGrammar;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree, TreeCursor};

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Number of bytes that the parser reads at once.
const PAGE_BYTES: usize = 4096;

/// Parses `content` in at most `max_steps` steps. Steps rather than time are limited, so that the result
/// is deterministic. Each page read is also a step, because scanners may read to the end of the text at
/// every token; once the limit is reached or `cancel` is set, they see the end of the text.
pub(super) fn run_parser(
    grammar: &CompiledGrammar,
    content: &str,
    max_steps: u32,
    cancel: &Cancel,
) -> Option<Tree> {
    let steps = Cell::new(0u32);
    let must_stop = || {
        steps.set(steps.get().saturating_add(1));
        steps.get() > max_steps || cancel.is_cancelled()
    };
    let mut progress = |_: &ParseState| {
        if must_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = parser_input(grammar, content);
    let mut read = |at: usize, _| {
        let end = if must_stop() { at } else { bytes.len().min(at.saturating_add(PAGE_BYTES)) };
        bytes.get(at..end).unwrap_or_default()
    };
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&grammar.language).ok()?;
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        parser.reset();
        tree.filter(|_| steps.get() <= max_steps && !cancel.is_cancelled())
    })
}

/// Returns the bytes of `content`, with non-ASCII bytes replaced if the scanner requires it.
fn parser_input<'a>(grammar: &CompiledGrammar, content: &'a str) -> Cow<'a, [u8]> {
    if !grammar.quirks.ascii_only || content.is_ascii() {
        return Cow::Borrowed(content.as_bytes());
    }
    content.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect()
}

/// Whether more than a third of a text does not parse.
pub(super) fn has_too_many_errors(tree: &Tree, bytes: usize) -> bool {
    tree.root_node().has_error() && error_bytes(tree) > bytes / 3
}

/// Counts the bytes of error nodes that are not in a child with children of its own.
fn error_bytes(tree: &Tree) -> usize {
    let mut bytes = 0;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() {
            bytes += node.byte_range().len();
            let mut children = node.walk();
            let parsed = node.children(&mut children).filter(|child| child.child_count() > 0);
            bytes -= parsed.map(|child| child.byte_range().len()).sum::<usize>();
        }
        if advance(&mut cursor, node.has_error()).is_none() {
            return bytes;
        }
    }
}

/// Moves to the next node in pre-order, skipping the children of the current node unless `descend`.
/// Returns the change in depth, or `None` at the end.
pub(super) fn advance(cursor: &mut TreeCursor<'_>, descend: bool) -> Option<i32> {
    if descend && cursor.goto_first_child() {
        return Some(1);
    }
    let mut change = 0;
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return None;
        }
        change -= 1;
    }
    Some(change)
}

/// Returns the first and last row of a node, excluding a row of which it includes only the beginning.
pub(super) fn rows(node: Node<'_>) -> (u32, u32) {
    let (start, end) = (node.start_position(), node.end_position());
    let last = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    (start.row as u32, last as u32)
}
