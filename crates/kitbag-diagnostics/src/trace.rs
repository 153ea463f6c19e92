//! Stack traces as diagnostics: the innermost frame is an error, its callers are notes.

use super::collect::{self, Collector};
use super::frames::{Trace, traces};
use super::{Diagnostic, Input, Severity};

pub(super) fn read(input: &Input<'_>, into: &mut Collector) {
    for trace in traces(input.text) {
        push(&trace, &trace.message, None, into);
    }
}

/// Adds the frames of a trace with this message. The tool defaults to the language of the frames.
pub(super) fn push(trace: &Trace, message: &str, tool: Option<&str>, into: &mut Collector) {
    let message = collect::message(message);
    for (frame, depth) in trace.frames.iter().zip(0..) {
        into.push(Diagnostic {
            path: frame.path.clone(),
            line: frame.line,
            column: frame.column,
            end_line: None,
            severity: if depth == 0 { Severity::Error } else { Severity::Note },
            code: None,
            message: message.clone(),
            tool: tool.unwrap_or(frame.language.name()).to_owned(),
            depth,
        });
    }
}
