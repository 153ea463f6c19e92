//! Collects diagnostics with bounded memory.

use super::{Diagnostic, ParsedOutput, ToolFormat};

/// Maximum length of a message, in characters.
const MAX_MESSAGE_CHARS: usize = 2_000;

/// Maximum length of a code or tool name, in characters.
const MAX_NAME_CHARS: usize = 200;

/// Maximum length of a path, in bytes. No supported system allows longer ones.
const MAX_PATH_BYTES: usize = 4_096;

/// Truncates a message. Readers that share one text among many diagnostics must truncate it first,
/// so that a long text is not copied thousands of times.
pub(super) fn message(text: &str) -> String {
    shortened(text, MAX_MESSAGE_CHARS)
}

/// Truncates a code or a tool name.
pub(super) fn name(text: &str) -> String {
    shortened(text, MAX_NAME_CHARS)
}

/// Trims a path. Returns an empty string, which means no place, if the path is too long.
pub(super) fn path(text: &str) -> &str {
    if text.len() > MAX_PATH_BYTES { "" } else { text.trim() }
}

/// Keeps the most severe of the diagnostics pushed to it.
pub(super) struct Collector {
    /// Diagnostics with their position in the input.
    kept: Vec<(usize, Diagnostic)>,
    most: usize,
    pushed: usize,
    left_out: usize,
    without_place: usize,
}

impl Collector {
    pub(super) fn new(most: usize) -> Self {
        Self { kept: Vec::new(), most, pushed: 0, left_out: 0, without_place: 0 }
    }

    /// Adds a diagnostic. A diagnostic without a file is only counted.
    pub(super) fn push(&mut self, mut diagnostic: Diagnostic) {
        if path(&diagnostic.path).is_empty() {
            self.without_place += 1;
            return;
        }
        diagnostic.line = diagnostic.line.max(1);
        diagnostic.column = diagnostic.column.filter(|&column| column > 0);
        diagnostic.end_line = diagnostic.end_line.filter(|&end| end >= diagnostic.line);
        diagnostic.message = message(&diagnostic.message);
        diagnostic.code = diagnostic.code.as_deref().map(name);
        diagnostic.tool = name(&diagnostic.tool);
        self.kept.push((self.pushed, diagnostic));
        self.pushed += 1;
        if self.kept.len() >= 2 * self.most {
            self.drop_mildest();
        }
    }

    pub(super) fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        diagnostics.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    /// Counts a diagnostic that does not refer to a file.
    pub(super) fn skip(&mut self) {
        self.without_place += 1;
    }

    pub(super) fn finish(mut self, format: Option<ToolFormat>) -> ParsedOutput {
        self.drop_mildest();
        self.kept.sort_unstable_by_key(|(order, _)| *order);
        ParsedOutput {
            format,
            diagnostics: self.kept.into_iter().map(|(_, diagnostic)| diagnostic).collect(),
            left_out: self.left_out,
            without_place: self.without_place,
        }
    }

    fn drop_mildest(&mut self) {
        if self.kept.len() > self.most {
            self.left_out += self.kept.len() - self.most;
            self.kept.sort_unstable_by_key(|(order, diagnostic)| (diagnostic.severity, *order));
            self.kept.truncate(self.most);
        }
    }
}

fn shortened(text: &str, most: usize) -> String {
    let text = text.trim();
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Severity;
    use super::*;

    fn diagnostic(line: u32, severity: Severity) -> Diagnostic {
        Diagnostic { path: "a.rs".into(), line, severity, ..Diagnostic::default() }
    }

    #[test]
    fn most_severe_diagnostics_are_kept_in_order() {
        let mut into = Collector::new(3);
        for line in 1..=10 {
            let severity = if line >= 9 { Severity::Error } else { Severity::Warning };
            into.push(diagnostic(line, severity));
        }
        let reading = into.finish(None);
        let lines: Vec<u32> = reading.diagnostics.iter().map(|it| it.line).collect();
        assert_eq!(lines, [1, 9, 10]);
        assert_eq!(reading.left_out, 7);
    }

    #[test]
    fn diagnostics_without_a_file_are_counted_and_long_messages_truncated() {
        let mut into = Collector::new(3);
        into.push(Diagnostic { path: " ".into(), ..diagnostic(1, Severity::Error) });
        let message = "ü".repeat(3_000);
        into.push(Diagnostic { message, ..diagnostic(0, Severity::Error) });
        let reading = into.finish(None);
        assert_eq!((reading.without_place, reading.left_out), (1, 0));
        assert_eq!(reading.diagnostics[0].message.chars().count(), 2_003);
        assert_eq!(reading.diagnostics[0].line, 1);
    }
}
