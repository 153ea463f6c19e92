//! Sources: content that providers gather for a pack.

use crate::chunk::Chunk;
use crate::text::Text;
use kitbag_tokens::Tally;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Content that may be packed.
#[derive(Debug, Clone)]
pub struct Source {
    /// Path relative to the root, with `/`. The file need not exist.
    pub path: String,
    /// Kind, which determines its priority.
    pub kind: Kind,
    /// Content, numbered by its lines in the file.
    pub text: Arc<Text>,
    /// Relevance in \[0, 1\], if the provider knows it.
    pub relevance: Option<f64>,
    /// Time of its last change, in seconds since the Unix epoch.
    pub timestamp: Option<i64>,
    /// Text shown instead of the content unless it is blank, such as the content with its surroundings or
    /// a summary. It is shown entirely or not at all, under the line numbers of the content.
    pub expanded_context: Option<Arc<Text>>,
    /// Chunks, if the provider has already split the content; it is then not parsed again.
    pub pieces: Option<Vec<Piece>>,
    /// Tally of `text` by the counter of the pack, if known; it is then not counted again.
    pub tally: Option<Arc<Tally>>,
    /// Provider that gathered it, if known.
    pub from: Option<Arc<Provenance>>,
}

impl Source {
    /// Creates a source without optional details.
    pub fn new(path: impl Into<String>, kind: Kind, text: Arc<Text>) -> Self {
        Self {
            path: path.into(),
            kind,
            text,
            relevance: None,
            timestamp: None,
            expanded_context: None,
            pieces: None,
            tally: None,
            from: None,
        }
    }
}

/// The provider of a source and the attributes it sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Provider id.
    pub provider: String,
    /// Title of the section with the provider's sources.
    pub title: String,
    /// Priority from 0 to 100 that replaces the default of the kind.
    pub priority: Option<u32>,
    /// Whether the text is prose written by the provider rather than content of a file.
    pub is_prose: bool,
}

/// A chunk that was split off by a provider, with its relevance.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The chunk itself.
    pub chunk: Chunk,
    /// Relevance of the chunk in \[0, 1\], if it differs from that of the source.
    pub relevance: Option<f64>,
}

/// Kind of a source, which determines its priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Output of a tool that the agent ran.
    ToolResult,
    /// The document being edited.
    Document,
    /// Errors and warnings.
    Diagnostics,
    /// Selected text.
    Selection,
    /// A file open in the editor.
    OpenFile,
    /// Lines around the cursor.
    Cursor,
    /// Heading or symbol that contains the cursor.
    Heading,
    /// Recent edits and commits.
    History,
    /// A search result.
    SearchResult,
    /// Context added by a rule.
    Rule,
    /// Conventions of the project.
    Style,
    /// A referenced file.
    Reference,
    /// Anything else.
    Other,
}

impl Kind {
    /// All kinds with their names and default priorities, highest first.
    pub const ALL: [(Kind, &'static str, u32); 13] = [
        (Kind::ToolResult, "tool_result", 100),
        (Kind::Document, "document", 100),
        (Kind::Diagnostics, "diagnostics", 90),
        (Kind::Selection, "selection", 80),
        (Kind::OpenFile, "open_file", 80),
        (Kind::Cursor, "cursor", 70),
        (Kind::Heading, "heading", 70),
        (Kind::History, "history", 70),
        (Kind::SearchResult, "search_result", 60),
        (Kind::Rule, "rule", 60),
        (Kind::Style, "style", 50),
        (Kind::Reference, "reference", 40),
        (Kind::Other, "other", 40),
    ];

    /// Name used in requests and reports.
    pub fn name(self) -> &'static str {
        Self::ALL[self.index()].1
    }

    /// Index in [`Kind::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.iter().find(|entry| entry.1 == name).map(|entry| entry.0).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_listed_in_declaration_order() {
        for (index, (kind, name, _)) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind.index(), index);
            assert_eq!(name.parse(), Ok(kind));
        }
    }
}
