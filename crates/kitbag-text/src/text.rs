//! A text and its lines.

use crate::Span;
use std::ops::Range;

/// The decoded text of a file, or of a part of one, with its lines found.
///
/// Lines end at `\n`; a `\r` before it stays part of the line, and so does a byte order mark. A
/// *row* counts the lines of this text from 0; a *line* is the number that an editor shows for it
/// in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    content: String,
    starts: Vec<u32>,
    first_line: u32,
}

impl Text {
    /// A whole file.
    pub fn new(content: impl Into<String>) -> Self {
        Self::part(content, 1)
    }

    /// A part of a file that begins at `first_line`.
    pub fn part(content: impl Into<String>, first_line: u32) -> Self {
        let content = content.into();
        let mut starts = Vec::with_capacity(content.len() / 32 + 1);
        if !content.is_empty() {
            starts.push(0);
        }
        let last = content.len().saturating_sub(1);
        starts.extend(
            memchr::memchr_iter(b'\n', content.as_bytes())
                .filter(|&at| at < last)
                .map(|at| at as u32 + 1),
        );
        Self { content, starts, first_line: first_line.max(1) }
    }

    /// The text itself.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Where each row begins, in bytes.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The line number of the first row.
    pub fn first_line(&self) -> u32 {
        self.first_line
    }

    /// How many lines it has; 0 for the empty text.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// All its lines; `None` for the empty text.
    pub fn span(&self) -> Option<Span> {
        (!self.starts.is_empty()).then(|| {
            Span::new(self.first_line, self.first_line.saturating_add(self.line_count() - 1))
        })
    }

    /// The rows that `span` stands for, as far as they are in this text.
    pub fn rows(&self, span: Span) -> Range<usize> {
        let row =
            |line: u32| (line.saturating_sub(self.first_line) as usize).min(self.starts.len());
        row(span.start)..row(span.end.saturating_add(1))
    }

    /// One line, with its line ending if it has one. Lines that are not there are empty.
    pub fn line(&self, line: u32) -> &str {
        self.slice(Span::new(line, line))
    }

    /// The text of `span`, as far as it is there, exactly as it stands in the file.
    pub fn slice(&self, span: Span) -> &str {
        self.row_slice(self.rows(span))
    }

    /// The text of some rows.
    pub fn row_slice(&self, rows: Range<usize>) -> &str {
        let at =
            |row: usize| self.starts.get(row).map_or(self.content.len(), |&start| start as usize);
        &self.content[at(rows.start)..at(rows.end)]
    }

    /// Whether a line is white space only.
    pub fn is_blank(&self, line: u32) -> bool {
        self.line(line).trim_start_matches('\u{feff}').trim().is_empty()
    }

    /// `span` without the blank lines at its ends; `None` where nothing is left.
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
    fn lines_are_the_editors_own() {
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
    fn a_part_keeps_the_files_line_numbers() {
        let text = Text::part("b\nc\n", 11);
        assert_eq!(text.span(), Some(Span::new(11, 12)));
        assert_eq!(text.line(12), "c\n");
        assert_eq!(text.line(3), "");
    }

    #[test]
    fn trimming_drops_blank_ends_only() {
        let text = Text::new("\n a\n\n b\n \n");
        assert_eq!(text.trimmed(Span::new(1, 5)), Some(Span::new(2, 4)));
        assert_eq!(text.trimmed(Span::new(3, 3)), None);
    }
}
