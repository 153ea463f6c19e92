//! Lines of a file in a repository, with the same access checks and redaction as a pack. Used to
//! show a chunk in context.

use crate::error::Error;
use crate::redaction::RedactionItem;
use crate::root::open_root;
use kitbag_config::EngineSettings;
use kitbag_repo::PathError;
use kitbag_text::{Language, Span, Text, decode, redact};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Maximum size of a file whose lines are shown, in bytes.
const MOST_BYTES: u64 = 16 << 20;

/// Maximum number of lines shown at a time.
const MOST_LINES: u32 = 5_000;
/// Maximum number of bytes shown at a time.
const MOST_SHOWN: usize = 1 << 20;

/// A query for a range of lines.
#[derive(Debug, Clone, Default)]
pub struct FileQuery {
    /// Folder of the repository.
    pub repo: PathBuf,
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
pub(crate) fn file_lines(query: &FileQuery, settled: &EngineSettings) -> Result<FileLines, Error> {
    let root = open_root(Some(&query.repo), &settled.deny, &[])?;
    let path = root.resolve(Path::new(&query.path))?;
    let bytes = root.read(&path, MOST_BYTES)?;
    let content = decode(bytes).map_err(|_| binary(&path))?;
    let text = Text::new(content);
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
        language: Language::for_text(&path, &text).map(Language::name),
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

/// Returns the last line from `start` up to `last` at which the range is within the maximum size.
/// The first line is always included.
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
