//! A call as a request for context: what it is about, which files it names, and what rules see of it.

use super::enrich::ARGUMENT;
use kitbag::{Request, Root};
use serde_json::{Map, Value, json};
use std::path::Path;

/// How much of a text stands in the situation, in characters.
const MOST_SHOWN: usize = 120;

/// How many items of a list or fields of an object stand in the situation.
const MOST_ITEMS: usize = 20;

/// How many texts of a call may be paths.
const MOST_PATHS: usize = 50;

/// A call of a tool.
pub(super) struct Call<'a> {
    pub tool: &'a str,
    pub arguments: &'a Value,
}

impl Call<'_> {
    /// The request for its context, with `room` characters of what it is about. The tool may have
    /// arguments of its own called `context` and `intent`, as the callers of context-aware tools have.
    pub fn request(&self, room: usize) -> Request {
        let text = |name: &str| self.arguments[name].as_str().filter(|it| !it.trim().is_empty());
        let params = shortened(self.arguments, 0);
        Request {
            task: self.task(room),
            context: text("context").map(str::to_owned),
            intent: text("intent").map(|it| it.chars().take(MOST_SHOWN).collect()),
            situation: Some(json!({ "tool": self.tool, "params": params }).to_string()),
            ..Request::default()
        }
    }

    /// The files of a repository that its arguments name, in their order.
    pub fn files(&self, root: &Root) -> Vec<String> {
        let mut files = Vec::new();
        for (_, text) in self.texts().into_iter().take(MOST_PATHS) {
            let path = text.strip_prefix("file://").unwrap_or(text);
            if path.is_empty() || path.len() > 1_024 || path.contains('\n') {
                continue;
            }
            let Ok(file) = root.resolve(Path::new(path)) else { continue };
            // A colon would be read as the beginning of a line range.
            if !file.contains(':') && !files.contains(&file) {
                files.push(file);
            }
        }
        files
    }

    /// What it is about: the tool, and every text in its arguments.
    fn task(&self, room: usize) -> String {
        let mut task = self.tool.to_owned();
        for (name, text) in self.texts() {
            if task.len() >= room {
                break;
            }
            task.push('\n');
            if let Some(name) = name {
                task.push_str(name);
                task.push_str(": ");
            }
            task.extend(text.chars().take(room));
        }
        task.truncate(task.floor_char_boundary(room.max(self.tool.len())));
        task
    }

    /// The texts of its arguments, each with the name of the field that it is in or under.
    fn texts(&self) -> Vec<(Option<&str>, &str)> {
        let mut texts = Vec::new();
        // The arguments were read with a bound on their depth; a stack keeps the order.
        let mut open = vec![(None, self.arguments)];
        while let Some((name, value)) = open.pop() {
            match value {
                Value::String(text) => texts.push((name, text.as_str())),
                Value::Array(items) => open.extend(items.iter().rev().map(|item| (name, item))),
                Value::Object(fields) => {
                    let fields = fields.iter().rev().filter(|(name, _)| *name != ARGUMENT);
                    open.extend(fields.map(|(name, value)| (Some(name.as_str()), value)));
                }
                _ => {}
            }
        }
        texts
    }
}

/// A value with the beginnings of what is long: rules look at it, and a pack may show it.
fn shortened(value: &Value, depth: usize) -> Value {
    let short = |value: &Value| shortened(value, depth + 1);
    match value {
        Value::Array(_) | Value::Object(_) if depth > 4 => json!("..."),
        Value::String(text) => match text.char_indices().nth(MOST_SHOWN) {
            Some((end, _)) => format!("{}...", &text[..end]).into(),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().take(MOST_ITEMS).map(short).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| *name != ARGUMENT).take(MOST_ITEMS);
            let fields = fields.map(|(name, value)| (name.clone(), short(value)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(tool: &str, arguments: &Value) -> Request {
        Call { tool, arguments }.request(1_000)
    }

    #[test]
    fn a_call_is_about_its_tool_and_the_texts_of_its_arguments() {
        let arguments = json!({
            "path": "src/auth.rs",
            "edits": [{ "old": "a", "n": 5 }, { "old": "b" }],
            "_context": "no",
        });
        let task = |tool: &str, arguments: &Value| request(tool, arguments).task;
        assert_eq!(task("edit_file", &arguments), "edit_file\npath: src/auth.rs\nold: a\nold: b");
        assert_eq!(task("ping", &Value::Null), "ping");
        let long = task("t", &json!({ "a": "\u{e9}".repeat(100_000), "b": "y" }));
        assert!((990..=1_000).contains(&long.len()), "{}", long.len());
    }

    #[test]
    fn rules_see_the_tool_and_the_beginnings_of_its_arguments() {
        let arguments = json!({ "n": 5, "text": "x".repeat(500), "_context": "no" });
        let situation = request("write", &arguments).situation.expect("it is there");
        let text = format!("{}...", "x".repeat(120));
        assert_eq!(
            serde_json::from_str::<Value>(&situation).expect("it is there"),
            json!({ "tool": "write", "params": { "n": 5, "text": text } })
        );
        let many = json!({ "all": (0..1_000).collect::<Vec<_>>(), "deep": [[[[[[1]]]]]] });
        let situation = request("t", &many).situation.expect("it is there");
        assert!(situation.len() < 200 && situation.contains("..."), "{situation}");
    }

    #[test]
    fn what_a_call_says_of_itself_is_taken_where_it_is_a_text() {
        let said = request("t", &json!({ "context": "review", "intent": "debug" }));
        assert_eq!(
            (said.context.as_deref(), said.intent.as_deref()),
            (Some("review"), Some("debug"))
        );
        let said = request("t", &json!({ "context": { "a": 1 }, "intent": "  " }));
        assert_eq!((said.context, said.intent), (None, None));
    }

    #[test]
    fn files_are_those_that_are_there() {
        let folder = tempfile::tempdir().expect("it is there");
        for name in ["a.rs", ".env", "b:1"] {
            std::fs::write(folder.path().join(name), "x").expect("it is there");
        }
        let root = Root::open(folder.path()).expect("it is there");
        let absolute = root.path().join("a.rs");
        let arguments = json!({
            "paths": ["a.rs", absolute, format!("file://{}", absolute.display()), "gone.rs"],
            "others": [".", "", ".env", "../a.rs", "/etc/hosts", "b:1", "a.rs\n", "x".repeat(5_000)],
        });
        assert_eq!(Call { tool: "t", arguments: &arguments }.files(&root), ["a.rs"]);
    }
}
