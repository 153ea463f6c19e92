//! The lines of a file of a repository, through the same door and with the same redaction as a pack:
//! for whoever shows a chunk in its place.

use crate::assemble::denied;
use crate::config::Settled;
use crate::error::Error;
use crate::inputs::open_root;
use crate::redaction::RedactionItem;
use kitbag_repo::PathError;
use kitbag_text::{Language, Span, Text, decode, redact};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The largest file of which lines are shown.
const MOST_BYTES: u64 = 16 << 20;

/// The most lines, and the most bytes, that are shown at a time.
const MOST_LINES: u32 = 5_000;
const MOST_SHOWN: usize = 1 << 20;

/// Which lines are wanted.
#[derive(Debug, Clone, Default)]
pub struct FileQuery {
    /// The repository's folder.
    pub repo: PathBuf,
    /// The file, relative to the root.
    pub path: String,
    /// The first line; 1 if not given.
    pub start: Option<u32>,
    /// The last line; the last of the file if not given.
    pub end: Option<u32>,
}

/// Lines of a file.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileLines {
    /// The file.
    pub path: String,
    /// The language that its name or its first line tells.
    pub language: Option<&'static str>,
    /// The first line that is here; 0 where there is none.
    pub start_line: u32,
    /// The last line that is here; 0 where there is none.
    pub end_line: u32,
    /// How many lines the file has.
    pub line_count: u32,
    /// The lines, with secrets replaced.
    pub content: String,
    /// Whether there would be more than are shown at a time.
    pub truncated: bool,
    /// The secrets that were replaced by markers on these lines.
    pub redactions: Vec<RedactionItem>,
}

/// Reads the lines.
pub(crate) fn file_lines(query: &FileQuery, settled: &Settled) -> Result<FileLines, Error> {
    let root = open_root(Some(&query.repo), &denied(&settled.deny, &[]))?;
    let path = root.resolve(Path::new(&query.path))?;
    let bytes = root.read(&path, MOST_BYTES)?;
    let decoded = decode(bytes).map_err(|_| binary(&path))?;
    let text = Text::new(decoded.content);
    let (text, found) = match redact(&text).filter(|_| settled.redact) {
        Some((text, found)) => (text, found),
        None => (text, Vec::new()),
    };
    let line_count = text.line_count();
    let start = query.start.unwrap_or(1).max(1);
    let wanted = query.end.unwrap_or(u32::MAX).min(line_count);
    let last = wanted.min(start.saturating_add(MOST_LINES - 1));
    let (mut end, mut content) = (0, "");
    if start <= last {
        end = within(&text, start, last);
        content = text.slice(Span::new(start, end));
    }
    let is_here = |line: u32| content.is_empty() || (start..=end).contains(&line);
    let redactions = found.into_iter().filter(|it| is_here(it.line));
    let redaction = |it: kitbag_text::Redaction| RedactionItem {
        path: path.clone(),
        line: it.line,
        rule: it.rule,
    };
    Ok(FileLines {
        language: Language::of_text(&path, &text).map(Language::name),
        start_line: if content.is_empty() { 0 } else { start },
        end_line: end,
        line_count,
        truncated: end > 0 && end < wanted,
        redactions: if content.is_empty() {
            Vec::new()
        } else {
            redactions.map(redaction).collect()
        },
        content: content.to_owned(),
        path: path.clone(),
    })
}

/// The last line up to which the lines from `start` are not too many bytes; the first is always shown.
fn within(text: &Text, start: u32, last: u32) -> u32 {
    let mut bytes = 0;
    let fits = |line: &u32| {
        bytes += text.line(*line).len() + 1;
        bytes <= MOST_SHOWN
    };
    (start..=last).take_while(fits).last().unwrap_or(start)
}

fn binary(path: &str) -> PathError {
    PathError::Invalid { path: path.to_owned(), reason: "not text, but binary" }
}
