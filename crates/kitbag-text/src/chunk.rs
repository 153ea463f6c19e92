//! Chunks: the functions, classes and sections that a pack is assembled from.

use crate::language::Language;
use crate::span::Span;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A range of whole lines of one text. Its first and last lines are not blank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Line range.
    pub span: Span,
    /// Kind of code or text in it.
    pub kind: ChunkKind,
    /// Symbol path it belongs to, such as `UserService.get_user`, or the heading of its section.
    pub symbol: Option<String>,
    /// Symbol paths of all definitions in it, in order.
    pub defines: Vec<String>,
    /// Lines of its outline, signatures and doc comments, in order and not adjacent. Empty if an outline
    /// would not be much shorter.
    pub outline: Vec<Span>,
    /// Position among the parts of an item that had to be split.
    pub part: Option<ChunkPart>,
    /// Token count by the counter passed to the chunker.
    pub tokens: u32,
}

impl Chunk {
    /// Creates a chunk of lines without known structure.
    pub fn lines(span: Span, tokens: u32) -> Self {
        let (defines, outline) = (Vec::new(), Vec::new());
        Self { span, kind: ChunkKind::Lines, symbol: None, defines, outline, part: None, tokens }
    }
}

/// Kind of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkKind {
    /// One function or method, or several small ones.
    Function,
    /// A class, struct, trait, module or other item with members.
    Class,
    /// The beginning of a class that was too large for one chunk.
    ClassHeader,
    /// A section of a document with headings.
    Section,
    /// Code outside any item: imports, constants, statements.
    Code,
    /// Only imports, re-exports and comments.
    Imports,
    /// Lines of a text without known structure.
    Lines,
    /// A single line that exceeds the size limit. It is never packed.
    LongLine,
    /// What a cell of a notebook printed, and the data of the notebook.
    Output,
}

impl ChunkKind {
    /// Name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Class => "class",
            Self::ClassHeader => "class_header",
            Self::Section => "section",
            Self::Code => "code",
            Self::Imports => "imports",
            Self::Lines => "lines",
            Self::LongLine => "long_line",
            Self::Output => "output",
        }
    }
}

/// Position among the parts of a split item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChunkPart {
    /// Part number, starting at 1.
    pub number: u32,
    /// Number of parts.
    pub of: u32,
}

/// Limits on the size of chunks and on the work spent per file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkLimits {
    /// Maximum tokens per chunk.
    pub max_chunk_tokens: u32,
    /// Maximum tokens of a class before it is split into its header and members.
    pub max_class_tokens: u32,
    /// Adjacent chunks with fewer tokens are merged.
    pub min_chunk_tokens: u32,
    /// Lines per chunk in texts without structure.
    pub lines_per_chunk: u32,
    /// Files larger than this are split by lines.
    pub max_file_bytes: usize,
    /// Parser steps, counted as progress callbacks and pages read, after which the file is split by
    /// lines. The default is about a second of work. Large files with many syntax errors, where steps
    /// are slower, get fewer.
    pub max_parse_steps: u32,
    /// Files nested deeper than this are split by lines.
    pub max_nesting_depth: u32,
    /// Default strategy.
    pub strategy: ChunkStrategy,
    /// Strategies that override the default, by language name.
    pub languages: BTreeMap<String, ChunkStrategy>,
    /// Whether files that exceed a limit are split by lines; otherwise they have no chunks.
    pub fallback_on_error: bool,
}

impl ChunkLimits {
    /// Returns the strategy for files in `language`.
    pub fn strategy_for(&self, language: Option<&Language>) -> ChunkStrategy {
        let own = language.and_then(|language| self.languages.get(language.name()));
        own.copied().unwrap_or(self.strategy)
    }
}

impl Default for ChunkLimits {
    fn default() -> Self {
        Self {
            max_chunk_tokens: 2_000,
            max_class_tokens: 2_000,
            min_chunk_tokens: 100,
            lines_per_chunk: 50,
            max_file_bytes: 10 << 20,
            max_parse_steps: 50_000,
            max_nesting_depth: 50,
            strategy: ChunkStrategy::Structure,
            languages: BTreeMap::new(),
            fallback_on_error: true,
        }
    }
}

/// How files are split into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkStrategy {
    /// Along the structure of the text if it is known, otherwise by lines.
    Structure,
    /// By number of lines.
    Lines,
    /// By number of tokens, at line ends.
    Tokens,
}

/// The chunks of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkedText {
    /// Chunks in order. They do not overlap and cover every line that is not blank. Empty if a limit was
    /// exceeded and `fallback_on_error` is off.
    pub chunks: Vec<Chunk>,
    /// Reason why the structure of the text was not used, although its language has one.
    pub fallback: Option<Fallback>,
}

/// Reason for not using the structure of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// The file exceeds the size limit.
    #[error("the file is too large to parse")]
    FileTooLarge,
    /// The parser exceeded its number of steps.
    #[error("parsing took too many steps")]
    ParseTooLong,
    /// The nesting exceeds the depth limit.
    #[error("the nesting is too deep")]
    NestedTooDeeply,
    /// A large part of the text does not parse.
    #[error("too many parse errors")]
    TooManyErrors,
    /// The language has no grammar.
    #[error("the language has no grammar")]
    NoGrammar,
    /// The parser process died.
    #[error("the parser crashed")]
    ParserCrashed,
    /// The parser process exceeded its CPU time.
    #[error("the parser exceeded its time limit")]
    ParserTimeLimit,
    /// The parser process exceeded its memory.
    #[error("the parser exceeded its memory limit")]
    ParserMemoryLimit,
    /// No parser process could be started.
    #[error("no parser process could be started")]
    ParserUnavailable,
    /// Other texts have used up the CPU time for expensive ones.
    #[error("other files took the parsers too long")]
    ParserBudgetExceeded,
}

impl Fallback {
    /// Whether the text killed or stalled its parser, rather than exceeding a limit that is counted.
    pub fn is_parser_failure(self) -> bool {
        self == Self::ParserCrashed || self.depends_on_machine()
    }

    /// Whether another machine, or this one at another time, might have parsed the text.
    pub fn depends_on_machine(self) -> bool {
        matches!(
            self,
            Self::ParserTimeLimit
                | Self::ParserMemoryLimit
                | Self::ParserUnavailable
                | Self::ParserBudgetExceeded
        )
    }
}
