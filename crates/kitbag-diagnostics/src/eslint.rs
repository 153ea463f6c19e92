//! Output of `eslint -f json`.

use super::collect::{self, Collector};
use super::{Diagnostic, DiagnosticsError, Input, Severity, json};
use serde::Deserialize;

pub(super) fn read(input: &Input<'_>, into: &mut Collector) -> Result<(), DiagnosticsError> {
    json::each_value(input, "eslint JSON", |files: Vec<File>| {
        for file in files {
            for message in file.messages {
                into.push(diagnostic(collect::path(&file.file_path), message));
            }
        }
    })
}

fn diagnostic(path: &str, message: Message) -> Diagnostic {
    Diagnostic {
        path: path.to_owned(),
        // A message about an entire file has no line.
        line: message.line.unwrap_or(1),
        column: message.column,
        end_line: message.end_line,
        severity: if message.severity == 1 { Severity::Warning } else { Severity::Error },
        code: message.rule_id,
        message: message.message,
        tool: "eslint".to_owned(),
        depth: 0,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    file_path: String,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    rule_id: Option<String>,
    severity: u8,
    message: String,
    line: Option<u32>,
    column: Option<u32>,
    end_line: Option<u32>,
}
