//! What a newcomer reads.

use crate::fixture::Fixture;

const COMMANDS: [&str; 25] = [
    "pack",
    "preview",
    "search",
    "index",
    "watch",
    "config",
    "rules",
    "trust",
    "tokens",
    "chunk",
    "languages",
    "eval",
    "mcp",
    "init",
    "proxy",
    "serve",
    "show",
    "explain",
    "compare",
    "verify",
    "sources",
    "diff",
    "export",
    "completions",
    "man",
];

#[test]
fn every_command_has_help_with_an_example() {
    let fixture = Fixture::empty();
    for command in COMMANDS {
        for flag in ["-h", "--help"] {
            let run = fixture.run([command, flag]);
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
            assert!(run.stdout.contains("Example"), "{command}");
            assert!(run.stdout.contains(&format!("  kitbag {command}")), "{command}");
        }
    }
}

#[test]
fn every_command_takes_a_repository_and_gives_json() {
    let fixture = Fixture::empty();
    // Those that describe the program itself have neither.
    for command in COMMANDS.iter().filter(|it| !["completions", "man"].contains(it)) {
        let help = fixture.run([command, "--help"]).stdout;
        assert!(help.contains("--repo <DIR>") && help.contains("--json"), "{command}");
    }
}

#[test]
fn the_actions_of_a_command_have_examples_too() {
    let fixture = Fixture::empty();
    for action in [
        "index status",
        "index refresh",
        "index clear",
        "config show",
        "config check",
        "config init",
    ] {
        let run = fixture.run(action.split(' ').chain(["--help"]));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        assert!(run.stdout.contains(&format!("  kitbag {action}")), "{action}");
    }
}

#[test]
fn no_arguments_show_the_commands() {
    let run = Fixture::empty().run([""; 0]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    run.says(&["Usage: kitbag [OPTIONS] <COMMAND>", "pack ", "eval ", "Example:"]);
}

#[test]
fn what_is_mistyped_is_named() {
    let fixture = Fixture::empty();
    fixture.run(["pak", "login"]).fails(2, &["'pak'", "a similar subcommand exists: 'pack'"]);
    fixture.run(["pack", "login", "--budgets", "5"]).fails(2, &["'--budgets'", "'--budget'"]);
    fixture.run(["pack", "why", "this"]).fails(2, &["'this'"]);
}
