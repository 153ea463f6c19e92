//! What is true of every cut text, checked.

use crate::{Chunk, ChunkKind, Chunked, Text};

/// Checks what must hold for every cut text: chunks in order that share no line, begin and end
/// with lines that are not blank, and cover every line that is not blank; outlines in order inside
/// their chunks. The error says which chunk breaks what.
pub fn check_invariants(text: &Text, chunked: &Chunked) -> Result<(), String> {
    let Some(all) = text.span() else {
        return if chunked.chunks.is_empty() { Ok(()) } else { Err("chunks of nothing".into()) };
    };
    let mut covered = all.start;
    for chunk in &chunked.chunks {
        let span = chunk.span;
        if span.start < covered || !all.contains(span) {
            return Err(format!("chunk {span} is out of order, or not in {all}"));
        }
        no_text(text, covered, span.start)?;
        if text.is_blank(span.start) || text.is_blank(span.end) {
            return Err(format!("chunk {span} begins or ends with a blank line"));
        }
        check_outline(chunk)?;
        check_kind(chunk)?;
        covered = span.end + 1;
    }
    no_text(text, covered, all.end + 1)
}

/// No line from `start` to before `end` may hold text.
fn no_text(text: &Text, start: u32, end: u32) -> Result<(), String> {
    match (start..end).find(|&line| !text.is_blank(line)) {
        Some(line) => Err(format!("line {line} is in no chunk")),
        None => Ok(()),
    }
}

fn check_outline(chunk: &Chunk) -> Result<(), String> {
    let mut before = None;
    for &span in &chunk.outline {
        if !chunk.span.contains(span) {
            return Err(format!("outline {span} is not in chunk {}", chunk.span));
        }
        if before.is_some_and(|end| span.start <= end + 1) {
            return Err(format!("outline {span} of chunk {} touches the one before", chunk.span));
        }
        before = Some(span.end);
    }
    Ok(())
}

fn check_kind(chunk: &Chunk) -> Result<(), String> {
    if chunk.kind == ChunkKind::LongLine && chunk.span.lines() > 1 {
        return Err(format!("long line {} has several lines", chunk.span));
    }
    if chunk.part.is_some_and(|part| part.number == 0 || part.number > part.of || part.of < 2) {
        return Err(format!("chunk {} has a part that cannot be", chunk.span));
    }
    Ok(())
}
