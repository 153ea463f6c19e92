//! Parsing, with its guards: how much work a file may cause, how deep it may nest, and how many
//! errors it may have.

use super::Unparsed;
use super::sample::cost_of_steps;
use super::shape::{Nesting, unfit};
use crate::language::Compiled;
use crate::{Cancel, ChunkLimits, Fallback};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use tree_sitter::{ParseOptions, ParseState, Parser, Tree, TreeCursor};

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Parses `content`, or says why it is cut by lines, or that nobody wants it any more.
pub(super) fn parse(
    grammar: &Compiled,
    content: &str,
    limits: &ChunkLimits,
    cancel: &Cancel,
) -> Result<Tree, Unparsed> {
    if content.len() > limits.max_file_bytes {
        return Err(Fallback::FileTooLarge.into());
    }
    let (nesting, depth) = (Nesting::of(content), limits.max_nesting_depth);
    if let Some(fallback) = unfit(content, nesting, depth) {
        return Err(fallback.into());
    }
    let max_steps = limits.max_parse_steps / cost_of_steps(grammar, content, cancel);
    let tree = run(grammar, content, max_steps, cancel);
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

/// Whether the parser could make nothing of a third of a text.
pub(super) fn has_too_many_errors(tree: &Tree, bytes: usize) -> bool {
    tree.root_node().has_error() && error_bytes(tree) > bytes / 3
}

/// How much text the parser is handed at once.
const PAGE: usize = 4096;

/// Parses, counting steps and not time, so that the same text always gives the same answer. A page
/// that the parser asks for is a step as well: scanners that are lost read to the end of the text
/// at every token. When the steps are used up, or the flag is up, the text ends, so that they stop.
pub(super) fn run(
    grammar: &Compiled,
    content: &str,
    max_steps: u32,
    cancel: &Cancel,
) -> Option<Tree> {
    let steps = Cell::new(0u32);
    let used_up = || {
        steps.set(steps.get().saturating_add(1));
        steps.get() > max_steps || cancel.is_cancelled()
    };
    let mut progress =
        |_: &ParseState| if used_up() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let bytes = shown(grammar, content);
    let mut read = |at: usize, _| {
        let end = if used_up() { at } else { bytes.len().min(at.saturating_add(PAGE)) };
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

/// The bytes that the parser is shown: the text's own, or as many that are ASCII.
fn shown<'a>(grammar: &Compiled, content: &'a str) -> Cow<'a, [u8]> {
    if !grammar.traits.ascii_only || content.is_ascii() {
        return Cow::Borrowed(content.as_bytes());
    }
    content.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect()
}

/// Whether brackets that are tokens of their own open deeper than `depth`. What has too few
/// brackets inside to get there is not looked into.
fn nests_deeper(tree: &Tree, content: &str, depth: u32) -> bool {
    let opening = |(_, byte): &(usize, u8)| matches!(byte, b'(' | b'[' | b'{');
    let openings: Vec<usize> =
        content.bytes().enumerate().filter(opening).map(|(at, _)| at).collect();
    let openings_before = |at: usize| openings.partition_point(|&opening| opening < at);
    let mut open = 0u32;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let range = node.byte_range();
        let mut inside = node.child_count() > 0;
        if inside {
            let within = openings_before(range.end) - openings_before(range.start);
            inside = within + open as usize > depth as usize;
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
        if next(&mut cursor, inside).is_none() {
            return false;
        }
    }
}

/// The bytes that the parser could make nothing of: those of error nodes that are in none of
/// their larger children.
fn error_bytes(tree: &Tree) -> usize {
    let mut bytes = 0;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() {
            bytes += node.byte_range().len();
            let mut children = node.walk();
            let known = node.children(&mut children).filter(|child| child.child_count() > 0);
            bytes -= known.map(|child| child.byte_range().len()).sum::<usize>();
        }
        if next(&mut cursor, node.has_error()).is_none() {
            return bytes;
        }
    }
}

/// Goes to the next node in reading order, into the children of this one if `inside`. Answers how
/// much deeper it stands; `None` at the end.
pub(super) fn next(cursor: &mut TreeCursor<'_>, inside: bool) -> Option<i32> {
    if inside && cursor.goto_first_child() {
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
