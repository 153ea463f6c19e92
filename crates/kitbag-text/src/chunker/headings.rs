//! Sections of Markdown, reStructuredText, AsciiDoc and Org documents.

use crate::cancel::Cancel;
use crate::chunk::ChunkKind;
use crate::language::HeadingStyle;
use crate::syntax::{Definition, SplitPoints, SyntaxUnit, TextStructure};
use crate::text::Text;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Larger Markdown documents are not parsed. Links that are never closed take 120 bytes of memory per byte, and
/// paragraphs of a single line 60.
const MAX_MARKDOWN_BYTES: usize = 1 << 20;
/// Headings of larger documents, which are ordinary up to some thousands.
const MAX_LINE_HEADINGS: usize = 100_000;

#[derive(Debug, PartialEq, Eq)]
struct SectionHeading {
    /// First and last row.
    rows: (u32, u32),
    /// Level, starting at 1 for the highest.
    level: u32,
    title: String,
}

/// Finds the sections of `text`, with subsections as members. The result is incomplete if cancelled.
pub(super) fn sections(style: HeadingStyle, text: &Text, cancel: &Cancel) -> TextStructure {
    let mut headings = match style {
        HeadingStyle::Markdown if is_too_large(text) => number_signs(text),
        HeadingStyle::Markdown => markdown(text, cancel),
        HeadingStyle::Underlined => underlined(text),
        HeadingStyle::EqualSigns => prefixed(text, '=', &["----", "....", "++++", "////"]),
        HeadingStyle::Stars => prefixed(text, '*', &[]),
    };
    let Some(last) = text.line_count().checked_sub(1) else { return TextStructure::default() };
    let definitions = headings.iter().map(definition).collect();
    // The document title is not a section: it would contain the whole text.
    let is_title = headings.split_first().is_some_and(|(title, rest)| {
        !rest.is_empty() && rest.iter().all(|heading| heading.level > title.level)
    });
    if is_title {
        headings[0].level = u32::MAX;
    }
    TextStructure { units: nest(&headings, last), definitions }
}

/// Finds the rows at which blocks such as paragraphs, lists and fences begin.
pub(super) fn split_points(style: HeadingStyle, text: &Text) -> SplitPoints {
    let mut split_points = SplitPoints::none(0..text.line_count());
    if style != HeadingStyle::Markdown || is_too_large(text) {
        return split_points;
    }
    let mut depth = 0;
    for (event, range) in Parser::new_ext(text.content(), options()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if !matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Link { .. }) {
                    split_points.mark(text.row_at(range.start), depth);
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    split_points
}

fn definition(heading: &SectionHeading) -> Definition {
    let (first, signature_end) = heading.rows;
    let symbol = (!heading.title.is_empty()).then(|| heading.title.clone());
    Definition { first, row: first, signature_end, symbol, is_outlined: true }
}

/// Nests sections by level, without recursion.
fn nest(headings: &[SectionHeading], last: u32) -> Vec<SyntaxUnit> {
    let mut top: Vec<SyntaxUnit> = Vec::new();
    if let Some(preamble) = headings.first().map_or(Some(last), |h| h.rows.0.checked_sub(1)) {
        top.push(section(0, preamble, None));
    }
    let mut open: Vec<(u32, SyntaxUnit)> = Vec::new();
    for heading in headings {
        close(&mut open, &mut top, heading.level, heading.rows.0.saturating_sub(1));
        let title = (!heading.title.is_empty()).then(|| heading.title.clone());
        open.push((heading.level, section(heading.rows.0, last, title)));
    }
    close(&mut open, &mut top, 0, last);
    top
}

/// Closes the open sections that end before a heading of `level`, at row `last`.
fn close(open: &mut Vec<(u32, SyntaxUnit)>, top: &mut Vec<SyntaxUnit>, level: u32, last: u32) {
    while open.last().is_some_and(|(opened, _)| *opened >= level) {
        let Some((_, mut unit)) = open.pop() else { return };
        unit.last = last.max(unit.first);
        match open.last_mut() {
            Some((_, parent)) => parent.members.push(unit),
            None => top.push(unit),
        }
    }
}

fn section(first: u32, last: u32, symbol: Option<String>) -> SyntaxUnit {
    SyntaxUnit { first, last, kind: ChunkKind::Section, symbol, members: Vec::new() }
}

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_FOOTNOTES
}

/// Finds Markdown headings, except for those inside quotes and lists.
fn markdown(text: &Text, cancel: &Cancel) -> Vec<SectionHeading> {
    let mut headings = Vec::new();
    let mut depth = 0u32;
    let mut in_heading = false;
    for (event, range) in Parser::new_ext(text.content(), options()).into_offset_iter() {
        if cancel.is_cancelled() {
            break;
        }
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                let last = text.row_at(range.end.saturating_sub(1).max(range.start));
                let rows = (text.row_at(range.start), last);
                headings.push(SectionHeading { rows, level: level as u32, title: String::new() });
                in_heading = true;
            }
            Event::End(TagEnd::Heading(_)) if depth == 0 => in_heading = false,
            Event::Start(_) if !in_heading => depth += 1,
            Event::End(_) if !in_heading => depth = depth.saturating_sub(1),
            Event::Text(words) | Event::Code(words) if in_heading => {
                if let Some(heading) = headings.last_mut() {
                    heading.title.push_str(&words);
                }
            }
            _ => {}
        }
    }
    headings
}

fn is_too_large(markdown: &Text) -> bool {
    markdown.content().len() > MAX_MARKDOWN_BYTES
}

/// Finds lines that begin with `#` outside of fences: the headings of a Markdown document that is not parsed.
fn number_signs(text: &Text) -> Vec<SectionHeading> {
    let mut headings = Vec::new();
    let mut fence: Option<&str> = None;
    for row in 0..text.line_count() {
        let line = line(text, row).trim_end();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(_), Some(_)) if fence == mark && rule(line.trim_start()).is_some() => {
                fence = None
            }
            _ => {}
        }
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        if fence.is_none() && (1..=6).contains(&level) && title.starts_with(' ') {
            let title = title.trim_matches([' ', '#']).to_owned();
            headings.push(SectionHeading { rows: (row, row), level: level as u32, title });
        }
        if headings.len() == MAX_LINE_HEADINGS {
            break;
        }
    }
    headings
}

/// Finds titles that are underlined with punctuation of at least the same width. The level of a mark is
/// its order of appearance.
fn underlined(text: &Text) -> Vec<SectionHeading> {
    let mut marks: Vec<(char, bool)> = Vec::new();
    let mut headings: Vec<SectionHeading> = Vec::new();
    for row in 1..text.line_count() {
        let Some(mark) = rule(line(text, row)) else { continue };
        let title = line(text, row - 1).trim_end();
        let width = line(text, row).trim_end().chars().count();
        let is_overlined = row >= 2 && rule(line(text, row - 2)) == Some(mark);
        let is_title = !title.is_empty()
            && rule(title).is_none()
            && title.chars().count() <= width.max(3)
            && (is_overlined || !title.starts_with(char::is_whitespace));
        let first = if is_overlined { row - 2 } else { row - 1 };
        if !is_title || headings.last().is_some_and(|last| last.rows.1 >= first) {
            continue;
        }
        let kind = (mark, is_overlined);
        let level = marks.iter().position(|known| *known == kind).unwrap_or_else(|| {
            marks.push(kind);
            marks.len() - 1
        });
        let title = title.trim().to_owned();
        headings.push(SectionHeading { rows: (first, row), level: level as u32 + 1, title });
    }
    headings
}

/// Maximum level of a heading, which limits the nesting of sections.
const MAX_LEVEL: usize = 32;

/// Finds lines that consist of marks, a space and a title, outside of blocks delimited by `fences`.
fn prefixed(text: &Text, mark: char, fences: &[&str]) -> Vec<SectionHeading> {
    let mut headings = Vec::new();
    let mut fence: Option<&str> = None;
    for row in 0..text.line_count() {
        let line = line(text, row).trim_end();
        if let Some(opened) = fence {
            if line == opened {
                fence = None;
            }
            continue;
        }
        if fences.iter().any(|known| line.starts_with(known)) && rule(line).is_some() {
            fence = Some(line);
            continue;
        }
        let title = line.trim_start_matches(mark);
        let level = line.len() - title.len();
        if level > 0 && title.starts_with(' ') && !title.trim().is_empty() {
            let title = title.trim().to_owned();
            let level = level.min(MAX_LEVEL) as u32;
            headings.push(SectionHeading { rows: (row, row), level, title });
        }
    }
    headings
}

/// Returns the character of a line that consists of at least three equal punctuation characters.
fn rule(line: &str) -> Option<char> {
    let line = line.trim_end();
    let mark = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 3 && line.chars().all(|c| c == mark)).then_some(mark)
}

fn line(text: &Text, row: u32) -> &str {
    text.line(row + text.first_line())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_large_documents_are_those_of_small_ones() {
        let section = "# Guide\n\n## Install ##\n\n```sh\n# not a heading\n~~~\n```\n\n#hashtag\n\n### Test\n\n";
        let small = Text::new(section);
        assert_eq!(number_signs(&small), markdown(&small, &Cancel::default()));
        let large = Text::new(section.repeat(MAX_MARKDOWN_BYTES / section.len() + 1));
        let structure = sections(HeadingStyle::Markdown, &large, &Cancel::default());
        let count = large.content().len() / section.len();
        assert_eq!((structure.units.len(), structure.definitions.len()), (count, 3 * count));
    }
}
