//! `kitbag show`.

use crate::fixture::Fixture;

#[test]
fn the_last_pack_is_shown_and_older_ones_by_name() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login", "--budget", "300"]);
    fixture.run(["pack", "paint", "--budget", "200"]);
    let list = fixture.run(["show", "--list"]).stdout;
    let ids: Vec<&str> = list.lines().map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    assert_eq!(ids.len(), 2, "{list}");
    let last = fixture.run(["show"]).stdout;
    assert!(last.contains(ids[0]) && last.contains("of 200 tokens"), "{last}");
    for name in ["@1", ids[1], &ids[1][..6]] {
        let shown = fixture.run(["show", name]).stdout;
        assert!(shown.contains(ids[1]) && shown.contains("of 300 tokens"), "{name}: {shown}");
    }
}

#[test]
fn an_unknown_pack_is_an_error_with_a_hint() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    fixture.run(["show", "@7"]).fails(2, &["no record `@7`, only 1 record", "`@0` is the latest"]);
    fixture.run(["show", "nonsense"]).fails(2, &["no record `nonsense`", "kitbag show --list"]);
}

#[test]
fn every_section_has_its_title() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login", "--budget", "60"]);
    for (flag, title) in [
        ("--excluded", "Left out"),
        ("--ranking", "Ranking"),
        ("--tokens", "Token allocation"),
        ("--dedup", "Deduplication"),
        ("--chunks", "Chunks by file"),
        ("--timing", "Timing"),
    ] {
        let run = fixture.run(["show", flag]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{flag}");
        assert!(run.stdout.starts_with(&format!("{title}\n")), "{flag}: {}", run.stdout);
        let all = fixture.run(["show", "--verbose"]).stdout;
        assert!(all.contains(&format!("\n{title}\n")), "{title}: {all}");
    }
}

#[test]
fn twenty_columns_are_enough() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let narrow = |arguments: &[&str]| {
        let mut command = fixture.command();
        command.env("COLUMNS", "20").args(arguments);
        crate::fixture::Run::from(command.output().unwrap())
    };
    for arguments in [
        &["show"][..],
        &["show", "--verbose"],
        &["show", "--list"],
        &["explain", "src/auth.rs:2"],
        &["explain", "src/colour.rs:9"],
        &["compare", "src/auth.rs:1-5", "src/auth.rs:3-9"],
        &["verify"],
        &["sources"],
        &["preview", "login"],
        &["search", "login"],
    ] {
        let run = narrow(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?} {}", run.stderr);
        for line in run.stdout.lines() {
            assert!(line.chars().count() <= 20, "{arguments:?}: `{line}`");
        }
    }
    let shown = narrow(&["show"]).stdout.split_whitespace().collect::<String>();
    assert!(shown.contains("src/auth.rs:1-10"), "nothing is lost: {shown}");
}

#[test]
fn no_colors_without_a_terminal() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    for arguments in [&["show", "--verbose"][..], &["explain", "src/auth.rs:2"], &["verify"]] {
        assert!(!fixture.run(arguments).stdout.contains('\u{1b}'), "{arguments:?}");
    }
}

#[test]
fn quiet_prints_only_the_result() {
    let fixture = Fixture::project();
    let run = fixture.run(["pack", "login", "--file", "nope.rs", "--quiet"]);
    run.fails(2, &["nope.rs"]);
    let run = fixture.run(["-q", "pack", "login"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let run = fixture.run(["pack", "frobnicator", "-q"]);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    fixture.run(["pack", "login", "-q", "-v"]).fails(2, &["'--quiet'", "'--verbose"]);
}
