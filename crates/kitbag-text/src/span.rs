//! Line ranges.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A range of whole lines: 1-based, inclusive, never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Span {
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
}

impl Span {
    /// Creates the range between two lines, in either order.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start: start.min(end), end: start.max(end) }
    }

    /// Number of lines.
    pub fn lines(self) -> u32 {
        self.end - self.start + 1
    }

    /// Number of lines that are in both ranges.
    pub fn shared_lines(self, other: Span) -> u32 {
        let start = self.start.max(other.start);
        let end = self.end.min(other.end);
        if start > end { 0 } else { end - start + 1 }
    }

    /// Whether the line is in this range.
    pub fn contains_line(self, line: u32) -> bool {
        self.start <= line && line <= self.end
    }

    /// Whether every line of `other` is in this range.
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
