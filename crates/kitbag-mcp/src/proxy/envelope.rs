//! JSON-RPC lines: their kind, and how a value is added to one without changing the rest.

use crate::members::{ByteRange, Members, ScanError, lenient_string};
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use std::fmt;

/// The kind of a line, with the members that the proxy needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Envelope {
    Request {
        id: MessageId,
        method: String,
        params: Option<ByteRange>,
    },
    Notification {
        method: String,
        params: Option<ByteRange>,
    },
    /// A response, with its result unless it is an error or malformed.
    Response {
        id: MessageId,
        result: Option<ByteRange>,
    },
    /// Other JSON, which is passed on.
    Other,
    NotJson,
}

/// The id of a request, as JSON. Strings are normalised, since the two sides may escape them
/// differently.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MessageId(String);

impl MessageId {
    /// Reads the id at `range`; `None` if it is `null`.
    pub fn read(line: &[u8], range: &ByteRange) -> Option<Self> {
        let written = std::str::from_utf8(&line[range.clone()]).ok()?;
        let string = serde_json::from_str::<String>(written);
        let id = string.map_or_else(|_| written.to_owned(), |it| Value::from(it).to_string());
        (id != "null").then_some(Self(id))
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Envelope {
    pub fn read(line: &[u8]) -> Self {
        let members = Members::of_line(line);
        let envelope = Self::from_members(line, &members);
        match members.error {
            None => envelope,
            // Such as a line with `NaN`, which some servers write and some clients accept.
            Some(ScanError::Malformed) if envelope != Self::Other => envelope,
            _ if serde_json::from_slice::<IgnoredAny>(line).is_ok() => Self::Other,
            _ => Self::NotJson,
        }
    }

    fn from_members(line: &[u8], members: &Members) -> Self {
        let id = members.get("id").and_then(|range| MessageId::read(line, &range));
        let params = members.get("params");
        match (members.get("method"), id) {
            (Some(method), id) => match (lenient_string(&line[method]), id) {
                (Some(method), Some(id)) => Self::Request { id, method, params },
                (Some(method), None) => Self::Notification { method, params },
                (None, _) => Self::Other,
            },
            (None, Some(id)) if members.contains("result") || members.contains("error") => {
                Self::Response { id, result: members.get("result") }
            }
            (None, _) => Self::Other,
        }
    }
}

/// Returns an error response.
pub(super) fn error_response(id: &MessageId, message: &str) -> Vec<u8> {
    let error = json!({ "code": -32603, "message": message });
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}").into_bytes()
}

/// Adds an argument to a call; `None` if it has that argument already, or is not a call.
pub(super) fn with_argument(line: &[u8], name: &str, value: &Value) -> Option<Vec<u8>> {
    let params = Members::of_line(line).get("params")?;
    let insertion = match Members::of_object(line, &params)?.get("arguments") {
        None => member_insertion(line, &params, "arguments", &json!({ name: value }))?,
        Some(arguments) if member(line, &arguments, name).is_some() => return None,
        Some(arguments) => member_insertion(line, &arguments, name, value)?,
    };
    Some(insert(line, vec![insertion]))
}

/// Adds a content block, if any, to a result, and `used` to its `_meta`; `None` if the line is not
/// the result of a call.
pub(super) fn with_context(line: &[u8], block: Option<&Value>, used: &Value) -> Option<Vec<u8>> {
    let result = Members::of_line(line).get("result")?;
    let content = member(line, &result, "content")?;
    let blocks: Vec<IgnoredAny> = serde_json::from_slice(&line[content.clone()]).ok()?;
    let mut insertions = Vec::new();
    if let Some(block) = block {
        let comma = if blocks.is_empty() { "" } else { "," };
        insertions.push((content.end - 1, format!("{comma}{block}")));
    }
    match member(line, &result, "_meta") {
        None => {
            let meta = json!({ "contextUsed": used });
            insertions.push(member_insertion(line, &result, "_meta", &meta)?);
        }
        Some(meta) if member(line, &meta, "contextUsed").is_some() => {}
        // A `_meta` that is not an object is left alone.
        Some(meta) => insertions.extend(member_insertion(line, &meta, "contextUsed", used)),
    }
    Some(insert(line, insertions))
}

/// Returns the place of a member of the object at `range`.
pub(super) fn member(line: &[u8], range: &ByteRange, name: &str) -> Option<ByteRange> {
    Members::of_object(line, range)?.get(name)
}

/// Returns the text of another member of an object, and the place to insert it at.
fn member_insertion(
    line: &[u8],
    object: &ByteRange,
    name: &str,
    value: &Value,
) -> Option<(usize, String)> {
    let comma = if Members::of_object(line, object)?.is_empty() { "" } else { "," };
    Some((object.end - 1, format!("{comma}{}:{value}", Value::from(name))))
}

fn insert(line: &[u8], mut insertions: Vec<(usize, String)>) -> Vec<u8> {
    insertions.sort_by_key(|(place, _)| *place);
    let mut extended = line.to_vec();
    for (place, text) in insertions.into_iter().rev() {
        extended.splice(place..place, text.into_bytes());
    }
    extended
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(json: &str) -> MessageId {
        MessageId::read(json.as_bytes(), &(0..json.len())).expect("an id")
    }

    #[test]
    fn kinds_of_lines_are_told_apart() {
        let read = |line: &str| Envelope::read(line.as_bytes());
        let method = "ping".to_owned();
        let request = Envelope::Request { id: id("1"), method: method.clone(), params: None };
        assert_eq!(read("{\"id\":1,\"method\":\"ping\"}\n"), request);
        let notification = Envelope::Notification { method, params: Some(26..28) };
        assert_eq!(read("{\"method\":\"ping\",\"params\":{}}"), notification);
        let response = Envelope::Response { id: id("1"), result: Some(17..18) };
        assert_eq!(read("{\"id\":1,\"result\":5}"), response);
        let response = Envelope::Response { id: id("1"), result: None };
        assert_eq!(read("{\"id\":1,\"error\":{}}"), response);
        for other in ["[1]", "{\"id\":1}", "{\"id\":null,\"result\":1}", "{\"method\":5}", "7"] {
            assert_eq!(read(other), Envelope::Other, "{other}");
        }
        for line in ["hello there", "{\"id\":1,\"resu", "{\"id\" 1}", "", &"[".repeat(100_000)] {
            assert_eq!(read(line), Envelope::NotJson);
        }
    }

    #[test]
    fn a_line_with_an_invalid_number_keeps_its_kind() {
        let read = |line: &str| Envelope::read(line.as_bytes());
        let response = Envelope::Response { id: id("1"), result: None };
        assert_eq!(read("{\"id\":1,\"result\":{\"n\":NaN}}"), response);
        assert_eq!(read("{\"result\":{\"n\":NaN},\"id\":1}"), response);
        let method = "tools/call".to_owned();
        let request = Envelope::Request { id: id("1"), method, params: None };
        assert_eq!(read("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"n\":NaN}}"), request);
    }

    #[test]
    fn ids_are_equal_however_their_strings_are_escaped() {
        assert_eq!(id("\"a\""), id("\"\\u0061\""));
        assert_ne!(id("1"), id("\"1\""));
        let large = "123456789012345678901234567890";
        assert_eq!(id(large).to_string(), large);
        assert_eq!(id("\"\\ud83d\"").to_string(), "\"\\ud83d\"");
        let response = error_response(&id("\"a\""), "it is \"gone\"");
        let response: Value = serde_json::from_slice(&response).expect("JSON");
        assert_eq!((&response["id"], &response["error"]["code"]), (&json!("a"), &json!(-32603)));
    }

    #[test]
    fn an_argument_is_added_and_nothing_else_changes() {
        let with = |line: &str| {
            let with = with_argument(line.as_bytes(), "_context", &json!("a \"b\""))?;
            Some(String::from_utf8(with).expect("JSON"))
        };
        assert_eq!(
            with("{ \"params\": {\"name\":\"t\", \"arguments\": {\"n\": 1.10, \"é\": 1e400 } } }"),
            Some("{ \"params\": {\"name\":\"t\", \"arguments\": {\"n\": 1.10, \"é\": 1e400 ,\"_context\":\"a \\\"b\\\"\"} } }".into())
        );
        assert_eq!(
            with("{\"params\":{\"name\":\"t\"}}"),
            Some(
                "{\"params\":{\"name\":\"t\",\"arguments\":{\"_context\":\"a \\\"b\\\"\"}}}".into()
            )
        );
        assert_eq!(with("{\"params\":{\"arguments\":{\"_context\":5}}}"), None);
        assert_eq!(with("{\"params\":{\"arguments\":5}}"), None);
        assert_eq!(with("{}"), None);
    }

    #[test]
    fn a_block_and_a_note_are_added_and_nothing_else_changes() {
        let (block, used) = (json!({ "type": "text" }), json!({ "tokens": 5 }));
        let with = |line: &str| {
            let with = with_context(line.as_bytes(), Some(&block), &used)?;
            Some(String::from_utf8(with).expect("JSON"))
        };
        assert_eq!(
            with("{\"id\":1, \"result\": {\"content\": [ {} ], \"x\": 0.10}}"),
            Some("{\"id\":1, \"result\": {\"content\": [ {} ,{\"type\":\"text\"}], \"x\": 0.10,\"_meta\":{\"contextUsed\":{\"tokens\":5}}}}".into())
        );
        assert_eq!(
            with("{\"result\":{\"_meta\":{},\"content\":[]}}"),
            Some("{\"result\":{\"_meta\":{\"contextUsed\":{\"tokens\":5}},\"content\":[{\"type\":\"text\"}]}}".into())
        );
        assert_eq!(with("{\"result\":{\"tools\":[]}}"), None);
        assert_eq!(with("{\"error\":{}}"), None);
    }
}
