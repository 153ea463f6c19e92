//! The text being split, with its token counts and limits.

use crate::cancel::Cancel;
use crate::span::Span;
use crate::syntax::Rows;
use crate::text::Text;
use kitbag_tokens::{CachedCounter, Tally};

#[derive(Clone, Copy)]
pub(super) struct ChunkContext<'a> {
    pub text: &'a Text,
    pub counter: &'a CachedCounter,
    pub tally: &'a Tally,
    /// Maximum tokens per chunk.
    pub max_tokens: u32,
    /// Smaller chunks are merged if possible.
    pub min_tokens: u32,
    pub cancel: &'a Cancel,
}

impl ChunkContext<'_> {
    /// Counts the tokens of `rows` exactly.
    pub fn tokens(&self, rows: Rows) -> u32 {
        let rows = rows.start as usize..rows.end as usize;
        let (content, starts) = (self.text.content(), self.text.row_starts());
        let measure = self.tally.measure(self.counter.counter(), content, starts, rows);
        u32::try_from(self.counter.counter().tokens(measure)).unwrap_or(u32::MAX)
    }

    /// Strips blank rows from both ends; `None` if all are blank.
    pub fn trimmed(&self, rows: Rows) -> Option<Rows> {
        let start = rows.clone().find(|&row| !self.is_blank(row))?;
        let end = (start..rows.end).rev().find(|&row| !self.is_blank(row))?;
        Some(start..end + 1)
    }

    pub fn is_blank(&self, row: u32) -> bool {
        self.text.is_blank(row + self.text.first_line())
    }

    /// Converts rows to line numbers.
    pub fn span(&self, rows: Rows) -> Span {
        Span::new(rows.start + self.text.first_line(), rows.end - 1 + self.text.first_line())
    }

    /// Returns the byte offset of a row.
    pub fn row_start(&self, row: u32) -> usize {
        let start = self.text.row_starts().get(row as usize);
        start.map_or(self.text.content().len(), |&start| start as usize)
    }

    /// Whether a single row exceeds the maximum size of a chunk. A byte has at most two tokens, so short
    /// rows are not counted.
    pub fn is_long(&self, row: u32) -> bool {
        (self.row_start(row + 1) - self.row_start(row)) * 2 > self.max_tokens as usize
            && self.tokens(row..row + 1) > self.max_tokens
    }

    /// Returns the end of the longest prefix of `rows` that fits in a chunk, and at least one row.
    pub fn longest_fit(&self, rows: Rows) -> u32 {
        let fits = |end: u32| self.tokens(rows.start..end) <= self.max_tokens;
        let mut good = rows.start + 1;
        let mut step = 32;
        let mut bad = loop {
            let end = good.saturating_add(step).min(rows.end);
            if !fits(end) {
                break end;
            }
            good = end;
            if end == rows.end {
                return end;
            }
            step *= 2;
        };
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            if fits(middle) { good = middle } else { bad = middle }
        }
        good
    }
}
