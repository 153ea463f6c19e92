//! The open document, and where the caller is in it.

use super::prose;
use crate::editor::Editor;
use crate::provider::{Gathered, Gathering, Provider, ProviderError};
use crate::request::Request;
use kitbag_text::{Chunk, Kind, Piece, Source, Span, Text, chunk_text};
use std::sync::Arc;

/// So many lines before and after the cursor.
const AROUND: u32 = 20;

/// The whole document.
pub(super) struct Document;

impl Provider for Document {
    fn id(&self) -> &str {
        "document"
    }

    fn title(&self) -> &str {
        "Document"
    }

    fn description(&self) -> &str {
        "The open document, the part around the cursor first."
    }

    fn applies(&self, request: &Request) -> bool {
        request.document.is_some()
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        let Some(editor) = &gathering.editor else { return Ok(Gathered::default()) };
        let source = Source::new(&editor.path, Kind::Document, Arc::clone(&editor.text));
        let position = editor.position();
        let source = match position {
            None => Source { relevance: Some(1.0), ..source },
            Some(span) => {
                let (chunking, counting) = (&gathering.chunking, &gathering.counting);
                let cut = || chunk_text(&editor.path, &editor.text, chunking, counting).chunks;
                let chunks = gathering.pool.install(cut);
                Source { pieces: Some(by_nearness(chunks, span)), ..source }
            }
        };
        let mut gathered = Gathered::from(vec![source]);
        let redactions = (editor.path.clone(), editor.redactions.clone());
        gathered.inputs.redactions.push(redactions);
        (gathered.is_undated, gathered.is_limited) = (true, true);
        Ok(gathered)
    }
}

/// The chunks, the more relevant the nearer they are to some lines.
fn by_nearness(chunks: Vec<Chunk>, position: Span) -> Vec<Piece> {
    let distance = |chunk: &Chunk| {
        let before = chunk.span.start.saturating_sub(position.end);
        before.max(position.start.saturating_sub(chunk.span.end))
    };
    let piece = |chunk: Chunk| {
        let relevance = 1.0 / (1.0 + f64::from(distance(&chunk)) / 200.0);
        Piece { chunk, relevance: Some(relevance) }
    };
    chunks.into_iter().map(piece).collect()
}

impl Editor {
    /// Where the caller is: what is selected, or the line of the cursor.
    pub fn position(&self) -> Option<Span> {
        let cursor = self.cursor.map(|cursor| Span::new(cursor.line, cursor.line));
        self.selection.as_ref().map(|selected| selected.span).or(cursor)
    }
}

/// What is selected.
pub(super) struct Selection;

impl Provider for Selection {
    fn id(&self) -> &str {
        "selection"
    }

    fn title(&self) -> &str {
        "Selection"
    }

    fn description(&self) -> &str {
        "The text that is selected in the document."
    }

    fn applies(&self, request: &Request) -> bool {
        request.selection.is_some()
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        let Some(editor) = &gathering.editor else { return Ok(Gathered::default()) };
        let source = editor.selection.as_ref().map(|selected| Source {
            relevance: Some(1.0),
            ..Source::new(&editor.path, Kind::Selection, Arc::clone(&selected.text))
        });
        Ok(Gathered { is_undated: true, ..Gathered::from(Vec::from_iter(source)) })
    }
}

/// The lines around the cursor.
pub(super) struct Cursor;

impl Provider for Cursor {
    fn id(&self) -> &str {
        "cursor"
    }

    fn title(&self) -> &str {
        "Around the Cursor"
    }

    fn description(&self) -> &str {
        "The lines of the document around the cursor."
    }

    fn applies(&self, request: &Request) -> bool {
        request.cursor.is_some()
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        let Some(editor) = &gathering.editor else { return Ok(Gathered::default()) };
        let (Some(cursor), Some(all)) = (editor.cursor, editor.text.span()) else {
            return Ok(Gathered::default());
        };
        let first = cursor.line.saturating_sub(AROUND).max(all.start);
        let last = cursor.line.saturating_add(AROUND).min(all.end);
        let lines = editor.text.slice(Span::new(first, last));
        let source = Source {
            relevance: Some(1.0),
            ..Source::new(&editor.path, Kind::Cursor, Arc::new(Text::part(lines, first)))
        };
        Ok(Gathered { is_undated: true, ..Gathered::from(vec![source]) })
    }
}

/// The heading or symbol that the cursor is under, and the lines that are selected: where the document
/// is shown as well, it has those lines, and nothing else tells them from the others.
pub(super) struct Heading;

impl Provider for Heading {
    fn id(&self) -> &str {
        "heading"
    }

    fn title(&self) -> &str {
        "Heading"
    }

    fn description(&self) -> &str {
        "The heading or the symbol that the cursor is under, and which lines are selected."
    }

    fn applies(&self, request: &Request) -> bool {
        request.cursor.is_some() || request.selection.is_some()
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        let Some(editor) = &gathering.editor else { return Ok(Gathered::default()) };
        let Some(position) = editor.position() else { return Ok(Gathered::default()) };
        let Some(text) = position_told(editor, position) else { return Ok(Gathered::default()) };
        Ok(vec![prose("heading", Kind::Heading, text, 1.0)].into())
    }
}

/// Where the caller is, in a sentence; `None` where there is nothing to say but the line.
fn position_told(editor: &Editor, position: Span) -> Option<String> {
    let path = kitbag_core::escape_path(&editor.path);
    let plain = |name: &str| -> String {
        name.chars().filter(|it| !it.is_control() && *it != '`').collect()
    };
    let within = editor.heading.as_ref().map(|(name, span)| {
        let name = plain(name);
        format!("in `{name}` (lines {span})")
    });
    let Span { start, end } = position;
    match (editor.selection.is_some(), within) {
        (false, None) => None,
        (false, Some(within)) => Some(format!("Line {start} of `{path}` is {within}.\n")),
        (true, within) => {
            let within = within.map(|within| format!(", {within}")).unwrap_or_default();
            let (lines, verb) = match start == end {
                true => (format!("Line {start}"), "is"),
                false => (format!("Lines {start}-{end}"), "are"),
            };
            Some(format!("{lines} of `{path}` {verb} selected{within}.\n"))
        }
    }
}
