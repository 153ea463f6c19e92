//! A share of a chunk's `##` sections: the policy `proportional`.
//!
//! What stands before the first section is the chunk's header and stays; then as many sections, in
//! order, as the share of the chunk that there is room for, at least one. Sections are those of
//! Markdown and of plain text, such as the output of a tool; a `##` inside a fence is none. Code
//! has no sections: `##` begins a comment there.

use crate::sheet::Sheet;
use kitbag_text::Language;
use std::ops::Range;

/// How many of `rows` a share of the sections may keep: up to the end of the first section, the
/// second, ... up to the share, each without the blank rows that follow it. Empty where there are no
/// sections.
pub fn ends(sheet: &Sheet, rows: Range<usize>, ratio: f64) -> Vec<usize> {
    let starts = section_starts(sheet, rows.clone());
    let kept = kept(starts.len(), ratio);
    let after = starts.iter().copied().skip(1).chain([rows.end]);
    let ends = after.take(kept).map(|next| filled(sheet, rows.start..next));
    ends.filter(|&count| count < rows.len()).collect()
}

/// How many of `sections` a share of them is: rounded down, but one at least.
fn kept(sections: usize, ratio: f64) -> usize {
    let share = (sections as f64 * ratio.clamp(0.0, 1.0)).floor() as usize;
    share.max(1).min(sections)
}

/// The rows at which sections begin. A heading in the first row belongs to the header.
fn section_starts(sheet: &Sheet, rows: Range<usize>) -> Vec<usize> {
    if !matches!(sheet.language.map(Language::name), None | Some("markdown" | "text")) {
        return Vec::new();
    }
    let mut fence: Option<&str> = None;
    let mut starts = Vec::new();
    let first = rows.start;
    for row in rows {
        let line = sheet.slice(row..row + 1).trim_end();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let heading = line.starts_with("## ") || line.starts_with("##\t");
        if heading && fence.is_none() && row > first {
            starts.push(row);
        }
    }
    starts
}

/// How many of `rows` there are up to the last that is not blank.
fn filled(sheet: &Sheet, rows: Range<usize>) -> usize {
    let filled = |row: &usize| !sheet.slice(*row..*row + 1).trim().is_empty();
    rows.clone().rev().find(filled).unwrap_or(rows.start) + 1 - rows.start
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
            expanded_context: None,
            pieces: None,
            tally: None,
            from: None,
        };
        Sheet::gather(&[source]).0.remove(0)
    }

    const FOUR: &str = "# Problems\nin order\n\n## a\n1\n\n## b\n2\n## c\n3\n\n\n## d\n4\n";

    #[test]
    fn half_of_four_sections_are_two() {
        let sheet = sheet("problems.md", FOUR);
        let ends = |ratio| ends(&sheet, 0..14, ratio);
        assert_eq!(ends(0.5), [5, 8]);
        assert_eq!(ends(0.01), [5], "one at least");
        assert_eq!(ends(0.99), [5, 8, 10], "rounded down");
        assert_eq!(ends(1.0), [5, 8, 10], "all of it is no cut");
    }

    #[test]
    fn a_section_in_the_first_line_is_the_header() {
        let sheet = sheet("a.md", "## a\n1\n## b\n2\n## c\n3\n");
        assert_eq!(ends(&sheet, 0..6, 0.5), [4]);
    }

    #[test]
    fn code_and_fences_have_no_sections() {
        let content = "# x\n## one\ny\n## two\nz\n";
        assert_eq!(ends(&sheet("a.py", content), 0..5, 0.9), Vec::<usize>::new());
        assert_eq!(ends(&sheet("output", content), 0..5, 0.9), [3]);
        let fenced = "# x\n```\n## one\n```\n## two\nz\n## three\n1\n";
        assert_eq!(ends(&sheet("a.md", fenced), 0..8, 0.9), [6]);
    }
}
