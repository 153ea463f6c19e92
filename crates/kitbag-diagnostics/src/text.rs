//! Human-readable output of compilers and linters.
//!
//! Many tools share a format, so each line is matched against all of them:
//! `a.ts(3,5): error TS1: ...`, its variant for terminals, `a.c:3:5: error: ...`, the arrows of
//! rustc, and `a.go:3:5: ...`.

use super::collect::Collector;
use super::{Diagnostic, Input, Severity};
use regex::Captures;
use std::borrow::Cow;

/// Maximum length of a line, in bytes. Longer lines are data rather than diagnostics.
const MAX_LINE_BYTES: usize = 4_000;

pub(super) fn read(input: &Input<'_>, into: &mut Collector) {
    let mut last: Option<Diagnostic> = None;
    let mut before = Cow::Borrowed("");
    for line in input.text.lines() {
        let line = strip_escapes(line);
        if let Some(found) = diagnostic(&line, &before) {
            into.extend(last.replace(found));
        } else if let Some(last) = last.as_mut().filter(|last| is_continuation(&line, last)) {
            last.message.push('\n');
            last.message.push_str(line.trim_end());
        } else {
            into.extend(last.take());
        }
        before = line;
    }
    into.extend(last);
}

/// Returns whether any line is a diagnostic.
pub(super) fn has_any(text: &str) -> bool {
    let mut before = Cow::Borrowed("");
    text.lines().any(|line| {
        let line = strip_escapes(line);
        let found = diagnostic(&line, &before).is_some();
        before = line;
        found
    })
}

/// Removes escape sequences for colors and links.
pub(super) fn strip_escapes(line: &str) -> Cow<'_, str> {
    if line.contains('\u{1b}') { ESCAPES.replace_all(line, "") } else { Cow::Borrowed(line) }
}

pattern!(ESCAPES, r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)");
// tsc, csc and MSVC: `a.ts(3,5): error TS2322: message`.
pattern!(
    BRACKETED,
    r"^\s*(?<path>\S.*?)\((?<line>\d+)(?:,(?<column>\d+)[\d,]*)?\) ?: (?<severity>fatal error|error|warning|message|info) (?<code>[A-Z]+\d+): (?<message>.*)$"
);
// tsc on a terminal: `a.ts:3:5 - error TS2322: message`.
pattern!(
    DASHED,
    r"^(?<path>\S.*?):(?<line>\d+):(?<column>\d+) - (?<severity>error|warning|message) (?<code>TS\d+): (?<message>.*)$"
);
// gcc, clang, mypy: `a.c:3:5: error: message`.
pattern!(
    SEVERE,
    r"^(?<path>(?:[A-Za-z]:[\\/])?[^\s:][^:]*):(?<line>\d+)(?::(?<column>\d+))?: (?<severity>fatal error|error|warning|note|remark|info): (?<message>\S.*)$"
);
// Go, ruff and others that print no severity: `a.go:3:5: message`.
pattern!(
    PLAIN,
    r"^(?<path>(?:[A-Za-z]:[\\/])?[^\s:]+\.[A-Za-z]\w{0,9}):(?<line>\d+):(?<column>\d+): (?<message>\S.*)$"
);
// rustc and ruff print the place on the line after the message.
pattern!(ARROW, r"^\s*--> (?<path>\S.*?):(?<line>\d+):(?<column>\d+)$");
pattern!(
    HEADING,
    r"^(?<severity>error|warning|note|help)(?:\[(?<code>[\w:]+)\])?: (?<message>\S.*)$"
);
pattern!(
    RUFF,
    r"^(?<code>[A-Z]+\d+|invalid-syntax|[a-z]+(?:-[a-z]+)+):? (?:\[\*\] )?(?<message>\S.*)$"
);
pattern!(OPTION, r"^(?<message>.*\S) \[(?<code>-W[^\]\s]*)\]$");
pattern!(MYPY, r"^(?<message>.*\S)  \[(?<code>[a-z-]+)\]$");

/// Parses a line as a diagnostic. The message may be on the line before.
fn diagnostic(line: &str, before: &str) -> Option<Diagnostic> {
    if line.len() > MAX_LINE_BYTES || !line.contains([':', '>']) {
        return None;
    }
    let line = line.trim_end();
    if let Some(found) = ARROW.captures(line) {
        return arrow(&found, before.trim_end());
    }
    if let Some(found) = BRACKETED.captures(line).or_else(|| DASHED.captures(line)) {
        let code = found["code"].to_owned();
        let tool = match code.get(..2) {
            Some("TS") => "tsc",
            Some("CS") => "csc",
            _ => "compiler",
        };
        return placed(
            &found,
            Severity::of_level(&found["severity"]),
            Some(code),
            &found["message"],
            tool,
        );
    }
    if let Some(found) = SEVERE.captures(line) {
        let MessageSuffix { code, message, tool } = split_option(&found["path"], &found["message"]);
        return placed(&found, Severity::of_level(&found["severity"]), code, message, tool);
    }
    let found = PLAIN.captures(line)?;
    let path = &found["path"];
    let ruff = RUFF.captures(found.name("message")?.as_str()).filter(|_| is_python(path));
    match ruff {
        Some(ruff) => {
            let code = Some(ruff["code"].to_owned());
            placed(&found, Severity::Error, code, &ruff["message"], "ruff")
        }
        None => {
            let tool = if path.ends_with(".go") { "go" } else { "compiler" };
            placed(&found, Severity::Error, None, &found["message"], tool)
        }
    }
}

fn arrow(place: &Captures<'_>, heading: &str) -> Option<Diagnostic> {
    if is_python(&place["path"]) {
        let found = RUFF.captures(heading)?;
        let code = Some(found["code"].to_owned());
        return placed(place, Severity::Error, code, &found["message"], "ruff");
    }
    let found = HEADING.captures(heading)?;
    let code = found.name("code").map(|code| code.as_str().to_owned());
    placed(place, Severity::of_level(&found["severity"]), code, &found["message"], "rustc")
}

fn placed(
    place: &Captures<'_>,
    severity: Severity,
    code: Option<String>,
    message: &str,
    tool: &str,
) -> Option<Diagnostic> {
    Some(Diagnostic {
        path: place["path"].to_owned(),
        line: place["line"].parse().ok()?,
        column: place.name("column").and_then(|column| column.as_str().parse().ok()),
        severity,
        code,
        message: message.to_owned(),
        tool: tool.to_owned(),
        ..Diagnostic::default()
    })
}

/// A message without the option or rule in brackets at its end.
struct MessageSuffix<'a> {
    code: Option<String>,
    message: &'a str,
    tool: &'static str,
}

/// Splits off the option or rule in brackets at the end of a message, and determines the tool.
fn split_option<'a>(path: &str, message: &'a str) -> MessageSuffix<'a> {
    let (pattern, tool) = if is_python(path) { (&MYPY, "mypy") } else { (&OPTION, "compiler") };
    let found = pattern.captures(message);
    match found.and_then(|found| Some((found.name("code")?, found.name("message")?))) {
        Some((code, message)) => {
            MessageSuffix { code: Some(code.as_str().to_owned()), message: message.as_str(), tool }
        }
        None => MessageSuffix { code: None, message, tool },
    }
}

fn is_python(path: &str) -> bool {
    [".py", ".pyi", ".ipynb"].iter().any(|ending| path.ends_with(ending))
}

/// Returns whether a line continues a message of tsc, which indents such lines.
fn is_continuation(line: &str, last: &Diagnostic) -> bool {
    last.tool == "tsc" && line.starts_with("  ") && !line.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::Severity::{Error, Note, Warning};
    use super::*;

    fn check(
        text: &str,
        place: (&str, u32, Option<u32>),
        said: (Severity, Option<&str>, &str, &str),
    ) {
        let reading = read("in", text).expect(text);
        let [one] = reading.diagnostics.as_slice() else { panic!("{text}: {reading:?}") };
        assert_eq!((one.path.as_str(), one.line, one.column), place, "{text}");
        let found = (one.severity, one.code.as_deref(), one.message.as_str(), one.tool.as_str());
        assert_eq!(found, said, "{text}");
    }

    #[test]
    fn lines_of_many_tools() {
        let at = |path, line, column| (path, line, Some(column));
        check(
            "a b.ts(3,5): error TS2322: Wrong.\n  Because.\n\nFound 1 error.",
            at("a b.ts", 3, 5),
            (Error, Some("TS2322"), "Wrong.\n  Because.", "tsc"),
        );
        check(
            "C:\\p\\a.cs(3,5): warning CS0168: Never used [C:\\p\\a.csproj]",
            at("C:\\p\\a.cs", 3, 5),
            (Warning, Some("CS0168"), "Never used [C:\\p\\a.csproj]", "csc"),
        );
        check(
            "a.cpp(12) : fatal error C1083: Cannot open include file",
            ("a.cpp", 12, None),
            (Error, Some("C1083"), "Cannot open include file", "compiler"),
        );
        check(
            "C:\\p\\a.c:3:5: fatal error: x.h: No such file",
            at("C:\\p\\a.c", 3, 5),
            (Error, None, "x.h: No such file", "compiler"),
        );
        check(
            "\u{1b}[1ma.c:3:5:\u{1b}[0m \u{1b}[35mwarning: \u{1b}[0munused [\u{1b}]8;;http://x\u{7}-Wunused\u{1b}]8;;\u{7}]",
            at("a.c", 3, 5),
            (Warning, Some("-Wunused"), "unused", "compiler"),
        );
    }

    #[test]
    fn severities_that_are_not_errors() {
        let at = |path, line, column| (path, line, Some(column));
        check(
            "a.py:3: error: Bad type  [arg-type]",
            ("a.py", 3, None),
            (Error, Some("arg-type"), "Bad type", "mypy"),
        );
        check(
            "./main.go:7:2: undefined: x",
            at("./main.go", 7, 2),
            (Error, None, "undefined: x", "go"),
        );
        check("a.c:1:2: note: here", at("a.c", 1, 2), (Note, None, "here", "compiler"));
        check(
            "warning: unused\n --> src/a.rs:3:5\n  |\n",
            at("src/a.rs", 3, 5),
            (Warning, None, "unused", "rustc"),
        );
    }

    #[test]
    fn times_and_addresses_are_not_locations() {
        for line in [
            "2026-01-01T12:30:45: started",
            "10.0.0.1:80:1: refused",
            "note: 3:4: x",
            "  --> a.rs:1:2",
        ] {
            assert!(!has_any(line), "{line}");
        }
    }
}
