//! Headings and labels in Markdown and plain text.

use super::{BlockHeading, Formatting, LineRun, RunSummary, escape_path};
use crate::source_file::SourceFile;

/// The parts that labels show.
#[derive(Debug, Clone, Copy)]
pub struct LabelStyle {
    pub line_numbers: bool,
    pub relevance: bool,
}

impl LabelStyle {
    pub fn new(formatting: &Formatting) -> Self {
        Self { line_numbers: formatting.line_numbers, relevance: formatting.scores }
    }

    /// Returns the style for a file: text that a provider wrote has no line numbers.
    pub fn of(self, file: &SourceFile) -> Self {
        Self { line_numbers: self.line_numbers && !file.is_generated, ..self }
    }

    /// Returns the text around the labels in `src/auth.rs (lines 10-40, 80-120 part 1 of 2)`.
    pub fn heading(self, file: &SourceFile, summary: RunSummary) -> BlockHeading {
        let path = escape_path(&file.path);
        if !summary.has_labels {
            return BlockHeading { prefix: path, suffix: String::new() };
        }
        let prefix = format!("{path} ({}", self.of(file).noun(summary));
        BlockHeading { prefix, suffix: ")".to_owned() }
    }

    /// Returns `lines `, `line `, or nothing without line numbers.
    pub fn noun(self, summary: RunSummary) -> &'static str {
        match (self.line_numbers, summary.is_single_line) {
            (false, _) => "",
            (true, true) => "line ",
            (true, false) => "lines ",
        }
    }

    /// Returns a label such as `80-120 part 1 of 2`.
    pub fn run_label(self, file: &SourceFile, run: &LineRun) -> String {
        let mut words = Vec::new();
        if self.of(file).line_numbers {
            let span = file.span(&run.rows);
            let is_single = span.start == span.end;
            words.push(if is_single { span.start.to_string() } else { span.to_string() });
        }
        if run.has_outline {
            words.push("outline".to_owned());
        }
        let parts = run.incomplete_parts();
        words.extend(parts.map(|part| format!("part {} of {}", part.number, part.of)));
        if self.relevance {
            words.push(format!("relevance {}", percent(run.relevance)));
        }
        words.join(" ")
    }

    /// Returns the line that names the lines between two runs, if there are any.
    pub fn gap(
        self,
        file: &SourceFile,
        previous: Option<&LineRun>,
        run: &LineRun,
    ) -> Option<String> {
        let shown_to = file.span(&previous?.rows).end;
        let next = file.span(&run.rows).start;
        let (first, last) = (shown_to + 1, next.saturating_sub(1));
        match next.saturating_sub(shown_to) {
            0 | 1 => None,
            _ if !self.of(file).line_numbers => Some("... lines not shown ...\n".to_owned()),
            2 => Some(format!("... line {first} not shown ...\n")),
            _ => Some(format!("... lines {first}-{last} not shown ...\n")),
        }
    }
}

/// Returns the line that follows a truncated chunk.
pub fn truncation_marker(run: &LineRun) -> Option<String> {
    let count = run.truncated_rows;
    let noun = if count == 1 { "line" } else { "lines" };
    (count > 0).then(|| format!("... {count} more {noun} not shown (truncated) ...\n"))
}

/// Formats a relevance as a percentage: `85%`.
pub fn percent(relevance: f64) -> String {
    format!("{:.0}%", relevance * 100.0)
}
