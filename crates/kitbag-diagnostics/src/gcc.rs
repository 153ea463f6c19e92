//! Output of `gcc -fdiagnostics-format=json`: one list per compiled file.

use super::collect::Collector;
use super::{Diagnostic, DiagnosticsError, Input, Severity, json};
use serde::Deserialize;

pub(super) fn read(input: &Input<'_>, into: &mut Collector) -> Result<(), DiagnosticsError> {
    json::each_value(input, "gcc JSON", |found: Vec<Found>| {
        for found in found {
            push(found, into);
        }
    })
}

fn push(found: Found, into: &mut Collector) {
    let Some(place) = found.locations.into_iter().next() else { return into.skip() };
    into.push(Diagnostic {
        path: place.caret.file,
        line: place.caret.line,
        column: Some(place.caret.column),
        end_line: place.finish.map(|finish| finish.line),
        severity: severity(&found.kind),
        code: found.option,
        message: found.message,
        tool: "gcc".to_owned(),
        depth: 0,
    });
    for child in found.children {
        push(child, into);
    }
}

/// Maps the severity names of gcc and clang, which their text output uses as well.
pub(super) fn severity(kind: &str) -> Severity {
    match kind {
        "warning" => Severity::Warning,
        "note" | "remark" | "info" | "information" | "anachronism" => Severity::Note,
        _ => Severity::Error,
    }
}

#[derive(Deserialize)]
struct Found {
    kind: String,
    message: String,
    option: Option<String>,
    locations: Vec<Place>,
    #[serde(default)]
    children: Vec<Found>,
}

#[derive(Deserialize)]
struct Place {
    caret: Point,
    finish: Option<Point>,
}

#[derive(Deserialize)]
struct Point {
    file: String,
    line: u32,
    #[serde(default)]
    column: u32,
}
