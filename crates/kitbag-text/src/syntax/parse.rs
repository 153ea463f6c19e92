//! Parsing in this process, with limits on work, nesting and errors.

use super::collect::collect;
use super::comments::comments_of;
use super::nesting::{Nesting, check_parseable};
use super::parser::{advance, has_too_many_errors, run_parser};
use super::split_points::SplitPointFinder;
use super::step_cost::step_cost;
use super::{FindSplitPoints, ParseFailure, ParseRequest, SyntaxParser, TextStructure};
use crate::chunk::Fallback;
use crate::language::{CompiledGrammar, LanguageStructure};
use std::ops::Range;
use tree_sitter::Tree;

/// Parses in this process: a text that crashes its grammar ends the process.
#[derive(Debug, Clone, Copy)]
pub struct InProcessParser;

impl SyntaxParser for InProcessParser {
    fn parse(
        &self,
        request: &ParseRequest<'_>,
        visit: &mut dyn FnMut(TextStructure, &mut FindSplitPoints<'_>),
    ) -> Result<(), ParseFailure> {
        let (grammar, tree) = parse(request)?;
        let structure = collect(grammar, &tree, request.content, request.limits.max_nesting_depth)?;
        request.cancel.check()?;
        let mut finder = SplitPointFinder::new(grammar, &tree, request.content);
        visit(structure, &mut |rows| finder.find(rows));
        Ok(())
    }

    fn comments(&self, request: &ParseRequest<'_>) -> Result<Vec<Range<usize>>, ParseFailure> {
        Ok(comments_of(&parse(request)?.1))
    }
}

fn parse(request: &ParseRequest<'_>) -> Result<(&'static CompiledGrammar, Tree), ParseFailure> {
    let ParseRequest { language, content, limits, cancel } = *request;
    let LanguageStructure::Items(grammar) = language.structure() else {
        return Err(Fallback::NoGrammar.into());
    };
    if content.len() > limits.max_file_bytes {
        return Err(Fallback::FileTooLarge.into());
    }
    let grammar = grammar.compiled();
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
    Ok((grammar, tree))
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
