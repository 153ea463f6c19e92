//! Lines of JSON-RPC: what they are, and how something is put into one without touching the rest.

use jsonc_parser::ast::{Object, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Value, json};

/// What a line is, as far as the proxy has to know.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Frame {
    /// A request, with its number, its method and its parameters.
    Request { id: Value, method: String, params: Value },
    /// A notification.
    Notification { method: String, params: Value },
    /// An answer, with the result if it is one.
    Answer { id: Value, result: Option<Value> },
    /// JSON of another form, which is none of our business.
    Other,
    /// No JSON.
    Garbage,
}

impl Frame {
    /// Reads a line.
    pub fn read(line: &[u8]) -> Self {
        let Ok(value) = serde_json::from_slice::<Value>(line) else { return Self::Garbage };
        let Value::Object(mut fields) = value else { return Self::Other };
        let id = fields.remove("id").filter(|id| !id.is_null());
        let params = fields.remove("params").unwrap_or_default();
        match (fields.remove("method"), id) {
            (Some(Value::String(method)), Some(id)) => Self::Request { id, method, params },
            (Some(Value::String(method)), None) => Self::Notification { method, params },
            (None, Some(id)) if fields.contains_key("result") || fields.contains_key("error") => {
                Self::Answer { id, result: fields.remove("result") }
            }
            _ => Self::Other,
        }
    }
}

/// An error as the answer to a request.
pub(super) fn error(id: &Value, message: &str) -> String {
    json!({
        "jsonrpc": "2.0",
        "id": id,
        "error": { "code": -32603, "message": message },
    })
    .to_string()
}

/// A call with one more argument; `None` where it has that already, or is no call.
pub(super) fn with_argument(line: &str, name: &str, value: &Value) -> Option<String> {
    let parsed = parse(line)?;
    let params = parsed.get_object("params")?;
    match params.get("arguments").map(|property| &property.value) {
        None => {
            let arguments = json!({ name: value });
            Some(splice(line, vec![field(params, "arguments", &arguments)]))
        }
        Some(Node::Object(arguments)) if arguments.get(name).is_none() => {
            Some(splice(line, vec![field(arguments, name, value)]))
        }
        Some(_) => None,
    }
}

/// A result with one more block of content, if there is one, and with what was used in its `_meta`;
/// `None` where the line is not the result of a call.
pub(super) fn with_context(line: &str, block: Option<&Value>, used: &Value) -> Option<String> {
    let parsed = parse(line)?;
    let result = parsed.get_object("result")?;
    let content = result.get_array("content")?;
    let mut additions = Vec::new();
    if let Some(block) = block {
        let comma = if content.elements.is_empty() { "" } else { "," };
        additions.push((content.end() - 1, format!("{comma}{block}")));
    }
    match result.get("_meta").map(|property| &property.value) {
        None => additions.push(field(result, "_meta", &json!({ "contextUsed": used }))),
        Some(Node::Object(meta)) if meta.get("contextUsed").is_none() => {
            additions.push(field(meta, "contextUsed", used));
        }
        Some(_) => {}
    }
    Some(splice(line, additions))
}

/// One more field at the end of an object: where, and what.
fn field(object: &Object, name: &str, value: &Value) -> (usize, String) {
    let comma = if object.properties.is_empty() { "" } else { "," };
    (object.end() - 1, format!("{comma}{}:{value}", Value::from(name)))
}

fn splice(line: &str, mut additions: Vec<(usize, String)>) -> String {
    additions.sort_by_key(|(place, _)| *place);
    let mut text = line.to_owned();
    for (place, addition) in additions.into_iter().rev() {
        text.insert_str(place, &addition);
    }
    text
}

/// The places of everything in a line that was read before, so that it is known to be JSON.
fn parse(line: &str) -> Option<Object<'_>> {
    let options = ParseOptions {
        allow_comments: false,
        allow_trailing_commas: false,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    match parse_to_ast(line, &CollectOptions::default(), &options).ok()?.value? {
        Node::Object(object) => Some(object),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let read = |line: &str| Frame::read(line.as_bytes());
        let (id, method) = (json!(1), "ping".to_owned());
        let request =
            Frame::Request { id: id.clone(), method: method.clone(), params: Value::Null };
        assert_eq!(read("{\"id\":1,\"method\":\"ping\"}"), request);
        let notification = Frame::Notification { method, params: json!({}) };
        assert_eq!(read("{\"method\":\"ping\",\"params\":{}}"), notification);
        let answer = Frame::Answer { id: id.clone(), result: Some(json!(5)) };
        assert_eq!(read("{\"id\":1,\"result\":5}"), answer);
        assert_eq!(read("{\"id\":1,\"error\":{}}"), Frame::Answer { id, result: None });
        assert_eq!(read("[1]"), Frame::Other);
        assert_eq!(read("{\"id\":1}"), Frame::Other);
        assert_eq!(read("hello"), Frame::Garbage);
        assert_eq!(read(&"[".repeat(100_000)), Frame::Garbage);
    }

    #[test]
    fn an_argument_is_added_and_nothing_else_changes() {
        let with = |line: &str| with_argument(line, "_context", &json!("a \"b\""));
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
        let with = |line: &str| with_context(line, Some(&block), &used);
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
