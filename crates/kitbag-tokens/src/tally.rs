//! The token counts of a text's lines, laid out so that any range of lines has an exact count.
//!
//! Counts of byte-pair vocabularies do not add in general. They do add before most lines (see
//! [`TokenCounter::adds_between`]), so the text is cut there into segments, each counted once. A
//! range of lines then costs its whole segments, which are known, and at most two broken ones at
//! its ends, which are counted when asked for.

use crate::{Measure, TokenCounter};
use std::ops::Range;

/// A segment longer than this is not counted but bounded: no model takes such a line, and the time
/// that a vocabulary needs for a run without a break grows faster than the run.
const LONGEST_SEGMENT: usize = 1 << 20;

/// Token counts of the lines of one text. The text itself is handed in again with each question.
#[derive(Debug, Clone)]
pub struct Tally {
    /// `sums[i]`: the measure of all segments that begin before row `i`.
    sums: Vec<Measure>,
    /// For each row, whether a segment begins there.
    begins: Vec<bool>,
}

impl Tally {
    /// Counts `content`, whose rows begin at the byte offsets `starts`.
    pub fn new(counter: &dyn TokenCounter, content: &str, starts: &[u32]) -> Self {
        let rows = starts.len();
        let line = |row: usize| slice(content, starts, row..row + 1);
        let begins: Vec<bool> = (0..rows)
            .map(|row| row == 0 || counter.adds_between(line(row - 1), line(row)))
            .collect();
        let mut sums = Vec::with_capacity(rows + 1);
        let mut sum = Measure::default();
        let mut row = 0;
        while row < rows {
            let end = segment_end(&begins, row);
            sums.push(sum);
            sum += measure(counter, slice(content, starts, row..end));
            sums.extend(std::iter::repeat_n(sum, end - row - 1));
            row = end;
        }
        sums.push(sum);
        Self { sums, begins }
    }

    /// The measure of `rows`, counted as if a newline ended the last of them.
    pub fn measure(
        &self,
        counter: &dyn TokenCounter,
        content: &str,
        starts: &[u32],
        rows: Range<usize>,
    ) -> Measure {
        if rows.is_empty() {
            return Measure::default();
        }
        let first = (rows.start..rows.end).find(|&row| self.begins[row]).unwrap_or(rows.end);
        let last = (first..rows.end).rev().find(|&row| self.begins[row]).unwrap_or(rows.end);
        let head = measure(counter, slice(content, starts, rows.start..first));
        let middle = self.sums[last.max(first)] - self.sums[first];
        head + middle + self.tail(counter, content, starts, last..rows.end)
    }

    fn tail(
        &self,
        counter: &dyn TokenCounter,
        content: &str,
        starts: &[u32],
        rows: Range<usize>,
    ) -> Measure {
        let whole = rows.end == self.begins.len() || self.begins[rows.end];
        let text = slice(content, starts, rows.clone());
        if whole && text.ends_with('\n') {
            return self.sums[rows.end] - self.sums[rows.start];
        }
        measure(counter, text)
    }
}

/// The end of the segment that begins at `row`.
fn segment_end(begins: &[bool], row: usize) -> usize {
    (row + 1..begins.len()).find(|&next| begins[next]).unwrap_or(begins.len())
}

fn slice<'a>(content: &'a str, starts: &[u32], rows: Range<usize>) -> &'a str {
    let at = |row: usize| starts.get(row).map_or(content.len(), |&start| start as usize);
    &content[at(rows.start)..at(rows.end)]
}

/// Measures a run of whole rows, the last of which may lack its newline.
fn measure(counter: &dyn TokenCounter, text: &str) -> Measure {
    if text.is_empty() {
        return Measure::default();
    }
    if text.len() > LONGEST_SEGMENT {
        // A token stands for at least one byte, a character or a word too; the newline is extra.
        let most = u32::try_from(text.len() + 1).unwrap_or(u32::MAX);
        return Measure { main: most, extra: most };
    }
    if text.ends_with('\n') { counter.measure(text) } else { counter.measure(&format!("{text}\n")) }
}
