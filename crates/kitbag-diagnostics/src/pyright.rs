//! Output of `pyright --outputjson`, also used by basedpyright.

use super::collect::Collector;
use super::{Diagnostic, DiagnosticsError, Input, Severity, json};
use serde::Deserialize;

pub(super) fn read(input: &Input<'_>, into: &mut Collector) -> Result<(), DiagnosticsError> {
    json::each_value(input, "pyright JSON", |report: Report| {
        for found in report.general_diagnostics {
            into.push(diagnostic(found));
        }
    })
}

fn diagnostic(found: Found) -> Diagnostic {
    // Pyright counts lines and columns from 0.
    let start = found.range.as_ref().map(|range| &range.start);
    Diagnostic {
        path: found.file,
        line: start.map_or(1, |start| start.line.saturating_add(1)),
        column: start.map(|start| start.character.saturating_add(1)),
        end_line: found.range.as_ref().map(|range| range.end.line.saturating_add(1)),
        severity: match found.severity.as_str() {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => Severity::Note,
        },
        code: found.rule,
        message: found.message,
        tool: "pyright".to_owned(),
        depth: 0,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    general_diagnostics: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    file: String,
    severity: String,
    message: String,
    rule: Option<String>,
    range: Option<Range>,
}

#[derive(Deserialize)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Deserialize)]
struct Position {
    line: u32,
    character: u32,
}
