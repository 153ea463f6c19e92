//! JSON-RPC lines: their kind, and how a value is added to one without changing the rest.

use super::call::CONTEXT_ARGUMENT;
use crate::raw_json::{member_list, members, parse_lenient};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::fmt;
use std::ops::Range;

/// The member of `_meta` that reports the context of a call.
const CONTEXT_USED: &str = "contextUsed";

/// The kind of a line, with the members that the proxy needs.
#[derive(Debug, Clone)]
pub(super) enum Envelope<'a> {
    Request {
        id: MessageId,
        method: String,
        params: Option<&'a RawValue>,
    },
    Notification {
        method: String,
        params: Option<&'a RawValue>,
    },
    /// A response, with its result unless it is an error.
    Response {
        id: MessageId,
        result: Option<&'a RawValue>,
    },
    /// Anything else in braces or in JSON, which is passed on. Some servers write objects with `NaN`,
    /// and some clients accept them.
    Other,
    NotJson,
}

/// The id of a request, as JSON. Strings are normalized, since the two sides may escape them
/// differently.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MessageId(String);

impl MessageId {
    /// Reads an id; `None` if it is `null`.
    pub fn read(id: &RawValue) -> Option<Self> {
        let string = serde_json::from_str::<String>(id.get());
        let id = string.map_or_else(|_| id.get().to_owned(), |it| Value::from(it).to_string());
        (id != "null").then_some(Self(id))
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl<'a> Envelope<'a> {
    pub fn read(line: &'a [u8]) -> Self {
        let Some(members) = members(line) else {
            let trimmed = line.trim_ascii();
            let is_in_braces = trimmed.starts_with(b"{") && trimmed.ends_with(b"}");
            let is_json = || serde_json::from_slice::<IgnoredAny>(line).is_ok();
            return if is_in_braces || is_json() { Self::Other } else { Self::NotJson };
        };
        let get = |name: &str| members.get(name).copied();
        let (id, params, result) =
            (get("id").and_then(MessageId::read), get("params"), get("result"));
        let method = get("method").map(|method| parse_lenient(method.get().as_bytes()));
        match (method, id) {
            (Some(Ok(method)), Some(id)) => Self::Request { id, method, params },
            (Some(Ok(method)), None) => Self::Notification { method, params },
            (None, Some(id)) if result.is_some() || get("error").is_some() => {
                Self::Response { id, result }
            }
            _ => Self::Other,
        }
    }
}

pub(super) fn error_response(id: &MessageId, message: &str) -> Vec<u8> {
    let error = json!({ "code": -32603, "message": message });
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}").into_bytes()
}

/// Adds an argument to a call; `None` if it has that argument already, or is not a call.
pub(super) fn with_argument(line: &[u8], name: &str, value: &Value) -> Option<Vec<u8>> {
    let params = *members(line)?.get("params")?;
    let insertion = match member(params, "arguments") {
        None => member_insertion(line, params, "arguments", &json!({ name: value }))?,
        Some(arguments) if member(arguments, name).is_some() => return None,
        Some(arguments) => member_insertion(line, arguments, name, value)?,
    };
    Some(insert(line, vec![insertion]))
}

/// Removes every `_meta.contextUsed` from a result, so that no server can pretend that its figures are
/// those of the proxy.
pub(super) fn without_context_used(line: Vec<u8>) -> Vec<u8> {
    let mut forged: Vec<(Range<usize>, String)> = Vec::new();
    for result in members_called(&line, "result") {
        for meta in members_called(result.get().as_bytes(), "_meta") {
            let Some(members) = member_list(meta.get().as_bytes()) else { continue };
            if members.iter().all(|(name, _)| name != CONTEXT_USED) {
                continue;
            }
            let kept = members.into_iter().filter(|(name, _)| name != CONTEXT_USED);
            let kept = kept.map(|(name, value)| format!("{}:{}", Value::from(name), value.get()));
            let end = last_byte(&line, meta) + 1;
            let kept = format!("{{{}}}", kept.collect::<Vec<_>>().join(","));
            forged.push((end - meta.get().len()..end, kept));
        }
    }
    let mut line = line;
    for (place, kept) in forged.into_iter().rev() {
        line.splice(place, kept.into_bytes());
    }
    line
}

/// Returns all members of an object with this name.
fn members_called<'a>(json: &'a [u8], wanted: &str) -> impl Iterator<Item = &'a RawValue> {
    let members = member_list(json).unwrap_or_default().into_iter();
    members.filter(move |(name, _)| name == wanted).map(|(_, value)| value)
}

/// Adds a text to a result, unless it is empty, and `used` to its `_meta`; `None` if the line is not the
/// result of a call. The text becomes a content block and, since some clients hand only
/// `structuredContent` to their model, a member of that if `in_structured` is set. The `_meta` must have
/// no `contextUsed`.
pub(super) fn with_context(
    line: &[u8],
    text: &str,
    in_structured: bool,
    used: &Value,
) -> Option<Vec<u8>> {
    let result = *members(line)?.get("result")?;
    let content = member(result, "content")?;
    let blocks: Vec<IgnoredAny> = serde_json::from_str(content.get()).ok()?;
    let mut insertions = Vec::new();
    if !text.is_empty() {
        let comma = if blocks.is_empty() { "" } else { "," };
        let block = json!({ "type": "text", "text": text });
        insertions.push((last_byte(line, content), format!("{comma}{block}")));
        let structured = member(result, "structuredContent")
            .filter(|it| in_structured && member(it, CONTEXT_ARGUMENT).is_none());
        insertions.extend(structured.and_then(|structured| {
            member_insertion(line, structured, CONTEXT_ARGUMENT, &text.into())
        }));
    }
    match member(result, "_meta") {
        None => {
            let meta = json!({ CONTEXT_USED: used });
            insertions.push(member_insertion(line, result, "_meta", &meta)?);
        }
        // A `_meta` that is not an object is left alone.
        Some(meta) => insertions.extend(member_insertion(line, meta, CONTEXT_USED, used)),
    }
    Some(insert(line, insertions))
}

/// Returns a member of an object.
pub(super) fn member<'a>(object: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    members(object.get().as_bytes())?.remove(name)
}

/// Returns the text of another member of an object, and the place to insert it at.
pub(super) fn member_insertion(
    line: &[u8],
    object: &RawValue,
    name: &str,
    value: &Value,
) -> Option<(usize, String)> {
    let comma = if members(object.get().as_bytes())?.is_empty() { "" } else { "," };
    Some((last_byte(line, object), format!("{comma}{}:{value}", Value::from(name))))
}

/// Returns the place of the last byte of a value that is part of `line`.
fn last_byte(line: &[u8], value: &RawValue) -> usize {
    value.get().as_ptr().addr() - line.as_ptr().addr() + value.get().len() - 1
}

pub(super) fn insert(line: &[u8], mut insertions: Vec<(usize, String)>) -> Vec<u8> {
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
        MessageId::read(serde_json::from_str(json).expect("JSON")).expect("an id")
    }

    #[test]
    fn kinds_of_lines_are_distinguished() {
        let kind = |line: &str| match Envelope::read(line.as_bytes()) {
            Envelope::Request { id, method, params } => format!("request {id} {method} {params:?}"),
            Envelope::Notification { method, .. } => format!("notification {method}"),
            Envelope::Response { id, result } => format!("response {id} {}", result.is_some()),
            Envelope::Other => "other".to_owned(),
            Envelope::NotJson => "not JSON".to_owned(),
        };
        assert_eq!(kind("{\"id\":1,\"method\":\"ping\"}\n"), "request 1 ping None");
        assert_eq!(kind("{\"method\":\"ping\",\"params\":{}}"), "notification ping");
        assert_eq!(kind("{\"id\":1,\"result\":5}"), "response 1 true");
        assert_eq!(kind("{\"id\":1,\"error\":{}}"), "response 1 false");
        for other in [
            "[1]",
            "{\"id\":1}",
            "{\"id\":null,\"result\":1}",
            "{\"method\":5}",
            "7",
            "{\"id\":1,\"result\":{\"n\":NaN}}",
        ] {
            assert_eq!(kind(other), "other", "{other}");
        }
        for line in ["hello there", "{\"id\":1,\"resu", "", &"[".repeat(100_000)] {
            assert_eq!(kind(line), "not JSON");
        }
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
    fn every_forged_figure_is_removed_and_nothing_else_changes() {
        let without = |line: &str| {
            String::from_utf8(without_context_used(line.as_bytes().to_vec())).expect("JSON")
        };
        for (line, expected) in [
            (r#"{"result":{"_meta":{"contextUsed":{"tokens":9}}}}"#, r#"{"result":{"_meta":{}}}"#),
            (
                r#"{ "result": {"_meta": {"a": 1e400, "context\u0055sed": 1, "b" : 2} , "x": 0.10} }"#,
                r#"{ "result": {"_meta": {"a":1e400,"b":2} , "x": 0.10} }"#,
            ),
            (
                r#"{"result":{"_meta":{"contextUsed":1,"contextUsed":2},"_meta":{"contextUsed":3}}}"#,
                r#"{"result":{"_meta":{},"_meta":{}}}"#,
            ),
            (
                r#"{"result":{"_meta":{"\ud800":1,"contextUsed":1},"\ud800":2}}"#,
                "{\"result\":{\"_meta\":{\"\u{fffd}\u{fffd}\u{fffd}\":1},\"\\ud800\":2}}",
            ),
            (
                r#"{"result":{"_meta":{"contextUsed":1}},"result":{"contextUsed":5}}"#,
                r#"{"result":{"_meta":{}},"result":{"contextUsed":5}}"#,
            ),
        ] {
            assert_eq!(without(line), expected);
        }
        for same in [r#"{"result":{"_meta":5}}"#, r#"{"result":[]}"#, "{}", "nothing"] {
            assert_eq!(without(same), same);
        }
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
        let used = json!({ "tokens": 5 });
        let with = |line: &str| {
            let with = with_context(line.as_bytes(), "a", true, &used)?;
            Some(String::from_utf8(with).expect("JSON"))
        };
        assert_eq!(
            with("{\"id\":1, \"result\": {\"content\": [ {} ], \"x\": 0.10}}"),
            Some("{\"id\":1, \"result\": {\"content\": [ {} ,{\"type\":\"text\",\"text\":\"a\"}], \"x\": 0.10,\"_meta\":{\"contextUsed\":{\"tokens\":5}}}}".into())
        );
        assert_eq!(
            with("{\"result\":{\"_meta\":{},\"content\":[]}}"),
            Some("{\"result\":{\"_meta\":{\"contextUsed\":{\"tokens\":5}},\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}}".into())
        );
        // A structured result has the text, too, if there is room for it.
        let structured = r#"{"result":{"content":[],"structuredContent":{"n": 1.10}}}"#;
        let expected = r#""structuredContent":{"n": 1.10,"_context":"a"}"#;
        assert!(with(structured).expect("a result").contains(expected));
        for unchanged in [r#""structuredContent":[1]"#, r#""structuredContent":{"_context":5}"#] {
            let line = format!(r#"{{"result":{{"content":[],{unchanged}}}}}"#);
            assert!(with(&line).expect("a result").contains(unchanged), "{line}");
        }
        let off = with_context(structured.as_bytes(), "a", false, &used).expect("a result");
        assert!(
            String::from_utf8(off).expect("JSON").contains(r#""structuredContent":{"n": 1.10}"#)
        );
        let empty = with_context(structured.as_bytes(), "", true, &used).expect("a result");
        let expected = structured.replace("}}}", r#"},"_meta":{"contextUsed":{"tokens":5}}}}"#);
        assert_eq!(String::from_utf8(empty).expect("JSON"), expected);
        assert_eq!(with("{\"result\":{\"tools\":[]}}"), None);
        assert_eq!(with("{\"error\":{}}"), None);
    }
}
