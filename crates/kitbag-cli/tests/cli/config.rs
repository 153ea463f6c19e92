//! `kitbag config`, and the configuration of other commands.

use crate::fixture::{Fixture, Run, included};
use insta::assert_snapshot;
use serde_json::json;

/// A small project with a configuration.
fn project(config: &str) -> Fixture {
    let fixture = Fixture::project();
    fixture.write(".agent/config.yml", config);
    fixture
}

/// Standard output, standard error and status.
fn output(run: &Run) -> String {
    format!("status {}\n{}{}", run.code.unwrap_or(-1), run.stdout, run.stderr)
}

/// Runs the program with an environment variable.
fn run_with(fixture: &Fixture, variable: (&str, &str), arguments: &[&str]) -> Run {
    let mut command = fixture.command();
    let output = command.env(variable.0, variable.1).args(arguments).output().unwrap();
    Run::from(output)
}

#[test]
fn show_prints_each_value_with_its_source() {
    let fixture = project("context:\n  budget:\n    total: 50000\n");
    let variable = ("KITBAG_CONTEXT_BUDGET_SYSTEM_RESERVE", "1k");
    let set = ["--set", "context.budget.completion_reserve=500"];
    let arguments = ["config", "show", "context.budget", set[0], set[1]];
    assert_snapshot!(output(&run_with(&fixture, variable, &arguments)), @"
    status 0
    context.budget.total: 50000             # .agent/config.yml:3:12
    context.budget.response_reserve: 8000   # default
    context.budget.system_reserve: 1000     # KITBAG_CONTEXT_BUDGET_SYSTEM_RESERVE
    context.budget.instruction_reserve: 0   # default
    context.budget.completion_reserve: 500  # --set
    context.budget.deduct_request: false    # default
    ");
    assert_snapshot!(output(&fixture.run(["config", "show", "context.budget.total"])), @"
    status 0
    context.budget.total: 50000  # .agent/config.yml:3:12
    ");
}

#[test]
fn show_without_a_key_prints_everything() {
    let fixture = Fixture::empty();
    let run = fixture.run(["config"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.lines().count() > 35, "{}", run.stdout);
    let is_default = |line: &str| line.ends_with("# default") || line.ends_with("# profile agent");
    assert!(run.stdout.lines().all(is_default), "{}", run.stdout);
    assert_eq!(run, fixture.run(["config", "show"]));
}

#[test]
fn show_of_an_unknown_key_suggests_the_nearest() {
    let fixture = Fixture::empty();
    assert_snapshot!(output(&fixture.run(["config", "show", "context.buget"])), @"
    status 2
    error: unknown key `context.buget`
    hint: did you mean `context.budget`?
    ");
}

#[test]
fn the_repository_overrides_the_users_file() {
    let fixture = project("context: {max_sources: 7}\n");
    let user = fixture.path("../home/.config/kitbag/config.yml");
    std::fs::create_dir_all(user.parent().unwrap()).unwrap();
    std::fs::write(&user, "context: {max_sources: 9, ranking: {min_score: 0.1}}\n").unwrap();
    let report = fixture.json(["config", "show", "context", "--json"]);
    let item = |key: &str| {
        let settings = report["settings"].as_array().unwrap();
        settings.iter().find(|it| it["key"] == key).unwrap().clone()
    };
    assert_eq!(item("context.max_sources")["value"], 7);
    assert_eq!(item("context.max_sources")["from"], ".agent/config.yml:1:24");
    assert_eq!(item("context.ranking.min_score")["value"], 0.1);
    let from = item("context.ranking.min_score")["from"].as_str().unwrap().to_owned();
    assert!(from.ends_with("home/.config/kitbag/config.yml:1:48"), "{from}");
}

#[test]
fn check_lists_all_errors() {
    let wrong = "context:\n  enabld: true\n  budget: {total: lots}\nmodel:\n  name: gpt-99\n";
    let fixture = project(wrong);
    assert_snapshot!(output(&fixture.run(["config", "check"])), @"
    status 2
    error: .agent/config.yml:2:3: unknown key `context.enabld`
    hint: did you mean `context.enabled`?
    error: .agent/config.yml:3:19: `context.budget.total` must be a number of tokens from 1 to 1000000000, such as `8000` or `32k`, not `lots`
    hint: for example `150000`
    ");
    let run = fixture.run(["config", "check", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &report["ok"]), (Some(2), &json!(false)));
    assert_eq!(report["problems"][0]["place"], ".agent/config.yml:2:3");
}

#[test]
fn check_of_a_valid_configuration_succeeds() {
    assert_snapshot!(output(&project("context: {}\n").run(["config", "check"])), @"
    status 0
    no errors: .agent/config.yml
    ");
    assert_snapshot!(output(&Fixture::empty().run(["config", "check"])), @"
    status 0
    no errors: no configuration file found
    ");
    let right = project("logging: {format: json}\n");
    let report = right.json(["config", "check", "--json"]);
    assert_eq!((&report["ok"], &report["files"]), (&json!(true), &json!([".agent/config.yml"])));
}

// Shows: AC-150
#[test]
fn an_invalid_configuration_stops_every_command() {
    let fixture = project("context:\n  ranking: {relevance_weight: 0.9, recency_weight: 0.5}\n");
    for arguments in [
        &["pack", "login"][..],
        &["preview", "login"],
        &["search", "login"],
        &["index", "refresh"],
        &["config", "show"],
        &["config", "check"],
    ] {
        let run = fixture.run(arguments);
        run.fails(2, &["error: .agent/config.yml:2:31: ranking weights must sum to 1, not 1.4"]);
    }
}

#[test]
fn files_are_named_as_on_the_command_line() {
    let fixture = Fixture::empty();
    fixture.write("inner/.agent/config.yml", "contxt: 1\n");
    let run = fixture.run(["config", "check", "--repo", "inner"]);
    run.fails(2, &["error: inner/.agent/config.yml:1:1: unknown key `contxt`"]);
}

#[test]
fn invalid_configuration_files_are_rejected() {
    let large = format!("# {}\n", "x".repeat(10 << 20));
    project(&large).run(["config", "check"]).fails(2, &["config.yml: larger than 256 kB"]);
    let fixture = project("");
    fixture.write(".agent/config.yml", b"context:\n  enabled: \xff\n");
    fixture.run(["config", "check"]).fails(2, &["config.yml:2:12: not UTF-8", "hint: save the"]);
    fixture.write(".agent/config.yml", "context:\n\tenabled: true\n");
    fixture.run(["pack", "login"]).fails(2, &["config.yml:2:2: ", "hint: indent with spaces"]);
}

#[test]
fn init_writes_defaults_and_does_not_overwrite() {
    let fixture = Fixture::project();
    let before = fixture.json(["pack", "login", "--json"]);
    assert_snapshot!(output(&fixture.run(["config", "init"])), @"
    status 0
    wrote `.agent/config.yml`
    ");
    assert_eq!(fixture.run(["config", "check"]).code, Some(0));
    assert_eq!(fixture.json(["pack", "login", "--json"])["content"], before["content"]);
    let written = fixture.read(".agent/config.yml");
    assert_eq!(fixture.run(["config", "init", "--stdout"]).stdout, written);
    assert_snapshot!(output(&fixture.run(["config", "init"])), @"
    status 2
    error: `.agent/config.yml` already exists
    hint: use --force to replace it
    ");
    fixture.write(".agent/config.yml", "context: {}\n");
    assert_eq!(fixture.run(["config", "init", "--force"]).code, Some(0));
    assert_eq!(fixture.read(".agent/config.yml"), written);
}

#[test]
fn init_for_the_user_writes_the_users_file() {
    let fixture = Fixture::empty();
    assert_eq!(fixture.run(["config", "init", "--user"]).code, Some(0));
    assert!(fixture.path("../home/.config/kitbag/config.yml").is_file());
    assert!(!fixture.path(".agent").exists());
}

#[test]
fn init_does_not_follow_a_link_out_of_the_repository() {
    let fixture = Fixture::empty();
    std::os::unix::fs::symlink("../home", fixture.path(".agent")).unwrap();
    fixture.run(["config", "init"]).fails(2, &["links out of the repository"]);
    assert!(!fixture.path("../home/config.yml").exists());
}

#[test]
fn pack_takes_settings_from_flags() {
    let fixture = project("context: {budget: {total: 50000}}\n");
    let budget = |arguments: &[&str]| {
        let arguments = ["pack", "login", "--json"].iter().chain(arguments);
        fixture.json(arguments)["budget"].clone()
    };
    assert_eq!(budget(&[]), 40_000);
    assert_eq!(budget(&["--set", "context.budget.total=30k"]), 20_000);
    assert_eq!(budget(&["--budget", "700"]), 700);
    let run = fixture.run(["pack", "login", "--set", "context.budget.totl=5"]);
    run.fails(2, &["error: --set: unknown key `context.budget.totl`", "`context.budget.total`"]);
    fixture.run(["pack", "login", "--set", "context.enabled"]).fails(2, &["KEY=VALUE"]);
    fixture.run(["pack", "login", "--profile", "x"]).fails(2, &["unknown profile `x`", "`agent`"]);
}

// Shows: AC-148, FR-016-62
#[test]
fn configured_priorities_and_weights_change_the_order() {
    let order = |config: &str| {
        let fixture = project(config);
        let sources = "{\"path\":\"a.txt\",\"content\":\"login a\\n\",\"kind\":\"tool_result\"}\n\
                       {\"path\":\"b.txt\",\"content\":\"login b\\n\",\"kind\":\"open_file\"}\n";
        fixture.write("sources.jsonl", sources);
        let report = fixture.json(["pack", "--sources", "sources.jsonl", "--json"]);
        included(&report).join(" ")
    };
    assert_eq!(order(""), "a.txt b.txt");
    assert_eq!(order("context: {source_priority: {tool_results: 10}}\n"), "b.txt a.txt");
}

/// Otherwise its settings would be ignored silently.
#[test]
fn a_misnamed_configuration_is_reported() {
    let fixture = Fixture::with(&[
        ("there/.agent/config.yaml", "context:\n  budget:\n    total: 20000\n"),
        ("there/a.txt", "text\n"),
    ]);
    let expected = "`there/.agent/config.yaml` is ignored; rename it to `there/.agent/config.yml`";
    for command in [&["config", "check"][..], &["pack", "text"], &["chunk", "a.txt"]] {
        let run = fixture.run(command.iter().chain(&["--repo", "there"]));
        assert_eq!(run.code, Some(0), "{run:?}");
        run.stderr_contains(&[expected]);
    }
    fixture.write("there/.agent/config.yml", "");
    let run = fixture.run(["config", "check", "--repo", "there"]);
    assert!(!run.stderr.contains("is ignored"), "{}", run.stderr);
}
