//! How much of a candidate is shown.

use crate::report::ChunkForm;
use crate::source_file::SourceFile;
use kitbag_text::Chunk;
use std::ops::Range;

/// How much of a candidate is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkView {
    /// All rows.
    Full,
    /// Signatures and doc comments.
    Outline,
    /// The given number of rows from the start.
    First(usize),
}

impl ChunkView {
    /// Returns the form in reports.
    pub fn form(self) -> ChunkForm {
        match self {
            Self::Full => ChunkForm::Full,
            Self::Outline => ChunkForm::Outline,
            Self::First(_) => ChunkForm::Truncated,
        }
    }

    /// Returns the rows of `chunk` that are shown.
    pub fn rows(self, chunk: &Chunk, file: &SourceFile) -> Vec<Range<usize>> {
        let rows = file.rows(chunk.span);
        match self {
            Self::Full => vec![rows],
            Self::Outline => chunk.outline.iter().map(|&span| file.rows(span)).collect(),
            Self::First(count) => {
                let end = rows.end.min(rows.start + count);
                vec![Range { end, ..rows }]
            }
        }
    }
}
