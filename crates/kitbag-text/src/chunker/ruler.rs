//! Sizes: what any rows of a text cost, from the tally that was made once.

use crate::{Cancel, Span, Text};
use kitbag_tokens::{Counting, Tally};
use std::ops::Range;

/// A range of rows of a text, from 0, the end excluded.
pub(super) type Rows = Range<u32>;

/// Measures rows of one text.
#[derive(Clone, Copy)]
pub(super) struct Ruler<'a> {
    pub text: &'a Text,
    pub counting: &'a Counting,
    pub tally: &'a Tally,
    /// What a chunk may cost.
    pub max: u32,
    /// What a chunk should cost at the least.
    pub min: u32,
    /// Once it is up, whoever cuts breaks off.
    pub cancel: &'a Cancel,
}

impl Ruler<'_> {
    /// The tokens of `rows`, exactly.
    pub fn tokens(&self, rows: Rows) -> u32 {
        let rows = rows.start as usize..rows.end as usize;
        let (content, starts) = (self.text.content(), self.text.starts());
        let measure = self.counting.measure_rows(self.tally, content, starts, rows);
        u32::try_from(self.counting.counter().tokens(measure)).unwrap_or(u32::MAX)
    }

    /// `rows` without the blank ones at its ends; `None` where nothing is left.
    pub fn trimmed(&self, rows: Rows) -> Option<Rows> {
        let start = rows.clone().find(|&row| !self.is_blank(row))?;
        let end = (start..rows.end).rev().find(|&row| !self.is_blank(row))?;
        Some(start..end + 1)
    }

    /// Whether a row is white space only.
    pub fn is_blank(&self, row: u32) -> bool {
        self.text.is_blank(row + self.text.first_line())
    }

    /// The lines that `rows` are.
    pub fn span(&self, rows: Rows) -> Span {
        Span::new(rows.start + self.text.first_line(), rows.end - 1 + self.text.first_line())
    }

    /// Where a row begins, in bytes.
    pub fn byte(&self, row: u32) -> usize {
        let start = self.text.starts().get(row as usize);
        start.map_or(self.text.content().len(), |&start| start as usize)
    }

    /// Whether one row alone costs more than a chunk may. A token stands for half a byte or more,
    /// so only long rows are measured.
    pub fn is_long(&self, row: u32) -> bool {
        (self.byte(row + 1) - self.byte(row)) * 2 > self.max as usize
            && self.tokens(row..row + 1) > self.max
    }

    /// The furthest end of rows that begin at `rows.start` and fit a chunk. At least one row is
    /// taken, whatever it costs.
    pub fn furthest(&self, rows: Rows) -> u32 {
        let fits = |end: u32| self.tokens(rows.start..end) <= self.max;
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
