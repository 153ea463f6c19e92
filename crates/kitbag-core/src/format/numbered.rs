//! Any format, with a number before each line.

use super::{BlockHeading, Delimiters, LineRun, Renderer, RunSummary};
use crate::source_file::SourceFile;
use std::fmt::Write;
use std::ops::Range;

/// Writes the rows of another renderer as `42|text`.
pub struct Numbered(pub Box<dyn Renderer>);

/// Appends the number of a row, unless a provider wrote the text.
pub fn write_number(file: &SourceFile, row: usize, into: &mut String) {
    if !file.is_generated {
        let _ = write!(into, "{}|", file.line(row));
    }
}

impl Renderer for Numbered {
    fn delimiters(&self) -> &Delimiters {
        self.0.delimiters()
    }

    fn heading(&self, file: &SourceFile, summary: RunSummary) -> BlockHeading {
        self.0.heading(file, summary)
    }

    fn run_label(&self, file: &SourceFile, run: &LineRun, is_first: bool) -> String {
        self.0.run_label(file, run, is_first)
    }

    fn run_prefix(&self, file: &SourceFile, previous: Option<&LineRun>, run: &LineRun) -> String {
        self.0.run_prefix(file, previous, run)
    }

    fn run_suffix(&self, file: &SourceFile, run: &LineRun) -> String {
        self.0.run_suffix(file, run)
    }

    fn first_lines(&self) -> &'static [&'static str] {
        self.0.first_lines()
    }

    fn escapes(&self) -> bool {
        true
    }

    fn escape(&self, text: &str, into: &mut String) {
        self.0.escape(text, into);
    }

    fn write_rows(&self, file: &SourceFile, rows: Range<usize>, into: &mut String) {
        for row in rows {
            write_number(file, row, into);
            self.0.escape(file.slice(row..row + 1), into);
        }
    }

    fn ends_lines(&self) -> bool {
        self.0.ends_lines()
    }
}
