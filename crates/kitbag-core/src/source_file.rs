//! Source files: the known lines of each file.
//!
//! Several sources may contribute parts of the same file. Where they agree they share a
//! [`SourceFile`], so that their chunks appear under one header, in line order, and no line is shown
//! twice. Where they disagree about a line (two runs of a tool, a buffer and its file) each version
//! has its own.

use kitbag_text::{Language, Source, Span, Text};
use kitbag_tokens::{CachedCounter, Measure, Tally};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Maximum number of versions of a path to compare a source with. It bounds the work for many
/// sources that all disagree.
const MAX_VERSIONS_TRIED: usize = 16;

/// The known lines of one version of a file.
///
/// A *row* is the 0-based position among the known lines; a *line* is the 1-based number in the
/// file.
#[derive(Debug)]
pub struct SourceFile {
    /// Path of the file.
    pub path: String,
    /// Language hint for a fence; may be empty.
    pub fence: &'static str,
    /// Language of the file, if known.
    pub language: Option<&'static Language>,
    /// Whether a provider wrote the text, so that no line numbers are shown.
    pub is_generated: bool,
    /// All rows.
    pub text: Arc<Text>,
    /// The line number of each row, unless they are consecutive.
    numbers: Option<Vec<u32>>,
    /// The lines that all rows together represent, for an expanded context.
    represents: Option<Span>,
    tally: OnceLock<Arc<Tally>>,
    has_fences: OnceLock<bool>,
}

impl SourceFile {
    fn new(path: &str, text: Arc<Text>, numbers: Option<Vec<u32>>) -> Self {
        let language = Language::for_text(path, &text);
        Self {
            path: path.to_owned(),
            fence: language.map_or("text", Language::fence),
            language,
            is_generated: false,
            text,
            numbers,
            represents: None,
            tally: OnceLock::new(),
            has_fences: OnceLock::new(),
        }
    }

    /// Returns the file that shows the expanded context of a source, if it has one.
    fn expanded(source: &Source) -> Option<Self> {
        let (shown, represents) = expansion(source)?;
        let file = Self::new(&source.path, Arc::clone(shown), None);
        Some(Self { represents: Some(represents), ..file })
    }

    /// Groups sources into files. Returns the files, and the index of each source's file.
    pub fn gather(sources: &[Source]) -> (Vec<SourceFile>, Vec<usize>) {
        let mut builders: Vec<FileBuilder> = Vec::new();
        let mut by_path: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        let mut indices = vec![0; sources.len()];
        // Longest first, so that parts find the version that they belong to.
        let mut order: Vec<usize> = (0..sources.len()).collect();
        order.sort_by_key(|&source| Reverse(sources[source].text.line_count()));
        order.retain(|&source| expansion(&sources[source]).is_none());
        for source in order {
            let text = &sources[source].text;
            let versions = by_path.entry(&sources[source].path).or_default();
            let recent = versions.iter().rev().take(MAX_VERSIONS_TRIED);
            let fits = recent.map(|&builder| (builders[builder].fit(text), builder));
            let best = fits.filter(|(fit, _)| *fit != Fit::Conflict).max_by_key(|(fit, _)| *fit);
            let index = best.map_or(builders.len(), |(_, builder)| builder);
            if index == builders.len() {
                builders.push(FileBuilder::new(&sources[source].path));
                versions.push(index);
            }
            builders[index].add(text, sources[source].tally.as_ref());
            indices[source] = index;
        }
        let mut files: Vec<SourceFile> = builders.into_iter().map(FileBuilder::finish).collect();
        for (index, source) in indices.iter_mut().zip(sources) {
            if let Some(file) = SourceFile::expanded(source) {
                *index = files.len();
                files.push(file);
            }
            files[*index].is_generated |= source.kind.is_generated();
        }
        (files, indices)
    }

    /// Returns the rows of `span`.
    pub fn rows(&self, span: Span) -> Range<usize> {
        if self.represents.is_some() {
            return 0..self.text.row_starts().len();
        }
        match &self.numbers {
            None => self.text.rows(span),
            Some(numbers) => {
                let before = |line| numbers.partition_point(|&number| number < line);
                before(span.start)..before(span.end + 1)
            }
        }
    }

    /// Returns the line number of a row.
    pub fn line(&self, row: usize) -> u32 {
        match &self.numbers {
            None => self.text.first_line() + row as u32,
            Some(numbers) => numbers[row],
        }
    }

    /// Returns the lines of consecutive rows.
    pub fn span(&self, rows: &Range<usize>) -> Span {
        self.represents.unwrap_or_else(|| Span::new(self.line(rows.start), self.line(rows.end - 1)))
    }

    /// Returns the text of some rows.
    pub fn slice(&self, rows: Range<usize>) -> &str {
        self.text.row_slice(rows)
    }

    /// Whether a row has only whitespace.
    pub fn is_blank(&self, row: usize) -> bool {
        self.slice(row..row + 1).trim().is_empty()
    }

    /// Whether the lines between two ranges of rows are all known and blank.
    pub fn only_blank_between(&self, left: &Range<usize>, right: &Range<usize>) -> bool {
        let is_contiguous = self.line(right.start) - self.line(left.end - 1)
            == (right.start - (left.end - 1)) as u32;
        is_contiguous && self.slice(left.end..right.start).trim().is_empty()
    }

    /// Returns the token cost of some rows, including a newline at the end.
    pub fn measure(&self, counting: &CachedCounter, rows: Range<usize>) -> Measure {
        let (content, starts) = (self.text.content(), self.text.row_starts());
        self.tally(counting).measure(counting.counter(), content, starts, rows)
    }

    /// Whether any row contains three consecutive backticks.
    pub fn has_fences(&self) -> bool {
        *self.has_fences.get_or_init(|| self.text.content().contains("```"))
    }

    /// Returns the tally of all rows, computed on first use.
    pub fn tally(&self, counting: &CachedCounter) -> &Tally {
        self.tally.get_or_init(|| counting.tally(self.text.content(), self.text.row_starts()))
    }
}

/// Returns the text that is shown in place of a source's content, and the lines that it represents:
/// those of the content, or its own if there is no content.
pub fn expansion(source: &Source) -> Option<(&Arc<Text>, Span)> {
    let shown = source.expanded_context.as_ref()?;
    if shown.content().trim().is_empty() {
        return None;
    }
    let represents = source.text.span().or_else(|| shown.span())?;
    Some((shown, represents))
}

/// A file that further sources may add lines to.
struct FileBuilder<'a> {
    path: &'a str,
    texts: Vec<&'a Arc<Text>>,
    /// Indices of the texts by first line and length.
    by_extent: FxHashMap<(u32, usize), Vec<usize>>,
    /// The tally of the first text.
    tally: Option<&'a Arc<Tally>>,
    /// Index of the text that has each known line; empty until a second text is added.
    lines: BTreeMap<u32, usize>,
}

/// How a text relates to the known lines, from worst to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// A shared line differs.
    Conflict,
    /// There are no shared lines.
    Disjoint,
    /// All shared lines are equal.
    Agreement,
}

impl<'a> FileBuilder<'a> {
    fn new(path: &'a str) -> Self {
        let (texts, by_extent, lines) = (Vec::new(), FxHashMap::default(), BTreeMap::new());
        Self { path, texts, by_extent, tally: None, lines }
    }

    fn contains(&self, text: &Arc<Text>) -> bool {
        let similar = self.by_extent.get(&extent(text)).into_iter().flatten();
        let mut similar = similar.map(|&known| self.texts[known]);
        similar.any(|known| Arc::ptr_eq(known, text) || known == text)
    }

    fn fit(&self, text: &Arc<Text>) -> Fit {
        if self.contains(text) {
            return Fit::Agreement;
        }
        let known = |line: u32| match self.texts.as_slice() {
            [only] => Some(only.line(line)).filter(|known| !known.is_empty()),
            texts => self.lines.get(&line).map(|&holder| texts[holder].line(line)),
        };
        let mut fit = Fit::Disjoint;
        for line in lines(text) {
            match known(line) {
                Some(known) if is_same_line(known, text.line(line)) => fit = Fit::Agreement,
                Some(_) => return Fit::Conflict,
                None => {}
            }
        }
        fit
    }

    /// Adds the lines of `text`, which must not conflict.
    fn add(&mut self, text: &'a Arc<Text>, tally: Option<&'a Arc<Tally>>) {
        if self.contains(text) {
            return;
        }
        let new = self.texts.len();
        self.by_extent.entry(extent(text)).or_default().push(new);
        self.texts.push(text);
        if new == 0 {
            self.tally = tally;
            return;
        }
        if new == 1 {
            self.lines = lines(self.texts[0]).map(|line| (line, 0)).collect();
        }
        for line in lines(text) {
            let holder = self.lines.entry(line).or_insert(new);
            if !self.texts[*holder].line(line).ends_with('\n') {
                *holder = new;
            }
        }
    }

    fn finish(self) -> SourceFile {
        if self.texts.len() == 1 {
            let mut file = SourceFile::new(self.path, Arc::clone(self.texts[0]), None);
            let tally = self.tally.filter(|tally| tally.rows() == file.text.row_starts().len());
            file.tally = tally.cloned().map(OnceLock::from).unwrap_or_default();
            return file;
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
        let has_gaps = numbers.iter().zip(first..).any(|(&number, expected)| number != expected);
        let text = Arc::new(Text::with_first_line(content, first));
        SourceFile::new(self.path, text, has_gaps.then_some(numbers))
    }
}

/// Returns the first line and length, which equal texts share.
fn extent(text: &Text) -> (u32, usize) {
    (text.first_line(), text.content().len())
}

fn lines(text: &Text) -> impl Iterator<Item = u32> {
    let first = text.first_line();
    first..first + text.line_count()
}

/// Whether two lines are equal. The last line of a part may lack its line ending.
fn is_same_line(one: &str, other: &str) -> bool {
    if one.ends_with('\n') && other.ends_with('\n') {
        return one == other;
    }
    without_ending(one) == without_ending(other)
}

fn without_ending(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_text::Kind;

    fn source(path: &str, first: u32, content: &str) -> Source {
        Source::new(path, Kind::Other, Arc::new(Text::with_first_line(content, first)))
    }

    #[test]
    fn parts_that_agree_share_a_file() {
        let sources = [
            source("a", 5, "five\nsix"),
            source("b", 1, "x"),
            source("a", 1, "one\n\n"),
            source("a", 6, "six\nseven\n"),
        ];
        let (files, indices) = SourceFile::gather(&sources);
        assert_eq!(indices, [0, 1, 0, 0]);
        assert_eq!(files[0].slice(0..5), "one\n\nfive\nsix\nseven\n");
        assert_eq!(files[0].rows(Span::new(5, 7)), 2..5);
        assert_eq!(files[0].line(2), 5);
        assert!(!files[0].only_blank_between(&(0..1), &(2..3)), "lines 3 and 4 are unknown");
    }

    #[test]
    fn a_part_joins_the_version_that_contains_it() {
        let whole = "a\nb\nc\nd\n";
        for order in [[0, 1, 2], [1, 2, 0], [2, 1, 0]] {
            let all =
                [source("f", 1, "Traceback\n"), source("f", 3, "c\nd\n"), source("f", 1, whole)];
            let sources = order.map(|index: usize| all[index].clone());
            let (files, indices) = SourceFile::gather(&sources);
            let index = |which: usize| indices[order.iter().position(|&o| o == which).unwrap_or(0)];
            assert_eq!(files.len(), 2);
            assert_eq!(index(1), index(2), "{order:?}");
            assert_ne!(index(0), index(2), "{order:?}");
        }
    }

    #[test]
    fn conflicting_parts_become_separate_files() {
        let sources = [source("log", 1, "ok\n"), source("log", 1, "failed\n")];
        let (files, indices) = SourceFile::gather(&sources);
        assert_eq!((files.len(), indices), (2, vec![0, 1]));
    }

    #[test]
    fn adjacent_parts_need_no_line_numbers() {
        let sources = [source("a", 3, "c\n"), source("a", 2, "b\n")];
        let (files, _) = SourceFile::gather(&sources);
        assert!(files[0].numbers.is_none());
        assert_eq!(files[0].span(&(0..2)), Span::new(2, 3));
    }
}
