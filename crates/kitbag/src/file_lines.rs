//! Lines of a file in a repository, with the same access checks and redaction as a pack. Used to
//! show a chunk in context.

use crate::error::Error;
use crate::redaction::RedactionItem;
use kitbag_repo::{PathError, Root};
use kitbag_text::{Language, Redaction, Span, Text, decode, redact};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Maximum size of a file whose lines are shown, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Maximum number of lines shown at a time.
const MAX_LINES: u32 = 5_000;
/// Maximum number of bytes shown at a time.
const MAX_SHOWN_BYTES: usize = 1 << 20;

/// A query for a range of lines.
#[derive(Debug, Clone, Default)]
pub struct FileQuery {
    /// Folder of the repository.
    pub repo: PathBuf,
    /// Branch, tag or commit to read the file from, instead of the work tree.
    pub revision: Option<String>,
    /// Path of the file, relative to the root.
    pub path: String,
    /// First line; defaults to 1.
    pub start: Option<u32>,
    /// Last line; defaults to the last line of the file.
    pub end: Option<u32>,
}

/// A range of lines of a file.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileLines {
    /// Path of the file.
    pub path: String,
    /// Language, detected from the file name or the first line.
    pub language: Option<&'static str>,
    /// First returned line; 0 if there are no lines.
    pub start_line: u32,
    /// Last returned line; 0 if there are no lines.
    pub end_line: u32,
    /// Number of lines in the file.
    pub line_count: u32,
    /// Content of the lines, with secrets replaced by markers.
    pub content: String,
    /// Whether the range was cut because it exceeds the maximum size.
    pub truncated: bool,
    /// Secrets on these lines that were replaced by markers.
    pub redactions: Vec<RedactionItem>,
}

/// Reads a range of lines.
pub(crate) fn file_lines(
    query: &FileQuery,
    root: &Root,
    redacts: bool,
) -> Result<FileLines, Error> {
    let path = root.resolve(Path::new(&query.path))?;
    let bytes = root.read(&path, MAX_BYTES)?;
    let binary = |_| PathError::Invalid { path: path.clone(), reason: "binary file" };
    let text = Text::new(decode(bytes).map_err(binary)?);
    let (text, found) = match redact(&text).filter(|_| redacts) {
        Some((text, found)) => (text, found),
        None => (text, Vec::new()),
    };
    let line_count = text.line_count();
    let start = query.start.unwrap_or(1).max(1);
    let wanted = query.end.unwrap_or(u32::MAX).min(line_count);
    let last = wanted.min(start.saturating_add(MAX_LINES - 1));
    let span = (start <= last).then(|| Span::new(start, within(&text, start, last)));
    let shown = found.into_iter().filter(|it| span.is_some_and(|span| span.contains_line(it.line)));
    let redaction =
        |it: Redaction| RedactionItem { path: path.clone(), line: it.line, rule: it.rule };
    Ok(FileLines {
        language: Language::for_text(&path, &text).map(Language::name),
        start_line: span.map_or(0, |span| span.start),
        end_line: span.map_or(0, |span| span.end),
        line_count,
        truncated: span.is_some_and(|span| span.end < wanted),
        redactions: shown.map(redaction).collect(),
        content: span.map(|span| text.slice(span).to_owned()).unwrap_or_default(),
        path: path.clone(),
    })
}

/// Returns the last line from `start` up to `last` at which the range is within the maximum size.
/// The first line is always included.
fn within(text: &Text, start: u32, last: u32) -> u32 {
    let mut bytes = 0;
    let fits = |line: &u32| {
        bytes += text.line(*line).len() + 1;
        bytes <= MAX_SHOWN_BYTES
    };
    (start..=last).take_while(fits).last().unwrap_or(start)
}
