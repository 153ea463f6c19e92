//! Classifies the lines of a task.

use kitbag_text::{file_of_url, for_each_url};
use std::fmt::Write;

/// Kind of a line of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// The first line with content.
    Title,
    /// Text written by a person.
    Prose,
    /// Code or program output.
    Code,
    /// A frame of a stack trace.
    Frame,
    /// Issue forms, lists of versions, trailers.
    Noise,
}

#[derive(Debug, Clone)]
pub(super) struct TaskLine {
    pub kind: LineKind,
    /// The trimmed line, with URLs replaced by the paths of their files.
    pub text: String,
}

/// Classifies the lines of a task; blank lines, fences and hidden comments are dropped.
pub(super) fn classify_lines(task: &str) -> Vec<TaskLine> {
    let comment_ends = task.lines().enumerate().filter(|(_, line)| line.contains("-->"));
    let last_comment_end = comment_ends.last().map(|(at, _)| at);
    let mut classifier = LineClassifier { last_comment_end, ..LineClassifier::default() };
    let lines = task.lines().enumerate();
    lines.filter_map(|(at, line)| classifier.classify(at, line)).collect()
}

#[derive(Default)]
struct LineClassifier {
    has_title: bool,
    /// Mark that ends the current fenced block.
    fence: Option<&'static str>,
    in_comment: bool,
    /// Index of the last line with the end of a hidden comment.
    last_comment_end: Option<usize>,
    /// Whether the line is under a heading such as "Environment".
    in_noise: bool,
    /// Whether the last line was blank, or indented code after a blank one.
    after_blank: bool,
}

impl LineClassifier {
    fn classify(&mut self, at: usize, line: &str) -> Option<TaskLine> {
        let line = self.without_comment(at, line)?;
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.after_blank = true;
            return None;
        }
        let kind = self.kind(line, trimmed)?;
        self.after_blank = kind == LineKind::Code && self.after_blank;
        Some(TaskLine { kind, text: replace_urls(trimmed) })
    }

    /// Strips a hidden comment from the beginning of the line; `None` if nothing is left. An
    /// unterminated comment is kept as text.
    fn without_comment<'a>(&mut self, at: usize, line: &'a str) -> Option<&'a str> {
        let opened = line.trim_start().strip_prefix("<!--");
        if self.fence.is_some() || (opened.is_none() && !self.in_comment) {
            return Some(line);
        }
        let hidden = opened.unwrap_or(line);
        let rest = hidden.split_once("-->").map(|(_, rest)| rest);
        self.in_comment = rest.is_none() && self.last_comment_end.is_some_and(|end| end > at);
        match rest {
            Some(rest) => Some(rest).filter(|rest| !rest.trim().is_empty()),
            None => (!self.in_comment).then_some(hidden),
        }
    }

    /// Returns the kind of a line, or `None` for a fence.
    fn kind(&mut self, line: &str, trimmed: &str) -> Option<LineKind> {
        if let Some(fence) = self.fence {
            if trimmed.starts_with(fence) {
                self.fence = None;
                return None;
            }
            return Some(if is_frame(trimmed) { LineKind::Frame } else { LineKind::Code });
        }
        self.fence = ["```", "~~~"].into_iter().find(|fence| trimmed.starts_with(fence));
        // A fence that closes on the same line is inline code.
        if self.fence.is_some_and(|fence| !trimmed[3..].contains(fence)) {
            return None;
        }
        self.fence = None;
        if !self.has_title {
            self.has_title = true;
            return Some(LineKind::Title);
        }
        Some(self.kind_outside_fences(line, trimmed))
    }

    fn kind_outside_fences(&mut self, line: &str, trimmed: &str) -> LineKind {
        if let Some(heading) = heading(trimmed) {
            self.in_noise = is_noisy_heading(heading);
            return if self.in_noise || is_form_heading(heading) {
                LineKind::Noise
            } else {
                LineKind::Prose
            };
        }
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        if is_frame(trimmed) {
            LineKind::Frame
        } else if self.in_noise || is_noise(trimmed) {
            LineKind::Noise
        } else if (self.after_blank && is_indented) || is_prompt(trimmed) || is_log(trimmed) {
            LineKind::Code
        } else {
            LineKind::Prose
        }
    }
}

/// Returns the text of a heading: after `#`, or a line in bold.
fn heading(line: &str) -> Option<&str> {
    let hashes = line.trim_start_matches('#');
    if hashes.len() < line.len() && hashes.starts_with(' ') {
        return Some(hashes.trim());
    }
    line.strip_prefix("**")?.trim_end_matches(':').strip_suffix("**")
}

/// Whether an issue form asks for platforms and versions under this heading.
fn is_noisy_heading(heading: &str) -> bool {
    const NOISY: &[&str] = &[
        "environment",
        "version",
        "system info",
        "your setup",
        "platform",
        "checklist",
        "before submitting",
        "operating system",
        "dependencies",
    ];
    let lower = heading.to_lowercase();
    NOISY.iter().any(|noisy| lower.contains(noisy))
}

/// Whether this is a standard heading of issue forms.
fn is_form_heading(heading: &str) -> bool {
    const FORM: &[&str] = &[
        "describe the bug",
        "to reproduce",
        "steps to reproduce",
        "expected",
        "actual",
        "additional context",
        "screenshots",
        "description",
        "what happened",
        "reproduc",
        "current behavio",
        "bug report",
        "feature request",
        "summary",
        "search before",
    ];
    let lower = heading.to_lowercase();
    FORM.iter().any(|form| lower.starts_with(form))
        || lower.starts_with("what ") && lower.len() < 40
}

/// Whether this is a stack frame, in the formats of several languages.
fn is_frame(line: &str) -> bool {
    let is_numbered = line.starts_with('#') && line[1..].starts_with(|c: char| c.is_ascii_digit());
    (line.starts_with("File \"") && line.contains(", line "))
        || (line.starts_with("at ") && line.contains([':', '(']) && line.contains('.'))
        || (is_numbered && (line.contains(" at ") || line.contains(" in ") || line.contains('(')))
        || (line.starts_with("from ") && line.contains(":in "))
        || (line.contains(":in `") || line.contains(":in '"))
        || (line.contains(".go:") && line.contains(" +0x"))
}

/// Whether this is a line of an interactive session.
fn is_prompt(line: &str) -> bool {
    line.starts_with(">>> ")
        || line.starts_with("... ")
        || line.starts_with("$ ")
        || line.starts_with("In [")
        || line.starts_with("Out[")
}

/// Whether this is a log line: one with a time, or with a level first.
fn is_log(line: &str) -> bool {
    const LEVELS: &[&str] =
        &["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL"];
    let mut words = line.split_whitespace().take(6).map(|word| {
        word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).split(':').next().unwrap_or("")
    });
    let begins_with_digit = line.trim_start_matches('[').starts_with(|c: char| c.is_ascii_digit());
    let has_time = begins_with_digit
        && line.as_bytes().windows(6).take(40).any(|it| {
            let digits = |at: usize| it[at].is_ascii_digit() && it[at + 1].is_ascii_digit();
            digits(0) && it[2] == b':' && digits(3) && (it[5] == b':' || it[5] == b' ')
        });
    let is_level = |word: &str| LEVELS.contains(&word);
    has_time || words.next().is_some_and(is_level) && line.contains(':')
}

/// Whether this is a checkbox, a trailer or a version.
fn is_noise(line: &str) -> bool {
    let bare = line.trim_start_matches(['-', '*', '|', ' ']);
    if bare.starts_with("[x]") || bare.starts_with("[ ]") || bare.starts_with("[X]") {
        return true;
    }
    is_trailer(line) || is_version(bare)
}

/// Matches `Signed-off-by: ...` and similar lines.
fn is_trailer(line: &str) -> bool {
    let Some((key, _)) = line.split_once(": ") else { return false };
    let is_key = key.contains('-') && key.starts_with(|c: char| c.is_ascii_uppercase());
    is_key && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Matches `numpy==1.2.3`, `python: 3.10.4`, `OS: Ubuntu 22.04`.
fn is_version(line: &str) -> bool {
    let Some(at) = line.find([':', '=']) else { return false };
    let (key, value) =
        (line[..at].trim(), line[at..].trim_start_matches([':', '=', ' ', '*', '`']));
    let value = value.trim_start_matches('v');
    let is_plain = !key.is_empty() && key.len() < 30 && key.split_whitespace().count() <= 3;
    let mut parts = value.split(|c: char| !c.is_ascii_digit());
    let is_dotted = parts.next().is_some_and(|part| !part.is_empty())
        && parts.next().is_some_and(|part| !part.is_empty());
    is_plain && is_dotted && value.split_whitespace().count() <= 3
}

/// Replaces URLs by the path and line of their file, or by nothing.
fn replace_urls(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for_each_url(line, |before, url| {
        out.push_str(before);
        let Some((path, line)) = url.and_then(file_of_url) else { return };
        out.push_str(path);
        if let Some(line) = line {
            let _ = write!(out, "#L{line}");
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(task: &str) -> String {
        let letter = |line: &TaskLine| match line.kind {
            LineKind::Title => 'T',
            LineKind::Prose => 'P',
            LineKind::Code => 'C',
            LineKind::Frame => 'F',
            LineKind::Noise => 'N',
        };
        classify_lines(task).iter().map(letter).collect()
    }

    #[test]
    fn lines_are_classified() {
        let task = "Crash on load\n\n### Describe the bug\nIt crashes.\n<!-- please\nread -->\n\
            ```python\nload('x')\nFile \"a/b.py\", line 3, in load\n```\n- [x] I searched\n\
            ### Environment\nPython on my machine\n### More\npandas: 1.2.3\nSigned-off-by: A <a@b>\nWhy?";
        assert_eq!(kinds(task), "TNPCFNNNPNNP");
    }

    #[test]
    fn indented_text_is_code_only_after_a_blank_line() {
        assert_eq!(kinds("t\n\n    code\n    more\nprose\n    still prose"), "TCCPP");
    }

    #[test]
    fn frames_of_many_languages_are_recognized() {
        for frame in [
            "File \"/usr/lib/a.py\", line 7, in run",
            "at com.example.Login.run(Login.java:12)",
            "at run (/srv/app/index.js:3:5)",
            "#0  run (x=1) at src/main.c:12",
            "#3 /srv/a.php(12): run()",
            "from lib/a.rb:3:in `run'",
            "/srv/main.go:12 +0x1d",
        ] {
            assert_eq!(kinds(&format!("title\n{frame}")), "TF", "{frame}");
        }
        assert_eq!(kinds("title\nat noon it fails"), "TP");
    }

    #[test]
    fn log_lines_are_program_output() {
        for log in [
            "2026-11-16 08:12:01,123 DEBUG urllib3.connectionpool: GET / 200",
            "[08:12:01] worker 3 started",
            "2026-11-16T08:12:01Z INFO app: started",
            "ERROR: could not connect",
            "WARNING:root:it is late",
            "[INFO] Scanning for projects: all",
        ] {
            assert_eq!(kinds(&format!("title\n{log}")), "TC", "{log}");
        }
        for prose in [
            "Since 10:30 it fails",
            "2 errors occurred",
            "Error handling: it is bad",
            "INFO is too much",
        ] {
            assert_eq!(kinds(&format!("title\n{prose}")), "TP", "{prose}");
        }
    }

    #[test]
    fn only_hidden_comments_are_dropped() {
        let texts =
            |task: &str| classify_lines(task).into_iter().map(|it| it.text).collect::<Vec<_>>();
        assert_eq!(texts("<!-- ticket 5 --> header lost\nmore"), ["header lost", "more"]);
        assert_eq!(texts("<!-- please\nread --> this\nmore"), ["this", "more"]);
        assert_eq!(texts("<!-- not terminated\nheader lost"), ["not terminated", "header lost"]);
        assert_eq!(texts("a\n```\n<!-- code -->\n```"), ["a", "<!-- code -->"]);
    }

    #[test]
    fn urls_are_replaced_by_their_files() {
        let line = "see https://host/o/n/blob/main/src/a.py#L4, and https://host/o/n/issues/4.";
        assert_eq!(replace_urls(line), "see src/a.py#L4 and ");
    }
}
