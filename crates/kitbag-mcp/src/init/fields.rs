//! Comparing an entry with the one to write. Fields that the user added stay.

use serde_json::{Map, Value};

pub(super) type EntryFields = Map<String, Value>;

/// The fields in which clients have the address of a remote server.
const REMOTE_FIELDS: [&str; 3] = ["url", "httpUrl", "serverUrl"];

/// Returns the fields to set in the entry `current` so that it starts `wanted`: the program, and what
/// is missing. Additional arguments stay, as do all other fields. `None` if the entry is another
/// server, such as a wrapper around this one.
pub(super) fn updates(current: &EntryFields, wanted: &EntryFields) -> Option<Vec<(String, Value)>> {
    if REMOTE_FIELDS.iter().any(|name| current.contains_key(*name)) {
        return None;
    }
    let mut updates = Vec::new();
    for (name, value) in wanted {
        let Some(old) = current.get(name) else {
            updates.push((name.clone(), value.clone()));
            continue;
        };
        let new = match (name.as_str(), old, value) {
            ("command", Value::Array(old), Value::Array(value)) => with_program(old, value)?,
            ("command", Value::String(_), Value::String(_)) => value.clone(),
            ("args", Value::Array(old), Value::Array(value)) if old.starts_with(value) => continue,
            ("command" | "args", ..) => return None,
            ("type", old, value) if old != value => return None,
            _ => continue,
        };
        if new != *old {
            updates.push((name.clone(), new));
        }
    }
    Some(updates)
}

/// Returns the first field of an entry that was edited. The path of the program may differ.
pub(super) fn edited_field(current: &EntryFields, wanted: &EntryFields) -> Option<String> {
    let is_unedited = |name: &str, value: &Value| match (name, value, wanted.get(name)) {
        ("command", Value::Array(value), Some(Value::Array(wanted))) => {
            value.get(1..) == wanted.get(1..)
        }
        ("command", value, Some(wanted)) => value.is_string() && wanted.is_string(),
        (_, value, wanted) => wanted == Some(value),
    };
    let edited = current.iter().find(|(name, value)| !is_unedited(name, value));
    edited.map(|(name, _)| name.clone())
}

/// Replaces the program of a command; `None` if its arguments do not start with the wanted ones.
fn with_program(command: &[Value], wanted: &[Value]) -> Option<Value> {
    let (_, current_arguments) = command.split_first()?;
    let (program, arguments) = wanted.split_first()?;
    let is_same = current_arguments.starts_with(arguments);
    is_same.then(|| std::iter::once(program).chain(current_arguments).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(value: Value) -> EntryFields {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn the_program_is_replaced_and_missing_fields_are_added() {
        let wanted = fields(json!({ "type": "stdio", "command": "/new", "args": ["mcp"] }));
        for (current, expected) in [
            (json!({}), Some(json!({ "type": "stdio", "command": "/new", "args": ["mcp"] }))),
            (
                json!({ "command": "/old", "args": ["mcp", "--repo", "/x"] }),
                Some(json!({ "type": "stdio", "command": "/new" })),
            ),
            (json!({ "type": "stdio", "command": "/new", "args": ["mcp"] }), Some(json!({}))),
            (json!({ "command": "npx", "args": ["-y", "kitbag", "mcp"] }), None),
            (json!({ "command": "/old", "args": "mcp" }), None),
            (json!({ "command": ["/old", "mcp"] }), None),
            (json!({ "type": "http", "url": "http://127.0.0.1:7420/mcp" }), None),
            (json!({ "type": "sse", "command": "/old" }), None),
        ] {
            let found = updates(&fields(current.clone()), &wanted);
            let found = found.map(|found| Value::Object(found.into_iter().collect()));
            assert_eq!(found, expected, "{current}");
        }
        let wanted = fields(json!({ "command": ["/new", "mcp"], "enabled": true }));
        let current = json!({ "command": ["/old", "mcp", "--repo", "/x"], "enabled": false });
        let expected = ("command".to_owned(), json!(["/new", "mcp", "--repo", "/x"]));
        assert_eq!(updates(&fields(current), &wanted), Some(vec![expected]));
        assert_eq!(updates(&fields(json!({ "command": ["npx", "kitbag"] })), &wanted), None);
        assert_eq!(updates(&fields(json!({ "command": [] })), &wanted), None);
    }

    #[test]
    fn edited_fields_are_found() {
        let wanted = fields(json!({ "type": "stdio", "command": "/new", "args": ["mcp"] }));
        for (current, name) in [
            (json!({ "type": "stdio", "command": "/new", "args": ["mcp"] }), None),
            (json!({ "command": "/old", "args": ["mcp"] }), None),
            (json!({ "command": "/new", "args": ["mcp", "--repo", "/x"] }), Some("args")),
            (json!({ "command": "/new", "args": ["mcp"], "env": {} }), Some("env")),
            (json!({ "command": 5 }), Some("command")),
        ] {
            assert_eq!(
                edited_field(&fields(current.clone()), &wanted).as_deref(),
                name,
                "{current}"
            );
        }
        let wanted = fields(json!({ "command": ["/new", "mcp"], "enabled": true }));
        assert_eq!(edited_field(&fields(json!({ "command": ["/old", "mcp"] })), &wanted), None);
        let current = fields(json!({ "command": ["/new", "mcp", "-v"] }));
        assert_eq!(edited_field(&current, &wanted).as_deref(), Some("command"));
    }
}
