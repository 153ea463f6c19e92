//! `kitbag sources`.

use crate::fixture::Fixture;
use std::fs;

#[test]
fn sources_and_rejections_are_listed_with_their_reasons() {
    let fixture = Fixture::project();
    fixture.write(".env", "A=1\n");
    fixture.run(["pack", "login", "--file", ".env", "--open", "../outside.rs"]);
    let run = fixture.run(["sources"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let line =
        |path: &str| run.stdout.lines().find(|line| line.starts_with(path)).unwrap().to_owned();
    assert!(line("src/auth.rs:1-10").contains("pass"), "{}", run.stdout);
    assert!(line(".env").contains("fail") && line(".env").contains("denied"), "{}", run.stdout);
    assert!(line("../outside.rs").contains("outside_root"), "{}", run.stdout);
    run.stderr_contains(&["valid, 2 rejected"]);
    let rejected = fixture.run(["sources", "--filter", "rejected"]).stdout;
    assert_eq!(rejected.lines().count(), 2, "{rejected}");
    let json = fixture.json(["sources", "--filter", "rejected", "--json"]);
    assert_eq!((&json["rejected"], &json["sources"][1]["reason"]), (&2.into(), &"denied".into()));
}

#[test]
fn modified_files_are_those_of_git_status_and_those_changed_since() {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet"]);
    fixture.commit(1, "all");
    fixture.run(["pack", "login"]);
    let modified = || fixture.run(["sources", "--filter", "modified"]).stdout;
    assert_eq!(modified(), "");
    let auth = fixture.read("src/auth.rs");
    fixture.write("src/auth.rs", format!("{auth}// login again\n"));
    assert!(modified().contains("changed since the pack"), "{}", modified());
    fixture.run(["pack", "login"]);
    assert!(modified().starts_with("src/auth.rs:1-11"), "{}", modified());
    assert!(modified().contains("pass, modified in git"), "{}", modified());
    fs::remove_file(fixture.path("src/auth.rs")).unwrap();
    assert!(modified().contains("deleted since the pack, modified in git"), "{}", modified());
}
