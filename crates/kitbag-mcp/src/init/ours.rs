//! Whose entry it is. What a person wrote into it stays, or the whole is left alone.

use serde_json::{Map, Value};

/// The fields of an entry.
pub(super) type Fields = Map<String, Value>;

/// Fields by which clients name a server that they do not start themselves.
const ELSEWHERE: [&str; 3] = ["url", "httpUrl", "serverUrl"];

/// What has to change in an entry that is there, for it to start what is wanted: the program, and
/// what is missing. Arguments after ours stay, as all else does. `None` where the entry is for
/// something else, such as another program that starts this one.
pub(super) fn changes(there: &Fields, wanted: &Fields) -> Option<Vec<(String, Value)>> {
    if ELSEWHERE.iter().any(|name| there.contains_key(*name)) {
        return None;
    }
    let mut changes = Vec::new();
    for (name, value) in wanted {
        let Some(now) = there.get(name) else {
            changes.push((name.clone(), value.clone()));
            continue;
        };
        let kept = match (name.as_str(), now, value) {
            ("command", Value::Array(now), Value::Array(value)) => with_program(now, value)?,
            ("command", Value::String(_), Value::String(_)) => value.clone(),
            ("args", Value::Array(now), Value::Array(value)) if now.starts_with(value) => continue,
            ("command" | "args", ..) => return None,
            ("type", now, value) if now != value => return None,
            _ => continue,
        };
        if kept != *now {
            changes.push((name.clone(), kept));
        }
    }
    Some(changes)
}

/// The first field of an entry that is not as it was written, but for where the program is.
pub(super) fn edited(there: &Fields, wanted: &Fields) -> Option<String> {
    let is_ours = |name: &str, now: &Value| match (name, now, wanted.get(name)) {
        ("command", Value::Array(now), Some(Value::Array(value))) => now.get(1..) == value.get(1..),
        ("command", now, Some(value)) => now.is_string() && value.is_string(),
        (_, now, value) => value == Some(now),
    };
    there.iter().find(|(name, now)| !is_ours(name, now)).map(|(name, _)| name.clone())
}

/// A command in one list, with another program and the same arguments.
fn with_program(now: &[Value], wanted: &[Value]) -> Option<Value> {
    let ((_, now), (program, arguments)) = (now.split_first()?, wanted.split_first()?);
    let is_ours = now.starts_with(arguments);
    is_ours.then(|| std::iter::once(program).chain(now).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(value: Value) -> Fields {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn the_program_changes_and_what_is_missing_is_added() {
        let wanted = fields(json!({ "type": "stdio", "command": "/new", "args": ["mcp"] }));
        for (there, expected) in [
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
            let found = changes(&fields(there.clone()), &wanted);
            let found = found.map(|found| Value::Object(found.into_iter().collect()));
            assert_eq!(found, expected, "{there}");
        }
        let wanted = fields(json!({ "command": ["/new", "mcp"], "enabled": true }));
        let there = json!({ "command": ["/old", "mcp", "--repo", "/x"], "enabled": false });
        let expected = ("command".to_owned(), json!(["/new", "mcp", "--repo", "/x"]));
        assert_eq!(changes(&fields(there), &wanted), Some(vec![expected]));
        assert_eq!(changes(&fields(json!({ "command": ["npx", "kitbag"] })), &wanted), None);
        assert_eq!(changes(&fields(json!({ "command": [] })), &wanted), None);
    }

    #[test]
    fn what_a_person_changed_is_seen() {
        let wanted = fields(json!({ "type": "stdio", "command": "/new", "args": ["mcp"] }));
        for (there, name) in [
            (json!({ "type": "stdio", "command": "/new", "args": ["mcp"] }), None),
            (json!({ "command": "/old", "args": ["mcp"] }), None),
            (json!({ "command": "/new", "args": ["mcp", "--repo", "/x"] }), Some("args")),
            (json!({ "command": "/new", "args": ["mcp"], "env": {} }), Some("env")),
            (json!({ "command": 5 }), Some("command")),
        ] {
            assert_eq!(edited(&fields(there.clone()), &wanted).as_deref(), name, "{there}");
        }
        let wanted = fields(json!({ "command": ["/new", "mcp"], "enabled": true }));
        assert_eq!(edited(&fields(json!({ "command": ["/old", "mcp"] })), &wanted), None);
        let there = fields(json!({ "command": ["/new", "mcp", "-v"] }));
        assert_eq!(edited(&there, &wanted).as_deref(), Some("command"));
    }
}
