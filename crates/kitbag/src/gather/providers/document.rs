//! Providers for the open document and the caller's position in it.

use super::{BuiltIn, prose};
use crate::gather::editor_state::Editor;
use crate::gather::provider::{Gathered, Gathering, Needs, ProviderError};
use kitbag_text::{Chunk, Kind, Piece, Source, Span, Text, chunk_text_until_cancelled};
use std::sync::Arc;

/// Number of lines shown before and after the cursor.
const LINES_AROUND: u32 = 20;

/// Size in bytes above which a document is not chunked as a whole when there is a deadline. Only
/// the `MAX_BYTES_NEAR` bytes around the caller's position are chunked then.
const MAX_BYTES_WITH_DEADLINE: usize = 1 << 20;
const MAX_BYTES_NEAR: usize = 256 << 10;

pub(super) const DOCUMENT: BuiltIn = BuiltIn {
    id: "document",
    title: "Document",
    description: "The open document, the part around the cursor first.",
    needs: Needs::Nothing,
    applies: |request| request.document.is_some(),
    has_input: |_| false,
    starts_early: |_| false,
    gather: document,
};

pub(super) const SELECTION: BuiltIn = BuiltIn {
    id: "selection",
    title: "Selection",
    description: "The text that is selected in the document.",
    needs: Needs::Nothing,
    applies: |request| request.selection.is_some(),
    has_input: |_| false,
    starts_early: |_| false,
    gather: |gathering| {
        let editor = gathering.editor.as_deref();
        let selected = editor.and_then(|editor| Some((editor, editor.selection.as_ref()?)));
        let source = selected.map(|(editor, selected)| Source {
            relevance: Some(1.0),
            ..Source::new(&editor.path, Kind::Selection, Arc::clone(&selected.text))
        });
        Ok(Gathered { is_undated: true, ..Gathered::from(Vec::from_iter(source)) })
    },
};

pub(super) const CURSOR: BuiltIn = BuiltIn {
    id: "cursor",
    title: "Around the Cursor",
    description: "The lines of the document around the cursor.",
    needs: Needs::Nothing,
    applies: |request| request.cursor.is_some(),
    has_input: |_| false,
    starts_early: |_| false,
    gather: |gathering| {
        let source = gathering.editor.as_deref().and_then(around_cursor);
        Ok(Gathered { is_undated: true, ..Gathered::from(Vec::from_iter(source)) })
    },
};

/// The heading or symbol at the cursor, and the numbers of the selected lines. If the document is
/// packed as well, it contains those lines, and nothing else distinguishes them from the rest.
pub(super) const HEADING: BuiltIn = BuiltIn {
    id: "heading",
    title: "Heading",
    description: "The heading or symbol at the cursor, and the numbers of the selected lines.",
    needs: Needs::Nothing,
    applies: |request| request.cursor.is_some() || request.selection.is_some(),
    has_input: |_| false,
    starts_early: |_| false,
    gather: |gathering| {
        let text = gathering.editor.as_deref().and_then(describe_position);
        let source = text.map(|text| prose("heading", Kind::Heading, text, 1.0));
        Ok(Vec::from_iter(source).into())
    },
};

fn document(gathering: &Gathering) -> Result<Gathered, ProviderError> {
    let Some(editor) = &gathering.editor else { return Ok(Gathered::default()) };
    let near = near(editor, gathering.has_deadline);
    let text = near.as_ref().unwrap_or(&editor.text);
    let mut source = Source::new(&editor.path, Kind::Document, Arc::clone(text));
    match editor.position() {
        None => source.relevance = Some(1.0),
        Some(span) => {
            let Gathering { chunking, counting, cancel, .. } = gathering;
            let chunked =
                chunk_text_until_cancelled(&editor.path, text, chunking, counting, cancel)?;
            source.pieces = Some(by_nearness(chunked.chunks, span));
        }
    }
    let mut gathered = Gathered::from(vec![source]);
    if let Some(span) = near.and_then(|near| near.span()) {
        let path = &editor.path;
        let warning =
            format!("`{path}` is large: with a deadline, only lines {span} are considered");
        gathered.warnings.push(warning);
    }
    gathered.inputs.redactions.push((editor.path.clone(), editor.redactions.clone()));
    (gathered.is_undated, gathered.is_limited) = (true, true);
    Ok(gathered)
}

/// Returns the lines around the caller's position if the document is too large to be chunked before
/// a deadline.
fn near(editor: &Editor, has_deadline: bool) -> Option<Arc<Text>> {
    let text = &editor.text;
    if !has_deadline || text.content().len() <= MAX_BYTES_WITH_DEADLINE {
        return None;
    }
    let all = text.span()?;
    let at = editor.position().map_or(all.start, |span| span.start.clamp(all.start, all.end));
    let bytes = |line: u32| text.line(line).len();
    let (mut first, mut last, mut size) = (at, at, bytes(at));
    loop {
        let before = (first > all.start).then(|| bytes(first - 1));
        let after = (last < all.end).then(|| bytes(last + 1));
        let room = MAX_BYTES_NEAR.saturating_sub(size);
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

fn around_cursor(editor: &Editor) -> Option<Source> {
    let (cursor, all) = (editor.cursor?, editor.text.span()?);
    let first = cursor.line.saturating_sub(LINES_AROUND).max(all.start);
    let last = cursor.line.saturating_add(LINES_AROUND).min(all.end);
    let lines = Text::with_first_line(editor.text.slice(Span::new(first, last)), first);
    let source = Source::new(&editor.path, Kind::Cursor, Arc::new(lines));
    Some(Source { relevance: Some(1.0), ..source })
}

/// Describes the caller's position in a sentence. Returns `None` if there is nothing to add to the
/// line number.
fn describe_position(editor: &Editor) -> Option<String> {
    let Span { start, end } = editor.position()?;
    let path = kitbag_core::escape_path(&editor.path);
    let within = editor.heading.as_ref().map(|(name, span)| {
        let name: String = name.chars().filter(|it| !it.is_control() && *it != '`').collect();
        format!("in `{name}` (lines {span})")
    });
    if editor.selection.is_none() {
        return within.map(|within| format!("Line {start} of `{path}` is {within}.\n"));
    }
    let within = within.map(|within| format!(", {within}")).unwrap_or_default();
    let (lines, verb) = match start == end {
        true => (format!("Line {start}"), "is"),
        false => (format!("Lines {start}-{end}"), "are"),
    };
    Some(format!("{lines} of `{path}` {verb} selected{within}.\n"))
}
