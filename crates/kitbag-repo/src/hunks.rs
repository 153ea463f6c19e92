//! The hunks of a diff of two texts.

use similar::{ChangeTag, TextDiff};
use std::fmt::Write;
use std::ops::Range;
use std::time::Duration;

/// Time after which a comparison falls back to a coarser diff.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);

/// A run of changed lines with the unchanged lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawHunk {
    /// The rows in the text before, counted from 0.
    pub old: Range<usize>,
    /// The rows in the text after, counted from 0.
    pub new: Range<usize>,
    /// Lines that begin with `+`, `-` or a space.
    pub lines: String,
}

impl RawHunk {
    /// Returns the line before the others, such as `@@ -3,5 +3,5 @@`.
    pub fn header(&self) -> String {
        format!("@@ -{} +{} @@", hunk_range(&self.old), hunk_range(&self.new))
    }
}

/// Returns the hunks between two texts, with `context` unchanged lines around each change.
pub(crate) fn hunks(before: &str, after: &str, context: usize) -> Vec<RawHunk> {
    let mut config = TextDiff::configure();
    config.timeout(DIFF_TIMEOUT);
    // Unlike `similar`, git and redaction end lines at `\n` only.
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    let diff = config.diff_slices(&before, &after);
    let mut hunks = Vec::new();
    for group in diff.grouped_ops(context) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        let mut lines = String::new();
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let line = change.value().trim_end_matches(['\n', '\r']);
            let _ = writeln!(lines, "{}{line}", change.tag());
            if change.tag() != ChangeTag::Equal && !change.value().ends_with('\n') {
                lines.push_str("\\ No newline at end of file\n");
            }
        }
        hunks.push(RawHunk { old, new, lines });
    }
    hunks
}

/// Formats a range as `first,count`. If it is empty, `first` is the line before it.
fn hunk_range(range: &Range<usize>) -> String {
    let first = range.start + usize::from(!range.is_empty());
    format!("{first},{}", range.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(before: &str, after: &str) -> String {
        let hunks = hunks(before, after, 2);
        hunks.iter().map(|hunk| format!("{}\n{}", hunk.header(), hunk.lines)).collect()
    }

    #[test]
    fn hunks_have_lines_of_context() {
        let before: String = (1..=9).map(|line| format!("{line}\n")).collect();
        let after = before.replace("5\n", "five\n");
        assert_eq!(diff(&before, &after), "@@ -3,5 +3,5 @@\n 3\n 4\n-5\n+five\n 6\n 7\n");
        assert_eq!(diff(&before, &before), "");
        assert_eq!(diff("", "1\n"), "@@ -0,0 +1,1 @@\n+1\n");
        assert_eq!(diff("1\n", ""), "@@ -1,1 +0,0 @@\n-1\n");
    }

    #[test]
    fn a_newline_that_is_added_at_the_end_is_visible() {
        let marker = "\\ No newline at end of file";
        assert_eq!(diff("a", "a\n"), format!("@@ -1,1 +1,1 @@\n-a\n{marker}\n+a\n"));
    }
}
