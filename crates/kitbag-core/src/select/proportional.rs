//! The overflow policy `proportional`: a share of a chunk's `##` sections.
//!
//! The text before the first section is the header, which is kept, followed by a share of the
//! sections that corresponds to the remaining budget, at least one. Only Markdown and plain text, such
//! as the output of a tool, have sections; in code `##` starts a comment. Fenced lines are skipped.

use crate::source_file::SourceFile;
use kitbag_text::Language;
use std::ops::Range;

/// Returns the row counts up to the end of the first section, the second, and so on up to `ratio` of
/// the sections, each without trailing blank rows. Empty if there are no sections.
pub fn section_ends(file: &SourceFile, rows: Range<usize>, ratio: f64) -> Vec<usize> {
    let starts = section_starts(file, rows.clone());
    let share = (starts.len() as f64 * ratio.clamp(0.0, 1.0)).floor() as usize;
    let ends = starts.iter().copied().skip(1).chain([rows.end]);
    let ends = ends.take(share.max(1).min(starts.len()));
    ends.map(|end| len_without_blank_end(file, rows.start..end))
        .filter(|&count| count < rows.len())
        .collect()
}

/// Returns the first row of each section. A heading in the first row belongs to the header.
fn section_starts(file: &SourceFile, rows: Range<usize>) -> Vec<usize> {
    if !matches!(file.language.map(Language::name), None | Some("markdown" | "text")) {
        return Vec::new();
    }
    let mut fence: Option<&str> = None;
    let mut starts = Vec::new();
    let first = rows.start;
    for row in rows {
        let line = file.slice(row..row + 1).trim_end();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let is_heading = line.starts_with("## ") || line.starts_with("##\t");
        if is_heading && fence.is_none() && row > first {
            starts.push(row);
        }
    }
    starts
}

/// Returns the number of `rows` up to the last that is not blank.
fn len_without_blank_end(file: &SourceFile, rows: Range<usize>) -> usize {
    rows.clone().rfind(|&row| !file.is_blank(row)).unwrap_or(rows.start) + 1 - rows.start
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_text::{Kind, Source, Text};
    use std::sync::Arc;

    fn file(path: &str, content: &str) -> SourceFile {
        let source = Source::new(path, Kind::Diagnostics, Arc::new(Text::new(content)));
        SourceFile::gather(&[source]).0.remove(0)
    }

    const FOUR: &str = "# Problems\nin order\n\n## a\n1\n\n## b\n2\n## c\n3\n\n\n## d\n4\n";

    #[test]
    fn half_of_four_sections_are_two() {
        let file = file("problems.md", FOUR);
        let ends = |ratio| section_ends(&file, 0..14, ratio);
        assert_eq!(ends(0.5), [5, 8]);
        assert_eq!(ends(0.01), [5], "at least one");
        assert_eq!(ends(0.99), [5, 8, 10], "rounded down");
        assert_eq!(ends(1.0), [5, 8, 10], "the whole chunk is not truncated");
    }

    #[test]
    fn a_heading_in_the_first_line_is_the_header() {
        let file = file("a.md", "## a\n1\n## b\n2\n## c\n3\n");
        assert_eq!(section_ends(&file, 0..6, 0.5), [4]);
    }

    #[test]
    fn code_and_fences_have_no_sections() {
        let content = "# x\n## one\ny\n## two\nz\n";
        assert_eq!(section_ends(&file("a.py", content), 0..5, 0.9), Vec::<usize>::new());
        assert_eq!(section_ends(&file("output", content), 0..5, 0.9), [3]);
        let fenced = "# x\n```\n## one\n```\n## two\nz\n## three\n1\n";
        assert_eq!(section_ends(&file("a.md", fenced), 0..8, 0.9), [6]);
    }
}
