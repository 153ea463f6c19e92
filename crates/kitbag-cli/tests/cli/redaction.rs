//! Redaction of secrets in files.

use crate::fixture::Fixture;

/// A token in the format of GitHub, built at run time so that no file contains it.
fn token() -> String {
    ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0", "k1L2m3N4o5P6q7R8"].concat()
}

fn project() -> Fixture {
    let client = format!("pub fn login() {{\n    connect(\"{}\");\n}}\n", token());
    Fixture::with(&[("src/login.rs", &client), ("src/other.rs", "pub fn other() {}\n")])
}

#[test]
fn secrets_are_redacted_and_counted() {
    let fixture = project();
    let run = fixture.run(["pack", "login"]);
    assert!(run.stdout.contains("connect(\"[REDACTED:github-token]\")"), "{}", run.stdout);
    assert!(run.stderr.starts_with("1 secret redacted: github-token 1\n"), "{}", run.stderr);
    let report = fixture.json(["preview", "login", "--json"]);
    let expected =
        serde_json::json!([{ "path": "src/login.rs", "line": 2, "rule": "github-token" }]);
    assert_eq!(report["redactions"], expected);
    assert_eq!(report["stats"]["redactions"], serde_json::json!({ "github-token": 1 }));
}

/// Each line of the key has a marker.
#[test]
fn a_key_of_many_lines_is_one_secret() {
    let dashes = "-----";
    let line = |seed: usize| -> String {
        (0..64).map(|at| char::from(b"aB3dE5gH7jK9mN1pQ2sT4vW6xY8z"[(at * seed) % 28])).collect()
    };
    let body: String = [3, 5, 9, 11, 13].map(|seed| line(seed) + "\n").concat();
    let key = format!("{dashes}BEGIN PRIVATE KEY{dashes}\n{body}{dashes}END PRIVATE KEY{dashes}\n");
    let fixture = Fixture::with(&[("login.txt", &format!("login\n{key}{key}"))]);
    let report = fixture.json(["preview", "login", "--json"]);
    assert_eq!(report["redactions"].as_array().map(Vec::len), Some(10), "{report}");
    assert_eq!(report["stats"]["redactions"], serde_json::json!({ "private-key": 2 }));
}

#[test]
fn names_of_files_are_redacted_as_in_packs() {
    let name = format!("src/login_{}.rs", token());
    let fixture = Fixture::with(&[(&name, "pub fn login() {}\n")]);
    fixture.run(["pack", "login", "--file", &format!("missing/{}", token())]);
    for arguments in [
        &["pack", "login"][..],
        &["search", "login"],
        &["search", "login", "--files", "--json"],
        &["sources"],
        &["sources", "--json"],
        &["show", "--json"],
    ] {
        let run = fixture.run(arguments);
        let printed = run.stdout + &run.stderr;
        assert!(!printed.contains(&token()), "{arguments:?}: {printed}");
        assert!(
            printed.contains("src/login_[REDACTED:github-token].rs"),
            "{arguments:?}: {printed}"
        );
    }
}

#[test]
fn no_redact_leaves_them() {
    let fixture = project();
    let run = fixture.run(["pack", "login", "--no-redact"]);
    assert!(run.stdout.contains(&token()) && !run.stderr.contains("marker"), "{}", run.stderr);
    let report = fixture.json(["preview", "login", "--no-redact", "--json"]);
    assert_eq!(report["redactions"], serde_json::json!([]));
}

#[test]
fn messages_have_no_content_and_lists_only_matching_lines() {
    let fixture = project();
    fixture.write(".env", "HIDDEN=words\n");
    for arguments in [
        &["pack", "login", "--timing", "--file", ".env", "--no-redact"][..],
        &["preview", "login", "--json", "--file", ".env"],
        &["preview", "login", "--file", ".env"],
        &["search", "login", "--explain"],
    ] {
        let run = fixture.run(arguments);
        for content in [&token()[..12], "connect(", "pub fn", "HIDDEN"] {
            assert!(!run.stderr.contains(content), "{content}: {}", run.stderr);
        }
        let printed = if arguments[0] == "pack" { run.stderr } else { run.stdout + &run.stderr };
        for content in [&token()[..12], "connect(", "HIDDEN"] {
            assert!(!printed.contains(content), "{content}: {printed}");
        }
        assert!(arguments[0] == "search" || printed.contains(".env"), "{printed}");
    }
}
