//! Parsing with limits on work, nesting and errors.

use super::nesting::{Nesting, check_parseable};
use super::step_cost::step_cost;
use crate::cancel::{Cancel, Cancelled};
use crate::chunk::{ChunkLimits, Fallback};
use crate::language::CompiledGrammar;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use tree_sitter::{ParseOptions, ParseState, Parser, Tree, TreeCursor};

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Reason why a text has no syntax tree.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub(super) enum ParseFailure {
    Fallback(#[from] Fallback),
    Cancelled(#[from] Cancelled),
}

pub(super) fn parse(
    grammar: &CompiledGrammar,
    content: &str,
    limits: &ChunkLimits,
    cancel: &Cancel,
) -> Result<Tree, ParseFailure> {
    if content.len() > limits.max_file_bytes {
        return Err(Fallback::FileTooLarge.into());
    }
    let (nesting, depth) = (Nesting::of(content), limits.max_nesting_depth);
    check_parseable(content, nesting, depth)?;
    let max_steps = limits.max_parse_steps / step_cost(grammar, content, cancel);
    let tree = run_parser(grammar, content, max_steps, cancel);
    cancel.check()?;
    let tree = tree.ok_or(Fallback::ParseTooLong)?;
    if nesting.brackets > depth && nests_deeper(&tree, content, depth) {
        return Err(Fallback::NestedTooDeeply.into());
    }
    if has_too_many_errors(&tree, content.len()) {
        return Err(Fallback::TooManyErrors.into());
    }
    Ok(tree)
}

/// Whether more than a third of a text does not parse.
pub(super) fn has_too_many_errors(tree: &Tree, bytes: usize) -> bool {
    tree.root_node().has_error() && error_bytes(tree) > bytes / 3
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

/// Whether bracket tokens nest deeper than `depth`. Nodes with too few brackets to exceed it are skipped.
fn nests_deeper(tree: &Tree, content: &str, depth: u32) -> bool {
    let is_opening = |(_, byte): &(usize, u8)| matches!(byte, b'(' | b'[' | b'{');
    let openings: Vec<usize> =
        content.bytes().enumerate().filter(is_opening).map(|(at, _)| at).collect();
    let openings_before = |at: usize| openings.partition_point(|&opening| opening < at);
    let mut open = 0u32;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let range = node.byte_range();
        let mut descend = node.child_count() > 0;
        if descend {
            let within = openings_before(range.end) - openings_before(range.start);
            descend = within + open as usize > depth as usize;
        } else if range.len() == 1 && !node.is_named() {
            match content.as_bytes()[range.start] {
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' => open = open.saturating_sub(1),
                _ => {}
            }
            if open > depth {
                return true;
            }
        }
        if advance(&mut cursor, descend).is_none() {
            return false;
        }
    }
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
