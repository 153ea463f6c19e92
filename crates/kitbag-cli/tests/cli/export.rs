//! `kitbag export`.

use crate::fixture::Fixture;
use std::fs;

#[test]
fn every_format_is_exported_byte_for_byte() {
    let fixture = Fixture::project();
    // Not in the pack, but its hyphens lengthen the boundaries of plain text.
    fixture.write("notes/login.txt", format!("login\n{}\n{}", "-".repeat(51), "x\n".repeat(400)));
    for arguments in [
        &["--format", "markdown"][..],
        &["--format", "xml", "--scores"],
        &["--format", "json"],
        &["--format", "plain", "--no-line-numbers"],
        &["--format", "plain", "--budget", "120"],
        &["--profile", "orchestrate"],
        &["--profile", "inline-edit", "--deadline", "600000"],
        &["--detailed", "--no-grouping"],
        &["--budget", "90"],
        &["--budget", "60", "--overflow", "truncate"],
    ] {
        let pack = fixture.run(["pack", "login paint"].iter().chain(arguments));
        let export = fixture.run(["export"]);
        assert_eq!(export.code, Some(0), "{arguments:?} {}", export.stderr);
        assert_eq!(export.stdout, pack.stdout, "{arguments:?}");
        export.stderr_contains(&["as packed"]);
    }
}

#[test]
fn another_format_can_be_chosen_afterwards() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let xml = fixture.run(["export", "--format", "xml"]).stdout;
    assert_eq!(xml, fixture.run(["pack", "login", "--format", "xml", "--no-record"]).stdout);
    fixture.run(["export", "--format", "yaml"]).fails(2, &["unknown format `yaml`"]);
}

#[test]
fn changed_files_are_rejected_or_excluded() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login", "--fill"]);
    let auth = fixture.read("src/auth.rs");
    fixture.write("src/auth.rs", auth.replace("oauth_token", "token_of"));
    let run = fixture.run(["export", "-o", "out.md"]);
    run.fails(
        1,
        &["cannot be rendered again: src/auth.rs:1-10 has changed", "hint: ", "--partial"],
    );
    assert!(!fixture.path("out.md").exists());
    let partial = fixture.run(["export", "--partial"]);
    assert_eq!(partial.code, Some(0));
    assert!(!partial.stdout.contains("src/auth.rs") && partial.stdout.contains("README.md"));
    partial.stderr_contains(&["warning: left out: src/auth.rs:1-10 has changed"]);
    fs::remove_file(fixture.path("README.md")).unwrap();
    fixture.run(["export"]).fails(1, &["README.md:1-3 no longer exists"]);
}

#[test]
fn headers_are_not_recorded_and_can_be_given_again() {
    let fixture = Fixture::project();
    let pack = fixture.run(["pack", "login", "--header", "Read this.", "--footer", "Done."]);
    let gone = "its header and its footer is not in the record";
    fixture.run(["export"]).fails(1, &[gone, "hint: --header TEXT --footer TEXT, or --partial"]);
    let without = fixture.run(["export", "--partial"]);
    without.stderr_contains(&["the header of the pack is not in the record"]);
    assert!(without.stdout.contains("src/auth.rs"), "{}", without.stdout);
    let again = ["export", "--footer", "Done.", "--header"];
    let with = fixture.run(again.iter().chain(&["Read this."]));
    assert_eq!(with.stdout, pack.stdout);
    fixture.run(again.iter().chain(&["Read that."])).fails(1, &["the result would differ"]);
    fixture.write(".agent/config.yml", "context:\n  formatting:\n    footer: The end.\n");
    assert_eq!(fixture.run(["trust"]).code, Some(0));
    let pack = fixture.run(["pack", "login"]);
    assert!(pack.stdout.contains("The end."));
    assert_eq!(fixture.run(["export"]).stdout, pack.stdout, "the configuration has it");
}

#[test]
fn a_template_must_be_the_same() {
    let fixture = Fixture::project();
    fixture.write("pack.j2", "{% for file in files %}{{ file.path }}\n{% endfor %}");
    let pack = fixture.run(["pack", "login", "--template", "pack.j2"]);
    assert_eq!(pack.code, Some(0), "{}", pack.stderr);
    let again = fixture.run(["export"]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), pack.stdout.as_str()));
    fixture.write("pack.j2", "nothing");
    fixture.run(["export"]).fails(1, &["the template `pack.j2` has changed since", "--format"]);
    fs::remove_file(fixture.path("pack.j2")).unwrap();
    fixture.run(["export"]).fails(1, &["no longer exists"]);
}
