//! The token counts of a text's lines, laid out so that any range of lines has an exact count.
//!
//! Counts of byte-pair vocabularies do not add in general. They do add before most lines (see
//! [`TokenCounter::adds_between`]), so the text is cut there into segments, each counted once. A
//! range of lines then costs its whole segments, which are known, and at most two broken ones at
//! its ends, which are counted when asked for.

use crate::{Measure, TokenCounter};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A segment longer than this is not counted but bounded: no model takes such a line, and the time
/// that a vocabulary needs for a run without a break grows faster than the run.
const LONGEST_SEGMENT: usize = 1 << 20;

/// Token counts of the lines of one text. The text itself is handed in again with each question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Packed", into = "Packed")]
pub struct Tally {
    /// `sums[i]`: the measure of all segments that begin before row `i`.
    sums: Vec<Measure>,
    /// For each row, whether a segment begins there.
    begins: Vec<bool>,
}

impl Tally {
    /// Counts `content`, whose rows begin at the byte offsets `starts`.
    pub fn new(counter: &dyn TokenCounter, content: &str, starts: &[u32]) -> Self {
        Self::until(counter, content, starts, &|| false).unwrap_or_default()
    }

    /// The same, unless `stop` says that nobody wants it any more: it is asked before each segment.
    pub fn until(
        counter: &dyn TokenCounter,
        content: &str,
        starts: &[u32],
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let rows = starts.len();
        let line = |row: usize| slice(content, starts, row..row + 1);
        let begins: Vec<bool> = (0..rows)
            .map(|row| row == 0 || counter.adds_between(line(row - 1), line(row)))
            .collect();
        let mut sums = Vec::with_capacity(rows + 1);
        let mut sum = Measure::default();
        let mut row = 0;
        while row < rows {
            if stop() {
                return None;
            }
            let end = segment_end(&begins, row);
            sums.push(sum);
            sum += measure(counter, slice(content, starts, row..end));
            sums.extend(std::iter::repeat_n(sum, end - row - 1));
            row = end;
        }
        sums.push(sum);
        Some(Self { sums, begins })
    }

    /// How many rows it is of.
    pub fn rows(&self) -> usize {
        self.begins.len()
    }

    /// Whether measures add before a row.
    pub fn begins(&self, row: usize) -> bool {
        self.begins[row]
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

/// A tally as it is kept: numbers that are small.
#[derive(Serialize, Deserialize)]
struct Packed {
    /// For each row, 0 if no segment begins there, else one more than its segment's `main`.
    main: Vec<u32>,
    /// The `extra` of each segment; empty where all are 0.
    extra: Vec<u32>,
}

impl From<Tally> for Packed {
    fn from(tally: Tally) -> Self {
        let rows = tally.begins.len();
        let segments = (0..rows).filter(|&row| tally.begins[row]);
        let measure = |row: usize| tally.sums[segment_end(&tally.begins, row)] - tally.sums[row];
        let mut main = vec![0; rows];
        let mut extra = Vec::new();
        for row in segments {
            let measure = measure(row);
            main[row] = measure.main.saturating_add(1);
            extra.push(measure.extra);
        }
        if extra.iter().all(|&extra| extra == 0) {
            extra.clear();
        }
        Self { main, extra }
    }
}

impl From<Packed> for Tally {
    fn from(packed: Packed) -> Self {
        let begins: Vec<bool> = packed.main.iter().map(|&main| main > 0).collect();
        let mut extra = packed.extra.into_iter();
        let mut sums = Vec::with_capacity(begins.len() + 1);
        let mut sum = Measure::default();
        for main in packed.main {
            sums.push(sum);
            if main > 0 {
                sum += Measure { main: main - 1, extra: extra.next().unwrap_or(0) };
            }
        }
        sums.push(sum);
        Self { sums, begins }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Counting;

    #[test]
    fn a_tally_that_was_kept_is_the_same() {
        let content = "fn a() {\n    b();\n\n    c();\n}\n \n/ x\nlast";
        let mut starts = vec![0u32];
        starts.extend(content.match_indices('\n').map(|(at, _)| at as u32 + 1));
        for name in ["o200k_base", "cl100k_base"] {
            let counting = Counting::named(name).expect("built in");
            let tally = counting.tally(content, &starts);
            let kept: Tally = Packed::from(Tally::clone(&tally)).into();
            assert_eq!(kept, *tally);
        }
    }
}
