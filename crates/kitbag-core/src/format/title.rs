//! What Markdown and plain text say of a file and its lines.

use super::{Formatting, Heading, Named, Run, escape_path};
use crate::sheet::Sheet;
use kitbag_text::Span;

/// Which of it is said.
#[derive(Debug, Clone, Copy)]
pub struct Told {
    /// The numbers of the lines.
    pub lines: bool,
    /// The relevance of each run.
    pub relevance: bool,
}

impl Told {
    pub fn new(formatting: &Formatting) -> Self {
        Self { lines: formatting.line_numbers, relevance: formatting.scores }
    }

    /// What stands around the ranges in `src/auth.rs (lines 10-40, 80-120 part 1 of 2)`.
    pub fn heading(self, sheet: &Sheet, named: Named) -> Heading {
        let path = escape_path(&sheet.path);
        if !named.any {
            return Heading { before: path, after: String::new() };
        }
        Heading { before: format!("{path} ({}", self.noun(named)), after: ")".to_owned() }
    }

    /// `lines `, where they are named by their numbers.
    pub fn noun(self, named: Named) -> &'static str {
        match (self.lines, named.one_line) {
            (false, _) => "",
            (true, true) => "line ",
            (true, false) => "lines ",
        }
    }

    /// `80-120 part 1 of 2`.
    pub fn range(self, sheet: &Sheet, run: &Run) -> String {
        let mut words = Vec::new();
        if self.lines {
            words.push(span(sheet.span(&run.rows)));
        }
        if run.outline {
            words.push("outline".to_owned());
        }
        words.extend(run.broken_parts().map(|part| format!("part {} of {}", part.number, part.of)));
        if self.relevance {
            words.push(format!("relevance {}", percent(run.relevance)));
        }
        words.join(" ")
    }

    /// The line that names what is not shown between two runs.
    pub fn gap(self, sheet: &Sheet, before: Option<&Run>, run: &Run) -> Option<String> {
        let shown_to = sheet.span(&before?.rows).end;
        let next = sheet.span(&run.rows).start;
        let (first, last) = (shown_to + 1, next.saturating_sub(1));
        match next.saturating_sub(shown_to) {
            0 | 1 => None,
            _ if !self.lines => Some("... lines not shown ...\n".to_owned()),
            2 => Some(format!("... line {first} not shown ...\n")),
            _ => Some(format!("... lines {first}-{last} not shown ...\n")),
        }
    }
}

/// The line that says how many lines of a chunk were cut off, if any were.
pub fn truncation_marker(run: &Run) -> Option<String> {
    let noun = if run.cut == 1 { "line" } else { "lines" };
    (run.cut > 0).then(|| format!("... {} more {noun} not shown (truncated) ...\n", run.cut))
}

/// `10-40`, or `7` where it is one line.
fn span(span: Span) -> String {
    if span.start == span.end { span.start.to_string() } else { span.to_string() }
}

/// A relevance as people read it: `85%`.
pub fn percent(relevance: f64) -> String {
    format!("{:.0}%", relevance * 100.0)
}
