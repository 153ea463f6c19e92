//! `kitbag verify`.

use crate::fixture::{AUTH, Fixture};
use std::fs;

#[test]
fn lines_that_are_as_they_were_hold() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let run = fixture.run(["verify"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("src/auth.rs:1-10") && run.stdout.contains("as packed"));
    let ends = fixture.run(["verify", "--verbose"]).stdout;
    assert!(ends.contains("src/auth.rs:1 /// Logs a user in."), "{ends}");
    fixture.write("src/colour.rs", "// Another file.\n");
    assert_eq!(fixture.run(["verify"]).code, Some(0), "what is not in does not matter");
}

#[test]
fn lines_that_moved_changed_or_are_gone_are_told_apart() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login", "--file", "src/colour.rs"]);
    fixture.write("src/auth.rs", format!("// One.\n// Two.\n{AUTH}"));
    fixture.write("src/colour.rs", "fn other() {}\n");
    fs::remove_file(fixture.path("README.md")).unwrap();
    let run = fixture.run(["verify"]);
    assert_eq!(run.code, Some(1));
    run.says(&["the files have drifted: 1 moved, 1 changed, 1 gone", "hint: pack again"]);
    let json = fixture.run(["verify", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["holds"], false);
    let state = |path: &str| {
        let ranges = json["ranges"].as_array().unwrap();
        ranges.iter().find(|it| it["path"] == path).unwrap().clone()
    };
    assert_eq!(state("src/auth.rs")["now"], serde_json::json!([3, 12]));
    assert_eq!(state("src/colour.rs")["state"], "changed");
    assert_eq!(state("README.md")["state"], "gone");
}

#[test]
fn what_was_no_file_is_passed_over() {
    let fixture = Fixture::project();
    fixture.write("log.txt", "login failed\n");
    fixture.run(["pack", "login", "--tool-result", "log=log.txt"]);
    let run = fixture.run(["verify"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("no file's lines"), "{}", run.stdout);
    let files = run.stdout.matches("as packed").count();
    run.says(&[&format!("{files} ranges as packed, 1 of no file")]);
}

#[test]
fn secrets_that_were_replaced_do_not_count_as_drift() {
    let fixture = Fixture::project();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    fixture.write("src/key.rs", format!("/// login\nconst KEY: &str = \"{token}\";\n"));
    fixture.run(["pack", "login key"]);
    let kept = fixture.json(["show", "--json"]);
    assert!(!kept["redactions"].as_object().unwrap().is_empty(), "{kept:#}");
    assert_eq!(fixture.run(["verify"]).code, Some(0));
}
