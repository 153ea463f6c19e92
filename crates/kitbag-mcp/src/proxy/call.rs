//! A tool call as a pack request: its task, the files that it names, and its situation for rules.

use kitbag::{Request, Root};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The argument that a tool gets its context in, if its input schema has it.
pub(super) const CONTEXT_ARGUMENT: &str = "_context";

/// Maximum number of characters of a string in the situation.
const MAX_STRING_CHARS: usize = 120;

/// Maximum number of items of an array, or members of an object, in the situation.
const MAX_ITEMS: usize = 20;

/// Maximum depth of arrays and objects in the situation.
const MAX_DEPTH: usize = 4;

/// Maximum number of strings of a call that are tried as paths.
const MAX_PATHS: usize = 50;

/// Maximum length of a path.
const MAX_PATH_BYTES: usize = 1_024;

pub(super) struct ToolCall<'a> {
    pub tool: &'a str,
    pub arguments: &'a Value,
}

impl ToolCall<'_> {
    /// Returns the request for its rules, with a task of at most `max_bytes`. The arguments `context`
    /// and `intent` are those of the request, as in calls of context-aware tools.
    pub fn request(&self, max_bytes: usize) -> Request {
        let text = |name: &str| self.arguments[name].as_str().filter(|it| !it.trim().is_empty());
        let params = shortened(self.arguments, 0);
        Request {
            task: self.task(max_bytes),
            context: text("context").map(str::to_owned),
            intent: text("intent").map(|it| it.chars().take(MAX_STRING_CHARS).collect()),
            situation: Some(json!({ "tool": self.tool, "params": params }).to_string()),
            ..Request::default()
        }
    }

    /// Returns what to search for: the strings of the arguments, a line each, and at most `max_bytes`.
    /// The names of the tool and its parameters say what the call does, not what it is about, and a path
    /// is no question.
    pub fn search_text(&self, max_bytes: usize) -> Option<String> {
        let mut text = String::new();
        let strings = self.strings().into_iter();
        for (_, string) in strings.filter(|(name, _)| !name.is_some_and(is_path_parameter)) {
            if text.len() >= max_bytes {
                break;
            }
            text.extend(string.chars().take(max_bytes));
            text.push('\n');
        }
        text.truncate(text.floor_char_boundary(max_bytes));
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Returns the files of the repository that the arguments name, in order.
    pub fn files(&self, root: &Root) -> Vec<String> {
        let mut files = Vec::new();
        for (_, text) in self.strings().into_iter().take(MAX_PATHS) {
            let path = text.strip_prefix("file://").unwrap_or(text);
            if path.is_empty() || path.len() > MAX_PATH_BYTES || path.contains('\n') {
                continue;
            }
            let Ok(file) = root.resolve(Path::new(path)) else { continue };
            // In a reference, a colon starts a line range.
            if !file.contains(':') && !files.contains(&file) {
                files.push(file);
            }
        }
        files
    }

    /// Returns the paths that the arguments name and that are not folders. The files need not exist: a
    /// tool may be about to create them.
    pub fn named_paths(&self, root: &Root) -> Vec<String> {
        let is_path = |text: &str| {
            let has_separator = text.contains(['/', '.']) && !text.contains("://");
            has_separator && text.len() <= MAX_PATH_BYTES && !text.contains(char::is_whitespace)
        };
        let texts = self.strings().into_iter().take(MAX_PATHS).map(|(_, text)| text);
        let paths = texts.filter(|text| is_path(text)).filter_map(|text| root.normalize(text).ok());
        let mut paths: Vec<String> = paths.filter(|it| !root.path().join(it).is_dir()).collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// Returns the name of the tool and all strings of the arguments, a line each.
    fn task(&self, max_bytes: usize) -> String {
        let mut task = self.tool.to_owned();
        for (name, text) in self.strings() {
            if task.len() >= max_bytes {
                break;
            }
            task.push('\n');
            if let Some(name) = name {
                task.push_str(name);
                task.push_str(": ");
            }
            task.extend(text.chars().take(max_bytes));
        }
        task.truncate(task.floor_char_boundary(max_bytes.max(self.tool.len())));
        task
    }

    /// Returns the strings of the arguments in order, each with the name of the innermost member that
    /// contains it.
    fn strings(&self) -> Vec<(Option<&str>, &str)> {
        let mut strings = Vec::new();
        let mut stack = vec![(None, self.arguments)];
        while let Some((name, value)) = stack.pop() {
            match value {
                Value::String(text) => strings.push((name, text.as_str())),
                Value::Array(items) => stack.extend(items.iter().rev().map(|item| (name, item))),
                Value::Object(members) => {
                    let members =
                        members.iter().rev().filter(|(name, _)| *name != CONTEXT_ARGUMENT);
                    stack.extend(members.map(|(name, value)| (Some(name.as_str()), value)));
                }
                _ => {}
            }
        }
        strings
    }
}

/// Whether the values of a parameter are paths, by its name.
fn is_path_parameter(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let endings =
        ["path", "paths", "file", "files", "filename", "folder", "dir", "directory", "uri"];
    endings.iter().any(|ending| name.ends_with(ending)) && !name.ends_with("profile")
}

/// Shortens long and deep values: rules match on the situation, and a pack may show it.
fn shortened(value: &Value, depth: usize) -> Value {
    let shorten = |value: &Value| shortened(value, depth + 1);
    match value {
        Value::Array(_) | Value::Object(_) if depth > MAX_DEPTH => json!("..."),
        Value::String(text) => match text.char_indices().nth(MAX_STRING_CHARS) {
            Some((end, _)) => format!("{}...", &text[..end]).into(),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().take(MAX_ITEMS).map(shorten).collect(),
        Value::Object(members) => {
            let members = members.iter().filter(|(name, _)| *name != CONTEXT_ARGUMENT);
            let members =
                members.take(MAX_ITEMS).map(|(name, value)| (name.clone(), shorten(value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(tool: &str, arguments: &Value) -> Request {
        ToolCall { tool, arguments }.request(1_000)
    }

    #[test]
    fn the_task_is_the_tool_and_the_strings_of_its_arguments() {
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
    fn only_the_strings_of_the_arguments_are_searched_for() {
        let text = |arguments: &Value| ToolCall { tool: "get-sum", arguments }.search_text(10);
        assert_eq!(text(&json!({ "a": 1, "b": [2, null, true], "_context": "no" })), None);
        assert_eq!(text(&json!({ "a": " ", "b": { "c": "" } })), None);
        assert_eq!(text(&json!({ "q": "login", "n": ["x"] })).as_deref(), Some("login\nx"));
        assert_eq!(
            text(&json!({ "path": "a.rs", "filePaths": ["b"], "profile": "c" })).as_deref(),
            Some("c")
        );
        let long = text(&json!({ "a": "\u{e9}".repeat(100) })).expect("a text");
        assert_eq!(long, "\u{e9}".repeat(5));
    }

    #[test]
    fn the_situation_is_the_tool_and_its_shortened_arguments() {
        let arguments = json!({ "n": 5, "text": "x".repeat(500), "_context": "no" });
        let situation = request("write", &arguments).situation.expect("a value");
        let text = format!("{}...", "x".repeat(120));
        assert_eq!(
            serde_json::from_str::<Value>(&situation).expect("a value"),
            json!({ "tool": "write", "params": { "n": 5, "text": text } })
        );
        let many = json!({ "all": (0..1_000).collect::<Vec<_>>(), "deep": [[[[[[1]]]]]] });
        let situation = request("t", &many).situation.expect("a value");
        assert!(situation.len() < 200 && situation.contains("..."), "{situation}");
    }

    #[test]
    fn context_and_intent_are_taken_if_they_are_strings() {
        let made = request("t", &json!({ "context": "review", "intent": "debug" }));
        assert_eq!(
            (made.context.as_deref(), made.intent.as_deref()),
            (Some("review"), Some("debug"))
        );
        let made = request("t", &json!({ "context": { "a": 1 }, "intent": "  " }));
        assert_eq!((made.context, made.intent), (None, None));
    }

    #[test]
    fn only_existing_files_are_references() {
        let folder = tempfile::tempdir().expect("a value");
        for name in ["a.rs", ".env", "b:1"] {
            std::fs::write(folder.path().join(name), "x").expect("a value");
        }
        let root = Root::open(folder.path()).expect("a value");
        let absolute = root.path().join("a.rs");
        let arguments = json!({
            "paths": ["a.rs", absolute, format!("file://{}", absolute.display()), "gone.rs"],
            "others": [".", "", ".env", "../a.rs", "/etc/hosts", "b:1", "a.rs\n", "x".repeat(5_000)],
        });
        let call = ToolCall { tool: "t", arguments: &arguments };
        assert_eq!(call.files(&root), ["a.rs"]);
        assert_eq!(call.named_paths(&root), ["a.rs", "gone.rs"]);
    }
}
