//! Everything that needs a syntax tree: units, definitions, split points and comments.
//!
//! Grammars are C code, which a hostile text can crash or stall. A program therefore parses in other
//! processes, through a [`SyntaxParser`] of its own; without one, texts are parsed in this process. Only
//! this module uses tree-sitter.

mod calls;
mod collect;
mod comments;
mod equations;
mod items;
mod names;
mod nesting;
mod parse;
mod parser;
mod split_points;
mod step_cost;
mod symbols;
mod units;

pub use comments::comment_ranges;
pub use parse::InProcessParser;
pub use split_points::SplitPoints;
pub use units::{Definition, Rows, SyntaxUnit, TextStructure};

pub(crate) use units::dominant_kind;

use crate::cancel::{Cancel, Cancelled};
use crate::chunk::{ChunkLimits, Fallback};
use crate::language::{Language, LanguageStructure};
use crate::text::Text;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::OnceLock;

/// A text to parse.
#[derive(Debug, Clone, Copy)]
pub struct ParseRequest<'a> {
    /// Language, which must have a grammar.
    pub language: &'a Language,
    /// Content.
    pub content: &'a str,
    /// Limits on the work.
    pub limits: ParseLimits,
    /// Cancels the work.
    pub cancel: &'a Cancel,
}

/// Limits on parsing that give the same result on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ParseLimits {
    /// Maximum size of a text in bytes.
    pub max_file_bytes: usize,
    /// Maximum number of parser steps.
    pub max_parse_steps: u32,
    /// Maximum nesting depth.
    pub max_nesting_depth: u32,
}

impl From<&ChunkLimits> for ParseLimits {
    fn from(limits: &ChunkLimits) -> Self {
        let ChunkLimits { max_file_bytes, max_parse_steps, max_nesting_depth, .. } = *limits;
        Self { max_file_bytes, max_parse_steps, max_nesting_depth }
    }
}

/// Reason why a text has no syntax tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub enum ParseFailure {
    /// The structure of the text cannot be used.
    Fallback(#[from] Fallback),
    /// The work was cancelled.
    Cancelled(#[from] Cancelled),
}

/// Finds split points in the rows of a text. Must be called in ascending order of rows.
pub type FindSplitPoints<'a> = dyn FnMut(Rows) -> SplitPoints + 'a;

/// Parses texts, in this process or in another.
pub trait SyntaxParser: Send + Sync {
    /// Parses a text and passes its structure to `visit`, which may ask for split points. If it fails,
    /// what `visit` made of the text must not be used.
    fn parse(
        &self,
        request: &ParseRequest<'_>,
        visit: &mut dyn FnMut(TextStructure, &mut FindSplitPoints<'_>),
    ) -> Result<(), ParseFailure>;

    /// Returns why a text is not parsed, if it killed or stalled its parser before.
    fn known_failure(&self, _language: &Language, _content: &str) -> Option<Fallback> {
        None
    }

    /// Ends what the parser keeps for the next text. Texts can still be parsed afterwards.
    fn stop(&self) {}

    /// Returns the byte ranges of the comments in a text, in order.
    fn comments(&self, request: &ParseRequest<'_>) -> Result<Vec<Range<usize>>, ParseFailure>;
}

static PARSER: OnceLock<Box<dyn SyntaxParser>> = OnceLock::new();

/// Sets the parser of this process. Returns whether it was the first call; later ones have no effect.
pub fn set_parser(parser: Box<dyn SyntaxParser>) -> bool {
    PARSER.set(parser).is_ok()
}

/// Ends the processes that the parser keeps for the next text, if any.
pub fn stop_parser() {
    parser().stop();
}

/// Returns why the text of the file at `path` is not parsed, if it killed or stalled its parser before, or
/// if others did within the work of `cancel`.
pub fn known_failure(path: &str, text: &Text, cancel: &Cancel) -> Option<Fallback> {
    let known = parser().known_failure(Language::for_text(path, text)?, text.content());
    let is_denied = || cancel.parse_budget().has_denied(text.content());
    known.or_else(|| is_denied().then_some(Fallback::ParserBudgetExceeded))
}

/// Returns the fixed tokens of a language's grammar, such as `fn` and `{`, for generating texts.
pub fn fixed_tokens(language: &Language) -> Vec<&'static str> {
    let LanguageStructure::Items(grammar) = language.structure() else { return Vec::new() };
    let grammar = &grammar.compiled().language;
    let is_fixed = |&id: &u16| grammar.node_kind_is_visible(id) && !grammar.node_kind_is_named(id);
    let ids = (0..grammar.node_kind_count() as u16).filter(is_fixed);
    let mut tokens: Vec<&str> = ids.filter_map(|id| grammar.node_kind_for_id(id)).collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// Returns the parser of this process.
pub(crate) fn parser() -> &'static dyn SyntaxParser {
    PARSER.get().map_or(&InProcessParser, |parser| &**parser)
}
