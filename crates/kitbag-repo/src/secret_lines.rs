//! Redacts secrets in diffs.
//!
//! A diff shows a few lines, and the lines that mark the others as part of a key may not be among them.
//! So secrets are searched in the whole texts, and their lines are redacted wherever a diff shows them.

use kitbag_text::{Redaction, Text, redact};
use rustc_hash::FxHashMap;

/// A run of this many characters of the alphabet of keys may be a line of one.
const MIN_KEY_LINE_CHARS: usize = 16;
/// Git cuts headings at 80 bytes, and a secret that is cut does not look like one.
const CUT_HEADING_BYTES: usize = 76;

/// The lines of some texts that contain secrets.
#[derive(Debug, Default)]
pub(crate) struct SecretLines {
    lines: FxHashMap<String, RedactedLine>,
}

#[derive(Debug)]
struct RedactedLine {
    text: String,
    rules: Vec<&'static str>,
}

impl SecretLines {
    /// Adds the lines of a whole text that contain secrets.
    pub fn add_text(&mut self, text: &str) {
        let text = Text::new(text.to_owned());
        let Some((redacted, redactions)) = redact(&text) else { return };
        let mut rules: FxHashMap<u32, Vec<&'static str>> = FxHashMap::default();
        for Redaction { line, rule } in redactions {
            rules.entry(line).or_default().push(rule);
        }
        let lines = text.content().split('\n').zip(redacted.content().split('\n'));
        for ((line, redacted), number) in lines.zip(1..) {
            if let Some(rules) = rules.remove(&number) {
                let text = redacted.trim_end_matches('\r').to_owned();
                let line = line.trim_end_matches('\r').to_owned();
                self.lines.insert(line, RedactedLine { text, rules });
            }
        }
    }

    /// Returns the diff with these lines redacted, and the redactions by line of the diff.
    pub fn redact_diff(&self, diff: &str) -> (String, Vec<Redaction>) {
        let (mut text, mut redactions) = (String::with_capacity(diff.len()), Vec::new());
        for (line, number) in diff.lines().zip(1..) {
            let (sign, content) = line.split_at(line.get(..1).map_or(0, str::len));
            if line.starts_with("@@ ") {
                text.push_str(self.redact_heading(line));
            } else if let Some(redacted) = self.lines.get(content.trim_end_matches('\r')) {
                text.push_str(sign);
                text.push_str(&redacted.text);
                let rules = redacted.rules.iter();
                redactions.extend(rules.map(|&rule| Redaction { line: number, rule }));
            } else {
                text.push_str(line);
            }
            text.push('\n');
        }
        (text, redactions)
    }

    /// Removes the heading of a hunk, the beginning of a line somewhere above it, if that may be a
    /// secret.
    fn redact_heading<'a>(&self, line: &'a str) -> &'a str {
        let Some((range, heading)) = split_heading(line) else { return line };
        let is_secret = self.lines.keys().any(|secret| secret.starts_with(heading));
        if is_secret { range } else { line }
    }
}

/// Returns whether a diff may show part of a secret that only the whole texts reveal.
pub(crate) fn may_show_partial_secret(diff: &str) -> bool {
    diff.lines().any(|line| {
        let heading = split_heading(line).filter(|_| line.starts_with("@@ "));
        line.contains("-----")
            || heading.is_some_and(|(_, heading)| heading.len() >= CUT_HEADING_BYTES)
            || longest_key_run(line) >= MIN_KEY_LINE_CHARS
    })
}

/// Splits `@@ -1 +1 @@ heading`.
fn split_heading(line: &str) -> Option<(&str, &str)> {
    let end = line.get(2..)?.find(" @@ ")? + 2 + " @@".len();
    let heading = line[end..].trim().trim_end_matches('\u{fffd}');
    (!heading.is_empty()).then_some((&line[..end], heading))
}

/// Returns the length of the longest run of base64 characters.
fn longest_key_run(line: &str) -> usize {
    let is_key_char = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    line.as_bytes().split(|byte| !is_key_char(byte)).map(<[u8]>::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_text::find_secrets;

    fn key() -> String {
        let dashes = "-".repeat(5);
        let body: String = (0..12)
            .map(|line| format!("MIIEvQ{line:02}BADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDK\n"))
            .collect();
        format!("{dashes}BEGIN PRIVATE KEY{dashes}\n{body}{dashes}END PRIVATE KEY{dashes}\n")
    }

    #[test]
    fn key_lines_are_redacted_without_their_first_line() {
        let key = key();
        let lines: Vec<&str> = key.lines().collect();
        let diff = format!(
            "@@ -5,3 +5,3 @@ {}\n {}\n-{}\n+{}\n ordinary\n",
            &lines[2][..40],
            lines[5],
            lines[6],
            lines[7]
        );
        assert!(find_secrets(&diff).is_empty(), "the diff alone does not reveal the key");
        assert!(may_show_partial_secret(&diff));
        let mut secrets = SecretLines::default();
        secrets.add_text(&key);
        let (text, redactions) = secrets.redact_diff(&diff);
        let marker = "[REDACTED:private-key]";
        assert_eq!(text, format!("@@ -5,3 +5,3 @@\n {marker}\n-{marker}\n+{marker}\n ordinary\n"));
        let redactions: Vec<(u32, &str)> = redactions.iter().map(|it| (it.line, it.rule)).collect();
        assert_eq!(redactions, [(2, "private-key"), (3, "private-key"), (4, "private-key")]);
    }

    #[test]
    fn diff_without_secrets_is_unchanged() {
        let mut secrets = SecretLines::default();
        secrets.add_text("fn main() {}\n");
        let diff = "@@ -1 +1 @@ fn main() {\n-a\n+b\n\n\\ No newline at end of file\n";
        assert_eq!(secrets.redact_diff(diff), (diff.to_owned(), Vec::new()));
        assert!(!may_show_partial_secret(diff));
    }

    #[test]
    fn cut_heading_may_be_a_partial_secret() {
        let heading = "a ".repeat(39);
        assert!(may_show_partial_secret(&format!("@@ -1 +1 @@ {heading}\n-a\n+b\n")));
    }
}
