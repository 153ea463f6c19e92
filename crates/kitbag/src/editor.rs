//! What the caller has before the eyes: the document, the cursor in it, what is selected, and the
//! heading or symbol that the cursor is under.

use crate::cut::{Cuts, Cutting};
use crate::engine::on_a_thread;
use crate::error::Error;
use crate::inputs::{MOST_BYTES, reason_of, reject};
use crate::request::{Cursor, Request, Selection};
use kitbag_core::{Cancel, Cancelled, Excluded};
use kitbag_repo::{PathError, Root};
use kitbag_text::{Chunk, ChunkLimits, Kind, NotText, Redaction, Span, Text, decode, redact};
use kitbag_tokens::Counting;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Instant;

/// Larger documents have no heading: parsing them takes too long.
const MOST_PARSED: usize = 1 << 20;

/// The open document, and where the caller is in it.
pub(crate) struct Editor {
    pub path: String,
    pub text: Arc<Text>,
    /// The cursor's line, within the document.
    pub cursor: Option<Cursor>,
    pub selection: Option<Selected>,
    /// The symbol path or heading that the cursor is under, with the lines of that item.
    pub heading: Option<(String, Span)>,
    pub redactions: Vec<Redaction>,
}

/// What is selected.
pub(crate) struct Selected {
    pub span: Span,
    pub text: Arc<Text>,
}

/// What opening the document of a request came to.
#[derive(Default)]
pub(crate) struct Opened {
    pub editor: Option<Arc<Editor>>,
    pub rejected: Vec<Excluded>,
    pub warnings: Vec<String>,
    /// Whether the time was not enough for all.
    pub is_cut: bool,
}

/// How documents are read and cut.
pub(crate) struct Reading<'a> {
    pub root: &'a Root,
    pub chunking: &'a ChunkLimits,
    pub counting: &'a Arc<Counting>,
    pub cuts: &'a Arc<Cuts>,
    pub redact: bool,
    /// When it has to be done, where there is a deadline.
    pub until: Option<Instant>,
    pub cancel: &'a Cancel,
}

/// Opens the document of a request. One that is not there is an error; one that may not be read is
/// reported.
pub(crate) fn open(request: &Request, reading: &Reading<'_>) -> Result<Opened, Error> {
    let mut opened = Opened::default();
    let Some(document) = &request.document else {
        if request.cursor.is_some() || request.selection.is_some() {
            return Err(Error::NoDocument);
        }
        return Ok(opened);
    };
    let read = match &document.content {
        Some(content) => {
            reading.root.normalise(&document.path).map(|path| (path, content.clone().into_bytes()))
        }
        None => reading.root.resolve(Path::new(&document.path)).and_then(|path| {
            let bytes = reading.root.read(&path, MOST_BYTES)?;
            Ok((path, bytes))
        }),
    };
    let (path, bytes) = match read {
        Ok(read) => read,
        Err(
            error @ (PathError::NotFound { .. }
            | PathError::NotAFile { .. }
            | PathError::Invalid { .. }),
        ) => return Err(error.into()),
        Err(error) => {
            let reason = reason_of(error.code());
            opened.rejected.push(reject(&document.path, Kind::Document, reason, &error));
            return Ok(opened);
        }
    };
    match decode(bytes) {
        Ok(decoded) => {
            let editor = edit(request, path, decoded.content, reading, &mut opened);
            opened.editor = Some(Arc::new(editor));
        }
        Err(error @ NotText::Binary) => {
            let reason = kitbag_core::Reason::Binary;
            opened.rejected.push(reject(&path, Kind::Document, reason, &error));
        }
    }
    Ok(opened)
}

fn edit(
    request: &Request,
    path: String,
    content: String,
    reading: &Reading<'_>,
    opened: &mut Opened,
) -> Editor {
    let warnings = &mut opened.warnings;
    let mut text = Text::new(content);
    let selection = request.selection.as_ref().and_then(|it| select(it, &text, &path, warnings));
    let mut redactions = Vec::new();
    if let Some((redacted, found)) = redact(&text).filter(|_| reading.redact) {
        (text, redactions) = (redacted, found);
    }
    let text = Arc::new(text);
    let cursor = request.cursor.map(|cursor| within(cursor, &text, &path, warnings));
    let at = cursor.map(|cursor| cursor.line).or(selection.as_ref().map(|it| it.0.start));
    let heading = match at.map(|line| heading_in_time(&path, &text, line, reading)) {
        Some(Ok(heading)) => heading,
        Some(Err(Cancelled)) => {
            opened.is_cut = true;
            None
        }
        None => None,
    };
    let selection = selection.map(|(span, own)| {
        // What is selected is shown as the document has it, redacted, unless it is not there.
        let lines = own.unwrap_or_else(|| text.slice(span).to_owned());
        Selected { span, text: Arc::new(Text::part(lines, span.start)) }
    });
    Editor { path, text, cursor, selection, heading, redactions }
}

/// The cursor, on the last line where it is past the end.
fn within(cursor: Cursor, text: &Text, path: &str, warnings: &mut Vec<String>) -> Cursor {
    let last = text.line_count().max(1);
    if cursor.line <= last {
        return Cursor { line: cursor.line.max(1), ..cursor };
    }
    let line = cursor.line;
    warnings.push(format!("the cursor is past the end of `{path}`: line {line} of {last}"));
    Cursor { line: last, column: None }
}

/// The lines of a selection, and its own text where the document does not have it.
fn select(
    selection: &Selection,
    text: &Text,
    path: &str,
    warnings: &mut Vec<String>,
) -> Option<(Span, Option<String>)> {
    let last = text.line_count();
    let asked =
        Span::new(selection.start_line.max(1), selection.end_line.max(selection.start_line));
    let there = (asked.start <= last).then(|| Span::new(asked.start, asked.end.min(last)));
    let Some(wanted) = selection.text.as_deref().filter(|text| !text.trim().is_empty()) else {
        if there.is_none() {
            let line = asked.start;
            warnings
                .push(format!("the selection is past the end of `{path}`: line {line} of {last}"));
        }
        return there.map(|span| (span, None));
    };
    if there.is_some_and(|span| text.slice(span).contains(wanted.trim_end_matches('\n'))) {
        return there.map(|span| (span, None));
    }
    if let Some(at) = text.content().find(wanted) {
        let before = text.content()[..at].matches('\n').count() as u32;
        let lines = wanted.trim_end_matches('\n').matches('\n').count() as u32;
        let span = Span::new(before + 1, before + 1 + lines);
        warnings.push(format!("the selection has moved in `{path}`: to lines {span}"));
        return Some((span, None));
    }
    warnings.push(format!("the selection is no longer in `{path}`; its own text is used"));
    let lines = wanted.trim_end_matches('\n').matches('\n').count() as u32;
    let ended = if wanted.ends_with('\n') { wanted.to_owned() } else { format!("{wanted}\n") };
    Some((Span::new(asked.start, asked.start + lines), Some(ended)))
}

/// The symbol or heading that a line is under, unless that takes until the deadline is near.
fn heading_in_time(
    path: &str,
    text: &Arc<Text>,
    line: u32,
    reading: &Reading<'_>,
) -> Result<Option<(String, Span)>, Cancelled> {
    if text.content().len() > MOST_PARSED {
        return Ok(None);
    }
    // Small pieces, so that a method is told from its class.
    let limits =
        ChunkLimits { max_class_tokens: 1, min_chunk_tokens: 0, ..reading.chunking.clone() };
    let (counting, cuts) = (reading.counting, reading.cuts);
    let Some(until) = reading.until else {
        let cutting = Cutting { cuts, counting, cancel: reading.cancel };
        return heading((path, text), line, &limits, &cutting);
    };
    let own = reading.cancel.child();
    let (path, text, counting, cuts, flag) =
        (path.to_owned(), Arc::clone(text), Arc::clone(counting), Arc::clone(cuts), own.clone());
    let (sender, receiver) = channel();
    let find = move || {
        let cutting = Cutting { cuts: &cuts, counting: &counting, cancel: &flag };
        // Whoever gave up waiting misses nothing.
        let _ = sender.send(heading((&path, &text), line, &limits, &cutting));
    };
    on_a_thread(find).map_err(|_| Cancelled)?;
    let found = receiver.recv_timeout(until.saturating_duration_since(Instant::now()));
    own.cancel();
    found.unwrap_or(Err(Cancelled))
}

/// The innermost symbol or heading whose lines have this one.
fn heading(
    (path, text): (&str, &Arc<Text>),
    line: u32,
    limits: &ChunkLimits,
    cutting: &Cutting<'_>,
) -> Result<Option<(String, Span)>, Cancelled> {
    let chunks = cutting.chunks(path, text, limits)?;
    let is_there = |chunk: &&Chunk| chunk.span.start <= line && line <= chunk.span.end;
    let found =
        chunks.iter().filter(is_there).min_by_key(|chunk| chunk.span.end - chunk.span.start);
    let symbol = |chunk: &Chunk| chunk.symbol.clone().map(|symbol| (symbol, chunk.span));
    Ok(found.and_then(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "one\ntwo\nthree\n";

    fn selected(
        start: u32,
        end: u32,
        own: Option<&str>,
    ) -> (Option<(Span, Option<String>)>, usize) {
        let text = own.map(str::to_owned);
        let selection = Selection { start_line: start, end_line: end, text };
        let mut warnings = Vec::new();
        let selected = select(&selection, &Text::new(TEXT), "a.txt", &mut warnings);
        (selected, warnings.len())
    }

    #[test]
    fn a_selection_is_where_it_says() {
        assert_eq!(selected(2, 3, None), (Some((Span::new(2, 3), None)), 0));
        assert_eq!(selected(2, 9, None), (Some((Span::new(2, 3), None)), 0));
        assert_eq!(selected(2, 2, Some("two")), (Some((Span::new(2, 2), None)), 0));
        assert_eq!(selected(2, 2, Some("w")), (Some((Span::new(2, 2), None)), 0));
    }

    #[test]
    fn a_selection_that_moved_is_found_and_one_that_is_gone_is_told() {
        assert_eq!(selected(1, 1, Some("three\n")), (Some((Span::new(3, 3), None)), 1));
        let gone = Some((Span::new(1, 2), Some("four\nfive\n".to_owned())));
        assert_eq!(selected(1, 2, Some("four\nfive")), (gone, 1));
        assert_eq!(selected(7, 8, None), (None, 1));
    }

    #[test]
    fn a_cursor_past_the_end_is_on_the_last_line() {
        let mut warnings = Vec::new();
        let cursor =
            within(Cursor { line: 9, column: Some(2) }, &Text::new(TEXT), "a", &mut warnings);
        assert_eq!((cursor.line, cursor.column, warnings.len()), (3, None, 1));
    }
}
