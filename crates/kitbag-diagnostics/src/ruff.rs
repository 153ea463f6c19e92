//! Output of `ruff --output-format json`.

use super::collect::Collector;
use super::{Diagnostic, DiagnosticsError, Input, Severity, json};
use serde::Deserialize;

pub(super) fn read(input: &Input<'_>, into: &mut Collector) -> Result<(), DiagnosticsError> {
    json::each_value(input, "ruff JSON", |found: Vec<Violation>| {
        for violation in found {
            into.push(diagnostic(violation));
        }
    })
}

fn diagnostic(violation: Violation) -> Diagnostic {
    // Versions that do not report a severity treat everything as an error.
    let severity = match violation.severity.as_deref() {
        Some("warning") => Severity::Warning,
        Some("info" | "help") => Severity::Note,
        _ => Severity::Error,
    };
    Diagnostic {
        path: violation.filename,
        line: violation.location.row,
        column: Some(violation.location.column),
        end_line: last_line(violation.location.row, violation.end_location),
        severity,
        code: violation.code,
        message: violation.message,
        tool: "ruff".to_owned(),
        depth: 0,
    }
}

/// Returns the last line of a range. A range that ends at column 1 does not include that line.
fn last_line(first: u32, end: Option<Location>) -> Option<u32> {
    let end = end?;
    Some(if end.column <= 1 && end.row > first { end.row - 1 } else { end.row })
}

#[derive(Deserialize)]
struct Violation {
    filename: String,
    code: Option<String>,
    message: String,
    severity: Option<String>,
    location: Location,
    end_location: Option<Location>,
}

#[derive(Deserialize)]
struct Location {
    row: u32,
    column: u32,
}
