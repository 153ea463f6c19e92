//! Opens the document of a request, and finds the selection and the heading or symbol at the cursor.

use crate::chunk_cache::CachedChunker;
use crate::error::Error;
use crate::exec::Task;
use crate::gather::editor_state::{Editor, Opened, Selected};
use crate::gather::inputs::{is_missing, read_input, reason_of};
use crate::gather::provider::Gathering;
use crate::request::{Cursor, Selection};
use kitbag_core::{Cancel, Cancelled, Excluded, PackError, Reason};
use kitbag_text::{ChunkLimits, Kind, NotText, Span, Text, decode, redact};
use std::sync::Arc;
use std::time::Instant;

/// Size in bytes above which no heading is determined, because parsing would take too long.
const MAX_PARSED_BYTES: usize = 1 << 20;

/// Opens the document of a request. A missing document is an error; one that may not be read is
/// rejected and reported. No heading is determined after `until`.
pub(crate) fn open(gathering: &Gathering, until: Option<Instant>) -> Result<Opened, Error> {
    let mut opened = Opened::default();
    let request = &gathering.request;
    let Some(document) = &request.document else {
        if request.cursor.is_some() || request.selection.is_some() {
            return Err(Error::NoDocument);
        }
        return Ok(opened);
    };
    let (path, bytes) = match read_input(&gathering.root, &document.path, document.content.as_ref())
    {
        Ok(read) => read,
        Err(error) if is_missing(&error) => return Err(error.into()),
        Err(error) => {
            let (reason, detail) = (reason_of(error.code()), error.reason());
            let rejected = Excluded::unranked(&document.path, Kind::Document, reason, detail);
            opened.rejected.push(rejected);
            return Ok(opened);
        }
    };
    match decode(bytes) {
        Ok(content) => {
            let text = Text::new(content);
            let editor = edit(gathering, path, text, until, &mut opened);
            opened.editor = Some(Arc::new(editor));
        }
        Err(error @ NotText::Binary) => {
            let rejected = Excluded::unranked(&path, Kind::Document, Reason::Binary, error);
            opened.rejected.push(rejected);
        }
    }
    Ok(opened)
}

fn edit(
    gathering: &Gathering,
    path: String,
    mut text: Text,
    until: Option<Instant>,
    opened: &mut Opened,
) -> Editor {
    let (request, warnings) = (&gathering.request, &mut opened.warnings);
    let selection = request.selection.as_ref().and_then(|it| select(it, &text, &path, warnings));
    let mut redactions = Vec::new();
    if let Some((redacted, found)) = redact(&text).filter(|_| gathering.redact) {
        (text, redactions) = (redacted, found);
    }
    let text = Arc::new(text);
    let cursor = request.cursor.map(|cursor| within(cursor, &text, &path, warnings));
    let at = cursor.map(|cursor| cursor.line).or(selection.as_ref().map(|it| it.0.start));
    let heading = at.map_or(Ok(None), |line| heading_in_time(&path, &text, line, gathering, until));
    opened.is_cut = heading.is_err();
    let selection = selection.map(|(span, own)| {
        // The selection is shown as the redacted document has it, unless the document lacks it.
        let lines = own.unwrap_or_else(|| text.slice(span).to_owned());
        Selected { span, text: Arc::new(Text::with_first_line(lines, span.start)) }
    });
    Editor { path, text, cursor, selection, heading: heading.unwrap_or_default(), redactions }
}

/// Moves a cursor past the end to the last line.
fn within(cursor: Cursor, text: &Text, path: &str, warnings: &mut Vec<String>) -> Cursor {
    let last = text.line_count().max(1);
    if cursor.line <= last {
        return Cursor { line: cursor.line.max(1), ..cursor };
    }
    let line = cursor.line;
    warnings.push(format!("the cursor is past the end of `{path}`: line {line} of {last}"));
    Cursor { line: last, column: None }
}

/// Returns the lines of a selection, and its own text if the document does not contain it.
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
    let trimmed = wanted.trim_end_matches('\n');
    if there.is_some_and(|span| text.slice(span).contains(trimmed)) {
        return there.map(|span| (span, None));
    }
    let lines = trimmed.matches('\n').count() as u32;
    if let Some(at) = text.content().find(wanted) {
        let before = text.content()[..at].matches('\n').count() as u32;
        let span = Span::new(before + 1, before + 1 + lines);
        warnings.push(format!("the selection has moved in `{path}`: to lines {span}"));
        return Some((span, None));
    }
    warnings.push(format!("the selection is no longer in `{path}`; its own text is used"));
    let ended = if wanted.ends_with('\n') { wanted.to_owned() } else { format!("{wanted}\n") };
    Some((Span::new(asked.start, asked.start + lines), Some(ended)))
}

/// Returns the symbol or heading that contains a line, unless the deadline gets too close.
fn heading_in_time(
    path: &str,
    text: &Arc<Text>,
    line: u32,
    gathering: &Gathering,
    until: Option<Instant>,
) -> Result<Option<(String, Span)>, Cancelled> {
    if text.content().len() > MAX_PARSED_BYTES {
        return Ok(None);
    }
    // Small chunks, so that a method is distinguished from its class.
    let chunking = (*gathering.chunking).clone();
    let limits = ChunkLimits { max_class_tokens: 1, min_chunk_tokens: 0, ..chunking };
    let Some(until) = until else {
        return heading(path, text, line, &limits, &gathering.chunker());
    };
    let (path, text, gathering) = (path.to_owned(), Arc::clone(text), gathering.clone());
    let cancel = gathering.cancel.clone();
    let find = move |cancel: &Cancel| {
        let chunker = CachedChunker { cancel, ..gathering.chunker() };
        Ok(heading(&path, &text, line, &limits, &chunker).map_err(PackError::from)?)
    };
    let found = Task::spawn(&cancel, find).and_then(|task| task.wait_until(Some(until)));
    found.map_err(|_| Cancelled)?.ok_or(Cancelled)
}

/// Returns the innermost symbol or heading that contains a line.
fn heading(
    path: &str,
    text: &Arc<Text>,
    line: u32,
    limits: &ChunkLimits,
    chunker: &CachedChunker<'_>,
) -> Result<Option<(String, Span)>, Cancelled> {
    let chunks = chunker.chunks(path, text, limits)?;
    let containing = chunks.iter().filter(|chunk| chunk.span.contains_line(line));
    let innermost = containing.min_by_key(|chunk| chunk.span.lines());
    Ok(innermost.and_then(|chunk| Some((chunk.symbol.clone()?, chunk.span))))
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
    fn a_selection_is_at_its_lines() {
        assert_eq!(selected(2, 3, None), (Some((Span::new(2, 3), None)), 0));
        assert_eq!(selected(2, 9, None), (Some((Span::new(2, 3), None)), 0));
        assert_eq!(selected(2, 2, Some("two")), (Some((Span::new(2, 2), None)), 0));
        assert_eq!(selected(2, 2, Some("w")), (Some((Span::new(2, 2), None)), 0));
    }

    #[test]
    fn a_moved_selection_is_found_and_a_missing_one_warned_about() {
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
