//! `--expect`.

use crate::fixture::{Fixture, text};

fn repository() -> Fixture {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet"]);
    fixture.write(".gitignore", "made/\n");
    fixture.write("made/login.rs", "fn login() {}\n");
    fixture.write(".env", "TOKEN=1\n");
    fixture.commit(1, "all");
    fixture
}

#[test]
fn a_file_is_found_by_any_spelling_of_its_path() {
    let fixture = repository();
    let whole = fixture.path("src/auth.rs");
    for place in
        ["src/auth.rs", "./src/auth.rs", "src/../src/auth.rs", text(&whole), "src/auth.rs:3"]
    {
        let run = fixture.run(["pack", "login", "--expect", place]);
        assert_eq!(run.code, Some(0), "{place}: {}", run.stderr);
    }
    let run = fixture.run(["preview", "login", "--expect", "src/auth.rs:2-10"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn every_reason_is_distinguished() {
    let fixture = repository();
    let pack = |arguments: &[&str], expected: &str| {
        let expect = ["--expect", expected];
        let run = fixture.run(["pack", "login"].iter().chain(arguments).chain(&expect));
        assert_eq!(run.code, Some(1), "{expected}: {}", run.stderr);
        run
    };
    for (arguments, expected, why) in [
        (&[][..], "src/gone.rs", "`src/gone.rs` (no such file)"),
        (&[], "src/colour.rs", "`src/colour.rs` (not found for the task)"),
        (&[], "made/login.rs", "`made/login.rs` (hidden, or ignored by a file"),
        (&[], "../elsewhere.rs", "(outside the repository)"),
        (&["--exclude", "src"], "src/auth.rs", "(excluded by an exclude glob)"),
        (&["--include", "*.md"], "src/auth.rs", "(matches no include glob)"),
        (&["--budget", "30"], "src/auth.rs", "`src/auth.rs` (budget: does not fit"),
        (&["--file", ".env"], ".env", "`.env` (denied: denied by the pattern"),
        (
            &["--file", "src/auth.rs:1-3", "--no-provider", "search"],
            "src/auth.rs:9",
            "(only other lines",
        ),
    ] {
        pack(arguments, expected)
            .stderr_contains(&["error: expected files are not in the pack: ", why]);
    }
    let several = fixture.run(["pack", "login", "--expect", "a.rs", "--expect", "b.rs"]);
    several.stderr_contains(&["`a.rs` (no such file), `b.rs` (no such file)"]);
}
