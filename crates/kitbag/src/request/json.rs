//! Parses requests from JSON, for MCP and HTTP.

use crate::request::source_lines::read_source;
use crate::request::{
    Cursor, Document, LAST_LINE, Moment, Request, Selection, ToolOutput, ToolResult,
};
use kitbag_config::{is_remote_key, parse_budget, unique_key};
use kitbag_tokens::TokenizerChoice;
use serde_json::{Map, Value};

/// An invalid request in JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    /// Field with the problem, such as `open_files[2]`; empty if it concerns the whole request.
    pub field: String,
    /// Description of the problem.
    pub message: String,
    /// Known name closest to an unknown one.
    pub nearest: Option<String>,
    /// Setting with the same name as an unknown field.
    pub setting: Option<String>,
}

impl RequestError {
    /// Suggests how to fix the request.
    pub fn hint(&self) -> Option<String> {
        let fields = || Some(format!("the fields are `{}`", FIELDS.join("`, `")));
        match (&self.nearest, &self.setting) {
            (Some(nearest), _) => Some(format!("did you mean `{nearest}`?")),
            (None, Some(key)) if is_remote_key(key) => {
                Some(format!("it is a setting: `\"options\": {{\"{key}\": ...}}`"))
            }
            (None, Some(key)) => Some(format!("the user decides on `{key}`, in the configuration")),
            (None, None) if is_field(&self.field) => None,
            (None, None) => fields(),
        }
    }
}

/// Names of the fields of a request.
pub(crate) const FIELDS: [&str; 30] = [
    "task",
    "budget",
    "window",
    "model",
    "tokenizer",
    "profile",
    "format",
    "repo",
    "context",
    "intent",
    "options",
    "document",
    "cursor",
    "selection",
    "open_files",
    "tool_results",
    "references",
    "diagnostics",
    "sources",
    "providers",
    "no_providers",
    "include",
    "exclude",
    "deny",
    "redact",
    "deadline_ms",
    "agent_id",
    "situation",
    "correlation_id",
    "now",
];

impl Request {
    /// Parses a request from JSON. An unknown field is an error that suggests the closest known
    /// one.
    ///
    /// ```
    /// use kitbag::Request;
    ///
    /// let json = serde_json::json!({"task": "why does login fail?", "budget": "8k",
    ///                               "document": "src/auth.rs", "cursor": 42});
    /// let request = Request::from_json(&json)?;
    /// assert_eq!(request.budget, Some(8_000));
    /// assert_eq!(request.cursor.map(|cursor| cursor.line), Some(42));
    /// assert!(Request::from_json(&serde_json::json!({"tsk": "..."})).is_err());
    /// # Ok::<(), kitbag::RequestError>(())
    /// ```
    pub fn from_json(json: &Value) -> Result<Self, RequestError> {
        let Value::Object(fields) = json else {
            return Err(wrong("", format!("not a JSON object: `{}`", short(json))));
        };
        if let Some(unknown) = fields.keys().find(|key| !FIELDS.contains(&key.as_str())) {
            return Err(unknown_field(unknown));
        }
        let read = Reader(fields);
        let mut options = read.options()?;
        if let Some(format) = read.text("format")? {
            options.push(("context.formatting.format".to_owned(), format.into()));
        }
        let tokenizer = read.text("tokenizer")?;
        let tokenizer = tokenizer.map(|name| {
            TokenizerChoice::parse(&name).map_err(|error| wrong("tokenizer", error.to_string()))
        });
        Ok(Self {
            task: read.text("task")?.unwrap_or_default(),
            repo: read.text("repo")?.map(Into::into),
            budget: read.tokens("budget")?,
            window: read.tokens("window")?,
            model: read.text("model")?,
            tokenizer: tokenizer.transpose()?,
            tenant: String::new(),
            references: read.texts("references")?,
            sources: read.list("sources", |_, value| {
                read_source(value)
                    .map_err(|(message, nearest)| (message, nearest.map(str::to_owned)))
            })?,
            include: read.texts("include")?,
            exclude: read.texts("exclude")?,
            deny: read.texts("deny")?,
            redact: read.flag("redact")?,
            now: read.time("now")?,
            profile: read.text("profile")?,
            options,
            template: None,
            document: read.one("document", document)?,
            cursor: read.one("cursor", cursor)?,
            selection: read.one("selection", selection)?,
            open_files: read.list("open_files", |_, value| plain(document(value)))?,
            tool_results: read.list("tool_results", |_, value| plain(tool_result(value)))?,
            diagnostics: read.list("diagnostics", |at, value| plain(tool_output(at, value)))?,
            providers: read.texts("providers")?,
            no_providers: read.texts("no_providers")?,
            deadline_ms: read.whole("deadline_ms")?,
            agent_id: read.text("agent_id")?,
            context: read.text("context")?,
            intent: read.text("intent")?,
            situation: read.one("situation", |value| Ok(free_form(value)))?,
            correlation_id: read.text("correlation_id")?,
            via: "",
            is_remote: true,
            no_record: false,
            settings: None,
        })
    }
}

fn wrong(field: &str, message: String) -> RequestError {
    RequestError { field: field.to_owned(), message, nearest: None, setting: None }
}

/// Whether a request has a field of this name, which may have an index as in `open_files[2]`.
fn is_field(name: &str) -> bool {
    name.split('[').next().is_some_and(|name| FIELDS.contains(&name))
}

/// Creates the error for an unknown field. It suggests a setting of that name, or else a similar
/// field. If there is neither, a suggestion would be misleading.
fn unknown_field(name: &str) -> RequestError {
    let distance = |it: &&str| strsim::damerau_levenshtein(name, it);
    let nearest = FIELDS.iter().copied().min_by_key(distance);
    let is_near = |it: &&str| distance(it) <= (name.chars().count() / 3).max(1);
    let setting = unique_key(name);
    let nearest = nearest.filter(is_near).filter(|_| setting.is_none());
    RequestError {
        field: name.to_owned(),
        message: format!("unknown field `{name}`"),
        nearest: nearest.map(str::to_owned),
        setting,
    }
}

/// Whether a value is absent or null.
fn is_nothing(value: Option<&Value>) -> bool {
    value.is_none_or(Value::is_null)
}

struct Reader<'a>(&'a Map<String, Value>);

impl Reader<'_> {
    fn one<T>(
        &self,
        field: &str,
        read: impl Fn(&Value) -> Result<T, String>,
    ) -> Result<Option<T>, RequestError> {
        let value = self.0.get(field).filter(|value| !value.is_null());
        let read = value.map(|value| {
            read(value).map_err(|expected| {
                wrong(field, format!("`{field}` must be {expected}, not `{}`", short(value)))
            })
        });
        read.transpose()
    }

    fn text(&self, field: &str) -> Result<Option<String>, RequestError> {
        self.one(field, |value| {
            value.as_str().map(str::to_owned).ok_or_else(|| "a string".to_owned())
        })
    }

    fn flag(&self, field: &str) -> Result<Option<bool>, RequestError> {
        self.one(field, |value| value.as_bool().ok_or_else(|| "true or false".to_owned()))
    }

    fn whole(&self, field: &str) -> Result<Option<u64>, RequestError> {
        self.one(field, |value| value.as_u64().ok_or_else(|| "a whole number".to_owned()))
    }

    /// Reads a number of tokens, as a JSON number or as a string such as `32k`.
    fn tokens(&self, field: &str) -> Result<Option<usize>, RequestError> {
        let expected = || "a number of tokens such as `8000` or `\"32k\"`".to_owned();
        self.one(field, |value| match value {
            Value::String(text) => parse_budget(text).map_err(|_| expected()),
            Value::Number(number) => {
                let text = number.as_u64().ok_or_else(expected)?.to_string();
                parse_budget(&text).map_err(|_| expected())
            }
            _ => Err(expected()),
        })
    }

    fn time(&self, field: &str) -> Result<Option<i64>, RequestError> {
        let expected = "seconds since 1970 or a time such as `2026-11-15T12:00:00Z`";
        self.one(field, |value| {
            let moment: Moment =
                serde_json::from_value(value.clone()).map_err(|_| expected.to_owned())?;
            moment.seconds().map_err(|_| expected.to_owned())
        })
    }

    fn list<T>(
        &self,
        field: &str,
        read: impl Fn(usize, &Value) -> Result<T, (String, Option<String>)>,
    ) -> Result<Vec<T>, RequestError> {
        let value = self.0.get(field);
        if is_nothing(value) {
            return Ok(Vec::new());
        }
        let Some(Value::Array(items)) = value else {
            let shown = value.map(short).unwrap_or_default();
            return Err(wrong(field, format!("`{field}` must be a list, not `{shown}`")));
        };
        let item = |(at, value): (usize, &Value)| {
            read(at, value).map_err(|(message, nearest)| {
                let field = format!("{field}[{at}]");
                let message = format!("`{field}`: {message}");
                RequestError { message, field, nearest, setting: None }
            })
        };
        items.iter().enumerate().map(item).collect()
    }

    fn texts(&self, field: &str) -> Result<Vec<String>, RequestError> {
        self.list(field, |_, value| {
            let text = value.as_str().map(str::to_owned);
            text.ok_or_else(|| (format!("must be a string, not `{}`", short(value)), None))
        })
    }

    /// Reads settings by key. The prefix `context.` is optional.
    fn options(&self) -> Result<Vec<(String, Value)>, RequestError> {
        let value = self.0.get("options");
        if is_nothing(value) {
            return Ok(Vec::new());
        }
        let Some(Value::Object(options)) = value else {
            let shown = value.map(short).unwrap_or_default();
            let message = format!("`options` must be an object of settings, not `{shown}`");
            return Err(wrong("options", message));
        };
        let full = |key: &String| {
            if key.starts_with("context.") { key.clone() } else { format!("context.{key}") }
        };
        Ok(options.iter().map(|(key, value)| (full(key), value.clone())).collect())
    }
}

fn plain<T>(result: Result<T, String>) -> Result<T, (String, Option<String>)> {
    result.map_err(|expected| (format!("must be {expected}"), None))
}

/// Reads a path, or an object with a path and content.
fn document(value: &Value) -> Result<Document, String> {
    let expected = "a path, or an object with `path` and `content`";
    match value {
        Value::String(path) => Ok(Document { path: path.clone(), content: None }),
        Value::Object(fields) if only(fields, &["path", "content"]) => {
            let path = text_of(fields, "path")?.ok_or(expected)?;
            Ok(Document { path, content: text_of(fields, "content")? })
        }
        _ => Err(expected.to_owned()),
    }
}

/// Reads a line number, `"42:7"`, or an object with `line` and `column`.
fn cursor(value: &Value) -> Result<Cursor, String> {
    let expected =
        || "a line such as `42`, `\"42:7\"`, or an object with `line` and `column`".to_owned();
    match value {
        Value::Number(_) => Ok(Cursor { line: line(value).ok_or_else(expected)?, column: None }),
        Value::String(text) => parse_cursor(text).ok_or_else(expected),
        Value::Object(fields) if only(fields, &["line", "column"]) => {
            let at = fields.get("line").and_then(line).ok_or_else(expected)?;
            let column = fields.get("column").filter(|value| !value.is_null());
            let column = column.map(|value| line(value).ok_or_else(expected)).transpose()?;
            Ok(Cursor { line: at, column })
        }
        _ => Err(expected()),
    }
}

/// Parses a cursor such as `42` or `42:7`. Lines and columns start at 1.
pub fn parse_cursor(text: &str) -> Option<Cursor> {
    let number =
        |digits: &str| digits.trim().parse().ok().filter(|&it| (1..=LAST_LINE).contains(&it));
    match text.split_once(':') {
        None => Some(Cursor { line: number(text)?, column: None }),
        Some((line, column)) => Some(Cursor { line: number(line)?, column: Some(number(column)?) }),
    }
}

/// Reads `"10-20"`, or an object with `start_line`, `end_line` and `text`.
fn selection(value: &Value) -> Result<Selection, String> {
    let expected = || {
        "lines such as `\"10-20\"`, or an object with `start_line`, `end_line` and `text`"
            .to_owned()
    };
    match value {
        Value::String(text) => parse_selection(text).ok_or_else(expected),
        Value::Object(fields) if only(fields, &["start_line", "end_line", "text"]) => {
            let start_line = fields.get("start_line").and_then(line).ok_or_else(expected)?;
            let end_line = fields.get("end_line").filter(|value| !value.is_null());
            let end_line = end_line.map_or(Some(start_line), line);
            let end_line = end_line.filter(|end| *end >= start_line).ok_or_else(expected)?;
            Ok(Selection { start_line, end_line, text: text_of(fields, "text")? })
        }
        _ => Err(expected()),
    }
}

/// Parses a line range such as `10-20` or `10`. Lines start at 1.
pub fn parse_selection(text: &str) -> Option<Selection> {
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    let number =
        |digits: &str| digits.trim().parse().ok().filter(|&it| (1..=LAST_LINE).contains(&it));
    let (start_line, end_line) = (number(start)?, number(end)?);
    (start_line <= end_line).then_some(Selection { start_line, end_line, text: None })
}

fn tool_result(value: &Value) -> Result<ToolResult, String> {
    let expected = "an object with `label` and `content`";
    let Value::Object(fields) = value else { return Err(expected.to_owned()) };
    if !only(fields, &["label", "content"]) {
        return Err(expected.to_owned());
    }
    let label = text_of(fields, "label")?.filter(|label| !label.trim().is_empty());
    let (label, content) = label.zip(text_of(fields, "content")?).ok_or(expected)?;
    Ok(ToolResult { label, content })
}

/// Reads output as a string, or as an object with `name` and `content`. Structured output such as
/// SARIF may also be given directly as JSON.
fn tool_output(at: usize, value: &Value) -> Result<ToolOutput, String> {
    let name = format!("diagnostics[{at}]");
    match value {
        Value::String(content) => Ok(ToolOutput { name, content: content.clone() }),
        Value::Object(fields) if only(fields, &["name", "content"]) && !fields.is_empty() => {
            let content =
                text_of(fields, "content")?.ok_or("an object with `name` and `content`")?;
            Ok(ToolOutput { name: text_of(fields, "name")?.unwrap_or(name), content })
        }
        Value::Object(_) | Value::Array(_) => Ok(ToolOutput { name, content: value.to_string() }),
        _ => Err("output of a tool, as text or JSON".to_owned()),
    }
}

/// Returns a string unchanged, and any other value as JSON.
fn free_form(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn only(fields: &Map<String, Value>, known: &[&str]) -> bool {
    fields.keys().all(|key| known.contains(&key.as_str()))
}

/// Reads an optional string field of an object. A value of another type is an error instead of
/// being ignored, which would change the meaning of the other fields.
fn text_of(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("an object whose `{name}` is a string")),
    }
}

fn line(value: &Value) -> Option<u32> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.filter(|&line| (1..=LAST_LINE).contains(&line))
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    let mut short: String = text.chars().take(57).collect();
    short.push_str("...");
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(json: Value) -> String {
        let error = Request::from_json(&json).expect_err("it is wrong");
        format!("{error} | {}", error.hint().unwrap_or_default())
    }

    #[test]
    fn every_field_is_read() {
        let json = json!({
            "task": "t", "budget": 8000, "window": "1m", "model": "gpt-4o", "tokenizer": "words",
            "profile": "agent", "format": "xml", "repo": "r", "context": "c", "intent": "i",
            "options": {"selection.overflow": "skip"}, "document": {"path": "a", "content": "x"},
            "cursor": "42:7", "selection": {"start_line": 1, "end_line": 2, "text": "x"},
            "open_files": ["b", {"path": "c"}], "tool_results": [{"label": "l", "content": "c"}],
            "references": ["a:1-2"], "diagnostics": ["x", {"runs": []}],
            "sources": [{"path": "p"}], "providers": ["search"], "no_providers": ["style"],
            "include": ["i"], "exclude": ["e"], "deny": ["d"], "redact": false,
            "deadline_ms": 500, "agent_id": "a", "situation": {"in": "test"},
            "correlation_id": "k", "now": "1970-01-01T00:01:00Z"
        });
        for field in FIELDS {
            assert!(json.get(field).is_some(), "{field} is not in the example");
        }
        let request = Request::from_json(&json).expect("it is right");
        assert_eq!(
            (request.budget, request.window, request.now),
            (Some(8_000), Some(1_000_000), Some(60))
        );
        assert_eq!(request.cursor, Some(Cursor { line: 42, column: Some(7) }));
        assert_eq!(request.diagnostics[1].content, "{\"runs\":[]}");
        assert_eq!(request.situation.as_deref(), Some("{\"in\":\"test\"}"));
        assert_eq!(request.options.len(), 2);
        assert_eq!(request.open_files.len(), 2);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        assert_eq!(error(json!({"tsk": "x"})), "unknown field `tsk` | did you mean `task`?");
        assert!(error(json!([])).starts_with("not a JSON object: `[]` | the fields are `task`"));
        assert!(error(json!({"budget": -1})).starts_with("`budget` must be a number of tokens"));
        assert!(error(json!({"cursor": 0})).starts_with("`cursor` must be a line such as `42`"));
        assert!(error(json!({"selection": "9-3"})).starts_with("`selection` must be lines"));
        assert!(
            error(json!({"open_files": ["a", 5]})).starts_with("`open_files[1]`: must be a path")
        );
        assert!(error(json!({"include": "x"})).starts_with("`include` must be a list"));
        let source = error(json!({"sources": [{"path": "a", "knd": "x"}]}));
        assert_eq!(source, "`sources[0]`: unknown field `knd` | did you mean `kind`?");
    }

    #[test]
    fn what_is_no_text_inside_an_object_is_an_error_not_nothing() {
        let string = |json: Value, name: &str| {
            let told = error(json);
            assert!(told.contains(&format!("an object whose `{name}` is a string")), "{told}");
        };
        string(json!({"document": {"path": "a", "content": 5}}), "content");
        string(json!({"document": {"path": 5}}), "path");
        string(json!({"open_files": [{"path": "a", "content": ["x"]}]}), "content");
        string(json!({"selection": {"start_line": 1, "text": 7}}), "text");
        string(json!({"tool_results": [{"label": 1, "content": "x"}]}), "label");
        string(json!({"tool_results": [{"label": "x", "content": {}}]}), "content");
        string(json!({"diagnostics": [{"name": 3, "content": "x"}]}), "name");
        string(json!({"diagnostics": [{"content": true}]}), "content");
    }

    #[test]
    fn a_field_that_is_a_setting_is_told_as_one_and_no_field_is_guessed_far_off() {
        assert_eq!(
            error(json!({"template": "a.j2"})),
            "unknown field `template` | the user decides on `context.formatting.template`, in the configuration"
        );
        assert_eq!(
            error(json!({"overflow": "skip"})),
            "unknown field `overflow` | it is a setting: `\"options\": {\"context.selection.overflow\": ...}`"
        );
        assert!(
            error(json!({"wibble": 1}))
                .starts_with("unknown field `wibble` | the fields are `task`")
        );
    }

    #[test]
    fn null_is_the_same_as_nothing() {
        let request = Request::from_json(&json!({"task": "t", "budget": null, "include": null}));
        assert_eq!(request.expect("it is right").budget, None);
        let request = Request::from_json(&json!({
            "document": {"path": "a", "content": null},
            "selection": {"start_line": 3, "end_line": null, "text": null}
        }));
        let request = request.expect("it is right");
        assert_eq!(request.document.and_then(|document| document.content), None);
        let selection = Selection { start_line: 3, end_line: 3, text: None };
        assert_eq!(request.selection, Some(selection));
    }
}
