//! Stack traces as diagnostics: the innermost place is the error, those that call it are notes.

use super::collect::{self, Collector};
use super::frames::{Trace, traces};
use super::{Diagnostic, Input, Severity};

pub(super) fn read(input: &Input<'_>, into: &mut Collector) {
    for trace in traces(input.text) {
        push(&trace, &trace.message, None, into);
    }
}

/// Takes the frames of a trace. The message and the tool are the trace's own unless others are given.
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
