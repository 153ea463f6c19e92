//! Markdown: a header for each file, a fence for each run of its lines, and a line after what was cut.

use super::title::{Told, percent, truncation_marker};
use super::{Block, Formatting, Frame, Layout, Run};
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
    fn detailed_title(&self, block: Block<'_>) -> String {
        let ranges = Told { relevance: false, ..self.told }.ranges(block);
        let mut characters = ranges.chars();
        let ranges: String =
            characters.next().into_iter().flat_map(char::to_uppercase).chain(characters).collect();
        let best = block.runs.iter().map(|run| run.relevance).fold(0.0, f64::max);
        let path = super::escape_path(&block.sheet.path);
        let lines = if ranges.is_empty() { ranges } else { format!("{ranges}\n") };
        format!("### {path}\n{lines}Relevance: {}\n\n", percent(best))
    }
}

impl Layout for Markdown {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn title(&self, block: Block<'_>) -> String {
        if self.detailed {
            return self.detailed_title(block);
        }
        format!("### {}\n", self.told.title(block))
    }

    fn opening(&self, sheet: &Sheet, before: Option<&Run>, run: &Run) -> String {
        let gap = self.told.gap(sheet, before, run).unwrap_or_default();
        format!("{gap}{}{}\n", fence(sheet.slice(run.rows.clone())), sheet.fence)
    }

    fn ending(&self, sheet: &Sheet, run: &Run) -> String {
        let marker = truncation_marker(run).unwrap_or_default();
        format!("{}\n{marker}", fence(sheet.slice(run.rows.clone())))
    }

    fn beginnings(&self) -> &'static [&'static str] {
        &["### a\n", "... line\n", "```\n"]
    }
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
