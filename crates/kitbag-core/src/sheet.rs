//! Sheets: all that is known of one file's lines.
//!
//! Several sources may bring parts of the same file. Where they agree they share a sheet, so that
//! their chunks stand under one header, in line order, and no line is shown twice. Where they
//! disagree about a line (two runs of one tool, a buffer and its file) each has a sheet of its own.

use kitbag_text::{Language, Source, Span, Text};
use kitbag_tokens::{Counting, Measure, Tally};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
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
    /// Its language; `None` where it is not known.
    pub language: Option<&'static Language>,
    text: Arc<Text>,
    /// The line number of each row, where they do not simply follow each other.
    numbers: Option<Vec<u32>>,
    /// The lines that all rows together stand for, where the text is no part of the file.
    stands_for: Option<Span>,
    tally: OnceLock<Arc<Tally>>,
    has_fences: OnceLock<bool>,
}

impl Sheet {
    fn new(path: &str, text: Arc<Text>, numbers: Option<Vec<u32>>) -> Self {
        let language = Language::of_text(path, &text);
        let fence = language.map_or("", Language::fence);
        let (path, tally, has_fences) = (path.to_owned(), OnceLock::new(), OnceLock::new());
        Self { path, fence, language, text, numbers, stands_for: None, tally, has_fences }
    }

    /// What a source brings to be shown in place of its content.
    fn expanded(source: &Source) -> Option<Self> {
        let (shown, stands_for) = expansion(source)?;
        let sheet = Self::new(&source.path, Arc::clone(shown), None);
        Some(Self { stands_for: Some(stands_for), ..sheet })
    }

    /// The same, with its counts, if they are of as many rows as it has.
    fn counted(self, tally: Option<&Arc<Tally>>) -> Self {
        let rows = self.row_count();
        match tally.filter(|tally| tally.rows() == rows) {
            Some(tally) => Self { tally: OnceLock::from(Arc::clone(tally)), ..self },
            None => self,
        }
    }

    /// The sheets of `sources`, and for each source the place of its sheet.
    pub fn gather(sources: &[Source]) -> (Vec<Sheet>, Vec<usize>) {
        let mut drafts: Vec<Draft> = Vec::new();
        let mut by_path: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        let mut places = vec![0; sources.len()];
        // Whole files come first, so that parts find the version that they are parts of.
        let mut order: Vec<usize> = (0..sources.len()).collect();
        order.sort_by_key(|&source| Reverse(sources[source].text.line_count()));
        order.retain(|&source| expansion(&sources[source]).is_none());
        for source in order {
            let text = &sources[source].text;
            let known = by_path.entry(&sources[source].path).or_default();
            let tried = known.iter().rev().take(MOST_SHEETS_TRIED);
            let fits = tried.map(|&draft| (drafts[draft].fit(text), draft));
            let best = fits.filter(|(fit, _)| *fit != Fit::Disagrees).max_by_key(|(fit, _)| *fit);
            places[source] = match best {
                Some((_, draft)) => draft,
                None => {
                    drafts.push(Draft::new(&sources[source].path));
                    known.push(drafts.len() - 1);
                    drafts.len() - 1
                }
            };
            drafts[places[source]].add(text, sources[source].tally.as_ref());
        }
        let mut sheets: Vec<Sheet> = drafts.into_iter().map(Draft::finish).collect();
        for (place, source) in places.iter_mut().zip(sources) {
            if let Some(sheet) = Sheet::expanded(source) {
                *place = sheets.len();
                sheets.push(sheet);
            }
        }
        (sheets, places)
    }

    /// How many rows it has.
    pub fn row_count(&self) -> usize {
        self.text.starts().len()
    }

    /// All rows.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// The text of all rows.
    pub fn content(&self) -> &str {
        self.text.content()
    }

    /// The rows of `span`.
    pub fn rows(&self, span: Span) -> Range<usize> {
        if self.stands_for.is_some() {
            return 0..self.row_count();
        }
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
        self.stands_for.unwrap_or_else(|| Span::new(self.line(rows.start), self.line(rows.end - 1)))
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

    /// Whether any row has three backticks in a row.
    pub fn has_fences(&self) -> bool {
        *self.has_fences.get_or_init(|| self.text.content().contains("```"))
    }

    /// The tally of all rows, made at the first question.
    pub fn tally(&self, counting: &Counting) -> &Tally {
        self.tally.get_or_init(|| counting.tally(self.text.content(), self.text.starts()))
    }
}

/// What a source brings to be shown in place of its content, and the lines that it stands for: the
/// content's, or, where there is no content, its own.
pub fn expansion(source: &Source) -> Option<(&Arc<Text>, Span)> {
    let shown = source.expanded_context.as_ref()?;
    if shown.content().trim().is_empty() {
        return None;
    }
    let stands_for = source.text.span().or_else(|| shown.span())?;
    Some((shown, stands_for))
}

/// A sheet that may still take more lines.
struct Draft<'a> {
    path: &'a str,
    texts: Vec<&'a Arc<Text>>,
    /// The texts by their first line and their length.
    known: FxHashMap<(u32, usize), Vec<usize>>,
    /// The counts of the first text.
    tally: Option<&'a Arc<Tally>>,
    /// For each known line, the text that has it; made when a second text comes.
    lines: BTreeMap<u32, usize>,
}

/// How a text goes with the lines that a draft knows; the better the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// They say different things of the same line.
    Disagrees,
    /// They have no line in common.
    Apart,
    /// They agree on the lines that they have in common.
    Agrees,
}

impl<'a> Draft<'a> {
    fn new(path: &'a str) -> Self {
        let (texts, known, lines) = (Vec::new(), FxHashMap::default(), BTreeMap::new());
        Self { path, texts, known, tally: None, lines }
    }

    fn has(&self, text: &Arc<Text>) -> bool {
        let alike = self.known.get(&extent(text)).map_or(&[][..], Vec::as_slice);
        let mut alike = alike.iter().map(|&known| self.texts[known]);
        alike.any(|known| Arc::ptr_eq(known, text) || known == text)
    }

    fn fit(&self, text: &Arc<Text>) -> Fit {
        if self.has(text) {
            return Fit::Agrees;
        }
        let known = |line: u32| match self.texts.as_slice() {
            [only] => Some(only.line(line)).filter(|known| !known.is_empty()),
            texts => self.lines.get(&line).map(|&holder| texts[holder].line(line)),
        };
        let mut fit = Fit::Apart;
        for line in lines(text) {
            match known(line) {
                Some(known) if agree(known, text.line(line)) => fit = Fit::Agrees,
                Some(_) => return Fit::Disagrees,
                None => {}
            }
        }
        fit
    }

    /// Takes the lines of `text`, which does not disagree.
    fn add(&mut self, text: &'a Arc<Text>, tally: Option<&'a Arc<Tally>>) {
        if self.has(text) {
            return;
        }
        self.known.entry(extent(text)).or_default().push(self.texts.len());
        self.texts.push(text);
        if self.texts.len() == 1 {
            self.tally = tally;
        }
        if self.texts.len() == 2 {
            self.lines = lines(self.texts[0]).map(|line| (line, 0)).collect();
        }
        let new = self.texts.len() - 1;
        if new == 0 {
            return;
        }
        for line in lines(text) {
            let holder = self.lines.entry(line).or_insert(new);
            if !self.texts[*holder].line(line).ends_with('\n') {
                *holder = new;
            }
        }
    }

    fn finish(self) -> Sheet {
        if self.texts.len() == 1 {
            let sheet = Sheet::new(self.path, Arc::clone(self.texts[0]), None);
            return sheet.counted(self.tally);
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

/// What texts must have in common to be the same.
fn extent(text: &Text) -> (u32, usize) {
    (text.first_line(), text.content().len())
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
            expanded_context: None,
            pieces: None,
            tally: None,
            from: None,
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
    fn a_part_goes_to_the_version_that_it_is_a_part_of() {
        let file = "a\nb\nc\nd\n";
        for order in [[0, 1, 2], [1, 2, 0], [2, 1, 0]] {
            let all =
                [source("f", 1, "Traceback\n"), source("f", 3, "c\nd\n"), source("f", 1, file)];
            let sources = order.map(|place: usize| all[place].clone());
            let (sheets, places) = Sheet::gather(&sources);
            let place = |which: usize| places[order.iter().position(|&o| o == which).unwrap_or(0)];
            assert_eq!(sheets.len(), 2);
            assert_eq!(place(1), place(2), "{order:?}");
            assert_ne!(place(0), place(2), "{order:?}");
        }
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
