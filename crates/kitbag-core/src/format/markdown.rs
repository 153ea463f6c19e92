//! Markdown: a header for each file, a fence for each run of its lines, and a line after what was cut.

use super::title::{Told, percent, truncation_marker};
use super::{Formatting, Frame, Heading, Layout, Named, Run};
use crate::sheet::Sheet;

/// Markdown, in one of two layouts.
pub struct Markdown {
    frame: Frame,
    told: Told,
    detailed: bool,
}

impl Markdown {
    pub fn new(formatting: &Formatting) -> Self {
        let header = formatting.header_text();
        let footer = formatting.footer_text();
        let lines = |text: &str| format!("{text}\n");
        let empty = [header, footer].into_iter().flatten().map(lines);
        let frame = Frame {
            open: header.map(|text| format!("{text}\n\n")).unwrap_or_default(),
            between: formatting.separator_lines(),
            within: String::new(),
            close: footer.map(|text| format!("\n{text}\n")).unwrap_or_default(),
            empty: empty.collect::<Vec<_>>().join("\n"),
        };
        Self { frame, told: Told::new(formatting), detailed: formatting.detailed }
    }

    /// The formats design's layout: path, lines and relevance on lines of their own.
    fn detailed_heading(&self, sheet: &Sheet, named: Named) -> Heading {
        let path = super::escape_path(&sheet.path);
        let noun = capitalised(self.told.noun(named));
        let line = if named.any { "\n" } else { "" };
        let after = format!("{line}Relevance: {}\n\n", percent(named.relevance));
        Heading { before: format!("### {path}\n{}", if named.any { &noun } else { "" }), after }
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().into_iter().flat_map(char::to_uppercase).chain(characters).collect()
}

impl Layout for Markdown {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn heading(&self, sheet: &Sheet, named: Named) -> Heading {
        if self.detailed {
            return self.detailed_heading(sheet, named);
        }
        let Heading { before, after } = self.told.heading(sheet, named);
        Heading { before: format!("### {before}"), after: format!("{after}\n") }
    }

    fn range(&self, sheet: &Sheet, run: &Run, is_first: bool) -> String {
        if !self.detailed {
            return self.told.range(sheet, run);
        }
        let range = Told { relevance: false, ..self.told }.range(sheet, run);
        if is_first { capitalised(&range) } else { range }
    }

    fn opening(&self, sheet: &Sheet, before: Option<&Run>, run: &Run) -> String {
        let gap = self.told.gap(sheet, before, run).unwrap_or_default();
        format!("{gap}{}{}\n", fence_of(sheet, run), sheet.fence)
    }

    fn ending(&self, sheet: &Sheet, run: &Run) -> String {
        let marker = truncation_marker(run).unwrap_or_default();
        format!("{}\n{marker}", fence_of(sheet, run))
    }

    fn beginnings(&self) -> &'static [&'static str] {
        &["### a\n", "... line\n", "```\n"]
    }
}

fn fence_of(sheet: &Sheet, run: &Run) -> String {
    fence(if sheet.has_fences() { sheet.slice(run.rows.clone()) } else { "" })
}

/// A fence that is longer than any run of backticks in `content`.
pub fn fence(content: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    if content.contains("```") {
        for byte in content.bytes() {
            run = if byte == b'`' { run + 1 } else { 0 };
            longest = longest.max(run);
        }
    }
    "`".repeat((longest + 1).max(3))
}
