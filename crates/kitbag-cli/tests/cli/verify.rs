//! `kitbag verify`.

use crate::fixture::{AUTH, Fixture};
use std::fs;

#[test]
fn unchanged_lines_verify() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let run = fixture.run(["verify"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("src/auth.rs:1-10") && run.stdout.contains("unchanged"));
    let ends = fixture.run(["verify", "--verbose"]).stdout;
    assert!(ends.contains("src/auth.rs:1 /// Logs a user in."), "{ends}");
    fixture.write("src/colour.rs", "// Another file.\n");
    assert_eq!(fixture.run(["verify"]).code, Some(0), "what is not in does not matter");
}

#[test]
fn moved_changed_and_deleted_lines_are_distinguished() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login", "--fill", "--file", "src/colour.rs"]);
    fixture.write("src/auth.rs", format!("// One.\n// Two.\n{AUTH}"));
    fixture.write("src/colour.rs", "fn other() {}\n");
    fs::remove_file(fixture.path("README.md")).unwrap();
    let run = fixture.run(["verify"]);
    assert_eq!(run.code, Some(1));
    run.stderr_contains(&[
        "files differ from the pack: 1 moved, 1 changed, 1 deleted",
        "hint: pack again",
    ]);
    let json = fixture.run(["verify", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["is_unchanged"], false);
    let state = |path: &str| {
        let ranges = json["ranges"].as_array().unwrap();
        ranges.iter().find(|it| it["path"] == path).unwrap().clone()
    };
    assert_eq!(state("src/auth.rs")["now"], serde_json::json!([3, 12]));
    assert_eq!(state("src/colour.rs")["state"], "changed");
    assert_eq!(state("README.md")["state"], "missing");
}

#[test]
fn sources_without_files_are_skipped() {
    let fixture = Fixture::project();
    fixture.write("log.txt", "login failed\n");
    fixture.run(["pack", "login", "--fill", "--tool-result", "log=log.txt"]);
    let run = fixture.run(["verify"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("not from a file"), "{}", run.stdout);
    let files = run.stdout.matches("unchanged").count();
    run.stderr_contains(&[&format!("{files} ranges unchanged, 1 not from files")]);
}

#[test]
fn redacted_secrets_are_not_drift() {
    let fixture = Fixture::project();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    fixture.write("src/key.rs", format!("/// login\nconst KEY: &str = \"{token}\";\n"));
    fixture.run(["pack", "login key"]);
    let kept = fixture.json(["show", "--json"]);
    assert!(!kept["redactions"].as_object().unwrap().is_empty(), "{kept:#}");
    assert_eq!(fixture.run(["verify"]).code, Some(0));
}
