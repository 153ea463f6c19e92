//! `kitbag compare`.

use crate::fixture::Fixture;

#[test]
fn overlapping_lines_are_decided_as_in_a_pack() {
    let text: String = (1..=90).map(|line| format!("line number {line} of it\n")).collect();
    let fixture = Fixture::with(&[("notes.txt", &text)]);
    let run = fixture.run(["compare", "notes.txt:45-78", "notes.txt:50-85"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    for words in ["34 lines", "36 lines", "overlap: lines 50-78 (29 lines), 85 % of A, 81 % of B"] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    assert!(run.stdout.contains("is left out (overlap: overlaps notes.txt:"), "{}", run.stdout);
    let run = fixture.run(["compare", "notes.txt:1-20", "notes.txt:20-40"]);
    assert!(run.stdout.contains("overlap: line 20, 5 % of A, 5 % of B"), "{}", run.stdout);
    let json = fixture.json(["compare", "notes.txt:1-40", "notes.txt:35-80", "--json"]);
    assert_eq!((&json["decision"], &json["shared_lines"]), (&"keep_both".into(), &6.into()));
    let json = fixture.json(["compare", "notes.txt:1-40", "notes.txt:10-12", "--json"]);
    assert_eq!(json["reason"], "overlap", "a chunk inside another always overlaps it");
}

#[test]
fn copies_are_found_despite_whitespace() {
    let fixture = Fixture::with(&[
        ("a.rs", "fn login() {\n    token()\n}\n"),
        ("b.rs", "fn login() {\n\n  token()\n}\n"),
        ("c.rs", "fn logout() {\n    session()\n}\n"),
    ]);
    let json = fixture.json(["compare", "a.rs", "b.rs", "--json"]);
    assert_eq!((&json["same_content"], &json["reason"]), (&true.into(), &"duplicate".into()));
    let json = fixture.json(["compare", "a.rs", "c.rs", "--json"]);
    assert_eq!((&json["same_content"], &json["decision"]), (&false.into(), &"keep_both".into()));
    fixture.write(".agent/config.yml", "context:\n  deduplication:\n    enabled: false\n");
    let json = fixture.json(["compare", "a.rs", "b.rs", "--json"]);
    assert_eq!(json["decision"], "keep_both", "the configuration holds");
}

#[test]
fn missing_files_are_reported() {
    let fixture = Fixture::project();
    fixture.run(["compare", "src/auth.rs:1-5", "nope.rs:1-5"]).fails(2, &["nope.rs"]);
    let past_end = fixture.run(["compare", "src/auth.rs:1-5", "src/auth.rs:99-120"]);
    past_end.fails(2, &["is past the end of the file, which has 10 lines"]);
    fixture
        .run(["compare", "src/auth.rs:9-5", "src/auth.rs:1-2"])
        .fails(2, &["ends before it begins"]);
    fixture.write(".env", "A=1\n");
    fixture.run(["compare", ".env", "src/auth.rs"]).fails(2, &[".env"]);
}
