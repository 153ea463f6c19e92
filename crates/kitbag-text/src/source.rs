//! Sources: what providers gather and the packer packs.

use crate::{Chunk, Text};
use kitbag_tokens::Tally;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Content that may go into a pack.
#[derive(Debug, Clone)]
pub struct Source {
    /// Relative to the root, with `/`. It need not exist on disk.
    pub path: String,
    /// What kind of source it is.
    pub kind: Kind,
    /// The decoded content; its first line is the line that the content begins at in the file.
    pub text: Arc<Text>,
    /// How relevant its provider holds it, in \[0, 1\], if the provider knows.
    pub relevance: Option<f64>,
    /// When it last changed, in seconds since 1970.
    pub timestamp: Option<i64>,
    /// What is shown in place of the content, where it is not blank: the content with what is around
    /// it, or a summary. It is shown as a whole or not at all, under the content's line numbers,
    /// which say where the content stands in the file.
    pub expanded_context: Option<Arc<Text>>,
    /// The pieces it was cut into already, if it was: it is then not parsed again.
    pub pieces: Option<Vec<Piece>>,
    /// The token counts of the text's lines, where they are known: they are then not counted again.
    /// They are the text's own, by the counter that the pack is counted with.
    pub tally: Option<Arc<Tally>>,
    /// Who gathered it, where that is known.
    pub from: Option<Arc<Provenance>>,
}

impl Source {
    /// A source of which nothing more is known.
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

/// Who gathered a source, and what its provider says of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The provider's id.
    pub provider: String,
    /// What a section with the provider's sources is called.
    pub title: String,
    /// The priority of its sources, from 0 to 100, in place of their kind's.
    pub priority: Option<u32>,
    /// Whether the text is no file's, but was written by the provider to be read as it stands.
    pub prose: bool,
}

/// A chunk that came cut, with what its provider knows of it.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The chunk.
    pub chunk: Chunk,
    /// How relevant it is, in \[0, 1\], where that is known for the chunk itself.
    pub relevance: Option<f64>,
}

/// The kinds of sources, which decide a source's priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The output of a tool that the agent ran.
    ToolResult,
    /// The document that is being worked on.
    Document,
    /// Errors and warnings.
    Diagnostics,
    /// The selected text.
    Selection,
    /// A file that is open in the editor.
    OpenFile,
    /// The lines around the cursor.
    Cursor,
    /// The heading or symbol that the cursor is under.
    Heading,
    /// Recent edits and commits.
    History,
    /// What a search found.
    SearchResult,
    /// A rule's context.
    Rule,
    /// The project's conventions.
    Style,
    /// A file that something refers to.
    Reference,
    /// Anything else.
    Other,
}

impl Kind {
    /// All kinds with their names and default priorities, the highest first.
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

    /// Its name in requests and reports.
    pub fn name(self) -> &'static str {
        Self::ALL[self.index()].1
    }

    /// Its default priority, from 0 to 100.
    pub fn default_priority(self) -> u32 {
        Self::ALL[self.index()].2
    }

    /// Its place in [`Kind::ALL`].
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
    fn every_kind_stands_at_its_own_place() {
        for (place, (kind, name, _)) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind.index(), place);
            assert_eq!(name.parse(), Ok(kind));
        }
    }
}
