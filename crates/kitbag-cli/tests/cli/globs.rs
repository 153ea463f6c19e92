//! `--include` and `--exclude`.

use crate::fixture::{Fixture, included};

#[test]
fn globs_select_the_searched_files() {
    let fixture = Fixture::project();
    let paths = |extra: &[&str]| {
        let report = fixture.json(["pack", "login paint", "--json"].iter().chain(extra));
        let mut paths: Vec<String> = included(&report).into_iter().map(str::to_owned).collect();
        paths.sort_unstable();
        paths
    };
    assert_eq!(paths(&["--include", "*.md"]), ["README.md"]);
    assert_eq!(
        paths(&["--include", "*.md", "--include", "src/colour.rs"]),
        ["README.md", "src/colour.rs"]
    );
    assert_eq!(paths(&["--exclude", "src/**"]), ["README.md"]);
    assert_eq!(paths(&["--include", "src/**", "--exclude", "**/auth.rs"]), ["src/colour.rs"]);
}

#[test]
fn a_bad_glob_is_refused() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login", "--include", "["]).fails(2, &["invalid glob `[`: "]);
    fixture.run(["pack", "login", "--exclude", "{a"]).fails(2, &["invalid glob `{a`: "]);
    fixture
        .run(["pack", "login", "--include", ""])
        .fails(2, &["invalid glob ``: nothing to match"]);
}

#[test]
fn globs_without_match_are_reported() {
    let fixture = Fixture::project();
    let run = fixture.run(["pack", "login", "--include", "nothing/**"]);
    run.is_empty_for("no file matches the include and exclude globs");
}
