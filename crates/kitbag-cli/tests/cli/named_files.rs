//! `--file`.

use crate::fixture::{Fixture, excluded, included, text};
use std::os::unix::fs::symlink;

#[test]
fn a_named_file_is_packed_without_a_task() {
    let run = Fixture::project().run(["pack", "--file", "src/colour.rs"]);
    insta::assert_snapshot!(run.stdout, @r"
    ### src/colour.rs (lines 1-4)
    ```rust
    /// Mixes paint.
    pub fn mix(paint: u32) -> u32 {
        paint + 1
    }
    ```
    ");
    assert_eq!(run.stderr, "42 of 90,000 tokens (o200k_base), 1 chunk of 1 file, 0 left out\n");
}

#[test]
fn a_range_of_lines_can_be_named() {
    let fixture = Fixture::project();
    let shown = |reference: &str| {
        let report = fixture.json(["pack", "--file", reference, "--json"]);
        report["included"][0]["shown"].to_string()
    };
    assert_eq!(shown("src/auth.rs:7-10"), "[[7,10]]");
    assert_eq!(shown("src/auth.rs:8"), "[[8,8]]");
    assert_eq!(shown("src/auth.rs:7-4294967295"), "[[7,10]]", "to the end");
    assert_eq!(shown("./src/../src/auth.rs:7-10"), "[[7,10]]");
    assert_eq!(shown(&format!("{}:7-10", text(&fixture.path("src/auth.rs")))), "[[7,10]]");
}

// Shows: AC-030, AC-134
#[test]
fn lines_past_the_end_are_reported() {
    let fixture = Fixture::project();
    for lines in ["50-60", "4294967290-4294967294", "4294967290-4294967295", "4294967295"] {
        let run = fixture.run(["pack", "--file", &format!("README.md:{lines}")]);
        run.is_empty_for("none of the named sources can be packed");
        run.stderr_contains(&[
            "warning: `README.md` was left out: line ",
            "is past the end of the file, which has 3 lines",
        ]);
    }
}

#[test]
fn an_invalid_range_is_rejected() {
    let fixture = Fixture::project();
    for wrong in ["README.md:0-4", "README.md:1-2-3", "README.md:99999999999", ":1-2"] {
        let run = fixture.run(["pack", "--file", wrong]);
        let message = "expected a path with an optional line range such as `src/a.rs:10-40`, not";
        run.fails(2, &[&format!("{message} `{wrong}`")]);
    }
    let reversed = fixture.run(["pack", "--file", "README.md:3-2"]);
    reversed.fails(2, &["`README.md:3-2`: the line range ends before it begins"]);
}

// Shows: AC-027
#[test]
fn a_missing_file_is_an_error() {
    let fixture = Fixture::project();
    let misspelled = fixture.run(["pack", "login", "--file", "README.md:"]);
    misspelled.fails(2, &["no such file: `README.md:`", "did you mean `README.md`?"]);
    for missing in ["nope.rs", "nope.rs:1-2", "README.md/x"] {
        let run = fixture.run(["pack", "login", "--file", missing]);
        run.fails(
            2,
            &["no such file: `", "hint: paths are relative to the root of the repository (--repo)"],
        );
    }
    fixture.run(["pack", "login", "--file", "src"]).fails(2, &["not a regular file: `src`"]);
    fixture.run(["pack", "login", "--file", ""]).fails(2, &["the path is empty"]);
}

#[test]
fn a_missing_open_file_is_an_error() {
    let fixture = Fixture::project();
    let run = fixture.run(["pack", "login", "--open", "src/auth.rs", "--open", "gone.rs"]);
    run.fails(
        2,
        &["no such file: `gone.rs`", "hint: paths are relative to the root of the repository"],
    );
    fixture.run(["pack", "login", "--open", "src"]).fails(2, &["not a regular file: `src`"]);
    fixture.run(["pack", "login", "--document", "gone.rs"]).fails(2, &["no such file: `gone.rs`"]);
    assert_eq!(fixture.run(["pack", "login", "--open", "src/auth.rs"]).code, Some(0));
}

#[test]
fn a_pipe_is_rejected_without_waiting() {
    let fixture = Fixture::project();
    let made = std::process::Command::new("mkfifo").arg(fixture.path("pipe")).status().unwrap();
    assert!(made.success());
    fixture.run(["pack", "--file", "pipe"]).fails(2, &["not a regular file: `pipe`"]);
    let report = fixture.json(["pack", "login", "--json", "--fill"]);
    assert_eq!(excluded(&report), [("pipe", "unreadable")]);
}

// Shows: AC-020 to AC-023, AC-145
#[test]
fn outside_and_denied_files_are_excluded_with_a_warning() {
    let fixture = Fixture::project();
    fixture.write("../secret.rs", "fn login() { steal() }\n");
    fixture.write(".env", "LOGIN=steal\n");
    symlink("../secret.rs", fixture.path("link.rs")).unwrap();
    let outside = fixture.path("../secret.rs").canonicalize().unwrap();
    for (name, reason, words) in [
        ("../secret.rs", "outside_root", "outside the root"),
        ("../missing.rs", "outside_root", "outside the root"),
        (text(&outside), "outside_root", "outside the root"),
        ("link.rs", "outside_root", "outside the root"),
        (".env", "denied", "denied by the pattern `.env`"),
    ] {
        let run = fixture.run(["pack", "login", "--file", name]);
        assert_eq!(run.code, Some(0));
        assert!(!run.stdout.contains("steal") && run.stdout.contains("src/auth.rs"), "{name}");
        run.stderr_contains(&[&format!("warning: `{name}` was left out: {words}")]);
        let report = fixture.json(["pack", "login", "--json", "--file", name]);
        assert!(excluded(&report).contains(&(name, reason)), "{name}: {:?}", excluded(&report));
    }
}

#[test]
fn links_out_of_the_root_and_cycles_are_not_followed() {
    let fixture = Fixture::project();
    fixture.write("../outside/login.rs", "fn login() { steal() }\n");
    symlink("../../outside", fixture.path("src/outside")).unwrap();
    symlink("b", fixture.path("a")).unwrap();
    symlink("a", fixture.path("b")).unwrap();
    symlink("..", fixture.path("src/up")).unwrap();
    let report = fixture.json(["pack", "login", "--json", "--fill"]);
    assert_eq!(included(&report), ["src/auth.rs", "README.md"]);
    assert_eq!(
        excluded(&report),
        [("a", "unreadable"), ("b", "unreadable"), ("src/outside", "outside_root")]
    );
    let run = fixture.run(["pack", "login", "--file", "a"]);
    assert_eq!(run.code, Some(0));
    run.stderr_contains(&["warning: `a` was left out: cannot be read: "]);
    fixture
        .run(["pack", "login", "--file", "src/outside/login.rs"])
        .stderr_contains(&["left out: outside the root"]);
}
