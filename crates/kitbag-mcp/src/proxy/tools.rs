//! The tools of the upstream server: which take the context as an argument, and whose structured results
//! have room for it.

use super::call::CONTEXT_ARGUMENT;
use super::envelope::{Envelope, MessageId, insert, member, member_insertion};
use crate::raw_json::{members, parse_lenient};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Keywords of a schema that may forbid properties which it does not list itself.
const COMPOSITION_KEYWORDS: [&str; 6] = ["$ref", "allOf", "anyOf", "oneOf", "if", "not"];

/// The tools that were listed.
#[derive(Debug, Default)]
pub(super) struct ToolList {
    tools: BTreeMap<String, ListedTool>,
    /// Whether the last page was listed since the tools changed.
    pub is_complete: bool,
}

#[derive(Debug, Clone, Copy)]
struct ListedTool {
    takes_context: bool,
    accepts_member: bool,
}

impl ToolList {
    /// Learns from a response to `tools/list`. Returns the cursor of the next page.
    pub fn learn(&mut self, line: &[u8]) -> Option<String> {
        for tool in listed_tools(line) {
            let name = member(tool, "name").and_then(|name| parse_lenient(bytes(name)).ok());
            let Some(name): Option<String> = name else { continue };
            let input = member(tool, "inputSchema").and_then(|schema| member(schema, "properties"));
            let takes_context = input.is_some_and(|it| member(it, CONTEXT_ARGUMENT).is_some());
            let output = member(tool, "outputSchema");
            let accepts_member = output.is_none_or(|schema| !is_composed(schema));
            self.tools.insert(name, ListedTool { takes_context, accepts_member });
        }
        let result = members(line)?.get("result").copied()?;
        let cursor = member(result, "nextCursor");
        let cursor: Option<String> = cursor.and_then(|it| parse_lenient(bytes(it)).ok());
        self.is_complete |= cursor.is_none();
        cursor
    }

    /// Whether a tool takes the context as an argument.
    pub fn takes_context(&self, tool: &str) -> bool {
        self.tools.get(tool).is_some_and(|tool| tool.takes_context)
    }

    /// Whether the structured result of a tool may have the context. A client that has not seen the output
    /// schema has nothing to check it with.
    pub fn accepts_member(&self, tool: &str) -> bool {
        self.tools.get(tool).is_none_or(|tool| tool.accepts_member)
    }
}

/// Time that the server has to list its tools, after which the call goes on without.
const LIST_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of pages.
pub(super) const MAX_PAGES: u32 = 100;

/// A request for the tools, and the call that waits for it.
pub(super) struct ToolListing {
    pub page: u32,
    pub started: Instant,
    pub call: Vec<u8>,
    /// The `_meta` of the call.
    pub meta: Option<Value>,
}

impl ToolListing {
    pub fn deadline(&self) -> Instant {
        self.started + LIST_TIMEOUT
    }

    /// Returns the id of the call that waits.
    pub fn into_call_id(self) -> Option<MessageId> {
        match Envelope::read(&self.call) {
            Envelope::Request { id, .. } => Some(id),
            _ => None,
        }
    }

    /// Returns the id of the request. Clients do not use such ids.
    pub fn request_id(&self) -> String {
        format!("kitbag-proxy-tools-{}", self.page)
    }
}

/// Adds the context to the output schemas of a response to `tools/list`, because clients validate
/// structured results. Nothing else changes.
pub(super) fn with_output_property(line: Vec<u8>, is_enriched: impl Fn(&str) -> bool) -> Vec<u8> {
    let mut insertions = Vec::new();
    for tool in listed_tools(&line) {
        let name = member(tool, "name").and_then(|name| parse_lenient(bytes(name)).ok());
        let schema = member(tool, "outputSchema").filter(|schema| !is_composed(schema));
        let (Some(name), Some(schema)): (Option<String>, _) = (name, schema) else { continue };
        if !is_enriched(&name) {
            continue;
        }
        let property = json!({ "type": "string", "description": "Context added by Kitbag." });
        insertions.extend(match member(schema, "properties") {
            Some(properties) if member(properties, CONTEXT_ARGUMENT).is_some() => None,
            Some(properties) => member_insertion(&line, properties, CONTEXT_ARGUMENT, &property),
            None => {
                let properties = json!({ CONTEXT_ARGUMENT: property });
                member_insertion(&line, schema, "properties", &properties)
            }
        });
    }
    if insertions.is_empty() { line } else { insert(&line, insertions) }
}

fn listed_tools(line: &[u8]) -> Vec<&RawValue> {
    let result = members(line).and_then(|members| members.get("result").copied());
    let tools = result.and_then(|result| member(result, "tools"));
    tools.and_then(|tools| serde_json::from_str(tools.get()).ok()).unwrap_or_default()
}

fn is_composed(schema: &RawValue) -> bool {
    let members = members(bytes(schema)).unwrap_or_default();
    COMPOSITION_KEYWORDS.iter().any(|keyword| members.contains_key(*keyword))
}

fn bytes(value: &RawValue) -> &[u8] {
    value.get().as_bytes()
}

/// Returns a request for a page of the tools. `meta` is that of a call: in revisions without a
/// handshake, it has the protocol version and the capabilities of the client.
pub(super) fn list_request(id: &str, cursor: Option<&str>, meta: Option<&Value>) -> Vec<u8> {
    let mut params = json!({});
    if let Some(cursor) = cursor {
        params["cursor"] = cursor.into();
    }
    if let Some(meta) = meta {
        params["_meta"] = meta.clone();
    }
    let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list", "params": params });
    request.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r##"{"id":1, "result": {"tools": [
        {"name":"a","inputSchema":{"properties":{"_context":{}}}},
        {"name":"b","outputSchema": {"type":"object","properties":{"n": {"minimum": 1.10}},"additionalProperties":false}},
        {"name":"c","outputSchema":{"type":"object","additionalProperties":false}},
        {"name":"d","outputSchema":{"$ref":"#/x"}},
        {"name":5}, 7], "nextCursor":"two"}}"##;

    #[test]
    fn pages_are_learned_until_the_last() {
        let mut list = ToolList::default();
        assert_eq!(list.learn(PAGE.as_bytes()).as_deref(), Some("two"));
        assert!(!list.is_complete && list.takes_context("a") && !list.takes_context("b"));
        assert!(list.accepts_member("b") && !list.accepts_member("d"));
        assert!(list.accepts_member("unknown") && !list.takes_context("unknown"));
        assert_eq!(list.learn(br#"{"result":{"tools":[]}}"#), None);
        assert!(list.is_complete);
        for other in ["{}", "{\"error\":{}}", "nothing"] {
            assert_eq!(ToolList::default().learn(other.as_bytes()), None);
        }
    }

    #[test]
    fn output_schemas_get_the_property_and_nothing_else_changes() {
        let patched = with_output_property(PAGE.into(), |_| true);
        let text = String::from_utf8(patched.clone()).expect("JSON");
        let property = r#""_context":{"type":"string","description":"Context added by Kitbag."}"#;
        assert!(text.contains(&format!(r#"{{"n": {{"minimum": 1.10}},{property}}}"#)), "{text}");
        assert!(text.contains(&format!(r#"false,"properties":{{{property}}}}}"#)), "{text}");
        let without = text.replace(&format!(",{property}"), "");
        let without = without.replace(&format!(r#","properties":{{{property}}}"#), "");
        assert_eq!(without, PAGE);
        assert_eq!(with_output_property(patched.clone(), |_| true), patched);
        assert_eq!(with_output_property(PAGE.into(), |_| false), PAGE.as_bytes());
    }
}
