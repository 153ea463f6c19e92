//! Invariants of chunked texts.

use crate::chunk::{Chunk, ChunkKind, ChunkedText};
use crate::text::Text;

/// Checks that the chunks of a text are in order, do not overlap, do not begin or end with a blank line and
/// cover every other line, and that their outlines are in order and within them. Returns a description of
/// the first violation.
pub fn check_invariants(text: &Text, chunked: &ChunkedText) -> Result<(), String> {
    let Some(all) = text.span() else {
        return if chunked.chunks.is_empty() {
            Ok(())
        } else {
            Err("an empty text has chunks".into())
        };
    };
    let mut covered = all.start;
    for chunk in &chunked.chunks {
        let span = chunk.span;
        if span.start < covered || !all.contains(span) {
            return Err(format!("chunk {span} is out of order or outside {all}"));
        }
        check_blank(text, covered, span.start)?;
        if text.is_blank(span.start) || text.is_blank(span.end) {
            return Err(format!("chunk {span} begins or ends with a blank line"));
        }
        check_outline(chunk)?;
        check_kind(chunk)?;
        covered = span.end + 1;
    }
    check_blank(text, covered, all.end + 1)
}

/// Checks that all lines from `start` up to, but not including, `end` are blank.
fn check_blank(text: &Text, start: u32, end: u32) -> Result<(), String> {
    match (start..end).find(|&line| !text.is_blank(line)) {
        Some(line) => Err(format!("line {line} is not in any chunk")),
        None => Ok(()),
    }
}

fn check_outline(chunk: &Chunk) -> Result<(), String> {
    let mut previous_end = None;
    for &span in &chunk.outline {
        if !chunk.span.contains(span) {
            return Err(format!("outline {span} is outside chunk {}", chunk.span));
        }
        if previous_end.is_some_and(|end| span.start <= end + 1) {
            return Err(format!("outline {span} of chunk {} touches the previous one", chunk.span));
        }
        previous_end = Some(span.end);
    }
    Ok(())
}

fn check_kind(chunk: &Chunk) -> Result<(), String> {
    if chunk.kind == ChunkKind::LongLine && chunk.span.lines() > 1 {
        return Err(format!("long line {} spans several lines", chunk.span));
    }
    if chunk.part.is_some_and(|part| part.number == 0 || part.number > part.of || part.of < 2) {
        return Err(format!("chunk {} has an invalid part", chunk.span));
    }
    Ok(())
}
