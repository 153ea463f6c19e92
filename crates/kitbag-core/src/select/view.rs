//! How much of a candidate is shown.

use crate::report::Form;
use crate::sheet::Sheet;
use kitbag_text::{Chunk, Span};
use std::ops::Range;

/// How much of a candidate is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// All of it.
    Full,
    /// Its signatures and doc comments.
    Outline,
    /// So many of its rows, from the first.
    First(usize),
}

impl View {
    /// What a report calls it.
    pub fn form(self) -> Form {
        match self {
            Self::Full => Form::Full,
            Self::Outline => Form::Outline,
            Self::First(_) => Form::Truncated,
        }
    }

    /// The rows of `chunk` that it shows.
    pub fn rows(self, chunk: &Chunk, sheet: &Sheet) -> Vec<Range<usize>> {
        let rows = sheet.rows(chunk.span);
        match self {
            Self::Full => vec![rows],
            Self::Outline => chunk.outline.iter().map(|&span| sheet.rows(span)).collect(),
            Self::First(count) => {
                let end = rows.end.min(rows.start + count);
                vec![Range { end, ..rows }]
            }
        }
    }

    /// The lines of `chunk` that it shows.
    pub fn spans(self, chunk: &Chunk, sheet: &Sheet) -> Vec<Span> {
        match self {
            Self::Full => vec![chunk.span],
            Self::Outline => chunk.outline.clone(),
            Self::First(_) => {
                let rows = self.rows(chunk, sheet).into_iter().filter(|rows| !rows.is_empty());
                rows.map(|rows| sheet.span(&rows)).collect()
            }
        }
    }
}
