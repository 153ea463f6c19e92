//! JSON output of eslint (`-f json`), ruff (`--output-format json`), pyright (`--outputjson`, also used by
//! basedpyright) and gcc (`-fdiagnostics-format=json`).

use super::collect::{self, Collector};
use super::{Diagnostic, DiagnosticsError, Input, Severity, json};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintFile {
    file_path: String,
    messages: Vec<EslintMessage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintMessage {
    rule_id: Option<String>,
    severity: u8,
    message: String,
    /// Missing if the message is about an entire file.
    line: Option<u32>,
    column: Option<u32>,
    end_line: Option<u32>,
}

pub(super) fn eslint(input: &Input<'_>, into: &mut Collector) -> Result<(), DiagnosticsError> {
    let diagnostic = |path: &str, it: EslintMessage| Diagnostic {
        path: collect::path(path).to_owned(),
        line: it.line.unwrap_or(1),
        column: it.column,
        end_line: it.end_line,
        severity: if it.severity == 1 { Severity::Warning } else { Severity::Error },
        code: it.rule_id,
        message: it.message,
        tool: "eslint".to_owned(),
        depth: 0,
    };
    json::each_value(input, "eslint JSON", |files: Vec<EslintFile>| {
        for EslintFile { file_path, messages } in files {
            into.extend(messages.into_iter().map(|message| diagnostic(&file_path, message)));
        }
    })
}

#[derive(Deserialize)]
struct RuffViolation {
    filename: String,
    code: Option<String>,
    message: String,
    /// Missing in versions that treat everything as an error.
    severity: Option<String>,
    location: RuffLocation,
    end_location: Option<RuffLocation>,
}

#[derive(Deserialize)]
struct RuffLocation {
    row: u32,
    column: u32,
}

pub(super) fn ruff(input: &Input<'_>, into: &mut Collector) -> Result<(), DiagnosticsError> {
    let diagnostic = |it: RuffViolation| Diagnostic {
        path: it.filename,
        line: it.location.row,
        column: Some(it.location.column),
        end_line: it.end_location.map(|end| last_line(it.location.row, end.row, Some(end.column))),
        severity: Severity::of_level(it.severity.as_deref().unwrap_or("error")),
        code: it.code,
        message: it.message,
        tool: "ruff".to_owned(),
        depth: 0,
    };
    json::each_value(input, "ruff JSON", |violations: Vec<RuffViolation>| {
        into.extend(violations.into_iter().map(diagnostic));
    })
}

/// Returns the last line of a range. A range that ends at column 1 does not include that line.
pub(super) fn last_line(first: u32, end: u32, end_column: Option<u32>) -> u32 {
    if end > first && end_column.is_some_and(|column| column <= 1) { end - 1 } else { end }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PyrightReport {
    general_diagnostics: Vec<PyrightDiagnostic>,
}

#[derive(Deserialize)]
struct PyrightDiagnostic {
    file: String,
    severity: String,
    message: String,
    rule: Option<String>,
    range: Option<PyrightRange>,
}

#[derive(Deserialize)]
struct PyrightRange {
    start: PyrightPosition,
    end: PyrightPosition,
}

/// A position, counted from 0.
#[derive(Deserialize)]
struct PyrightPosition {
    line: u32,
    character: u32,
}

pub(super) fn pyright(input: &Input<'_>, into: &mut Collector) -> Result<(), DiagnosticsError> {
    let diagnostic = |it: PyrightDiagnostic| Diagnostic {
        path: it.file,
        line: it.range.as_ref().map_or(1, |range| range.start.line.saturating_add(1)),
        column: it.range.as_ref().map(|range| range.start.character.saturating_add(1)),
        end_line: it.range.as_ref().map(|range| range.end.line.saturating_add(1)),
        severity: Severity::of_level(&it.severity),
        code: it.rule,
        message: it.message,
        tool: "pyright".to_owned(),
        depth: 0,
    };
    json::each_value(input, "pyright JSON", |report: PyrightReport| {
        into.extend(report.general_diagnostics.into_iter().map(diagnostic));
    })
}

#[derive(Deserialize)]
struct GccDiagnostic {
    kind: String,
    message: String,
    option: Option<String>,
    locations: Vec<GccLocation>,
    #[serde(default)]
    children: Vec<GccDiagnostic>,
}

#[derive(Deserialize)]
struct GccLocation {
    caret: GccPoint,
    finish: Option<GccPoint>,
}

#[derive(Deserialize)]
struct GccPoint {
    file: String,
    line: u32,
    #[serde(default)]
    column: u32,
}

/// Reads the output of gcc: one list per compiled file.
pub(super) fn gcc(input: &Input<'_>, into: &mut Collector) -> Result<(), DiagnosticsError> {
    json::each_value(input, "gcc JSON", |diagnostics: Vec<GccDiagnostic>| {
        diagnostics.into_iter().for_each(|diagnostic| push_gcc(diagnostic, into));
    })
}

fn push_gcc(it: GccDiagnostic, into: &mut Collector) {
    let Some(GccLocation { caret, finish }) = it.locations.into_iter().next() else {
        return into.skip();
    };
    into.push(Diagnostic {
        path: caret.file,
        line: caret.line,
        column: Some(caret.column),
        end_line: finish.map(|finish| finish.line),
        severity: Severity::of_level(&it.kind),
        code: it.option,
        message: it.message,
        tool: "gcc".to_owned(),
        depth: 0,
    });
    it.children.into_iter().for_each(|child| push_gcc(child, into));
}
