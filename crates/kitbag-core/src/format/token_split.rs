//! Splits runs of rows where token counts add up.
//!
//! A run is split into a head, a middle and a tail. The head is counted together with the text before
//! it and the tail with the text after it; the count of the middle adds to both.

use super::Renderer;
use crate::source_file::SourceFile;
use kitbag_tokens::{CachedCounter, Measure, TokenCounter};
use std::ops::Range;

/// A run of rows, split where counts add up.
pub struct TokenSplit<'a> {
    /// The text up to the first split.
    pub head: &'a str,
    /// The cost of the text between the first and the last split.
    pub middle: Measure,
    /// The text after the last split; `None` if there is no split, and the head is everything.
    pub tail: Option<&'a str>,
}

impl<'a> TokenSplit<'a> {
    /// Splits rows that are shown as they are in the file.
    pub fn of_file(file: &'a SourceFile, rows: Range<usize>, counting: &CachedCounter) -> Self {
        let tally = file.tally(counting);
        let Some(first) = (rows.start + 1..rows.end).find(|&row| tally.is_segment_start(row))
        else {
            return Self { head: file.slice(rows), middle: Measure::default(), tail: None };
        };
        let last =
            (first..rows.end).rev().find(|&row| tally.is_segment_start(row)).unwrap_or(first);
        Self {
            head: file.slice(rows.start..first),
            middle: file.measure(counting, first..last),
            tail: Some(file.slice(last..rows.end)),
        }
    }
}

/// The escaped rows of a file, with the costs measured so far.
pub struct EscapedRows {
    text: String,
    /// Offset of each row, and of the end of the last.
    rows: Vec<usize>,
    /// Offsets where counts add up, in order.
    splits: Vec<usize>,
    /// The cost from each split to the next, once measured.
    costs: Vec<Option<Measure>>,
}

impl EscapedRows {
    pub fn new(renderer: &dyn Renderer, file: &SourceFile, counter: &dyn TokenCounter) -> Self {
        let (mut text, mut rows, mut splits) = (String::new(), vec![0], Vec::new());
        let mut previous = 0;
        for row in 0..file.text.row_starts().len() {
            let start = text.len();
            renderer.write_rows(file, row..row + 1, &mut text);
            splits.extend(first_split(&text, previous, start, counter));
            rows.push(text.len());
            previous = start;
        }
        let costs = vec![None; splits.len()];
        Self { text, rows, splits, costs }
    }

    /// Splits some rows where counts add up.
    pub fn split(&mut self, rows: Range<usize>, counter: &dyn TokenCounter) -> TokenSplit<'_> {
        let (start, end) = (self.rows[rows.start], self.rows[rows.end]);
        let first = self.splits.partition_point(|&split| split <= start);
        let after = self.splits.partition_point(|&split| split < end);
        if first >= after {
            let head = &self.text[start..end];
            return TokenSplit { head, middle: Measure::default(), tail: None };
        }
        let last = after - 1;
        let mut middle = Measure::default();
        for index in first..last {
            let text = &self.text[self.splits[index]..self.splits[index + 1]];
            middle += *self.costs[index].get_or_insert_with(|| counter.measure(text));
        }
        let head = &self.text[start..self.splits[first]];
        let tail = &self.text[self.splits[last]..end];
        TokenSplit { head, middle, tail: Some(tail) }
    }
}

/// Returns the first offset in the row at `start` where counts add up. The row before it is at
/// `previous`.
fn first_split(
    text: &str,
    previous: usize,
    start: usize,
    counter: &dyn TokenCounter,
) -> Option<usize> {
    let (previous, row) = (&text[previous..start], &text[start..]);
    if previous.ends_with('\n') {
        return counter.is_additive_between(previous, row).then_some(start);
    }
    let mut last = previous.chars().next_back()?;
    for (offset, c) in row.char_indices() {
        if counter.is_additive_at(last, c) {
            return Some(start + offset);
        }
        last = c;
    }
    None
}
