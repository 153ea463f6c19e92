//! Output that is truncated, malicious or too large.

use super::super::{
    Diagnostic, DiagnosticsError, MAX_DIAGNOSTICS, MAX_INPUT_BYTES, Severity, read,
};
use super::fixture;

const RECORDED: [(&str, &str); 13] = [
    ("cargo.jsonl", fixture!("cargo.jsonl")),
    ("clang.sarif", fixture!("clang.sarif")),
    ("eslint.json", fixture!("eslint.json")),
    ("eslint.sarif", fixture!("eslint.sarif")),
    ("gcc.json", fixture!("gcc.json")),
    ("gcc.txt", fixture!("gcc.txt")),
    ("junit-node.xml", fixture!("junit-node.xml")),
    ("junit-pytest-long.xml", fixture!("junit-pytest-long.xml")),
    ("pyright.json", fixture!("pyright.json")),
    ("ruff.json", fixture!("ruff.json")),
    ("ruff.sarif", fixture!("ruff.sarif")),
    ("rustc.jsonl", fixture!("rustc.jsonl")),
    ("trace-mono.txt", fixture!("trace-mono.txt")),
];

#[track_caller]
fn error(text: &str) -> DiagnosticsError {
    read("in", text).expect_err(text.get(..80).unwrap_or(text))
}

#[test]
fn malformed_input_is_reported_with_its_position() {
    let cases = [
        ("{\"runs\": [\n  {\"tool\": }\n]}", "in:2:12: invalid JSON: expected value"),
        ("{\"runs\": [\n", "in:2:1: invalid JSON: EOF"),
        (
            "[\n{\"filePath\": \"a\",\n\"messages\": 3}]",
            "in:3:13: invalid eslint JSON: invalid type: integer `3`, expected a sequence",
        ),
        (
            "[{\"filename\": \"a\", \"message\": \"m\", \"location\": {\"row\": -1}}]",
            "in:1:57: invalid ruff JSON: invalid value: integer `-1`, expected u32",
        ),
        (
            "[{\"kind\": \"error\", \"locations\": []}]",
            "in:1:35: invalid gcc JSON: missing field `message`",
        ),
        ("{\"generalDiagnostics\": [{}]}", "in:1:26: invalid pyright JSON: missing field `file`"),
        ("{\"runs\": [{}]}", "in:1:12: invalid SARIF: missing field `tool`"),
        (
            "   Compiling a\n{\"reason\":\"x\"}\n{\"reason\":\"y\"",
            "in:3:13: invalid JSON: EOF while parsing an object",
        ),
        ("<testsuites>\n <testsuite>\n</testsuites>", "in:3:1: invalid XML: "),
        ("<testsuite>\n <testcase name='a'>\n", "in:3:1: invalid XML: `testcase` is not closed"),
        (
            "<testsuite><testcase name='a'><failure>&bomb;</failure></testcase></testsuite>",
            "in:1:40: invalid XML: `&bomb;` is not declared",
        ),
        ("<testsuite><testcase name='&bomb;'/></testsuite>", "in:1:12: invalid XML: "),
        ("<testsuite>\n<testcase name=a/></testsuite>", "in:2:1: invalid XML: "),
    ];
    for (text, expected) in cases {
        let error = error(text);
        assert!(error.to_string().starts_with(expected), "{error}\n{expected}");
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn document_type_declarations_are_rejected() {
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n <!ENTITY a \"aaaaaaaaaa\">\n \
        <!ENTITY b \"&a;&a;&a;&a;\">\n]>\n<testsuites><testcase name=\"&b;\"/></testsuites>";
    let outside = "<!DOCTYPE x SYSTEM \"file:///etc/passwd\"><testsuite/>";
    let expected = "in:2:1: document type declarations are not supported";
    assert_eq!(error(bomb).to_string(), expected);
    assert!(matches!(error(outside), DiagnosticsError::Declaration { line: 1, column: 1, .. }));
}

#[test]
fn other_xml_and_other_json_are_unknown_formats() {
    for text in ["<html></html>", "<checkstyle/>", "{\"a\": 1}", "[{\"a\": 1}]", "[[1]]", "hello"] {
        assert_eq!(error(text).to_string(), "in: unknown format", "{text}");
    }
    assert!(error("hello").hint().contains("JUnit XML"));
}

#[test]
fn truncated_output_is_an_error_or_read_in_part() {
    for (name, text) in RECORDED {
        let whole = read(name, text).expect(name);
        let mut errors = 0;
        for end in (0..text.len()).step_by(41).filter(|&end| text.is_char_boundary(end)) {
            match read(name, &text[..end]) {
                Ok(part) => {
                    assert!(part.diagnostics.len() <= whole.diagnostics.len(), "{name}:{end}")
                }
                Err(_) => errors += 1,
            }
        }
        let may_be_cut = name.ends_with(".txt");
        assert!(errors > 0 || may_be_cut, "{name}");
    }
}

#[test]
fn corrupted_output_never_panics() {
    for (name, text) in RECORDED {
        for at in (0..text.len()).step_by(53) {
            let mut bytes = text.as_bytes().to_vec();
            for (byte, with) in bytes
                .iter_mut()
                .skip(at)
                .step_by(997)
                .zip(b"\"{}[]<>&:\n\\0ZZ".iter().cycle().skip(at % 13))
            {
                *byte = *with;
            }
            // Only the absence of a panic is checked, since the content of mangled text is
            // arbitrary.
            let _ = read(name, &String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn unbounded_nesting_is_rejected() {
    let child = "[{\"kind\":\"error\",\"message\":\"m\",\"locations\":[],\"children\":";
    assert!(matches!(error(&child.repeat(100_000)), DiagnosticsError::Malformed { .. }));
    let message = error(&format!("{}[]{}", child.repeat(300), "}]".repeat(300))).to_string();
    assert!(message.contains("recursion limit exceeded"), "{message}");
    assert!(matches!(error(&"{\"runs\":".repeat(100_000)), DiagnosticsError::Malformed { .. }));
    assert!(matches!(error(&"<testsuite>".repeat(100_000)), DiagnosticsError::Malformed { .. }));
}

#[test]
fn message_arguments_are_not_expanded_again() {
    let text = r#"{"runs": [{"tool": {"driver": {"name": "T", "rules": [{"id": "R",
        "messageStrings": {"m": {"text": "{0} and {1}, {x} {9"}}}]}},
        "results": [{"ruleId": "R", "message": {"id": "m", "arguments": ["{1}{1}", "b"]},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.c"}}}]}]}]}"#;
    let reading = read("in", text).expect("SARIF");
    assert_eq!(reading.diagnostics[0].message, "{1}{1} and b, {x} {9");
    assert_eq!(reading.diagnostics[0].severity, Severity::Warning);
    assert_eq!(reading.diagnostics[0].line, 1);
}

#[test]
fn oversized_input_is_rejected() {
    let error = error(&" ".repeat(MAX_INPUT_BYTES + 1));
    assert_eq!(error.to_string(), "in: 20000001 bytes exceed the limit of 20000000 bytes");
}

#[test]
fn most_severe_of_too_many_diagnostics_are_kept() {
    let mut text = "a.c:1:1: warning: w\n".repeat(2 * MAX_DIAGNOSTICS + 500);
    text.push_str("a.c:2:1: error: e\n");
    let reading = read("in", &text).expect("text");
    assert_eq!(reading.diagnostics.len(), MAX_DIAGNOSTICS);
    assert_eq!(reading.left_out, MAX_DIAGNOSTICS + 501);
    assert_eq!(reading.diagnostics.last().map(|last| last.severity), Some(Severity::Error));
}

#[test]
fn diagnostic_after_many_blank_lines_is_found() {
    let text = format!("{}a.c:1:1: error: e", " \n".repeat(100_000));
    assert_eq!(read("in", &text).map(|reading| reading.diagnostics.len()), Ok(1));
}

#[test]
fn shared_texts_are_truncated_before_they_are_copied() {
    let long = "x".repeat(1_000_000);
    let result = r#"{"ruleIndex": 0, "message": {"id": "m"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.c"}}}]}"#;
    let text = format!(
        r#"{{"runs": [{{"tool": {{"driver": {{"name": "{long}", "rules": [{{"id": "{long}",
        "messageStrings": {{"m": {{"text": "{long}"}}}}}}]}}}}, "results": [{}]}}]}}"#,
        vec![result; 2_000].join(",")
    );
    let reading = read("in", &text).expect("SARIF");
    assert_eq!(reading.diagnostics.len(), 2_000);
    let size = |one: &Diagnostic| {
        one.message.len() + one.tool.len() + one.code.as_ref().map_or(0, String::len)
    };
    assert!(reading.diagnostics.iter().all(|one| size(one) < 3_000));
}

#[test]
fn overlong_path_is_not_a_location() {
    let path = format!("{}.c", "x".repeat(5_000));
    let text = format!(
        "[{{\"filePath\": \"{path}\", \"messages\": [{{\"severity\": 2, \"message\": \"m\"}}]}}]"
    );
    let reading = read("in", &text).expect("eslint");
    assert_eq!((reading.diagnostics.len(), reading.without_place), (0, 1));
}
