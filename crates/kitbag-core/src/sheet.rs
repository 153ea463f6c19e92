//! Sheets: all that is known of one file's lines.
//!
//! Several sources may bring parts of the same file. Where they agree they share a sheet, so that
//! their chunks stand under one header, in line order, and no line is shown twice. Where they
//! disagree about a line (two runs of one tool, a buffer and its file) each has a sheet of its own.

use kitbag_text::{Language, Source, Span, Text};
use kitbag_tokens::{Counting, Measure, Tally};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// How many sheets of one path are tried before a source that disagrees with them gets its own.
const MOST_SHEETS_TRIED: usize = 16;

/// The known lines of one file.
#[derive(Debug)]
pub struct Sheet {
    /// The file's path.
    pub path: String,
    /// The language hint for a fence; may be empty.
    pub fence: &'static str,
    text: Arc<Text>,
    /// The line number of each row, where they do not simply follow each other.
    numbers: Option<Vec<u32>>,
    tally: OnceLock<Arc<Tally>>,
}

impl Sheet {
    fn new(path: &str, text: Arc<Text>, numbers: Option<Vec<u32>>) -> Self {
        let fence = Language::of_text(path, &text).map_or("", Language::fence);
        Self { path: path.to_owned(), fence, text, numbers, tally: OnceLock::new() }
    }

    /// The sheets of `sources`, and for each source the place of its sheet.
    pub fn gather(sources: &[Source]) -> (Vec<Sheet>, Vec<usize>) {
        let mut drafts: Vec<Draft> = Vec::new();
        let mut by_path: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        let mut places = Vec::with_capacity(sources.len());
        for source in sources {
            let known = by_path.entry(&source.path).or_default();
            let tried = known.iter().rev().take(MOST_SHEETS_TRIED);
            let place = match tried.copied().find(|&draft| drafts[draft].takes(&source.text)) {
                Some(place) => place,
                None => {
                    drafts.push(Draft::new(&source.path, &source.text));
                    known.push(drafts.len() - 1);
                    drafts.len() - 1
                }
            };
            places.push(place);
        }
        (drafts.into_iter().map(Draft::finish).collect(), places)
    }

    /// The rows of `span`.
    pub fn rows(&self, span: Span) -> Range<usize> {
        match &self.numbers {
            None => self.text.rows(span),
            Some(numbers) => {
                let before = |line| numbers.partition_point(|&number| number < line);
                before(span.start)..before(span.end + 1)
            }
        }
    }

    /// The line number of a row.
    pub fn line(&self, row: usize) -> u32 {
        match &self.numbers {
            None => self.text.first_line() + row as u32,
            Some(numbers) => numbers[row],
        }
    }

    /// The lines of some rows that follow each other.
    pub fn span(&self, rows: &Range<usize>) -> Span {
        Span::new(self.line(rows.start), self.line(rows.end - 1))
    }

    /// The text of some rows.
    pub fn slice(&self, rows: Range<usize>) -> &str {
        self.text.row_slice(rows)
    }

    /// Whether the lines between two runs of rows are all known and all blank.
    pub fn only_blank_between(&self, left: &Range<usize>, right: &Range<usize>) -> bool {
        let follow = self.line(right.start) - self.line(left.end - 1)
            == (right.start - (left.end - 1)) as u32;
        follow && self.slice(left.end..right.start).trim().is_empty()
    }

    /// What some rows cost, a newline at their end.
    pub fn measure(&self, counting: &Counting, rows: Range<usize>) -> Measure {
        let (content, starts) = (self.text.content(), self.text.starts());
        counting.measure_rows(self.tally(counting), content, starts, rows)
    }

    /// The tally of all rows, made at the first question.
    pub fn tally(&self, counting: &Counting) -> &Tally {
        self.tally.get_or_init(|| counting.tally(self.text.content(), self.text.starts()))
    }
}

/// A sheet that may still take more lines.
struct Draft<'a> {
    path: &'a str,
    texts: Vec<&'a Arc<Text>>,
    /// For each known line, the text that has it; made when a second text comes.
    lines: BTreeMap<u32, usize>,
}

impl<'a> Draft<'a> {
    fn new(path: &'a str, text: &'a Arc<Text>) -> Self {
        Self { path, texts: vec![text], lines: BTreeMap::new() }
    }

    /// Takes the lines of `text`, unless they disagree with those that are known.
    fn takes(&mut self, text: &'a Arc<Text>) -> bool {
        if self.texts.iter().any(|known| Arc::ptr_eq(known, text) || *known == text) {
            return true;
        }
        if self.lines.is_empty() {
            self.lines = lines(self.texts[0]).map(|line| (line, 0)).collect();
        }
        let agrees = |line: u32| {
            let known = self.lines.get(&line).map(|&holder| self.texts[holder].line(line));
            known.is_none_or(|known| agree(known, text.line(line)))
        };
        if !lines(text).all(agrees) {
            return false;
        }
        self.texts.push(text);
        let new = self.texts.len() - 1;
        for line in lines(text) {
            let holder = self.lines.entry(line).or_insert(new);
            if !self.texts[*holder].line(line).ends_with('\n') {
                *holder = new;
            }
        }
        true
    }

    fn finish(self) -> Sheet {
        if self.texts.len() == 1 {
            return Sheet::new(self.path, Arc::clone(self.texts[0]), None);
        }
        let mut content = String::new();
        for (&line, &holder) in &self.lines {
            if !content.is_empty() && !content.ends_with('\n') {
                content.push('\n');
            }
            content.push_str(self.texts[holder].line(line));
        }
        let first = self.lines.keys().next().copied().unwrap_or(1);
        let numbers: Vec<u32> = self.lines.into_keys().collect();
        let gaps = numbers.iter().zip(first..).any(|(&number, expected)| number != expected);
        let text = Arc::new(Text::part(content, first));
        Sheet::new(self.path, text, gaps.then_some(numbers))
    }
}

fn lines(text: &Text) -> impl Iterator<Item = u32> {
    let first = text.first_line();
    first..first + text.line_count()
}

/// Whether two lines are the same. The last line of a part may lack its line ending.
fn agree(one: &str, other: &str) -> bool {
    if one.ends_with('\n') && other.ends_with('\n') {
        return one == other;
    }
    bare(one) == bare(other)
}

/// A line without its line ending.
fn bare(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_text::Kind;

    fn source(path: &str, first: u32, content: &str) -> Source {
        Source {
            path: path.into(),
            kind: Kind::Other,
            text: Arc::new(Text::part(content, first)),
            relevance: None,
            timestamp: None,
            pieces: None,
        }
    }

    #[test]
    fn parts_that_agree_share_a_sheet() {
        let sources = [
            source("a", 5, "five\nsix"),
            source("b", 1, "x"),
            source("a", 1, "one\n\n"),
            source("a", 6, "six\nseven\n"),
        ];
        let (sheets, places) = Sheet::gather(&sources);
        assert_eq!(places, [0, 1, 0, 0]);
        assert_eq!(sheets[0].slice(0..5), "one\n\nfive\nsix\nseven\n");
        assert_eq!(sheets[0].rows(Span::new(5, 7)), 2..5);
        assert_eq!(sheets[0].line(2), 5);
        assert!(!sheets[0].only_blank_between(&(0..1), &(2..3)), "lines 3 and 4 are not known");
    }

    #[test]
    fn parts_that_disagree_have_sheets_of_their_own() {
        let sources = [source("log", 1, "ok\n"), source("log", 1, "failed\n")];
        let (sheets, places) = Sheet::gather(&sources);
        assert_eq!((sheets.len(), places), (2, vec![0, 1]));
    }

    #[test]
    fn parts_that_follow_each_other_have_plain_numbers() {
        let sources = [source("a", 3, "c\n"), source("a", 2, "b\n")];
        let (sheets, _) = Sheet::gather(&sources);
        assert!(sheets[0].numbers.is_none());
        assert_eq!(sheets[0].span(&(0..2)), Span::new(2, 3));
    }
}
