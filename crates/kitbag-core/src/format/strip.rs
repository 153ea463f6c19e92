//! The lines of a file as they stand in the text, cut where token counts add.
//!
//! A run of rows is split into a head, a middle and a tail. The head is counted together with what
//! stands before it, the tail with what follows it, and the middle adds to both.

use super::Layout;
use crate::sheet::Sheet;
use kitbag_tokens::{Counting, Measure, TokenCounter};
use std::ops::Range;

/// A run of rows, split where counts add.
pub struct Parts<'a> {
    /// Up to the first place where counts add.
    pub head: &'a str,
    /// What lies between the first such place and the last.
    pub middle: Measure,
    /// From the last such place; `None` where there is no such place, and the head is all.
    pub tail: Option<&'a str>,
}

impl<'a> Parts<'a> {
    /// The rows as they are in the file.
    pub fn of_sheet(sheet: &'a Sheet, rows: Range<usize>, counting: &Counting) -> Self {
        let tally = sheet.tally(counting);
        let Some(first) = (rows.start + 1..rows.end).find(|&row| tally.begins(row)) else {
            return Self { head: sheet.slice(rows), middle: Measure::default(), tail: None };
        };
        let last = (first..rows.end).rev().find(|&row| tally.begins(row)).unwrap_or(first);
        Self {
            head: sheet.slice(rows.start..first),
            middle: sheet.measure(counting, first..last),
            tail: Some(sheet.slice(last..rows.end)),
        }
    }
}

/// The rows of a sheet, escaped, and what is known of their counts.
pub struct Escaped {
    text: String,
    /// Where each row begins, and where the last ends.
    rows: Vec<usize>,
    /// Places where counts add, in order.
    cuts: Vec<usize>,
    /// What lies between a cut and the next, where it was asked for.
    known: Vec<Option<Measure>>,
}

impl Escaped {
    /// Escapes all rows of a sheet.
    pub fn new(layout: &dyn Layout, sheet: &Sheet, counter: &dyn TokenCounter) -> Self {
        let mut escaped =
            Self { text: String::new(), rows: vec![0], cuts: Vec::new(), known: Vec::new() };
        let mut before = 0;
        for row in 0..sheet.row_count() {
            let start = escaped.text.len();
            layout.escape(sheet.slice(row..row + 1), &mut escaped.text);
            escaped.cuts.extend(cut(&escaped.text, before, start, counter));
            escaped.rows.push(escaped.text.len());
            before = start;
        }
        escaped.known = vec![None; escaped.cuts.len()];
        escaped
    }

    /// Some rows, split where counts add.
    pub fn parts(&mut self, rows: Range<usize>, counter: &dyn TokenCounter) -> Parts<'_> {
        let (start, end) = (self.rows[rows.start], self.rows[rows.end]);
        let first = self.cuts.partition_point(|&cut| cut <= start);
        let after = self.cuts.partition_point(|&cut| cut < end);
        if first >= after {
            let head = &self.text[start..end];
            return Parts { head, middle: Measure::default(), tail: None };
        }
        let last = after - 1;
        let mut middle = Measure::default();
        for place in first..last {
            let text = &self.text[self.cuts[place]..self.cuts[place + 1]];
            middle += *self.known[place].get_or_insert_with(|| counter.measure(text));
        }
        let (head, tail) = (&self.text[start..self.cuts[first]], &self.text[self.cuts[last]..end]);
        Parts { head, middle, tail: Some(tail) }
    }
}

/// The first place in the row that begins at `start` where counts add.
fn cut(text: &str, before: usize, start: usize, counter: &dyn TokenCounter) -> Option<usize> {
    let (previous, row) = (&text[before..start], &text[start..]);
    if previous.ends_with('\n') {
        return counter.adds_between(previous, row).then_some(start);
    }
    let mut last = previous.chars().next_back()?;
    for (at, c) in row.char_indices() {
        if counter.adds_at(last, c) {
            return Some(start + at);
        }
        last = c;
    }
    None
}
