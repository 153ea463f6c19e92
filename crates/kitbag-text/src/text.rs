//! Text indexed by line.

use crate::span::Span;
use std::ops::Range;

/// The decoded text of a file or an excerpt, indexed by line.
///
/// Lines end at `\n`; a preceding `\r` and a byte order mark remain part of the line. A *row* is the
/// 0-based index of a line in this text; a *line* is its 1-based number in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    content: String,
    row_starts: Vec<u32>,
    first_line: u32,
}

impl Text {
    /// Creates the text of a whole file.
    pub fn new(content: impl Into<String>) -> Self {
        Self::with_first_line(content, 1)
    }

    /// Creates an excerpt that begins at line `first_line` of its file.
    pub fn with_first_line(content: impl Into<String>, first_line: u32) -> Self {
        let content = content.into();
        let mut row_starts = Vec::with_capacity(content.len() / 32 + 1);
        if !content.is_empty() {
            row_starts.push(0);
        }
        let last = content.len().saturating_sub(1);
        row_starts.extend(
            memchr::memchr_iter(b'\n', content.as_bytes())
                .filter(|&at| at < last)
                .map(|at| at as u32 + 1),
        );
        Self { content, row_starts, first_line: first_line.max(1) }
    }

    /// The whole text.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Byte offset of each row.
    pub fn row_starts(&self) -> &[u32] {
        &self.row_starts
    }

    /// Line number of the first row.
    pub fn first_line(&self) -> u32 {
        self.first_line
    }

    /// Number of lines; 0 for the empty text.
    pub fn line_count(&self) -> u32 {
        self.row_starts.len() as u32
    }

    /// Range of all lines; `None` for the empty text.
    pub fn span(&self) -> Option<Span> {
        (!self.row_starts.is_empty()).then(|| {
            Span::new(self.first_line, self.first_line.saturating_add(self.line_count() - 1))
        })
    }

    /// Converts `span` to rows, clamped to this text.
    pub fn rows(&self, span: Span) -> Range<usize> {
        let row =
            |line: u32| (line.saturating_sub(self.first_line) as usize).min(self.row_starts.len());
        row(span.start)..row(span.end.saturating_add(1))
    }

    /// Returns the row that contains a byte.
    pub fn row_at(&self, byte: usize) -> u32 {
        let rows = self.row_starts.partition_point(|&start| start as usize <= byte);
        rows.saturating_sub(1) as u32
    }

    /// Returns one line with its line ending, or an empty string if the line is not in this text.
    pub fn line(&self, line: u32) -> &str {
        self.slice(Span::new(line, line))
    }

    /// Returns the text of `span`, clamped to this text.
    pub fn slice(&self, span: Span) -> &str {
        self.row_slice(self.rows(span))
    }

    /// Returns the text of `rows`.
    pub fn row_slice(&self, rows: Range<usize>) -> &str {
        let at = |row: usize| {
            self.row_starts.get(row).map_or(self.content.len(), |&start| start as usize)
        };
        &self.content[at(rows.start)..at(rows.end)]
    }

    /// Whether a line contains only whitespace.
    pub fn is_blank(&self, line: u32) -> bool {
        self.line(line).trim_start_matches('\u{feff}').trim().is_empty()
    }

    /// Strips blank lines from both ends of `span`; `None` if all are blank.
    pub fn trimmed(&self, span: Span) -> Option<Span> {
        let start = (span.start..=span.end).find(|&line| !self.is_blank(line))?;
        let end = (start..=span.end).rev().find(|&line| !self.is_blank(line))?;
        Some(Span::new(start, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Shows: AC-036, NFR-016-26
    #[test]
    fn lines_are_numbered_as_in_an_editor() {
        let text = Text::new("one\r\n\ntwo");
        assert_eq!(text.line_count(), 3);
        assert_eq!(text.line(1), "one\r\n");
        assert_eq!(text.line(3), "two");
        assert_eq!(text.slice(Span::new(2, 9)), "\ntwo");
        assert!(text.is_blank(2));
        assert_eq!(Text::new("").line_count(), 0);
        assert_eq!(Text::new("\n").line_count(), 1);
        assert_eq!(Text::new("a\n").line_count(), 1);
    }

    #[test]
    fn excerpt_keeps_the_line_numbers_of_its_file() {
        let text = Text::with_first_line("b\nc\n", 11);
        assert_eq!(text.span(), Some(Span::new(11, 12)));
        assert_eq!(text.line(12), "c\n");
        assert_eq!(text.line(3), "");
    }

    #[test]
    fn trimming_drops_only_blank_ends() {
        let text = Text::new("\n a\n\n b\n \n");
        assert_eq!(text.trimmed(Span::new(1, 5)), Some(Span::new(2, 4)));
        assert_eq!(text.trimmed(Span::new(3, 3)), None);
    }
}
