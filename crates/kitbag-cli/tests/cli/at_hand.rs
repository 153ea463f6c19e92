//! `--number-lines`, `--with-task`, `--copy`, tasks without quotes, small models, and `kitbag doctor`.

use crate::fixture::{Fixture, text};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn lines_are_numbered_on_request() {
    let fixture = Fixture::project();
    let run = fixture.run(["pack", "--file", "src/colour.rs:2-3", "--number-lines"]);
    insta::assert_snapshot!(run.stdout, @r"
    ### src/colour.rs (lines 2-3)
    ```rust
    2|pub fn mix(paint: u32) -> u32 {
    3|    paint + 1
    ```
    ");
    let sections = fixture.run(["pack", "login", "--profile", "orchestrate", "--number-lines"]);
    assert!(sections.stdout.contains("\n1|"), "{}", sections.stdout);
}

#[test]
fn the_task_is_put_before_the_pack_on_request() {
    let fixture = Fixture::project();
    let run =
        fixture.run(["pack", "why does login fail?", "--with-task", "--header", "Answer this."]);
    assert!(
        run.stdout.starts_with("Answer this.\n\nwhy does login fail?\n\n### "),
        "{}",
        run.stdout
    );
    let xml = fixture.run(["pack", "login -> fail", "--with-task", "--format", "xml"]);
    assert!(xml.stdout.contains("<header>login -> fail</header>"), "{}", xml.stdout);
}

#[test]
fn words_of_a_task_need_no_quotes() {
    let fixture = Fixture::project();
    let quoted = fixture.run(["pack", "why does login fail"]);
    assert_eq!(fixture.run(["pack", "why", "does", "login", "fail"]).stdout, quoted.stdout);
    let found = fixture.run(["search", "why", "does", "login", "fail"]);
    assert_eq!(found.stdout, fixture.run(["search", "why does login fail"]).stdout);
}

#[test]
fn a_pack_is_copied_with_the_tool_of_the_system() {
    let fixture = Fixture::project();
    fixture.write("../bin/xclip", "#!/bin/sh\ncat > \"$COPIED\"\n");
    let tool = fixture.path("../bin/xclip");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", text(&fixture.path("../bin")), std::env::var("PATH").unwrap());
    let run = |display: &str| {
        let mut command = fixture.command();
        command.args(["pack", "login", "--copy"]).env("PATH", &path).env("DISPLAY", display);
        command.env_remove("WAYLAND_DISPLAY").env("COPIED", fixture.path("../copied"));
        command.output().unwrap()
    };
    let output = run(":0");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && output.stdout.is_empty(), "{errors}");
    assert!(errors.contains("copied to the clipboard through xclip"), "{errors}");
    assert_eq!(fixture.read("../copied"), fixture.run(["pack", "login"]).stdout);
    fixture.run(["pack", "login", "--copy", "-o", "x"]).fails(2, &["--copy"]);
}

#[test]
fn a_small_model_gets_reserves_that_fit() {
    let report = Fixture::project().json(["pack", "login", "--model", "gpt-4", "--json"]);
    assert_eq!(report["budget"], 6_144);
}

#[test]
fn a_list_in_brackets_is_a_list() {
    let fixture = Fixture::project();
    for value in ["[\"src/**\"]", "src/**", "['src/**', \"x\"]"] {
        let run = fixture.run(["pack", "login", "--set", &format!("security.deny={value}")]);
        assert!(!run.stdout.contains("src/auth.rs"), "{value}: {}", run.stdout);
    }
}

#[test]
fn doctor_checks_the_setup() {
    let fixture = Fixture::project();
    let run = fixture.run(["doctor"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for line in [
        "kitbag         ok",
        "repository     warning  not a git repository",
        "cache          ok",
        "configuration  ok",
        "index          ok",
        "clients        ok",
    ] {
        assert!(run.stdout.contains(line), "{line}: {}", run.stdout);
    }
    fixture.write(".agent/config.yml", "context:\n  budgett: 5\n");
    let wrong = fixture.run(["doctor"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stdout.contains("configuration  problem"), "{}", wrong.stdout);
    assert!(wrong.stdout.contains("budget"), "{}", wrong.stdout);
    let report = fixture.run(["doctor", "--json", "--repo", "nowhere"]);
    let json: serde_json::Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(json["checks"][1]["state"], "problem", "{json:#}");
}

#[test]
fn completions_know_models_profiles_and_providers() {
    let run = Fixture::empty().run(["completions", "bash"]);
    for word in ["gpt-4o", "inline-edit", "overview", "tool_results"] {
        assert!(run.stdout.contains(word), "{word}");
    }
    Fixture::project().run(["pack", "login", "--profile", "agnet"]).fails(2, &["agnet", "agent"]);
}
