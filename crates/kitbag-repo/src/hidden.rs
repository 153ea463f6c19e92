//! Diffs without secrets.
//!
//! A diff shows a few lines, and which of them are those of a key is told by lines that it may not
//! show. So secrets are looked for in the whole texts, and a line that is one there is none here.

use kitbag_text::{Redaction, Text, redact};
use rustc_hash::FxHashMap;

/// The lines of some texts that have secrets in them.
#[derive(Debug, Default)]
pub(crate) struct Hidden {
    lines: FxHashMap<String, Replaced>,
}

/// What stands in a line's place.
#[derive(Debug)]
struct Replaced {
    text: String,
    rules: Vec<&'static str>,
}

impl Hidden {
    /// Notes the lines of a whole text that have secrets in them.
    pub fn note(&mut self, whole: &str) {
        let whole = Text::new(whole.to_owned());
        let Some((redacted, redactions)) = redact(&whole) else { return };
        let mut rules: FxHashMap<u32, Vec<&'static str>> = FxHashMap::default();
        for Redaction { line, rule } in redactions {
            rules.entry(line).or_default().push(rule);
        }
        let lines = whole.content().split('\n').zip(redacted.content().split('\n'));
        for ((line, text), number) in lines.zip(1..) {
            if let Some(rules) = rules.remove(&number) {
                let text = text.trim_end_matches('\r').to_owned();
                self.lines.insert(line.trim_end_matches('\r').to_owned(), Replaced { text, rules });
            }
        }
    }

    /// The diff without them, and what was replaced on which of its lines.
    pub fn hide(&self, diff: &str) -> (String, Vec<Redaction>) {
        let (mut hidden, mut redactions) = (String::with_capacity(diff.len()), Vec::new());
        for (line, number) in diff.lines().zip(1..) {
            let sign = line.get(..1).unwrap_or("");
            let rest = &line[sign.len()..];
            match self.lines.get(rest.trim_end_matches('\r')) {
                _ if line.starts_with("@@ ") => hidden.push_str(self.without_heading(line)),
                Some(replaced) => {
                    hidden.push_str(sign);
                    hidden.push_str(&replaced.text);
                    let rules = replaced.rules.iter();
                    redactions.extend(rules.map(|&rule| Redaction { line: number, rule }));
                }
                None => hidden.push_str(line),
            }
            hidden.push('\n');
        }
        (hidden, redactions)
    }

    /// The first line of a part of a diff. After its numbers git shows the beginning of a line that
    /// stands somewhere before the part.
    fn without_heading<'a>(&self, line: &'a str) -> &'a str {
        let Some((numbers, heading)) = split_heading(line) else { return line };
        let is_secret = self.lines.keys().any(|secret| secret.starts_with(heading));
        if is_secret { numbers } else { line }
    }
}

/// A run of so many characters of a key may be a line of one.
const KEY_LINE: usize = 16;
/// Git cuts headings at 80 bytes. A secret that is cut does not look like one.
const CUT_HEADING: usize = 76;

/// Whether some of a diff can be a part of a secret that only the whole texts can tell.
pub(crate) fn needs_the_whole(diff: &str) -> bool {
    diff.lines().any(|line| {
        let heading = split_heading(line).filter(|_| line.starts_with("@@ "));
        line.contains("-----")
            || heading.is_some_and(|(_, heading)| heading.len() >= CUT_HEADING)
            || longest_run(line) >= KEY_LINE
    })
}

fn split_heading(line: &str) -> Option<(&str, &str)> {
    let end = line.get(2..)?.find(" @@ ")? + 2 + " @@".len();
    let heading = line[end..].trim().trim_end_matches('\u{fffd}');
    (!heading.is_empty()).then_some((&line[..end], heading))
}

/// The most characters in a row that a key is written in.
fn longest_run(line: &str) -> usize {
    let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    line.as_bytes().split(|byte| !is_of_key(byte)).map(<[u8]>::len).max().unwrap_or(0)
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
    fn a_line_of_a_key_is_hidden_where_its_first_line_is_not_shown() {
        let key = key();
        let lines: Vec<&str> = key.lines().collect();
        let diff = format!(
            "@@ -5,3 +5,3 @@ {}\n {}\n-{}\n+{}\n ordinary\n",
            &lines[2][..40],
            lines[5],
            lines[6],
            lines[7]
        );
        assert!(find_secrets(&diff).is_empty(), "the diff alone does not tell");
        assert!(needs_the_whole(&diff));
        let mut hidden = Hidden::default();
        hidden.note(&key);
        let (text, redactions) = hidden.hide(&diff);
        let marker = "[REDACTED:private-key]";
        assert_eq!(text, format!("@@ -5,3 +5,3 @@\n {marker}\n-{marker}\n+{marker}\n ordinary\n"));
        let told: Vec<(u32, &str)> = redactions.iter().map(|it| (it.line, it.rule)).collect();
        assert_eq!(told, [(2, "private-key"), (3, "private-key"), (4, "private-key")]);
    }

    #[test]
    fn a_diff_without_secrets_stays_as_it_is() {
        let mut hidden = Hidden::default();
        hidden.note("fn main() {}\n");
        let diff = "@@ -1 +1 @@ fn main() {\n-a\n+b\n\n\\ No newline at end of file\n";
        assert_eq!(hidden.hide(diff), (diff.to_owned(), Vec::new()));
        assert!(!needs_the_whole(diff));
    }

    #[test]
    fn a_heading_that_is_cut_needs_the_whole() {
        let heading = "a ".repeat(39);
        assert!(needs_the_whole(&format!("@@ -1 +1 @@ {heading}\n-a\n+b\n")));
    }
}
