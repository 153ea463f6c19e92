//! Tests the readers with recorded output of real tools (`scripts/record-diagnostics`) and with
//! output that is malformed, malicious or very large.

mod malformed;
mod places;
mod recorded;
mod recorded_traces;
mod sarif;
mod traces;

use super::{Diagnostic, ParsedOutput, Severity};

/// Includes a recorded output.
macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../tests/fixtures/", $name))
    };
}
use fixture;

/// Compares the diagnostics with lines of the form `place severity code tool: message`.
#[track_caller]
fn check(name: &str, text: &str, expected: &str) -> ParsedOutput {
    let reading = super::read(name, text).expect(name);
    let found: Vec<String> = reading.diagnostics.iter().map(shown).collect();
    let found = found.join("\n");
    assert_eq!(found, unindented(expected), "{name}:\n{found}\n");
    reading
}

fn shown(one: &Diagnostic) -> String {
    let column = one.column.map_or(String::new(), |column| format!(":{column}"));
    let end = one.end_line.map_or(String::new(), |end| format!("-{end}"));
    let depth = if one.depth > 0 { format!(" depth {}", one.depth) } else { String::new() };
    let code = one.code.as_deref().unwrap_or("-");
    let message = one.message.replace('\n', "\\n");
    let (path, line, severity, tool) = (&one.path, one.line, name(one.severity), &one.tool);
    format!("{path}:{line}{column}{end} {severity} {code} {tool}{depth}: {message}")
}

fn name(severity: Severity) -> String {
    format!("{severity:?}").to_lowercase()
}

fn unindented(text: &str) -> String {
    text.trim().lines().map(str::trim).collect::<Vec<_>>().join("\n")
}
