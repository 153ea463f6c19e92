//! The lines of a task, told apart.

use super::address::{file_of_address, for_each_address};
use std::fmt::Write;

/// What a line of a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The first line that says something.
    Title,
    /// What a person wrote.
    Prose,
    /// Code, or what a program printed.
    Code,
    /// A frame of a stack trace.
    Frame,
    /// Forms, lists of versions, signatures.
    Noise,
}

/// A line of a task.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub part: Part,
    /// The line, without the hosts of its addresses.
    pub text: String,
}

/// Tells the lines of a task apart.
pub(super) fn read_lines(task: &str) -> Vec<Line> {
    let comments_end = task.lines().enumerate().filter(|(_, line)| line.contains("-->"));
    let mut reader =
        Reader { comments_end: comments_end.last().map(|(at, _)| at), ..Reader::default() };
    let lines = task.lines().enumerate();
    lines.filter_map(|(at, line)| reader.read(at, line)).collect()
}

#[derive(Default)]
struct Reader {
    has_title: bool,
    /// The mark that ends the fenced block that the next line is in.
    fence: Option<&'static str>,
    in_comment: bool,
    /// The last line in which a hidden comment ends.
    comments_end: Option<usize>,
    /// Under a heading such as "Environment".
    in_noise: bool,
    /// The last line was blank, or indented code after a blank one.
    after_blank: bool,
}

impl Reader {
    fn read(&mut self, at: usize, line: &str) -> Option<Line> {
        let line = self.without_comment(at, line)?;
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.after_blank = true;
            return None;
        }
        let part = self.part(line, trimmed)?;
        self.after_blank = part == Part::Code && self.after_blank;
        Some(Line { part, text: without_hosts(trimmed) })
    }

    /// The line without the hidden comment that it begins with; `None` where that is all. One that
    /// nobody ended is none.
    fn without_comment<'a>(&mut self, at: usize, line: &'a str) -> Option<&'a str> {
        let opened = line.trim_start().strip_prefix("<!--");
        if self.fence.is_some() || (opened.is_none() && !self.in_comment) {
            return Some(line);
        }
        let hidden = opened.unwrap_or(line);
        let rest = hidden.split_once("-->").map(|(_, rest)| rest);
        let goes_on = rest.is_none() && self.comments_end.is_some_and(|end| end > at);
        self.in_comment = goes_on;
        match rest {
            Some(rest) => Some(rest).filter(|rest| !rest.trim().is_empty()),
            None => (!goes_on).then_some(hidden),
        }
    }

    /// What a line is; `None` for marks, which say nothing.
    fn part(&mut self, line: &str, trimmed: &str) -> Option<Part> {
        if let Some(fence) = self.fence {
            if trimmed.starts_with(fence) {
                self.fence = None;
                return None;
            }
            return Some(if is_frame(trimmed) { Part::Frame } else { Part::Code });
        }
        self.fence = ["```", "~~~"].into_iter().find(|fence| trimmed.starts_with(fence));
        // Three backticks that close in the same line are a word in backticks.
        if self.fence.is_some_and(|fence| !trimmed[3..].contains(fence)) {
            return None;
        }
        self.fence = None;
        if !self.has_title {
            self.has_title = true;
            return Some(Part::Title);
        }
        Some(self.outside(line, trimmed))
    }

    /// What a line outside all blocks is.
    fn outside(&mut self, line: &str, trimmed: &str) -> Part {
        if let Some(heading) = heading(trimmed) {
            self.in_noise = is_noisy_heading(heading);
            return if self.in_noise || is_form_heading(heading) {
                Part::Noise
            } else {
                Part::Prose
            };
        }
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if is_frame(trimmed) {
            Part::Frame
        } else if self.in_noise || is_noise(trimmed) {
            Part::Noise
        } else if (self.after_blank && indented) || is_prompt(trimmed) || is_log(trimmed) {
            Part::Code
        } else {
            Part::Prose
        }
    }
}

/// The text of a heading: after `#`, or all in bold.
fn heading(line: &str) -> Option<&str> {
    let hashes = line.trim_start_matches('#');
    if hashes.len() < line.len() && hashes.starts_with(' ') {
        return Some(hashes.trim());
    }
    line.strip_prefix("**")?.trim_end_matches(':').strip_suffix("**")
}

/// Headings under which forms ask for machines and versions.
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

/// Headings that are in every form.
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

/// A frame of a stack trace, in the ways of several languages.
fn is_frame(line: &str) -> bool {
    let numbered = line.starts_with('#') && line[1..].starts_with(|c: char| c.is_ascii_digit());
    (line.starts_with("File \"") && line.contains(", line "))
        || (line.starts_with("at ") && line.contains([':', '(']) && line.contains('.'))
        || (numbered && (line.contains(" at ") || line.contains(" in ") || line.contains('(')))
        || (line.starts_with("from ") && line.contains(":in "))
        || (line.contains(":in `") || line.contains(":in '"))
        || (line.contains(".go:") && line.contains(" +0x"))
}

/// What a program prints before or after what a person types.
fn is_prompt(line: &str) -> bool {
    line.starts_with(">>> ")
        || line.starts_with("... ")
        || line.starts_with("$ ")
        || line.starts_with("In [")
        || line.starts_with("Out[")
}

/// What a program logs: a time and a level, or a level first.
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

/// Lines of forms, lists of versions, and signatures.
fn is_noise(line: &str) -> bool {
    let bare = line.trim_start_matches(['-', '*', '|', ' ']);
    if bare.starts_with("[x]") || bare.starts_with("[ ]") || bare.starts_with("[X]") {
        return true;
    }
    is_trailer(line) || is_version(bare)
}

/// `Signed-off-by: ...` and the like.
fn is_trailer(line: &str) -> bool {
    let Some((key, _)) = line.split_once(": ") else { return false };
    let is_key = key.contains('-') && key.starts_with(|c: char| c.is_ascii_uppercase());
    is_key && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// `numpy==1.2.3`, `python: 3.10.4`, `OS: Ubuntu 22.04`.
fn is_version(line: &str) -> bool {
    let Some(at) = line.find([':', '=']) else { return false };
    let (key, value) =
        (line[..at].trim(), line[at..].trim_start_matches([':', '=', ' ', '*', '`']));
    let value = value.trim_start_matches('v');
    let plain = !key.is_empty() && key.len() < 30 && key.split_whitespace().count() <= 3;
    let mut parts = value.split(|c: char| !c.is_ascii_digit());
    let dotted = parts.next().is_some_and(|part| !part.is_empty())
        && parts.next().is_some_and(|part| !part.is_empty());
    plain && dotted && value.split_whitespace().count() <= 3
}

/// Addresses keep their path and line, and only where they lead to a file.
fn without_hosts(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for_each_address(line, |before, address| {
        out.push_str(before);
        let Some((path, line)) = address.and_then(file_of_address) else { return };
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

    fn parts(task: &str) -> String {
        let letter = |line: &Line| match line.part {
            Part::Title => 'T',
            Part::Prose => 'P',
            Part::Code => 'C',
            Part::Frame => 'F',
            Part::Noise => 'N',
        };
        read_lines(task).iter().map(letter).collect()
    }

    #[test]
    fn lines_are_told_apart() {
        let task = "Crash on load\n\n### Describe the bug\nIt crashes.\n<!-- please\nread -->\n\
            ```python\nload('x')\nFile \"a/b.py\", line 3, in load\n```\n- [x] I searched\n\
            ### Environment\nPython on my machine\n### More\npandas: 1.2.3\nSigned-off-by: A <a@b>\nWhy?";
        assert_eq!(parts(task), "TNPCFNNNPNNP");
    }

    #[test]
    fn indented_text_is_code_only_after_a_blank_line() {
        assert_eq!(parts("t\n\n    code\n    more\nprose\n    still prose"), "TCCPP");
    }

    #[test]
    fn frames_of_many_languages() {
        for frame in [
            "File \"/usr/lib/a.py\", line 7, in run",
            "at com.example.Login.run(Login.java:12)",
            "at run (/srv/app/index.js:3:5)",
            "#0  run (x=1) at src/main.c:12",
            "#3 /srv/a.php(12): run()",
            "from lib/a.rb:3:in `run'",
            "/srv/main.go:12 +0x1d",
        ] {
            assert_eq!(parts(&format!("title\n{frame}")), "TF", "{frame}");
        }
        assert_eq!(parts("title\nat noon it fails"), "TP");
    }

    #[test]
    fn logs_are_what_a_program_printed() {
        for log in [
            "2026-11-16 08:12:01,123 DEBUG urllib3.connectionpool: GET / 200",
            "[08:12:01] worker 3 started",
            "2026-11-16T08:12:01Z INFO app: started",
            "ERROR: could not connect",
            "WARNING:root:it is late",
            "[INFO] Scanning for projects: all",
        ] {
            assert_eq!(parts(&format!("title\n{log}")), "TC", "{log}");
        }
        for prose in [
            "Since 10:30 it fails",
            "2 errors came",
            "Error handling: it is bad",
            "INFO is too much",
        ] {
            assert_eq!(parts(&format!("title\n{prose}")), "TP", "{prose}");
        }
    }

    #[test]
    fn hidden_comments_hide_only_themselves() {
        let texts = |task: &str| read_lines(task).into_iter().map(|it| it.text).collect::<Vec<_>>();
        assert_eq!(texts("<!-- ticket 5 --> header lost\nmore"), ["header lost", "more"]);
        assert_eq!(texts("<!-- please\nread --> this\nmore"), ["this", "more"]);
        assert_eq!(texts("<!-- nobody ended it\nheader lost"), ["nobody ended it", "header lost"]);
        assert_eq!(texts("a\n```\n<!-- code -->\n```"), ["a", "<!-- code -->"]);
    }

    #[test]
    fn addresses_keep_the_file_they_lead_to() {
        let address = "see https://host/o/n/blob/main/src/a.py#L4, and https://host/o/n/issues/4.";
        assert_eq!(without_hosts(address), "see src/a.py#L4 and ");
    }
}
