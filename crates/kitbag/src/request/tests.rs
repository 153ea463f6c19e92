//! Tests of requests and sources in JSON: what is accepted, and how errors are described.

use super::{Cursor, Request, Selection, SourceLineError, parse_source_lines};
use serde_json::{Value, json};

/// A request with every field.
fn full_request() -> Value {
    json!({
        "task": "t", "budget": 8000, "window": "1m", "model": "gpt-4o", "tokenizer": "words",
        "profile": "agent", "format": "xml", "repo": "r", "ref": "v1", "context": "c", "intent": "i",
        "options": {"selection.overflow": "skip"}, "document": {"path": "a", "content": "x"},
        "cursor": "42:7", "selection": {"start_line": 1, "end_line": 2, "text": "x"},
        "open_files": ["b", {"path": "c"}], "tool_results": [{"label": "l", "content": "c"}],
        "references": ["a:1-2"], "diff": "main...HEAD", "diagnostics": ["x", {"runs": []}, {"name": "n", "content": "y"}],
        "sources": [{"path": "p"}], "providers": ["search"], "no_providers": ["style"],
        "include": ["i"], "exclude": ["e"], "deny": ["d"], "redact": false, "fill": true,
        "deadline_ms": 500, "agent_id": "a", "situation": {"in": "test"},
        "correlation_id": "k", "session": "s", "repeat": true, "now": "1970-01-01T00:01:00Z"
    })
}

fn error(json: Value) -> String {
    let error = Request::from_json(&json).expect_err("an invalid request");
    format!("{error} | {}", error.hint().unwrap_or_default())
}

fn line_error(json: &str) -> SourceLineError {
    parse_source_lines("in.jsonl", json).expect_err("an invalid line")
}

#[test]
fn every_field_is_read() {
    let request = Request::from_json(&full_request()).expect("a valid request");
    assert_eq!(
        (request.budget, request.window, request.now),
        (Some(8_000), Some(1_000_000), Some(60))
    );
    assert_eq!(request.cursor, Some(Cursor { line: 42, column: Some(7) }));
    let diagnostics: Vec<_> =
        request.diagnostics.iter().map(|it| (it.name.as_str(), it.content.as_str())).collect();
    let expected = [("diagnostics[0]", "x"), ("diagnostics[1]", "{\"runs\":[]}"), ("n", "y")];
    assert_eq!(diagnostics, expected);
    assert_eq!(request.situation.as_deref(), Some("{\"in\":\"test\"}"));
    let options = request.all_options();
    let keys: Vec<&str> = options.iter().map(|(key, _)| key.as_str()).collect();
    let stop = "context.selection.stop_below";
    assert_eq!(keys, ["context.selection.overflow", "context.formatting.format", stop]);
    assert_eq!(options[2].1, Value::Null);
    assert_eq!(request.open_files.len(), 2);
    assert!(request.is_remote);
}

#[test]
fn options_may_be_nested() {
    let options = |options: Value| {
        let request = Request::from_json(&json!({ "task": "x", "options": options }));
        request.map(|it| it.options).map_err(|error| error.to_string())
    };
    let expected = vec![
        ("context.formatting.scores".to_owned(), json!(true)),
        ("context.selection.min_chunks".to_owned(), json!(2)),
        ("context.selection.overflow".to_owned(), json!("skip")),
    ];
    for nested in [
        json!({ "context": { "selection": { "overflow": "skip", "min_chunks": 2 } }, "formatting.scores": true }),
        json!({ "selection": { "overflow": "skip" }, "selection.min_chunks": 2, "context.formatting": { "scores": true } }),
    ] {
        assert_eq!(options(nested), Ok(expected.clone()));
    }
    assert_eq!(options(json!({ "context": {}, "selection": {} })), Ok(Vec::new()));
    let twice =
        json!({ "selection": { "overflow": "skip" }, "context.selection.overflow": "skip" });
    let error = options(twice).expect_err("a setting that is set twice");
    assert!(error.contains("`context.selection.overflow` is set twice"), "{error}");
}

#[cfg(feature = "schema")]
#[test]
fn the_schema_has_every_field() {
    let schema = schemars::schema_for!(Request);
    let properties = schema.get("properties").and_then(Value::as_object).expect("properties");
    let names = |fields: &serde_json::Map<String, Value>| {
        let mut names: Vec<String> = fields.keys().cloned().collect();
        names.sort();
        names
    };
    assert_eq!(names(properties), names(full_request().as_object().expect("an object")));
}

#[test]
fn errors_have_the_place_the_expected_form_and_the_value() {
    assert_eq!(error(json!({"tsk": "x"})), "unknown field `tsk` | did you mean `task`?");
    assert_eq!(error(json!([])), "not a JSON object: `[]` | ");
    assert_eq!(error(json!({"task": 5})), "`task` must be a string, not `5` | ");
    assert!(error(json!({"budget": -1})).starts_with("`budget` must be a number of tokens"));
    assert!(error(json!({"cursor": 0})).starts_with("`cursor` must be a line such as `42`"));
    assert!(error(json!({"selection": "9-3"})).starts_with("`selection` must be lines"));
    assert!(error(json!({"open_files": ["a", 5]})).starts_with("`open_files[1]` must be a path"));
    assert_eq!(error(json!({"include": "x"})), "`include` must be a list, not `\"x\"` | ");
    assert!(error(json!({"diff": 1})).starts_with("`diff` must be `true`, or a base or range"));
    assert_eq!(error(json!({"redact": 1})), "`redact` must be true or false, not `1` | ");
    assert_eq!(
        error(json!({"deadline_ms": -1})),
        "`deadline_ms` must be a whole number, not `-1` | "
    );
    let source = error(json!({"sources": [{"path": "a", "knd": "x"}]}));
    assert_eq!(source, "`sources[0]`: unknown field `knd` | did you mean `kind`?");
    let source = error(json!({"sources": [{"path": "a", "start_line": 3, "end_line": 2}]}));
    assert_eq!(source, "`sources[0]`: `end_line` must not be less than `start_line` | ");
}

#[test]
fn a_wrong_type_inside_an_object_is_an_error() {
    for (json, expected) in [
        (
            json!({"document": {"path": "a", "content": 5}}),
            "`document.content` must be a string, not `5`",
        ),
        (json!({"document": {"path": 5}}), "`document.path` must be a string, not `5`"),
        (json!({"document": {}}), "`document`: missing field `path`"),
        (
            json!({"open_files": [{"path": "a", "content": ["x"]}]}),
            "`open_files[0].content` must be a string, not `[\"x\"]`",
        ),
        (
            json!({"selection": {"start_line": 1, "text": 7}}),
            "`selection.text` must be a string, not `7`",
        ),
        (
            json!({"cursor": {"line": 0}}),
            "`cursor.line` must be a line number from 1 to 1073741824, not `0`",
        ),
        (json!({"cursor": {"line": 1, "row": 2}}), "`cursor`: unknown field `row`"),
        (
            json!({"tool_results": [{"label": "x", "content": {}}]}),
            "`tool_results[0].content` must be a string, not `{}`",
        ),
        (
            json!({"diagnostics": [{"content": true}]}),
            "`diagnostics[0]`: `name` and `content` must",
        ),
        (json!({"diagnostics": [5]}), "`diagnostics[0]`: must be output of a tool"),
    ] {
        let error = error(json);
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn an_unknown_field_may_be_a_setting_and_no_field_is_guessed_far_off() {
    assert_eq!(
        error(json!({"template": "a.j2"})),
        "unknown field `template` | only the user can set `context.formatting.template`, in the configuration"
    );
    assert_eq!(
        error(json!({"overflow": "skip"})),
        "unknown field `overflow` | it is a setting: `\"options\": {\"context.selection.overflow\": ...}`"
    );
    assert!(error(json!({"quux": 1})).starts_with("unknown field `quux` | expected one of `task`"));
}

#[test]
fn null_counts_as_absent() {
    let request = Request::from_json(&json!({"task": "t", "budget": null, "include": null}));
    assert_eq!(request.expect("a valid request").budget, None);
    let request = Request::from_json(&json!({
        "document": {"path": "a", "content": null},
        "selection": {"start_line": 3, "end_line": null, "text": null},
        "sources": [{"path": "a", "kind": null, "start_line": null, "timestamp": null}],
    }));
    let request = request.expect("a valid request");
    assert_eq!(request.document.and_then(|document| document.content), None);
    let selection = Selection { start_line: 3, end_line: 3, text: None };
    assert_eq!(request.selection, Some(selection));
}

#[test]
fn an_invalid_source_line_is_reported_with_its_number() {
    let cases = [
        ("{\"path\": \"a\"}\n{\"kind\": \"open_file\"}", "2: missing field `path`"),
        ("{\"pth\": \"a\"}", "1: unknown field `pth`"),
        ("[1]", "1: not a JSON object: `[1]`"),
        ("\"x\"", "1: not a JSON object: `\"x\"`"),
        ("{\"path\": 5}", "1: `path` must be a string, not `5`"),
        ("{\"path\": \"a\", \"kind\": \"openfile\"}", "1: unknown kind `openfile`"),
        (
            "{\"path\": \"a\", \"relevance\": 2}",
            "1: `relevance` must be a number from 0 to 1, not `2`",
        ),
        (
            "{\"path\": \"a\", \"start_line\": 5, \"end_line\": 2}",
            "1: `end_line` must not be less than `start_line`",
        ),
        (
            "{\"path\": \"a\", \"content\": \"x\\ny\\n\", \"start_line\": 100, \"end_line\": 400}",
            "1: `content` has 2 lines, but `start_line` to `end_line` is 301",
        ),
        (
            "{\"path\": \"a\", \"start_line\": -1}",
            "1: `start_line` must be a line number, not `-1`",
        ),
        (
            "{\"path\": \"a\", \"start_line\": 4294967295}",
            "1: `start_line` must be a line number from 1 to 1073741824, not `4294967295`",
        ),
        ("{\"path\": \" \"}", "1: `path` must be a string that is not blank, not `\" \"`"),
    ];
    for (json, message) in cases {
        assert_eq!(line_error(json).to_string(), format!("in.jsonl:{message}"));
    }
    assert!(line_error("{\"path\": \"a\"").to_string().starts_with("in.jsonl:1: invalid JSON: "));
    let time = line_error("{\"path\": \"a\", \"timestamp\": \"noon\"}").to_string();
    assert!(time.contains("`timestamp` must be seconds since 1970"), "{time}");
}

#[test]
fn an_unknown_name_points_to_the_nearest_if_one_is_near() {
    let hint = |json: &str| line_error(json).hint().unwrap_or_default();
    assert_eq!(hint("{\"path\":\"a\",\"start\":1}"), "did you mean `start_line`?");
    assert_eq!(hint("{\"pth\":\"a\"}"), "did you mean `path`?");
    assert_eq!(hint("{\"path\":\"a\",\"kind\":\"openfile\"}"), "did you mean `open_file`?");
    assert!(hint("{\"path\":\"a\",\"zzz\":1}").contains("`symbol`"));
}

#[test]
fn a_byte_order_mark_is_ignored() {
    let lines = parse_source_lines("in", "\u{feff}{\"path\": \"a\"}\r\n");
    assert_eq!(lines.map(|lines| lines.len()), Ok(1));
}
