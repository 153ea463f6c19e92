//! Line ranges, as an editor counts them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A range of whole lines: 1-based, both ends included, never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Span {
    /// The first line.
    pub start: u32,
    /// The last line.
    pub end: u32,
}

impl Span {
    /// The lines from `start` to `end`. The ends are put in order.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start: start.min(end), end: start.max(end) }
    }

    /// How many lines it has.
    pub fn lines(self) -> u32 {
        self.end - self.start + 1
    }

    /// How many lines the two share.
    pub fn shared_lines(self, other: Span) -> u32 {
        let start = self.start.max(other.start);
        let end = self.end.min(other.end);
        if start > end { 0 } else { end - start + 1 }
    }

    /// Whether every line of `other` is one of ours.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl From<(u32, u32)> for Span {
    fn from((start, end): (u32, u32)) -> Self {
        Self::new(start, end)
    }
}

impl From<Span> for (u32, u32) {
    fn from(span: Span) -> Self {
        (span.start, span.end)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.start, self.end)
    }
}
