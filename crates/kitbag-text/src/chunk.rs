//! Chunks: the whole functions, classes and sections that a pack is made of.

use crate::{Language, Span};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A run of whole lines of one text. It begins and ends with a line that is not blank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Its lines.
    pub span: Span,
    /// What it is.
    pub kind: ChunkKind,
    /// The symbol path it belongs to, such as `UserService.get_user`, or a section's heading.
    pub symbol: Option<String>,
    /// The symbol paths of everything that is defined in it, in order.
    pub defines: Vec<String>,
    /// The lines that make its outline: signatures and doc comments, in order, apart from each
    /// other. Empty where an outline would say nothing.
    pub outline: Vec<Span>,
    /// Which part of how many it is, where an item had to be split.
    pub part: Option<Part>,
    /// Its tokens, for the counter that the chunker was given.
    pub tokens: u32,
}

/// What a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkKind {
    /// A function or a method, or several small ones.
    Function,
    /// A class, struct, trait, module or another thing with members.
    Class,
    /// The head of a class that was too large for one chunk.
    ClassHeader,
    /// A section of headed text.
    Section,
    /// Code outside any item: imports, constants, statements.
    Code,
    /// Lines, where no structure was to be had.
    Lines,
    /// A single line that is larger than a chunk may be. It is never packed.
    LongLine,
}

impl ChunkKind {
    /// Its name, as it is written in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Class => "class",
            Self::ClassHeader => "class_header",
            Self::Section => "section",
            Self::Code => "code",
            Self::Lines => "lines",
            Self::LongLine => "long_line",
        }
    }
}

/// A part of an item that was split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    /// Which part, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

/// How large chunks may be, and how much work a file may cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkLimits {
    /// What a chunk costs at most.
    pub max_chunk_tokens: u32,
    /// What a class costs at most before it becomes its header and its members.
    pub max_class_tokens: u32,
    /// Neighbours that cost less are joined.
    pub min_chunk_tokens: u32,
    /// Lines a chunk, where there is no structure.
    pub lines_per_chunk: u32,
    /// Files larger than this are cut by lines.
    pub max_file_bytes: usize,
    /// Calls of the parser's progress callback, and pages of text that it reads, after which the
    /// file is cut by lines. The default is about a second's work; in a large text of which the
    /// grammar makes little, where a step costs more, there are fewer.
    pub max_parse_steps: u32,
    /// Files nested deeper than this are cut by lines.
    pub max_nesting_depth: u32,
    /// How files are cut.
    pub cut: Cut,
    /// How files of some languages are cut, by the language's name, whatever `cut` says.
    pub languages: BTreeMap<String, Cut>,
    /// Whether files that run into a guard are cut by lines; else they have no chunks.
    pub fallback_on_error: bool,
}

impl ChunkLimits {
    /// How files of a language are cut.
    pub fn cut_of(&self, language: Option<&Language>) -> Cut {
        let own = language.and_then(|language| self.languages.get(language.name()));
        own.copied().unwrap_or(self.cut)
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
            cut: Cut::Structure,
            languages: BTreeMap::new(),
            fallback_on_error: true,
        }
    }
}

/// How files are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Along their structure where there is one, else by lines.
    Structure,
    /// By lines.
    Lines,
    /// By tokens, at line ends.
    Tokens,
}

/// A text, cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunked {
    /// The chunks, in order. They share no line, and cover every line that is not blank. There are
    /// none where a guard was run into and cutting by lines is switched off.
    pub chunks: Vec<Chunk>,
    /// Why the text was cut by lines, or not at all, although its language has a structure.
    pub fallback: Option<Fallback>,
}

/// Why a text was cut by lines although its language has a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// The file is larger than the limit.
    FileTooLarge,
    /// The parser had done its share of work and was not done.
    ParseTooLong,
    /// It is nested too deeply.
    NestedTooDeeply,
    /// It has a great many parse errors.
    TooManyErrors,
}

impl std::fmt::Display for Fallback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::FileTooLarge => "the file is too large to parse",
            Self::ParseTooLong => "parsing took too many steps",
            Self::NestedTooDeeply => "it is nested too deeply",
            Self::TooManyErrors => "it has too many parse errors",
        })
    }
}
