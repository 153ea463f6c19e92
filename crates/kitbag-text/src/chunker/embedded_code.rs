//! Code that is embedded in a text of another language.

use crate::chunk::ChunkKind;
use crate::language::Language;

/// The parts of a text, and the code in them.
#[derive(Debug)]
pub(super) struct EmbeddedCode {
    pub language: &'static Language,
    /// The code, with as many rows as the text; blank if there is none.
    pub content: String,
    /// Parts in order, which share no rows.
    pub parts: Vec<EmbeddedPart>,
}

/// A part of a text, such as a section of a component or a cell of a notebook.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EmbeddedPart {
    /// First and last row.
    pub rows: (u32, u32),
    pub kind: ChunkKind,
    /// Name, such as `script`, or the heading of a cell.
    pub name: Option<String>,
    /// Whether the name is that of a section of a document, which can be searched for.
    pub is_heading: bool,
}
