//! Providers for the open document and the caller's position in it.

use super::prose;
use crate::gather::editor::Editor;
use crate::gather::provider::{Gathered, Gathering, Provider, ProviderError};
use crate::request::Request;
use kitbag_text::{Chunk, Kind, Piece, Source, Span, Text, chunk_text_until_cancelled};
use std::sync::Arc;

/// Number of lines shown before and after the cursor.
const AROUND: u32 = 20;

/// Size in bytes above which a document is not chunked as a whole when there is a deadline. Only
/// the `MOST_BYTES_NEAR` bytes around the caller's position are chunked then.
const MOST_BYTES_IN_HASTE: usize = 1 << 20;
const MOST_BYTES_NEAR: usize = 256 << 10;

/// Provides the whole document.
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
        let position = editor.position();
        let near = near(editor, gathering.has_deadline);
        let text = near.as_ref().map_or_else(|| Arc::clone(&editor.text), Arc::clone);
        let source = Source::new(&editor.path, Kind::Document, Arc::clone(&text));
        let source = match position {
            None => Source { relevance: Some(1.0), ..source },
            Some(span) => {
                let (chunking, counting) = (&gathering.chunking, &gathering.counting);
                let cancel = &gathering.cancel;
                let cut =
                    chunk_text_until_cancelled(&editor.path, &text, chunking, counting, cancel)?;
                Source { pieces: Some(by_nearness(cut.chunks, span)), ..source }
            }
        };
        let mut gathered = Gathered::from(vec![source]);
        if let Some(span) = near.and_then(|near| near.span()) {
            let path = &editor.path;
            let warning = format!("`{path}` is large: before a deadline only lines {span} count");
            gathered = gathered.with_warning(warning);
        }
        let redactions = (editor.path.clone(), editor.redactions.clone());
        gathered.inputs.redactions.push(redactions);
        (gathered.is_undated, gathered.is_limited) = (true, true);
        Ok(gathered)
    }
}

/// Returns the lines around the caller's position if the document is too large to be chunked before
/// a deadline.
fn near(editor: &Editor, has_deadline: bool) -> Option<Arc<Text>> {
    let text = &editor.text;
    if !has_deadline || text.content().len() <= MOST_BYTES_IN_HASTE {
        return None;
    }
    let all = text.span()?;
    let at = editor.position().map_or(all.start, |span| span.start.clamp(all.start, all.end));
    let bytes = |line: u32| text.line(line).len();
    let (mut first, mut last, mut size) = (at, at, bytes(at));
    loop {
        let before = (first > all.start).then(|| bytes(first - 1));
        let after = (last < all.end).then(|| bytes(last + 1));
        let room = MOST_BYTES_NEAR.saturating_sub(size);
        let (above, below) = (before.filter(|it| *it <= room), after.filter(|it| *it <= room));
        match (above, below) {
            (None, None) => break,
            (Some(above), below) if below.is_none() || at - first <= last - at => {
                (first, size) = (first - 1, size + above);
            }
            (_, below) => (last, size) = (last + 1, size + below.unwrap_or_default()),
        }
    }
    let span = Span::new(first, last);
    Some(Arc::new(Text::with_first_line(text.slice(span), first)))
}

/// Weights chunks by their distance from `position`: the nearer, the more relevant.
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
    /// Returns the selected lines or, without a selection, the line of the cursor.
    pub fn position(&self) -> Option<Span> {
        let cursor = self.cursor.map(|cursor| Span::new(cursor.line, cursor.line));
        self.selection.as_ref().map(|selected| selected.span).or(cursor)
    }
}

/// Provides the selected text.
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

/// Provides the lines around the cursor.
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
            ..Source::new(&editor.path, Kind::Cursor, Arc::new(Text::with_first_line(lines, first)))
        };
        Ok(Gathered { is_undated: true, ..Gathered::from(vec![source]) })
    }
}

/// Provides the heading or symbol at the cursor, and the numbers of the selected lines. If the
/// document is packed as well, it contains those lines, and nothing else distinguishes them from
/// the rest.
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

/// Describes the caller's position in a sentence. Returns `None` if there is nothing to add to the
/// line number.
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
