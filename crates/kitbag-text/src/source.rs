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
    #[doc(hidden)]
    pub tally: Option<Arc<Tally>>,
    /// Provider that gathered it, if known.
    pub from: Option<Arc<Provenance>>,
    /// Whether the caller named or supplied it, as opposed to what was found or is open in an editor.
    pub is_given: bool,
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
            is_given: false,
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
    /// Changed lines of a file, as a diff.
    Diff,
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
    /// A description of the repository as a whole, such as its tree.
    Overview,
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
    /// All kinds, by default priority, highest first.
    pub const ALL: [Kind; 15] = [
        Kind::ToolResult,
        Kind::Document,
        Kind::Diff,
        Kind::Diagnostics,
        Kind::Selection,
        Kind::OpenFile,
        Kind::Cursor,
        Kind::Heading,
        Kind::History,
        Kind::Overview,
        Kind::SearchResult,
        Kind::Rule,
        Kind::Style,
        Kind::Reference,
        Kind::Other,
    ];

    /// Name used in requests and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolResult => "tool_result",
            Self::Document => "document",
            Self::Diff => "diff",
            Self::Diagnostics => "diagnostics",
            Self::Selection => "selection",
            Self::OpenFile => "open_file",
            Self::Cursor => "cursor",
            Self::Heading => "heading",
            Self::History => "history",
            Self::Overview => "overview",
            Self::SearchResult => "search_result",
            Self::Rule => "rule",
            Self::Style => "style",
            Self::Reference => "reference",
            Self::Other => "other",
        }
    }

    /// Priority from 0 to 100, unless a setting specifies another.
    pub fn default_priority(self) -> u32 {
        match self {
            Self::ToolResult | Self::Document | Self::Diff => 100,
            Self::Diagnostics => 90,
            Self::Selection | Self::OpenFile => 80,
            Self::Cursor | Self::Heading | Self::History | Self::Overview => 70,
            Self::SearchResult | Self::Rule => 60,
            Self::Style => 50,
            Self::Reference | Self::Other => 40,
        }
    }

    /// Whether its text is written by a provider, so that the numbers of its lines mean nothing.
    pub fn is_generated(self) -> bool {
        matches!(self, Self::Diff | Self::Overview)
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
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_listed_in_declaration_order() {
        for (index, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind.index(), index);
            assert_eq!(kind.name().parse(), Ok(kind));
        }
    }
}
