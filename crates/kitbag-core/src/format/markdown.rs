//! Markdown: a header for each file, a fence for each run of lines, and a marker after truncated ones.

use super::label::{LabelStyle, percent, truncation_marker};
use super::{BlockHeading, Delimiters, Formatting, LineRun, Renderer, RunSummary, escape_path};
use crate::source_file::SourceFile;

pub struct Markdown {
    delimiters: Delimiters,
    labels: LabelStyle,
    is_detailed: bool,
}

impl Markdown {
    pub fn new(formatting: &Formatting) -> Self {
        let header = formatting.header_text();
        let footer = formatting.footer_text();
        let lines = |text: &str| format!("{text}\n");
        let empty = [header, footer].into_iter().flatten().map(lines);
        let delimiters = Delimiters {
            open: header.map(|text| format!("{text}\n\n")).unwrap_or_default(),
            between_blocks: formatting.separator_lines(),
            between_runs: String::new(),
            close: footer.map(|text| format!("\n{text}\n")).unwrap_or_default(),
            empty: empty.collect::<Vec<_>>().join("\n"),
        };
        let labels = LabelStyle::new(formatting);
        Self { delimiters, labels, is_detailed: formatting.detailed }
    }

    /// Returns a heading with path, lines and relevance on separate lines.
    fn detailed_heading(&self, file: &SourceFile, summary: RunSummary) -> BlockHeading {
        let path = escape_path(&file.path);
        let relevance = percent(summary.relevance);
        let (noun, newline) = if summary.has_labels {
            (capitalized(self.labels.of(file).noun(summary)), "\n")
        } else {
            (String::new(), "")
        };
        BlockHeading {
            prefix: format!("### {path}\n{noun}"),
            suffix: format!("{newline}Relevance: {relevance}\n\n"),
        }
    }
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().into_iter().flat_map(char::to_uppercase).chain(characters).collect()
}

impl Renderer for Markdown {
    fn delimiters(&self) -> &Delimiters {
        &self.delimiters
    }

    fn heading(&self, file: &SourceFile, summary: RunSummary) -> BlockHeading {
        if self.is_detailed {
            return self.detailed_heading(file, summary);
        }
        let BlockHeading { prefix, suffix } = self.labels.heading(file, summary);
        BlockHeading { prefix: format!("### {prefix}"), suffix: format!("{suffix}\n") }
    }

    fn run_label(&self, file: &SourceFile, run: &LineRun, is_first: bool) -> String {
        if !self.is_detailed {
            return self.labels.run_label(file, run);
        }
        let label = LabelStyle { relevance: false, ..self.labels }.run_label(file, run);
        if is_first { capitalized(&label) } else { label }
    }

    fn run_prefix(&self, file: &SourceFile, previous: Option<&LineRun>, run: &LineRun) -> String {
        let gap = self.labels.gap(file, previous, run).unwrap_or_default();
        format!("{gap}{}{}\n", fence_of(file, run), file.fence)
    }

    fn run_suffix(&self, file: &SourceFile, run: &LineRun) -> String {
        let marker = truncation_marker(run).unwrap_or_default();
        format!("{}\n{marker}", fence_of(file, run))
    }

    fn first_lines(&self) -> &'static [&'static str] {
        &["### a\n", "... line\n", "```\n"]
    }
}

fn fence_of(file: &SourceFile, run: &LineRun) -> String {
    fence(if file.has_fences() { file.slice(run.rows.clone()) } else { "" })
}

/// Returns a fence that is longer than any run of backticks in `content`.
pub fn fence(content: &str) -> String {
    if !content.contains("```") {
        return "```".to_owned();
    }
    let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest + 1)
}
