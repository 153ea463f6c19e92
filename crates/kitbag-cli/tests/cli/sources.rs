//! `--sources`.

use crate::fixture::{Fixture, excluded, included};

fn pack(input: &str) -> crate::fixture::Run {
    Fixture::project().feed(["pack", "--sources", "-"], input)
}

#[test]
fn sources_are_read_from_a_file_or_from_standard_input() {
    let fixture = Fixture::project();
    let lines = "{\"path\": \"new.rs\", \"content\": \"fn login() {}\\n\", \"start_line\": 7}\n\n\
                 {\"path\": \"src/colour.rs\", \"kind\": \"open_file\", \"start_line\": 2, \"end_line\": 4}\n";
    fixture.write("../sources.jsonl", lines);
    let run = fixture.run(["pack", "--sources", "../sources.jsonl"]);
    insta::assert_snapshot!(run.stdout, @r"
    ### src/colour.rs (lines 2-4)
    ```rust
    pub fn mix(paint: u32) -> u32 {
        paint + 1
    }
    ```

    ### new.rs (line 7)
    ```rust
    fn login() {}
    ```
    ");
    assert_eq!(fixture.feed(["pack", "--sources", "-"], lines), run);
    assert_eq!(
        fixture
            .feed(["pack", "--sources", "-"], format!("\u{feff}{}", lines.replace('\n', "\r\n"))),
        run
    );
}

#[test]
fn an_invalid_line_is_an_error_with_its_place() {
    for (line, message) in [
        ("nonsense", "invalid JSON: "),
        ("{\"path\": \"a\"", "invalid JSON: "),
        ("{\"path\": \"a\"} more", "invalid JSON: trailing characters at column "),
        ("[]", "not a JSON object: `[]`"),
        ("5", "not a JSON object: `5`"),
        ("{}", "missing field `path`"),
        ("{\"path\": 5}", "`path` must be a string, not `5`"),
        ("{\"path\": null}", "missing field `path`"),
        ("{\"path\": \"\"}", "`path` must be a string that is not blank, not `\"\"`"),
        ("{\"path\": \"a\", \"content\": [1]}", "`content` must be a string, not `[1]`"),
        ("{\"path\": \"a\", \"start_line\": 1.5}", "`start_line` must be a line number, not `1.5`"),
        ("{\"path\": \"a\", \"end_line\": -1}", "`end_line` must be a line number, not `-1`"),
        (
            "{\"path\": \"a\", \"start_line\": 4294967296}",
            "must be a line number, not `4294967296`",
        ),
        (
            "{\"path\": \"a\", \"start_line\": 4294967295}",
            "must be a line number from 1 to 1073741824, not `4294967295`",
        ),
        ("{\"path\": \"a\", \"start_line\": 0}", "`start_line` must be a line number from 1"),
        (
            "{\"path\": \"a\", \"start_line\": 3, \"end_line\": 2}",
            "`end_line` must not be less than `start_line`",
        ),
        (
            "{\"path\": \"a\", \"relevance\": \"high\"}",
            "`relevance` must be a number from 0 to 1, not `\"high\"`",
        ),
        (
            "{\"path\": \"a\", \"relevance\": -0.1}",
            "`relevance` must be a number from 0 to 1, not `-0.1`",
        ),
        (
            "{\"path\": \"a\", \"timestamp\": \"yesterday\"}",
            "`timestamp` must be seconds since 1970 or a time such as",
        ),
        (
            "{\"path\": \"a\", \"timestamp\": {}}",
            "`timestamp` must be seconds since 1970 or a time such as",
        ),
    ] {
        let run = pack(&format!("{{\"path\": \"README.md\"}}\n{line}\n"));
        run.fails(2, &["error: standard input:2: ", message]);
        let has_example = run.stderr.contains("hint: each line is a JSON object such as");
        assert_eq!(has_example, !message.contains("must be "), "{}", run.stderr);
    }
}

#[test]
fn a_misspelled_name_suggests_the_nearest() {
    let unknown = pack("{\"path\": \"a\", \"startline\": 1}\n");
    unknown.fails(
        2,
        &["standard input:1: unknown field `startline`", "hint: did you mean `start_line`?"],
    );
    let unknown = pack("{\"path\": \"a\", \"kind\": \"selecton\"}\n");
    unknown.fails(
        2,
        &["standard input:1: unknown kind `selecton`", "hint: did you mean `selection`?"],
    );
}

#[test]
fn huge_line_numbers_are_safe() {
    let last = u32::MAX;
    let run =
        pack(&format!("{{\"path\": \"README.md\", \"start_line\": 3, \"end_line\": {last}}}\n"));
    assert!(run.stdout.starts_with("### README.md (line 3)"), "{run:?}");
    let content = "{\"path\": \"a.rs\", \"content\": \"fn a() {}\\nfn b() {}\\n\", \"start_line\": 1073741824";
    for rest in ["}\n", ", \"symbol\": \"a\"}\n", ", \"end_line\": 1073741825}\n"] {
        let run = pack(&format!("{content}{rest}"));
        assert!(run.stdout.starts_with("### a.rs (lines 1073741824-1073741825)"), "{run:?}");
    }
    let run = pack(&format!("{content}, \"end_line\": {last}}}\n"));
    run.fails(2, &["standard input:1: `content` has 2 lines"]);
    let run = pack("{\"path\": \"README.md\", \"start_line\": 1073741824}\n");
    run.is_empty_for("none of the named sources can be packed");
}

#[test]
fn extreme_times_are_safe() {
    for time in [i64::MIN, i64::MAX] {
        for now in [i64::MIN, i64::MAX] {
            let line =
                format!("{{\"path\": \"a\", \"content\": \"login\", \"timestamp\": {time}}}\n");
            let now = format!("--now={now}");
            let run = Fixture::project().feed(["pack", "login", "--sources", "-", &now], line);
            assert_eq!(run.code, Some(0), "{}", run.stderr);
        }
    }
}

// Shows: AC-020, AC-131, NFR-016-41, NFR-016-42
#[test]
fn an_unusable_source_is_excluded_with_a_warning() {
    let fixture = Fixture::project();
    let lines = ["nope.rs", "../x", "/etc/passwd", "a\\u0000b"]
        .map(|path| format!("{{\"path\": \"{path}\"}}\n"));
    fixture.write("../sources.jsonl", lines.concat());
    let arguments = ["pack", "login", "--sources", "../sources.jsonl", "--fill"];
    let report = fixture.json(arguments.iter().chain(&["--json"]));
    assert_eq!(included(&report), ["src/auth.rs", "README.md"]);
    let reasons = [
        ("nope.rs", "unreadable"),
        ("../x", "outside_root"),
        ("/etc/passwd", "outside_root"),
        ("a\0b", "unreadable"),
    ];
    assert_eq!(excluded(&report), reasons);
    fixture.run(arguments).stderr_contains(&[
        "warning: `nope.rs` was left out: no such file\n",
        "warning: `../x` was left out: outside the root\n",
        "warning: `/etc/passwd` was left out: outside the root\n",
        "warning: `a\\u{0}b` was left out: a NUL byte in the path\n",
    ]);
}

#[test]
fn many_unusable_sources_are_summarized() {
    let lines: String = (0..30).map(|number| format!("{{\"path\": \"{number}.rs\"}}\n")).collect();
    let run = pack(&lines);
    run.stderr_contains(&[
        "warning: `9.rs` was left out: no such file\n",
        "warning: 20 more sources were left out\n",
    ]);
}

// Shows: AC-018
#[test]
fn a_source_without_content_is_left_out() {
    let fixture = Fixture::project();
    fixture.write(
        "../sources.jsonl",
        "{\"path\": \"a\", \"content\": \"\"}\n{\"path\": \"b\", \"content\": \"x\\u0000y\"}\n",
    );
    let report = fixture.json(["pack", "--sources", "../sources.jsonl", "--json"]);
    assert_eq!(excluded(&report), [("b", "binary"), ("a", "empty")]);
}
