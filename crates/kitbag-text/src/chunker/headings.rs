//! Headed text: sections under headings, in Markdown, reStructuredText, AsciiDoc and Org.

use super::seams::Seams;
use super::units::{Definition, Structure, Unit};
use crate::language::Headings;
use crate::{Cancel, ChunkKind, Text};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A heading.
#[derive(Debug, PartialEq, Eq)]
struct Heading {
    /// Its first row and its last.
    rows: (u32, u32),
    /// 1 is the highest.
    level: u32,
    title: String,
}

/// The sections of `text`, each with the sections under it; some of them once `cancel` is up.
pub(super) fn sections(style: Headings, text: &Text, cancel: &Cancel) -> Structure {
    let mut headings = match style {
        Headings::Markdown => markdown(text, cancel),
        Headings::Underlined => underlined(text),
        Headings::EqualSigns => marked(text, '=', &["----", "....", "++++", "////"]),
        Headings::Stars => marked(text, '*', &[]),
    };
    let Some(last) = text.line_count().checked_sub(1) else { return Structure::default() };
    let definitions = headings.iter().map(definition).collect();
    // A title that stands over the whole document is no section that could be kept whole.
    let is_title = headings.split_first().is_some_and(|(title, rest)| {
        !rest.is_empty() && rest.iter().all(|heading| heading.level > title.level)
    });
    if is_title {
        headings[0].level = u32::MAX;
    }
    Structure { units: nest(&headings, last), definitions }
}

/// The seams of `text`: where its paragraphs, lists and fences begin.
pub(super) fn seams(style: Headings, text: &Text) -> Seams {
    let mut seams = Seams::none(0..text.line_count());
    if style != Headings::Markdown {
        return seams;
    }
    let mut depth = 0;
    for (event, range) in Parser::new_ext(text.content(), options()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if !matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Link { .. }) {
                    seams.mark(row_of(text, range.start), depth);
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    seams
}

fn definition(heading: &Heading) -> Definition {
    let (first, signature) = heading.rows;
    let symbol = (!heading.title.is_empty()).then(|| heading.title.clone());
    Definition { first, row: first, signature, symbol, outlined: true }
}

/// Puts sections under the sections that they belong to, without calling itself.
fn nest(headings: &[Heading], last: u32) -> Vec<Unit> {
    let mut top: Vec<Unit> = Vec::new();
    if let Some(preamble) = headings.first().map_or(Some(last), |h| h.rows.0.checked_sub(1)) {
        top.push(section(0, preamble, None));
    }
    let mut open: Vec<(u32, Unit)> = Vec::new();
    for heading in headings {
        close(&mut open, &mut top, heading.level, heading.rows.0.saturating_sub(1));
        let title = (!heading.title.is_empty()).then(|| heading.title.clone());
        open.push((heading.level, section(heading.rows.0, last, title)));
    }
    close(&mut open, &mut top, 0, last);
    top
}

/// Ends the open sections that a heading of `level` ends, at row `last`.
fn close(open: &mut Vec<(u32, Unit)>, top: &mut Vec<Unit>, level: u32, last: u32) {
    while open.last().is_some_and(|(opened, _)| *opened >= level) {
        let Some((_, mut unit)) = open.pop() else { return };
        unit.last = last.max(unit.first);
        match open.last_mut() {
            Some((_, parent)) => parent.members.push(unit),
            None => top.push(unit),
        }
    }
}

fn section(first: u32, last: u32, symbol: Option<String>) -> Unit {
    Unit { first, last, kind: ChunkKind::Section, symbol, members: Vec::new() }
}

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_FOOTNOTES
}

/// Headings of Markdown, by a real parser: it knows fences, comments and quotes. Headings inside
/// quotes and lists head nothing.
fn markdown(text: &Text, cancel: &Cancel) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut depth = 0u32;
    let mut open = false;
    for (event, range) in Parser::new_ext(text.content(), options()).into_offset_iter() {
        if cancel.is_cancelled() {
            break;
        }
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                let last = row_of(text, range.end.saturating_sub(1).max(range.start));
                let rows = (row_of(text, range.start), last);
                headings.push(Heading { rows, level: level as u32, title: String::new() });
                open = true;
            }
            Event::End(TagEnd::Heading(_)) if depth == 0 => open = false,
            Event::Start(_) if !open => depth += 1,
            Event::End(_) if !open => depth = depth.saturating_sub(1),
            Event::Text(words) | Event::Code(words) if open => {
                if let Some(heading) = headings.last_mut() {
                    heading.title.push_str(&words);
                }
            }
            _ => {}
        }
    }
    headings
}

/// Headings that are a line underlined with a run of punctuation at least as long. Which mark is
/// which level is settled by the order in which they appear.
fn underlined(text: &Text) -> Vec<Heading> {
    let mut marks: Vec<(char, bool)> = Vec::new();
    let mut headings: Vec<Heading> = Vec::new();
    for row in 1..text.line_count() {
        let Some(mark) = rule(line(text, row)) else { continue };
        let title = line(text, row - 1).trim_end();
        let width = line(text, row).trim_end().chars().count();
        let overlined = row >= 2 && rule(line(text, row - 2)) == Some(mark);
        let is_title = !title.is_empty()
            && rule(title).is_none()
            && title.chars().count() <= width.max(3)
            && (overlined || !title.starts_with(char::is_whitespace));
        let first = if overlined { row - 2 } else { row - 1 };
        if !is_title || headings.last().is_some_and(|last| last.rows.1 >= first) {
            continue;
        }
        let kind = (mark, overlined);
        let level = marks.iter().position(|known| *known == kind).unwrap_or_else(|| {
            marks.push(kind);
            marks.len() - 1
        });
        let title = title.trim().to_owned();
        headings.push(Heading { rows: (first, row), level: level as u32 + 1, title });
    }
    headings
}

/// Deeper headings count as this deep: nobody means them, and sections nest as deep as headings.
const DEEPEST: usize = 32;

/// Headings that are a line of marks, a blank and a title, outside of blocks between `fences`.
fn marked(text: &Text, mark: char, fences: &[&str]) -> Vec<Heading> {
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
            let level = level.min(DEEPEST) as u32;
            headings.push(Heading { rows: (row, row), level, title });
        }
    }
    headings
}

/// The punctuation that a line is a run of.
fn rule(line: &str) -> Option<char> {
    let line = line.trim_end();
    let mark = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 3 && line.chars().all(|c| c == mark)).then_some(mark)
}

fn line(text: &Text, row: u32) -> &str {
    text.line(row + text.first_line())
}

fn row_of(text: &Text, byte: usize) -> u32 {
    text.starts().partition_point(|&start| start as usize <= byte).saturating_sub(1) as u32
}
