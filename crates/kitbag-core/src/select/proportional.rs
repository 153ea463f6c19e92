//! A share of a chunk's `##` sections: the policy `proportional`.
//!
//! What stands before the first section is the chunk's header and stays; then as many sections, in
//! order, as the share of the chunk that there is room for, at least one. Sections are those of
//! Markdown and of plain text, such as the output of a tool; a `##` inside a fence is none. Code
//! has no sections: `##` begins a comment there.

use crate::sheet::Sheet;
use kitbag_text::{Language, Span};

/// The lines that a share of the sections may end at: after the first section, the second, ... up
/// to the share, each without the blank lines that follow it. Empty where there are no sections.
pub fn ends(sheet: &Sheet, span: Span, ratio: f64) -> Vec<u32> {
    let starts = section_starts(sheet, span);
    let kept = kept(starts.len(), ratio);
    let after = starts.iter().copied().skip(1).chain([span.end + 1]);
    let ends = after.take(kept).map(|next| last_filled(sheet, span.start, next - 1));
    ends.filter(|&end| end < span.end).collect()
}

/// How many of `sections` a share of them is: rounded down, but one at least.
fn kept(sections: usize, ratio: f64) -> usize {
    let share = (sections as f64 * ratio.clamp(0.0, 1.0)).floor() as usize;
    share.max(1).min(sections)
}

/// The lines at which sections begin. A heading in the first line belongs to the header.
fn section_starts(sheet: &Sheet, span: Span) -> Vec<u32> {
    if !matches!(sheet.language.map(Language::name), None | Some("markdown" | "text")) {
        return Vec::new();
    }
    let mut fence: Option<&str> = None;
    let mut starts = Vec::new();
    for row in sheet.rows(span) {
        let line = sheet.slice(row..row + 1).trim_end();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let heading = line.starts_with("## ") || line.starts_with("##\t");
        if heading && fence.is_none() && sheet.line(row) > span.start {
            starts.push(sheet.line(row));
        }
    }
    starts
}

/// The last line up to `end` that is not blank.
fn last_filled(sheet: &Sheet, start: u32, end: u32) -> u32 {
    let filled = |line: &u32| !sheet.slice(sheet.rows(Span::new(*line, *line))).trim().is_empty();
    (start..=end).rev().find(filled).unwrap_or(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_text::{Kind, Source, Text};
    use std::sync::Arc;

    fn sheet(path: &str, content: &str) -> Sheet {
        let source = Source {
            path: path.into(),
            kind: Kind::Diagnostics,
            text: Arc::new(Text::new(content)),
            relevance: None,
            timestamp: None,
            pieces: None,
            tally: None,
        };
        Sheet::gather(&[source]).0.remove(0)
    }

    const FOUR: &str = "# Problems\nin order\n\n## a\n1\n\n## b\n2\n## c\n3\n\n\n## d\n4\n";

    #[test]
    fn half_of_four_sections_are_two() {
        let sheet = sheet("problems.md", FOUR);
        let ends = |ratio| ends(&sheet, Span::new(1, 14), ratio);
        assert_eq!(ends(0.5), [5, 8]);
        assert_eq!(ends(0.01), [5], "one at least");
        assert_eq!(ends(0.99), [5, 8, 10], "rounded down");
        assert_eq!(ends(1.0), [5, 8, 10], "all of it is no cut");
    }

    #[test]
    fn a_section_in_the_first_line_is_the_header() {
        let sheet = sheet("a.md", "## a\n1\n## b\n2\n## c\n3\n");
        assert_eq!(ends(&sheet, Span::new(1, 6), 0.5), [4]);
    }

    #[test]
    fn code_and_fences_have_no_sections() {
        let content = "# x\n## one\ny\n## two\nz\n";
        assert_eq!(ends(&sheet("a.py", content), Span::new(1, 5), 0.9), Vec::<u32>::new());
        assert_eq!(ends(&sheet("output", content), Span::new(1, 5), 0.9), [3]);
        let fenced = "# x\n```\n## one\n```\n## two\nz\n## three\n1\n";
        assert_eq!(ends(&sheet("a.md", fenced), Span::new(1, 8), 0.9), [6]);
    }
}
