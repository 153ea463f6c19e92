//! Lines of JSON-RPC: what they are, and how something is put into one without touching the rest.

use super::scan::{self, Span};
use serde_json::{Value, json};
use std::fmt;

/// What a line is, as far as the proxy has to know. Parts that it seldom needs are only located.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Frame {
    /// A request, with its number, its method and its parameters.
    Request { id: Id, method: String, params: Option<Span> },
    /// A notification.
    Notification { method: String, params: Option<Span> },
    /// An answer, with the result if it is one.
    Answer { id: Id, result: Option<Span> },
    /// JSON of another form, which is none of our business.
    Other,
    /// No JSON.
    Garbage,
}

/// The number of a request, as JSON: what two sides write differently is the same for strings only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id(String);

impl Id {
    /// The number at a place of a line; `null` is none.
    pub fn read(line: &[u8], place: &Span) -> Option<Self> {
        let written = std::str::from_utf8(&line[place.clone()]).ok()?;
        let string = serde_json::from_str::<String>(written);
        let same = string.map_or_else(|_| written.to_owned(), |it| Value::from(it).to_string());
        (same != "null").then_some(Self(same))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Frame {
    /// Reads a line.
    pub fn read(line: &[u8]) -> Self {
        let Some(whole) = scan::whole(line) else { return Self::Garbage };
        if line[whole.start] != b'{' {
            return Self::Other;
        }
        if scan::fields(line, &whole).is_none() {
            return Self::Garbage;
        }
        let field = |name: &str| scan::field(line, &whole, name);
        let id = field("id").and_then(|place| Id::read(line, &place));
        let method = field("method").map(|place| scan::text(line, &place));
        let params = field("params");
        match (method, id) {
            (Some(Some(method)), Some(id)) => Self::Request { id, method, params },
            (Some(Some(method)), None) => Self::Notification { method, params },
            (None, Some(id)) => match (field("result"), field("error")) {
                (None, None) => Self::Other,
                (result, _) => Self::Answer { id, result },
            },
            _ => Self::Other,
        }
    }
}

/// An error as the answer to a request.
pub(super) fn error(id: &Id, message: &str) -> Vec<u8> {
    let error = json!({ "code": -32603, "message": message });
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}").into_bytes()
}

/// A call with one more argument; `None` where it has that already, or is no call.
pub(super) fn with_argument(line: &[u8], name: &str, value: &Value) -> Option<Vec<u8>> {
    let params = scan::field(line, &scan::whole(line)?, "params")?;
    let Some(arguments) = scan::field(line, &params, "arguments") else {
        let arguments = json!({ name: value });
        return Some(splice(line, vec![added(line, &params, "arguments", &arguments)?]));
    };
    if scan::field(line, &arguments, name).is_some() {
        return None;
    }
    Some(splice(line, vec![added(line, &arguments, name, value)?]))
}

/// A result with one more block of content, if there is one, and with what was used in its `_meta`;
/// `None` where the line is not the result of a call.
pub(super) fn with_context(line: &[u8], block: Option<&Value>, used: &Value) -> Option<Vec<u8>> {
    let result = scan::field(line, &scan::whole(line)?, "result")?;
    let content = scan::field(line, &result, "content")?;
    let blocks = scan::items(line, &content)?;
    let mut additions = Vec::new();
    if let Some(block) = block {
        let comma = if blocks.is_empty() { "" } else { "," };
        additions.push((content.end - 1, format!("{comma}{block}")));
    }
    match scan::field(line, &result, "_meta") {
        None => additions.push(added(line, &result, "_meta", &json!({ "contextUsed": used }))?),
        Some(meta) if scan::field(line, &meta, "contextUsed").is_some() => {}
        // A `_meta` that is no object says nothing more.
        Some(meta) => additions.extend(added(line, &meta, "contextUsed", used)),
    }
    Some(splice(line, additions))
}

/// One more field at the end of an object: where, and what.
fn added(line: &[u8], object: &Span, name: &str, value: &Value) -> Option<(usize, String)> {
    let comma = if scan::fields(line, object)?.is_empty() { "" } else { "," };
    Some((object.end - 1, format!("{comma}{}:{value}", Value::from(name))))
}

fn splice(line: &[u8], mut additions: Vec<(usize, String)>) -> Vec<u8> {
    additions.sort_by_key(|(place, _)| *place);
    let mut text =
        Vec::with_capacity(line.len() + additions.iter().map(|it| it.1.len()).sum::<usize>());
    let mut from = 0;
    for (place, addition) in additions {
        text.extend_from_slice(&line[from..place]);
        text.extend_from_slice(addition.as_bytes());
        from = place;
    }
    text.extend_from_slice(&line[from..]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(json: &str) -> Id {
        Id::read(json.as_bytes(), &(0..json.len())).expect("JSON")
    }

    #[test]
    fn lines_are_told_apart() {
        let read = |line: &str| Frame::read(line.as_bytes());
        let method = "ping".to_owned();
        let request = Frame::Request { id: id("1"), method: method.clone(), params: None };
        assert_eq!(read("{\"id\":1,\"method\":\"ping\"}"), request);
        let notification = Frame::Notification { method, params: Some(26..28) };
        assert_eq!(read("{\"method\":\"ping\",\"params\":{}}"), notification);
        let answer = Frame::Answer { id: id("1"), result: Some(17..18) };
        assert_eq!(read("{\"id\":1,\"result\":5}"), answer);
        let answer = Frame::Answer { id: id("1"), result: None };
        assert_eq!(read("{\"id\":1,\"error\":{}}"), answer);
        for other in ["[1]", "{\"id\":1}", "{\"id\":null,\"result\":1}", "{\"method\":5}", "7"] {
            assert_eq!(read(other), Frame::Other, "{other}");
        }
        for garbage in ["hello there", "{\"id\":1,\"resu", "{\"id\" 1}", "", &"[".repeat(100_000)] {
            assert_eq!(read(garbage), Frame::Garbage);
        }
    }

    #[test]
    fn ids_are_the_same_however_their_strings_are_written() {
        assert_eq!(id("\"a\""), id("\"\\u0061\""));
        assert_ne!(id("1"), id("\"1\""));
        assert_eq!(
            id("123456789012345678901234567890").to_string(),
            "123456789012345678901234567890"
        );
        assert_eq!(id("\"\\ud83d\"").to_string(), "\"\\ud83d\"");
        let error: Value =
            serde_json::from_slice(&error(&id("\"a\""), "it is \"gone\"")).expect("JSON");
        assert_eq!((&error["id"], &error["error"]["code"]), (&json!("a"), &json!(-32603)));
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
