//! How much of a candidate is shown.

use crate::report::Form;
use kitbag_text::{Chunk, Span};

/// How much of a candidate is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// All of it.
    Full,
    /// Its signatures and doc comments.
    Outline,
    /// Its lines up to this one.
    UpTo(u32),
}

impl View {
    /// What a report calls it.
    pub fn form(self) -> Form {
        match self {
            Self::Full => Form::Full,
            Self::Outline => Form::Outline,
            Self::UpTo(_) => Form::Truncated,
        }
    }

    /// The lines of `chunk` that it shows.
    pub fn spans(self, chunk: &Chunk) -> Vec<Span> {
        match self {
            Self::Full => vec![chunk.span],
            Self::Outline => chunk.outline.clone(),
            Self::UpTo(line) => vec![Span::new(chunk.span.start, line)],
        }
    }
}
