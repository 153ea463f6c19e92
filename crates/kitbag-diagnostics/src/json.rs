//! JSON as printed by tools: one or more values, possibly surrounded by other text.

use super::{DiagnosticsError, Input};
use serde::de::DeserializeOwned;

/// Calls `each` with every JSON value in a text. A value must start at the beginning of a line.
/// Other lines, such as build progress, are skipped.
pub(super) fn each_value<T: DeserializeOwned>(
    input: &Input<'_>,
    syntax: &'static str,
    mut each: impl FnMut(T),
) -> Result<(), DiagnosticsError> {
    let mut at = 0;
    let mut line = 0;
    while let Some(rest) = input.text.get(at..).filter(|rest| !rest.is_empty()) {
        if !begins_json(rest) {
            let skipped = rest.find('\n').map_or(rest.len(), |end| end + 1);
            at += skipped;
            line += 1;
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<T>();
        match values.next() {
            Some(Ok(value)) => each(value),
            Some(Err(error)) => return Err(malformed(input, syntax, line, &error)),
            None => return Ok(()),
        }
        let read = values.byte_offset();
        // Ignore the rest of the line after the value.
        let end = rest[read..].find('\n').map_or(rest.len(), |end| read + end + 1);
        line += rest[..end].matches('\n').count();
        at += end;
    }
    Ok(())
}

/// Returns whether the text begins with an object or a list of objects.
pub(super) fn begins_json(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '\t']);
    let (Some(first @ ('{' | '[')), Some(inside)) = (text.chars().next(), text.get(1..)) else {
        return false;
    };
    match (first, inside.trim_start().chars().next()) {
        (_, None) => true,
        ('{', Some(second)) => matches!(second, '"' | '}'),
        (_, Some(second)) => matches!(second, '{' | ']'),
    }
}

/// Builds the error for JSON that begins after `lines` lines of the text.
pub(super) fn malformed(
    input: &Input<'_>,
    syntax: &'static str,
    lines: usize,
    error: &serde_json::Error,
) -> DiagnosticsError {
    let message = error.to_string();
    let message = message.rfind(" at line ").map_or(message.as_str(), |end| &message[..end]);
    DiagnosticsError::Malformed {
        name: input.name.to_owned(),
        line: lines + error.line(),
        column: error.column().max(1),
        // Report a syntax error as invalid JSON, since the specific format has not been reached
        // yet.
        syntax: if error.is_data() { syntax } else { "JSON" },
        message: message.to_owned(),
    }
}
