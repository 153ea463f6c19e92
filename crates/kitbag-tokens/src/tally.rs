//! Token counts of a text's lines, from which the exact count of any range of lines follows.
//!
//! Counts of byte-pair vocabularies are not additive in general, but they are before most lines (see
//! [`TokenCounter::is_additive_between`]). The text is split there into segments, each counted once. The
//! count of a range is the sum of its whole segments plus at most two partial ones at its ends, which
//! are counted on demand.

use crate::counter::{Measure, TokenCounter};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Longest segment in bytes that is counted. Longer ones get an upper bound: no model accepts such a
/// line, and the time to encode an unbroken run grows faster than its length.
const MAX_SEGMENT_BYTES: usize = 1 << 20;

/// Token counts of the rows of one text. The text itself is not stored and is passed to each query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredTally", into = "StoredTally")]
pub struct Tally {
    /// `sums[i]` is the measure of all segments that begin before row `i`.
    sums: Vec<Measure>,
    /// For each row, whether a segment begins there.
    is_segment_start: Vec<bool>,
}

impl Tally {
    /// Counts `content`, whose rows begin at the byte offsets `row_starts`.
    pub fn new(counter: &dyn TokenCounter, content: &str, row_starts: &[u32]) -> Self {
        Self::until(counter, content, row_starts, &|| false).unwrap_or_default()
    }

    /// Counts `content` unless `is_cancelled`, which is called before each segment, returns `true`.
    pub fn until(
        counter: &dyn TokenCounter,
        content: &str,
        row_starts: &[u32],
        is_cancelled: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let rows = row_starts.len();
        let line = |row: usize| slice(content, row_starts, row..row + 1);
        let is_segment_start: Vec<bool> = (0..rows)
            .map(|row| row == 0 || counter.is_additive_between(line(row - 1), line(row)))
            .collect();
        let mut sums = Vec::with_capacity(rows + 1);
        let mut sum = Measure::default();
        let mut row = 0;
        while row < rows {
            if is_cancelled() {
                return None;
            }
            let end = segment_end(&is_segment_start, row);
            sums.push(sum);
            sum += measure(counter, slice(content, row_starts, row..end));
            sums.extend(std::iter::repeat_n(sum, end - row - 1));
            row = end;
        }
        sums.push(sum);
        Some(Self { sums, is_segment_start })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.is_segment_start.len()
    }

    /// Whether a segment begins at `row`, so that measures can be summed before it.
    pub fn is_segment_start(&self, row: usize) -> bool {
        self.is_segment_start[row]
    }

    /// Measures `rows` as if the last one ended with a newline.
    pub fn measure(
        &self,
        counter: &dyn TokenCounter,
        content: &str,
        row_starts: &[u32],
        rows: Range<usize>,
    ) -> Measure {
        if rows.is_empty() {
            return Measure::default();
        }
        let first =
            (rows.start..rows.end).find(|&row| self.is_segment_start[row]).unwrap_or(rows.end);
        let last =
            (first..rows.end).rev().find(|&row| self.is_segment_start[row]).unwrap_or(rows.end);
        let head = measure(counter, slice(content, row_starts, rows.start..first));
        let middle = self.sums[last.max(first)] - self.sums[first];
        let is_segment = rows.end == self.rows() || self.is_segment_start[rows.end];
        // Segments have been measured with a newline at their end, whether the text has one or not.
        let tail = if is_segment {
            self.sums[rows.end] - self.sums[last]
        } else {
            measure(counter, slice(content, row_starts, last..rows.end))
        };
        head + middle + tail
    }
}

/// Serialized form of a [`Tally`], with small numbers.
#[derive(Serialize, Deserialize)]
struct StoredTally {
    /// For each row, its segment's `main` plus one, or 0 if no segment begins there.
    main: Vec<u32>,
    /// The `extra` of each segment, or empty if all are 0.
    extra: Vec<u32>,
}

impl From<Tally> for StoredTally {
    fn from(tally: Tally) -> Self {
        let rows = tally.is_segment_start.len();
        let segments = (0..rows).filter(|&row| tally.is_segment_start[row]);
        let measure =
            |row: usize| tally.sums[segment_end(&tally.is_segment_start, row)] - tally.sums[row];
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

impl From<StoredTally> for Tally {
    fn from(stored: StoredTally) -> Self {
        let is_segment_start: Vec<bool> = stored.main.iter().map(|&main| main > 0).collect();
        let mut extra = stored.extra.into_iter();
        let mut sums = Vec::with_capacity(is_segment_start.len() + 1);
        let mut sum = Measure::default();
        for main in stored.main {
            sums.push(sum);
            if main > 0 {
                sum += Measure { main: main - 1, extra: extra.next().unwrap_or(0) };
            }
        }
        sums.push(sum);
        Self { sums, is_segment_start }
    }
}

/// Returns the end of the segment that begins at `row`.
fn segment_end(is_segment_start: &[bool], row: usize) -> usize {
    let rows = is_segment_start.len();
    (row + 1..rows).find(|&next| is_segment_start[next]).unwrap_or(rows)
}

fn slice<'a>(content: &'a str, row_starts: &[u32], rows: Range<usize>) -> &'a str {
    let at = |row: usize| row_starts.get(row).map_or(content.len(), |&start| start as usize);
    &content[at(rows.start)..at(rows.end)]
}

/// Measures whole rows, the last of which may lack its newline.
fn measure(counter: &dyn TokenCounter, text: &str) -> Measure {
    if text.is_empty() {
        return Measure::default();
    }
    if text.len() > MAX_SEGMENT_BYTES {
        // Tokens, characters and words take at least one byte each; one more for the newline.
        let bound = u32::try_from(text.len() + 1).unwrap_or(u32::MAX);
        return Measure { main: bound, extra: bound };
    }
    if text.ends_with('\n') { counter.measure(text) } else { counter.measure(&format!("{text}\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bpe::Vocabulary;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn tally_survives_serialization() {
        let content = "fn a() {\n    b();\n\n    c();\n}\n \n/ x\nlast";
        let mut row_starts = vec![0u32];
        row_starts.extend(content.match_indices('\n').map(|(at, _)| at as u32 + 1));
        for vocabulary in Vocabulary::ALL {
            let tally = Tally::new(&vocabulary, content, &row_starts);
            let restored: Tally = StoredTally::from(tally.clone()).into();
            assert_eq!(restored, tally);
        }
    }

    /// Counts how often it is asked.
    #[derive(Debug, Default)]
    struct Counting(AtomicUsize);

    impl TokenCounter for Counting {
        fn name(&self) -> &str {
            "counting"
        }

        fn is_exact(&self) -> bool {
            true
        }

        fn measure(&self, text: &str) -> Measure {
            self.0.fetch_add(1, Ordering::Relaxed);
            Vocabulary::O200kBase.measure(text)
        }

        fn tokens(&self, measure: Measure) -> usize {
            Vocabulary::O200kBase.tokens(measure)
        }

        fn is_additive_between(&self, previous: &str, line: &str) -> bool {
            Vocabulary::O200kBase.is_additive_between(previous, line)
        }
    }

    #[test]
    fn segments_are_counted_once() {
        for content in ["a\nb", "a\nb\n"] {
            let counter = Counting::default();
            let tally = Tally::new(&counter, content, &[0, 2]);
            assert_eq!(counter.0.load(Ordering::Relaxed), 2);
            let count = |rows| tally.measure(&counter, content, &[0, 2], rows).main;
            assert_eq!((count(0..1), count(1..2), count(0..2)), (2, 2, 4));
            assert_eq!(counter.0.load(Ordering::Relaxed), 2, "{content:?}");
        }
    }
}
