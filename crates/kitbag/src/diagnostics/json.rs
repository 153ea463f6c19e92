//! JSON as tools print it: one value or several, with lines of other text around them.

use super::{DiagnosticsError, Input};
use serde::de::DeserializeOwned;

/// Hands every JSON value of a text to `each`. Values begin at the beginning of a line; lines between
/// them that begin no value, such as a build's progress, are passed over.
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
        // The rest of the line that the value ends in is not looked at.
        let end = rest[read..].find('\n').map_or(rest.len(), |end| read + end + 1);
        line += rest[..end].matches('\n').count();
        at += end;
    }
    Ok(())
}

/// Whether the text begins with an object, or with a list of objects.
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

/// The error for JSON that starts after `lines` lines of the text.
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
        column: error.column(),
        // What is no JSON at all is not yet anything more.
        syntax: if error.is_data() { syntax } else { "JSON" },
        message: message.to_owned(),
    }
}
